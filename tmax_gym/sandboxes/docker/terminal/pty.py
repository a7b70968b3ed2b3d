"""A pseudo-terminal of a container, opened from the host without the engine.

It has the methods of a socket, since an engine's terminals are sockets.  Only for containers whose
files this process can reach and in which no agent has acted yet: the path to the terminal leads
through the container's own directories.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import termios

from tmax_gym.sandboxes.login import TERMINAL_SIZE

_TIOCSPTLCK, _TIOCGPTN = 0x40045431, 0x80045430
"""asm-generic/ioctls.h: unlock the other end; get its number."""


class Pty:
    """The host's end of a terminal; the other end is `/dev/pts/<number>` inside."""

    def __init__(self, main: int) -> None:
        """Open one in the container with this first process, or raise `OSError`."""
        flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(f"/proc/{main}/root/dev/pts/ptmx", flags)
        self._file = open(fd, "r+b", buffering=0)  # noqa: SIM115 (closed by `close`, or with us)
        self._seconds: float | None = None
        fcntl.ioctl(fd, _TIOCSPTLCK, struct.pack("=i", 0))
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("=HHHH", *TERMINAL_SIZE, 0, 0))
        (self.number,) = struct.unpack("=i", fcntl.ioctl(fd, _TIOCGPTN, b"\0\0\0\0"))

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._file.fileno()

    def setblocking(self, flag: bool) -> None:
        """Wait for ever, or not at all."""
        os.set_blocking(self.fileno(), flag)
        self._seconds = None if flag else 0.0

    def settimeout(self, seconds: float) -> None:
        """Wait for this long."""
        self._seconds = seconds

    def sendall(self, data: bytes) -> None:
        """Type `data`."""
        while data:
            data = data[os.write(self.fileno(), data) :]

    def recv(self, size: int) -> bytes:
        """Read the output, b"" after the other end has closed, or raise `TimeoutError`."""
        poll = select.poll()
        poll.register(self, select.POLLIN)
        if not poll.poll(None if self._seconds is None else self._seconds * 1000):
            raise TimeoutError(f"nothing was printed in {self._seconds:g} s")
        with contextlib.suppress(OSError):  # EIO: the other end was closed
            return os.read(self.fileno(), size)
        return b""

    def close(self) -> None:
        """Hang up.  Idempotent."""
        self._file.close()
