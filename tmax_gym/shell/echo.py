"""What a tty itself does to what passes through it: echoes, and newlines of two bytes.

Covers seeing it in the modes and in the output.  Does not cover setting it right: `tidy_line` does.
"""

from __future__ import annotations

import termios

_OPENS = 48
"""Bytes at each end by which an echo of our line is known: the last hold a random name."""


def silent(fd: int) -> bool:
    """Return whether this is a tty that neither echoes nor changes output."""
    try:
        modes = termios.tcgetattr(fd)
    except (termios.error, OSError):
        return False
    return not modes[3] & termios.ECHO and not modes[1] & termios.OPOST


def may_be_changed(output: bytes, line: bytes) -> bool:
    """Return whether `tty_changed` might be true of this."""
    return b"\r\n" in output or line[:_OPENS] in output


def tty_changed(output: bytearray, line: bytes) -> bool:
    """Return whether the tty echoed our line, or turns newlines into two bytes; cut the echo."""
    at = output.find(line[:_OPENS])
    end = output.find(line[-_OPENS:-1], at) if at >= 0 else -1
    if end >= 0:
        del output[at : output.find(b"\n", end) + 1]
    return end >= 0 or b"\r\n" in output
