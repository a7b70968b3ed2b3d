"""Modes of a tty: detects echo and changed newlines, and resets modes from outside.

Terminals of an engine are sockets here, whose modes cannot be set: `tidy_line` resets those.
"""

from __future__ import annotations

import contextlib
import fcntl
import termios

_MODES = 64
"""Bytes of the kernel's `struct termios`: 36 on all that Linux runs on here."""
_OPENS = 48
"""Bytes at each end by which an echo of our line is recognised; the last ones are random."""


def silent(fd: int) -> bool:
    """Return whether this is a tty that neither echoes nor changes output."""
    try:
        modes = termios.tcgetattr(fd)
    except (termios.error, OSError):
        return False
    return not modes[3] & termios.ECHO and not modes[1] & termios.OPOST


def modes(fd: int) -> bytes:
    """Return the modes of a terminal; b"" if it is none."""
    try:
        return fcntl.ioctl(fd, termios.TCGETS, bytes(_MODES))
    except OSError:
        return b""


def put_back(fd: int, before: bytes) -> None:
    """Set the modes of a terminal again, if they have changed: they may alter typed lines."""
    if before and modes(fd) != before:
        with contextlib.suppress(OSError):
            fcntl.ioctl(fd, termios.TCSETS, before)


def may_be_changed(output: bytes, line: bytes) -> bool:
    """Return whether `tty_changed` may be true for this output."""
    return b"\r\n" in output or line[:_OPENS] in output


def tty_changed(output: bytearray, line: bytes) -> bool:
    """Return whether the tty echoed our line or changes newlines; remove the echo."""
    at = output.find(line[:_OPENS])
    end = output.find(line[-_OPENS:-1], at) if at >= 0 else -1
    if end >= 0:
        del output[at : output.find(b"\n", end) + 1]
    return end >= 0 or b"\r\n" in output
