"""The event log of a run: one line of JSON for everything that happened, in order.

Lines are only ever added, whole or not at all; the beginning of one that a killed process left
is cut off when the next one opens the file.  Covers any number of threads of one process.  Does
not decide anything: what has ended is told by the records alone.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tmax_gym.errors import BenchError

EVENTS = "events.jsonl"


def now() -> str:
    """Return the time by ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class EventLog:
    """A file that grows by a line an event."""

    def __init__(self, path: Path, *, clock: Callable[[], str] = now) -> None:
        """Open or make the file, and drop a last line that was cut off."""
        self._clock = clock
        self._lock = threading.Lock()
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        os.ftruncate(self._fd, _whole(path))

    def add(self, event: str, **facts: object) -> None:
        """Append an event.

        Raises:
            BenchError: The disk is full or gone.
        """
        row = {"at": self._clock(), "event": event, **facts}
        line = json.dumps(row, sort_keys=True).encode() + b"\n"
        with self._lock:
            if self._fd < 0:
                return
            size = os.fstat(self._fd).st_size
            try:
                if os.write(self._fd, line) < len(line):
                    raise OSError(28, "No space left on device")
            except OSError as error:
                os.ftruncate(self._fd, size)
                raise BenchError(
                    f"the event log cannot grow: {error}. Make room on its disk."
                ) from error

    def close(self) -> None:
        """Close the file; what comes later is dropped.  Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.fsync(self._fd)
                os.close(self._fd)
                self._fd = -1


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a log; a last line that was cut off is left out."""
    if not path.exists():
        return
    for line in path.read_bytes()[: _whole(path)].split(b"\n"):
        if line:
            yield json.loads(line)


def _whole(path: Path) -> int:
    """Return where the last whole line ends."""
    return path.read_bytes().rfind(b"\n") + 1
