"""Files of JSON that grow by a line: a line is whole or absent, after a kill and on a full disk.

Covers any number of threads, and processes that take turns.  A last line that was cut off is
dropped.  Does not cover a disk that loses what it has confirmed: lines are synchronised before
`add` returns, no more.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from tmax_gym.errors import JournalError

T = TypeVar("T")
Row = dict[str, Any]
_CHUNK = 1 << 16


class Journal:
    """A file that grows by lines; open for one process.

    Args:
        path: Made where it is absent.
        wait: Wait for another process that has it open, instead of being refused.

    Raises:
        JournalError: Another process writes to it, or it cannot be written.
    """

    def __init__(self, path: Path, *, wait: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalError(f"the journal {path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            self._size = _whole(self._fd)
            os.ftruncate(self._fd, self._size)
        except OSError as error:
            os.close(self._fd)
            raise JournalError(
                f"the journal {path} is in use or cannot be written: {error.strerror}.\n"
                "Wait for the other run, or give this one a file of its own."
            ) from error

    def add(self, *rows: Mapping[str, Any]) -> None:
        """Append rows; when this returns, they outlive the process.  Dropped after `close`.

        Raises:
            JournalError: The disk is full or gone; the file is as it was before.
        """
        data = b"".join(json.dumps(row, sort_keys=True).encode() + b"\n" for row in rows)
        with self._lock:
            if self._fd < 0:
                return
            try:
                at = 0
                while at < len(data):
                    at += os.pwrite(self._fd, data[at:], self._size + at)
                os.fdatasync(self._fd)
            except OSError as error:
                os.ftruncate(self._fd, self._size)
                raise JournalError(
                    f"the journal {self.path} cannot grow: {error.strerror}. Make room on its disk."
                ) from error
            self._size += len(data)

    def close(self) -> None:
        """Let another process write to it.  Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def append(path: Path, *rows: Mapping[str, Any]) -> None:
    """Add rows to a file that others may add to as well."""
    with Journal(path, wait=True) as journal:
        journal.add(*rows)


def read(path: Path, parse: Callable[[Row], T]) -> tuple[T, ...]:
    """Return what the whole lines of a file hold, in order; nothing where there is no file.

    Raises:
        JournalError: A line that is not the last one cannot be read or parsed.
    """
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return ()
    parsed = []
    for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
        try:
            parsed.append(parse(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise JournalError(
                f"line {number} of {path} cannot be read: {error!r}.\n"
                "Something else has written there: take another file, or remove that line."
            ) from error
    return tuple(parsed)


def _whole(fd: int) -> int:
    """Return where the last whole line ends."""
    end = os.fstat(fd).st_size
    while end > 0:
        start = max(0, end - _CHUNK)
        last = os.pread(fd, end - start, start).rfind(b"\n")
        if last >= 0:
            return start + last + 1
        end = start
    return 0
