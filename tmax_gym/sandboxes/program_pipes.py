"""Pipes to a program without a terminal: feed its input, keep the start of both outputs."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from tmax_gym.errors import SandboxError

STDOUT, STDERR = 1, 2
FILES_REMEDY = "Raise the limit of open files: ulimit -n"
_CHUNK = 1 << 16
_REST = 1 << 20
"""A pipe holds less than this, so one such read takes all that an ended program left."""


class Output:
    """Two outputs of at most `cap` bytes each; the rest is read and thrown away."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept = {STDOUT: bytearray(), STDERR: bytearray()}
        self.truncated = False

    @property
    def stdout(self) -> bytes:
        """What is kept of the standard output."""
        return bytes(self._kept[STDOUT])

    @property
    def stderr(self) -> bytes:
        """What is kept of the error output."""
        return bytes(self._kept[STDERR])

    def feed(self, stream: int, data: bytes) -> None:
        """Append to one of the outputs, up to the cap."""
        kept = self._kept[STDERR if stream == STDERR else STDOUT]
        room = max(self._cap - len(kept), 0)
        kept += data[:room]
        self.truncated = self.truncated or len(data) > room


class ProgramPipes:
    """The host's ends of a program's input and two outputs."""

    def __init__(self, fds: tuple[int, int, int], *, cap: int) -> None:
        """Take over the ends of input, output and error output."""
        self.output = Output(cap)
        self._input = fds[0]
        self._fds = fds[1:]
        self._open = dict(zip(self._fds, (STDOUT, STDERR), strict=True))
        for fd in fds:
            os.set_blocking(fd, False)

    def exchange(
        self, stdin: bytes, deadline: float, *, watched: int, ended: Callable[[], bool]
    ) -> bool:
        """Feed and read until the program has ended; return whether it did before the deadline.

        `ended` is asked whenever the descriptor `watched` is readable.
        """
        poller = select.poll()
        for fd in (watched, *self._open):
            poller.register(fd, select.POLLIN)
        rest = memoryview(stdin)
        if rest:
            poller.register(self._input, select.POLLOUT)
        else:
            self._close_input()
        while (left := deadline - time.monotonic()) > 0:
            for fd, _ in poller.poll(left * 1000):
                if fd == watched:
                    if ended():
                        return True
                elif fd == self._input:
                    rest = self._write(rest)
                    if not rest:
                        poller.unregister(fd)
                        self._close_input()
                elif not self._read(fd, _CHUNK):
                    poller.unregister(fd)
        return False

    def drain(self) -> None:
        """Read what an ended program left in its pipes."""
        for fd in list(self._open):
            self._read(fd, _REST)

    def close(self) -> None:
        """Close every descriptor."""
        self._close_input()
        close_all(self._fds)

    def _close_input(self) -> None:
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def _write(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self._input, rest[:_CHUNK]) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:
            return rest[:0]

    def _read(self, fd: int, size: int) -> bool:
        """Read what is there; return False at the end."""
        try:
            data = os.read(fd, size)
        except BlockingIOError:
            return True
        if data:
            self.output.feed(self._open[fd], data)
        else:
            del self._open[fd]
        return bool(data)


def open_pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return the host's ends of three pipes (input, output, errors), and the program's."""
    opened: list[int] = []
    try:
        for _ in range(3):
            opened += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        close_all(opened)
        raise SandboxError(f"no pipe to a program: {error}. {FILES_REMEDY}") from error
    return (opened[1], opened[2], opened[4]), (opened[0], opened[3], opened[5])


def close_all(fds: list[int] | tuple[int, ...]) -> None:
    """Close these descriptors."""
    for fd in fds:
        os.close(fd)


def exit_code(status: int) -> int:
    """Return a shell's number for an exit code of Python: 128 + n after signal n."""
    return 128 - status if status < 0 else status
