"""What a shell does at this moment, as the kernel of this host tells: nothing inside can forge it.

Covers processes of this host.  Does not cover those of an engine on another machine, of a kernel
that hides /proc/<pid>/syscall, or of other processors: those are `UNKNOWN`.
"""

from __future__ import annotations

import contextlib
import enum
import io
import os

_CALLS = {"x86_64": (b"0", b"270"), "aarch64": (b"63", b"72")}
"""Numbers of read and pselect6: asm/unistd_64.h and asm-generic/unistd.h."""
_LINE = b"0x400"
"""What a bash that does not edit lines asks its terminal for: 1,024 bytes (lib/sh/zread.c and
b_fill_buffer of bash 3 to 5).  Its builtin `read` asks for 1 byte or for 4,096."""
_BYTES = 200
"""A number, six arguments and two addresses, in hexadecimal."""
_READ, _SELECT = _CALLS.get(os.uname().machine, (b"", b""))


class Doing(enum.Enum):
    """What a shell does."""

    UNKNOWN = enum.auto()
    """It cannot be seen from here."""
    PROMPTING = enum.auto()
    """It waits for its next command line."""
    READING = enum.auto()
    """It waits for its standard input: a bash that edits lines does so at its prompt."""
    WORKING = enum.auto()
    """It runs, or waits for something else."""


class Watch:
    """A look at one process, as often as wanted: 2 us each, by a descriptor that stays open."""

    def __init__(self, pid: int) -> None:
        """Watch what this host knows as `pid`; the kernel never takes another for it."""
        self._file: io.FileIO | None = None
        if _READ and pid > 1:
            with contextlib.suppress(OSError):
                self._file = io.FileIO(f"/proc/{pid}/syscall")

    def doing(self) -> Doing:
        """Return what the process does at this moment."""
        if self._file is None:
            return Doing.UNKNOWN
        try:
            words = os.pread(self._file.fileno(), _BYTES, 0).split(b" ", 4)
        except (OSError, ValueError):  # it has ended; we have closed
            return Doing.UNKNOWN
        if len(words) > 3:
            if words[0] == _READ and words[1] == b"0x0":
                return Doing.PROMPTING if words[3] == _LINE else Doing.READING
            if words[0] == _SELECT and words[1] == b"0x1":
                return Doing.READING
        return Doing.WORKING

    def close(self) -> None:
        """Drop the descriptor.  Idempotent."""
        if self._file is not None:
            self._file.close()
