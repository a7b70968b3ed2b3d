"""The driver of plain `docker run`: its bash on a terminal, attached, and a prompt to wait for.

What pexpect users write on the first day, with pexpect's delays switched off, the terminal's echo
too, and the exit status inside the prompt.  A command that runs out of time gets control-C.
"""

from __future__ import annotations

from typing import Any

import pexpect
from line import Answer, serve

_PROMPT = rb"<peer:(\d+)> "


class DockerRun:
    """`docker run -it` under pexpect."""

    def __init__(self) -> None:
        self.child: pexpect.spawn | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start the container with bash as its first process."""
        words = ["run", "-it", "--rm", "--network=none", *options["arguments"], "-w", "/tmp"]
        words += ["-e", "TERM=dumb", "-e", "PS1=<peer:$?> ", "-e", "PS2=", "-e", "LANG=C.UTF-8"]
        words += [options["image"], "bash", "--norc", "--noprofile"]
        self.child = pexpect.spawn("docker", words, maxread=1 << 16, searchwindowsize=64)
        self.child.delaybeforesend = None
        self.child.expect(_PROMPT, timeout=30.0)
        # A tab in a command would complete a file name.
        self.child.sendline("bind 'set disable-completion on'; stty -echo -opost")
        self.child.expect(_PROMPT, timeout=10.0)

    def run(self, command: str, timeout: float) -> Answer:
        """Type a command and read until the prompt."""
        assert self.child is not None
        self.child.sendline(command)
        try:
            self.child.expect(_PROMPT, timeout=timeout)
        except pexpect.TIMEOUT:
            self.child.sendintr()
            self.child.expect([_PROMPT, pexpect.TIMEOUT], timeout=1.0)
            return Answer(bytes(self.child.before), None, late=True)
        return Answer(bytes(self.child.before), int(self.child.match.group(1)))

    def close(self) -> None:
        """End the client; `--rm` and whoever asked remove the container."""
        if self.child is not None:
            self.child.close(force=True)
        self.child = None


if __name__ == "__main__":
    serve(DockerRun())
