"""The driver of plain `docker run`: its bash on a terminal, attached, and a prompt to wait for.

What pexpect users write on the first day, with pexpect's delays switched off, the terminal's echo
too, and the exit status inside the prompt.  Every line of a command is typed by itself and
answered by a prompt, as `pexpect.replwrap` does.  What runs out of time or stays incomplete gets
control-C.
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
        words += [
            "-e",
            "TERM=dumb",
            "-e",
            "PS1=<peer:$?> ",
            "-e",
            "PS2=<more> ",
            "-e",
            "LANG=C.UTF-8",
        ]
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
        found = 0
        for line in command.split("\n"):
            self.child.sendline(line)
            left = max(0.0, deadline - time.monotonic())
            found = self.child.expect([_PROMPT, _MORE, pexpect.TIMEOUT], timeout=left)
            output += bytes(self.child.before)
            if found == 2:
                self._interrupt()
                return Answer(output, None, late=True)
        if found == 1:
            self._interrupt()
            raise ValueError("the command is incomplete")
        return Answer(output, int(self.child.match.group(1)))

    def _interrupt(self) -> None:
        assert self.child is not None
        self.child.sendintr()
        self.child.expect([_PROMPT, pexpect.TIMEOUT], timeout=1.0)

    def close(self) -> None:
        """End the client; `--rm` and whoever asked remove the container."""
        if self.child is not None:
            self.child.close(force=True)
        self.child = None


if __name__ == "__main__":
    serve(DockerRun())
