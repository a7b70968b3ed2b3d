"""Figures of a backend with a pool: counts, and times of the last thousand openings."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

_KEPT = 1000
"""Openings whose times are kept."""


@dataclass(frozen=True, slots=True)
class PoolStats:
    """The figures of one backend in this process."""

    hits: int
    """Openings that took a machine from stock."""
    misses: int
    """Openings that had to start one."""
    p50_ms: float
    """Median time of an opening, first files included; 0 if there was none."""
    p99_ms: float
    live: int
    """Machines that were opened and not closed."""
    waiting: int
    """Machines in stock."""
    creating: int
    """Machines that are being made for the stock."""
    discarded: int
    """Machines that were made for the stock and never used."""
    queued: int
    """Openings and removals that wait for their turn."""
    width: int
    """How many of these run side by side at present."""
    leaked: int
    """Machines of the engine with our label that this process does not know; should be 0."""


class Tally:
    """Counts openings; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self._seconds: deque[float] = deque(maxlen=_KEPT)

    def opened(self, seconds: float, *, hit: bool) -> None:
        """Count an opening."""
        with self._lock:
            self.hits += hit
            self.misses += not hit
            self._seconds.append(seconds)

    def milliseconds(self, share: float) -> float:
        """Return a quantile of the times of openings."""
        with self._lock:
            return quantile(sorted(self._seconds), share) * 1e3


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile by the nearest rank; 0 of nothing.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.0
    """
    rank = -(-len(ordered) * round(share * 1000) // 1000)
    return ordered[max(0, rank - 1)] if ordered else 0.0
