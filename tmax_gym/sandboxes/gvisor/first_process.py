"""The host's side of a sandbox's first process: two pipes, requests, and how it ended.

`docker.init` has the script that it runs: it signals groups and sessions, and ends with its input.
Root inside can kill it, which ends the machine; gVisor's log tells how that came about.
"""

from __future__ import annotations

import os
import re
import select
from collections.abc import Iterator, Sequence
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.terminal.frames import Frames
from tmax_gym.sandboxes.gvisor import command

_LAST_WORDS = re.compile(rb"^I\d+ .* boot\.go:\d+\] application exiting ", re.MULTILINE)
"""What release 20240729 notes when the first process has ended."""
_TAIL = 8192
"""Bytes; the note is followed by four lines."""


class Pipes:
    """The part of a socket that `docker.init.Init` uses, made of two pipes.

    Two, as a bash in gVisor cannot wait for a socket of the host.
    """

    def __init__(self, write: int, read: int) -> None:
        """Take over the ends of its input and its output."""
        self._write, self._read = write, read
        self._seconds: float | None = None

    def settimeout(self, seconds: float | None) -> None:
        """Wait for this long."""
        self._seconds = seconds

    def sendall(self, data: bytes) -> None:
        """Write a request."""
        while data:
            data = data[os.write(self._write, data) :]

    def recv(self, size: int) -> bytes:
        """Read what was answered; b"" at the end; raise `TimeoutError` if nothing comes."""
        poller = select.poll()
        poller.register(self._read, select.POLLIN)
        if not poller.poll(None if self._seconds is None else self._seconds * 1000):
            raise TimeoutError(f"nothing came in {self._seconds:g} s")
        return os.read(self._read, size)

    def close(self) -> None:
        """Close both.  Idempotent."""
        if self._write >= 0:
            os.close(self._write)
            os.close(self._read)
            self._write = self._read = -1


class Unframed(Frames):
    """Answers as they come: no engine is in between."""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the data."""
        yield 1, data


def await_set_up(pipes: Pipes, seconds: float) -> bool:
    """Return whether the set-up announced that it waits for us."""
    pipes.settimeout(seconds)
    seen = b""
    try:
        while not seen.endswith(b"ready\n"):
            if not (data := pipes.recv(64)):
                return False
            seen += data
    except TimeoutError:
        return False
    return True


def ended_inside(logs: int, groups: Sequence[str]) -> bool:
    """Return whether something in an ended sandbox ended it, by its logs and its cgroups.

    gVisor notes the end of its first process, and a fault of its own.  Without such a note it was
    killed: by the host's kernel if all its memory was used up, else from outside.
    """
    boot = _tail(logs, command.BOOT_LOG)
    return (
        bool(_LAST_WORDS.search(boot))
        or bool(_tail(logs, command.PANIC_LOG))
        or _is_full(logs)  # programs inside have filled it, and there was no room for the note
        or _out_of_memory(groups)
    )


def _tail(logs: int, name: str) -> bytes:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=logs)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        file.seek(max(0, os.fstat(fd).st_size - _TAIL))
        return file.read()


def _is_full(logs: int) -> bool:
    room = os.fstatvfs(logs)
    return room.f_bavail * room.f_frsize < _TAIL


def _out_of_memory(groups: Sequence[str]) -> bool:
    for group in groups:
        for name in ("memory.oom_control", "memory.events"):  # version 1, version 2
            try:
                lines = Path(group, name).read_text(encoding="ascii").splitlines()
            except OSError:
                continue
            if any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines):
                return True
    return False


def number_in(path: Path) -> int:
    """Return the number that a file holds; raise `SandboxError` if there is none."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise SandboxError(f"no process number in {path}: {error}") from error
