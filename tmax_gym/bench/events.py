"""The event log of a run: one line of JSON for everything that happened, in order.

Covers any number of threads of one process.  Does not decide anything: what has ended is told by
the records alone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tmax_gym import journal

EVENTS = "events.jsonl"


def now() -> str:
    """Return the time by ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class EventLog:
    """A file that grows by a line an event."""

    def __init__(self, path: Path, *, clock: Callable[[], str] = now) -> None:
        """Open or make the file."""
        self._clock = clock
        self._journal = journal.Journal(path)

    def add(self, event: str, **facts: object) -> None:
        """Append an event; what comes after `close` is dropped.

        Raises:
            JournalError: The disk is full or gone.
        """
        self._journal.add({"at": self._clock(), "event": event, **facts})

    def close(self) -> None:
        """Close the file.  Idempotent."""
        self._journal.close()


def read_events(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the events of a log; a last line that was cut off is left out."""
    return journal.read(path, dict)
