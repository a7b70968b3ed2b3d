"""The driver's book of works, leases and results, in one SQLite file.

A result is accepted only under the present lease of its work, so that a late double of a node that
was thought lost changes nothing.  A driver that was killed goes on from the file; what was leased
then is leased again.  The file survives the end of any process, but the last results may be lost
if the machine itself loses power (SQLite's `synchronous=NORMAL`).
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

from tmax_gym.errors import FleetError
from tmax_gym.fleet.contract import Lease, Work

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (job TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS work (
    key TEXT PRIMARY KEY, lease INTEGER, result TEXT, losses INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS lease (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, node TEXT NOT NULL,
    begun REAL NOT NULL, heartbeat REAL NOT NULL, deadline REAL NOT NULL, ended TEXT);
CREATE INDEX IF NOT EXISTS open_leases ON lease (node) WHERE ended IS NULL;
"""
MEMORY = Path(":memory:")
"""A book that ends with its process."""


class LeaseBook:
    """Open for one driver; safe to use from any thread.

    Args:
        path: The file, or `MEMORY`.
        job: Digest of the job, which must be that of the file.
        clock: Seconds since 1970, comparable between processes.

    Raises:
        FleetError: The file belongs to another job, to another driver, or cannot be read.
    """

    def __init__(self, path: Path, *, job: str, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, timeout=1.0)
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            with self._db:
                self._db.executescript(_SCHEMA)
                before = self._db.execute("SELECT job FROM run").fetchone()
                if before is None:
                    self._db.execute("INSERT INTO run VALUES (?)", (job,))
                self._db.execute("UPDATE work SET lease = NULL WHERE result IS NULL")
                self._db.execute("UPDATE lease SET ended = 'driver ended' WHERE ended IS NULL")
        except sqlite3.Error as error:
            raise FleetError(
                f"the leases in {path} cannot be used: {error}. Another driver may have the file "
                "open; otherwise take another file."
            ) from error
        if before is not None and before[0] != job:
            self.close()
            raise FleetError(
                f"the leases in {path} belong to a run with other settings ({before[0]}, now "
                f"{job}). Take another file, or the settings of that run."
            )

    def known(self, key: str) -> str | None:
        """Return the result of a work, None if it has none; remember the work."""
        with self._lock, self._db:
            self._db.execute("INSERT OR IGNORE INTO work (key) VALUES (?)", (key,))
            row = self._db.execute("SELECT result FROM work WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def lease(self, work: Work, node: str) -> Lease:
        """Give a work to a node; every earlier lease of it becomes void."""
        now = self._clock()
        with self._lock, self._db:
            number = self._db.execute(
                "INSERT INTO lease (key, node, begun, heartbeat, deadline) VALUES (?, ?, ?, ?, ?)",
                (work.key, node, now, now, now + work.seconds),
            ).lastrowid
            self._db.execute("UPDATE work SET lease = ? WHERE key = ?", (number, work.key))
        assert number is not None
        return Lease(number, work, node)

    def finish(self, lease: Lease, result: str) -> bool:
        """Write a result; return False if the lease is void, or the work has a result already."""
        with self._lock, self._db:
            accepted = self._db.execute(
                "UPDATE work SET result = ? WHERE key = ? AND lease = ? AND result IS NULL",
                (result, lease.work.key, lease.number),
            ).rowcount
            self._end(lease.number, "done" if accepted else "late")
        return bool(accepted)

    def lose(self, lease: Lease, why: str) -> int:
        """Make a lease void; return how often its work was lost so far."""
        with self._lock, self._db:
            self._db.execute(
                "UPDATE work SET lease = NULL, losses = losses + 1 WHERE key = ? AND lease = ?",
                (lease.work.key, lease.number),
            )
            self._end(lease.number, why)
            row = self._db.execute("SELECT losses FROM work WHERE key = ?", (lease.work.key,))
            return int(row.fetchone()[0])

    def beat(self, nodes: Iterable[str]) -> None:
        """Record that these nodes have answered now."""
        now = self._clock()
        with self._lock, self._db:
            self._db.executemany(
                "UPDATE lease SET heartbeat = ? WHERE node = ? AND ended IS NULL",
                [(now, node) for node in nodes],
            )

    def overdue(self) -> tuple[int, ...]:
        """Return the numbers of leases whose deadline is over."""
        with self._lock:
            rows = self._db.execute(
                "SELECT number FROM lease WHERE ended IS NULL AND deadline < ? ORDER BY number",
                (self._clock(),),
            ).fetchall()
        return tuple(number for (number,) in rows)

    def forget(self, key: str) -> None:
        """Remove a work and its leases, whose result is kept elsewhere."""
        with self._lock, self._db:
            self._db.execute("DELETE FROM work WHERE key = ?", (key,))
            self._db.execute("DELETE FROM lease WHERE key = ? AND ended IS NOT NULL", (key,))

    def leases(self) -> Iterator[tuple[int, str, str, str | None]]:
        """Return every lease: number, key of the work, node, how it ended."""
        with self._lock:
            yield from self._db.execute(
                "SELECT number, key, node, ended FROM lease ORDER BY number"
            ).fetchall()

    def close(self) -> None:
        """Let another driver open the file.  Idempotent."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _end(self, number: int, how: str) -> None:
        self._db.execute(
            "UPDATE lease SET ended = ? WHERE number = ? AND ended IS NULL", (how, number)
        )
