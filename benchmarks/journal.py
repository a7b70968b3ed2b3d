"""The journal of a run: one line of JSON for every episode that has ended.

A run that was killed at any moment goes on from it: what has a line is not played again, and
a last line that was cut off is dropped.  Lines are whole or absent, also on a full disk.
Covers any number of threads and one process at a time.  Does not cover a disk that loses what
it has confirmed: lines are synchronised before `add` returns, no more.
"""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from tmax_gym.errors import JournalError
from tmax_gym.trajectory import Trajectory, from_json, to_json

Key = tuple[str, str, int]
"""What tells an episode from the others of its run: task, agent, seed."""
_CHUNK = 1 << 16


def key_of(trajectory: Trajectory) -> Key:
    """Return what tells this episode from the others of its run."""
    return trajectory.task, trajectory.agent, trajectory.seed


def read(path: Path) -> tuple[Trajectory, ...]:
    """Return the whole lines of a journal, in the order in which they ended.

    Raises:
        JournalError: A line that is not the last one cannot be read.
    """
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return ()
    found = []
    for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
        try:
            found.append(from_json(line.decode()))
        except (ValueError, KeyError, TypeError) as error:
            raise JournalError(
                f"line {number} of {path} is no trajectory: {error!r}.\n"
                "Something else has written there: take another file, or remove that line."
            ) from error
    return tuple(found)


class Journal:
    """A file that grows by a line an episode; open for one process."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, and drop a last line that was cut off.

        Raises:
            JournalError: Another process writes to it, or it cannot be written.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise JournalError(f"the journal {path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = _whole(self._fd)
            os.ftruncate(self._fd, self._size)
            self._done = {key_of(trajectory) for trajectory in read(path)}
        except OSError as error:
            os.close(self._fd)
            raise JournalError(
                f"the journal {path} is in use or cannot be written: {error.strerror}.\n"
                "Wait for the other run, or give this one a file of its own."
            ) from error
        except BaseException:
            os.close(self._fd)
            raise

    def __contains__(self, key: object) -> bool:
        """Return whether this episode has ended already."""
        with self._lock:
            return key in self._done

    def __len__(self) -> int:
        """Return the number of different episodes in it."""
        with self._lock:
            return len(self._done)

    def add(self, trajectory: Trajectory) -> None:
        """Append an episode; when this returns, it outlives the process.

        Raises:
            JournalError: The disk is full or gone; the file is as it was before.
        """
        data = to_json(trajectory).encode() + b"\n"
        with self._lock:
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
            self._done.add(key_of(trajectory))

    def close(self) -> None:
        """Let another process write to it.  Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _whole(fd: int) -> int:
    """Return where the last whole line ends."""
    end = os.fstat(fd).st_size
    while end > 0:
        start = max(0, end - _CHUNK)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
