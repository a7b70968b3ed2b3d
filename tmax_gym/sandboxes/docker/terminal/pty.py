"""A pseudo-terminal of a container, made from its host.

*Covers*: the host's end, with the methods of a socket, since an engine's terminals are sockets.
*Does not cover*: containers whose files this process cannot reach, and ones in which an agent
has acted: the way to the terminal leads through the container's own directories.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import termios

_ROWS, _COLUMNS = 24, 80
_TIOCSPTLCK, _TIOCGPTN = 0x40045431, 0x80045430
"""asm-generic/ioctls.h: unlock the other end; tell its number."""


class Pty:
    """The host's end of a terminal; the other end is `/dev/pts/<number>` inside."""

    def __init__(self, main: int) -> None:
        """Make one in the container whose first process the host knows as `main`.

        Raises:
            OSError: This process may not.
        """
        flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(f"/proc/{main}/root/dev/pts/ptmx", flags)
        self._file = open(fd, "r+b", buffering=0)  # noqa: SIM115 (closed by `close`, or with us)
        self._seconds: float | None = None
        fcntl.ioctl(fd, _TIOCSPTLCK, struct.pack("=i", 0))
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("=HHHH", _ROWS, _COLUMNS, 0, 0))
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
        """Type."""
        while data:
            data = data[os.write(self.fileno(), data) :]

    def recv(self, size: int) -> bytes:
        """Read what was printed; nothing once nobody is at the other end.

        Raises:
            TimeoutError: Nothing was.
        """
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
