"""Tells whether a shell is at its prompt or works, by the system call that its process is in.

The host's kernel tells that, so nothing inside the sandbox can forge it.  It is `UNKNOWN` for
processes on another machine, kernels that hide /proc/<pid>/syscall, and other processors.
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


class Activity(enum.Enum):
    """What a shell does at the moment."""

    UNKNOWN = enum.auto()
    """It cannot be seen from here."""
    PROMPTING = enum.auto()
    """It waits for its next command line."""
    READING = enum.auto()
    """It waits for its standard input: a bash that edits lines does so at its prompt."""
    WORKING = enum.auto()
    """It runs, or waits for something else."""


class ActivityProbe:
    """Looks at one process through a descriptor that stays open: 2 us a look."""

    def __init__(self, pid: int) -> None:
        """Open the process that this host knows as `pid`; a later one of that number is not it."""
        self._file: io.FileIO | None = None
        if _READ and pid > 1:
            with contextlib.suppress(OSError):
                self._file = io.FileIO(f"/proc/{pid}/syscall")

    def activity(self) -> Activity:
        """Return what the process does at this moment."""
        if self._file is None:
            return Activity.UNKNOWN
        try:
            words = os.pread(self._file.fileno(), _BYTES, 0).split(b" ", 4)
        except (OSError, ValueError):  # it has ended; we have closed
            return Activity.UNKNOWN
        if len(words) > 3:
            if words[0] == _READ and words[1] == b"0x0":
                return Activity.PROMPTING if words[3] == _LINE else Activity.READING
            if words[0] == _SELECT and words[1] == b"0x1":
                return Activity.READING
        return Activity.WORKING

    def close(self) -> None:
        """Close the descriptor.  Idempotent."""
        if self._file is not None:
            self._file.close()
