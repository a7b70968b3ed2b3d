"""Drive plain `docker run`: an attached bash on a terminal, and a prompt to wait for.

This is the simplest use of pexpect, without its delays and without the terminal's echo, and with
the exit status in the prompt.  Every line of a command is typed separately and answered by a
prompt, as in `pexpect.replwrap`.  A command that times out or is incomplete gets control-C.
"""

from __future__ import annotations

import time
from typing import Any

import pexpect
from line import Answer, serve

_PROMPT, _MORE = rb"<peer:(\d+)> ", rb"<more> "


class DockerRun:
    """`docker run -it` under pexpect."""

    def __init__(self) -> None:
        self.child: pexpect.spawn | None = None

    def open(self, options: dict[str, Any]) -> None:
        """Start the container with bash as its first process."""
        words = ["run", "-it", "--rm", "--network=none", *options["arguments"], "-w", "/tmp"]
        for variable in ("TERM=dumb", "PS1=<peer:$?> ", "PS2=<more> ", "LANG=C.UTF-8"):
            words += ["-e", variable]
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
        deadline = time.monotonic() + timeout
        output = b""
        prompt = 0
        for line in command.split("\n"):
            self.child.sendline(line)
            left = max(0.0, deadline - time.monotonic())
            prompt = self.child.expect([_PROMPT, _MORE, pexpect.TIMEOUT], timeout=left)
            output += bytes(self.child.before)
            if prompt == 2:
                self._interrupt()
                return Answer(output, None, late=True)
        if prompt == 1:
            self._interrupt()
            raise ValueError("the command is incomplete")
        return Answer(output, int(self.child.match.group(1)))

    def _interrupt(self) -> None:
        assert self.child is not None
        self.child.sendintr()
        self.child.expect([_PROMPT, pexpect.TIMEOUT], timeout=1.0)

    def close(self) -> None:
        """End the client; `--rm` and the caller remove the container."""
        if self.child is not None:
            self.child.close(force=True)
        self.child = None


if __name__ == "__main__":
    serve(DockerRun())
