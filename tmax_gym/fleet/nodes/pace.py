"""A token bucket that slows down the starts of sandboxes on a node whose starts become slow.

Every lease takes a token before it begins.  The rate falls by a third when a start takes more than
four times the usual time, at most once a second, and grows by a twentieth with every other start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SLOW_FACTOR = 4.0
"""A start that takes so many times the usual one is slow: 64 starts at once on 2 cores take three
times as long each, without loss (benchmarks/reset.py)."""
SLOW_SECONDS = 0.25
"""No start is slow that takes less."""
LEAST, MOST = 1.0, 1000.0
"""Starts in a second."""
_CUT, _GROWTH = 2 / 3, 1.05
_SHARE = 0.1
"""Weight of a new start in the usual time."""
_PAUSE = 1.0
"""Seconds between two cuts."""


class StartPace:
    """The token bucket of one node; safe to use from any thread.

    Args:
        rate: Starts in a second, at first.
        burst: Starts that may follow each other at once.
        clock: Monotonic seconds.
    """

    def __init__(
        self, *, rate: float = 200.0, burst: int = 64, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate = rate
        self._burst = burst
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens = float(burst)
        self._at = clock()
        self._usual = 0.0
        self._cut_at = -_PAUSE

    def take(self) -> float:
        """Take a token; return for how many seconds the start must wait."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self.rate)
            self._at = now
            self._tokens -= 1.0  # below zero: those before this one wait as well
            return max(0.0, -self._tokens / self.rate)

    def learn(self, seconds: float) -> None:
        """Take account of how long a start took."""
        with self._lock:
            now = self._clock()
            usual = self._usual or seconds
            if seconds > max(SLOW_SECONDS, SLOW_FACTOR * usual):
                if now - self._cut_at >= _PAUSE:
                    self.rate, self._cut_at = max(LEAST, self.rate * _CUT), now
                return
            self._usual = usual + (seconds - usual) * _SHARE
            self.rate = min(MOST, self.rate * _GROWTH)
