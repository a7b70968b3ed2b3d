"""Quantiles of the times of every phase: queue, start, first command, verify."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from tmax_gym.sandboxes.pool.stats import quantile

KEPT = 10_000
"""Times of one phase that are kept; older ones are dropped."""
SHARES = (0.5, 0.95, 0.99)


class Timings:
    """Collects seconds by phase; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: dict[str, deque[float]] = {}

    def add(self, phases: Iterable[tuple[str, float]]) -> None:
        """Add the seconds of some phases."""
        with self._lock:
            for phase, seconds in phases:
                self._seconds.setdefault(phase, deque(maxlen=KEPT)).append(seconds)

    def quantiles(self) -> dict[str, tuple[float, ...]]:
        """Return the seconds of each phase that half, 95 % and 99 % of its times do not exceed."""
        with self._lock:
            ordered = {phase: sorted(seconds) for phase, seconds in self._seconds.items()}
        return {p: tuple(quantile(s, share) for share in SHARES) for p, s in ordered.items()}

    def __str__(self) -> str:
        """Return one line for each phase, in milliseconds."""
        rows = self.quantiles().items()
        return "\n".join(
            f"{phase:14} p50 {p50 * 1e3:9.1f} ms  p95 {p95 * 1e3:9.1f} ms  p99 {p99 * 1e3:9.1f} ms"
            for phase, (p50, p95, p99) in rows
        )
