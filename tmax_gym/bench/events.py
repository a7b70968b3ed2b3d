"""The event log of a run: a line of JSON for every event, written by any thread of one process.

The log is for people.  Which trials have ended is decided by the records.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tmax_gym import journal

EVENTS = "events.jsonl"


def now() -> str:
    """Return the time in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class EventLog:
    """A file that grows by one line for each event."""

    def __init__(self, path: Path, *, clock: Callable[[], str] = now) -> None:
        """Open or make the file."""
        self._clock = clock
        self._journal = journal.Journal(path)

    def add(self, event: str, **facts: object) -> None:
        """Append an event; after `close` it is dropped.

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
