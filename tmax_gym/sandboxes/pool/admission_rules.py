"""Rules of `Admission`: how many starts an engine takes side by side, and when it rests.

`Width` grows with successes and shrinks with failures and slowness (additive increase,
multiplicative decrease); `Breaker` is a circuit breaker that opens after failures in a row.  Both
are pure: the caller passes the time and holds the lock.
"""

from __future__ import annotations

SLOW = 5.0
"""A start that takes this many times the usual latency means that too many run at once: with 4
creators of containers it doubled (p99 trebled), with 8 it was 4.4 times as long."""
_DRIFT = 1.02
"""Factor by which the fastest latency rises with each start: machines become busier."""


class Width:
    """The number of starts that may run side by side."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"{most} starts at once: at least 1 is needed")
        self._most = float(most)
        self._first = self._width = max(1.0, most / 2)
        """The first width; slowness alone does not make it smaller than this."""
        self._threshold = self._most
        self._fastest = 0.0
        self._cut = float("-inf")

    @property
    def slots(self) -> int:
        """The width as a whole number, at least 1."""
        return int(self._width)

    def succeeded(self, begun: float, now: float) -> None:
        """Take account of a start that took from `begun` to `now`."""
        took = now - begun
        self._fastest = min(self._fastest * _DRIFT, took) if self._fastest else took
        if took > SLOW * self._fastest:
            self._shrink(begun, now, least=self._first)
            return
        step = 1.0 if self._width < self._threshold else 1.0 / self._width
        self._width = min(self._most, self._width + step)

    def failed(self, begun: float, now: float) -> None:
        """Take account of a start that failed."""
        self._shrink(begun, now, least=1.0)

    def _shrink(self, begun: float, now: float, *, least: float) -> None:
        if begun < self._cut:
            return  # it ran while an earlier one failed: the same incident
        self._cut = now
        self._width = max(min(least, self._width), self._width / 2)
        self._threshold = self._width


class Breaker:
    """Decides whether an engine rests."""

    LIMIT = 3
    """Failures in a row after which it rests."""
    PAUSE, LONGEST = 3.0, 24.0
    """Seconds of the first rest; each failed attempt doubles it, up to the longest."""

    def __init__(self) -> None:
        self.last = ""
        """The message of the last failure."""
        self._failures = 0
        self._failed_at = float("-inf")
        self._pause = self.PAUSE
        self._until = 0.0
        self._probing = False

    @property
    def closed(self) -> bool:
        """Whether the engine works."""
        return self._failures < self.LIMIT

    def rest(self, now: float) -> float:
        """Return the seconds until the next attempt."""
        return max(0.0, self._until - now) if self._failures >= self.LIMIT else 0.0

    def passes(self, now: float) -> bool:
        """Return whether a start may begin."""
        return self.closed or (now >= self._until and not self._probing)

    def probe(self, now: float) -> bool:
        """Begin a start; return whether it probes a resting engine."""
        self._probing = self._failures >= self.LIMIT and now >= self._until
        return self._probing

    def succeeded(self) -> None:
        """Take account of a success: the engine works."""
        self._failures = 0
        self._pause = self.PAUSE
        self._probing = False

    def failed(self, begun: float, now: float, message: str) -> None:
        """Take account of a failure; several starts that ran together count as one."""
        if begun < self._failed_at:
            return
        self.last, self._failed_at = message, now
        self._failures += 1
        if self._failures > self.LIMIT:
            self._pause = min(self._pause * 2, self.LONGEST)
        if self._failures >= self.LIMIT:
            self._until = now + self._pause
        self._probing = False

    def undecided(self, probe: bool) -> None:
        """Take account of a start whose end says nothing about the engine."""
        if probe:
            self._probing = False
