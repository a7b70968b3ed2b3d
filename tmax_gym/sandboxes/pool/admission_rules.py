"""How many starts an engine takes side by side, and when it is left alone: pure rules.

*Covers*: a width that grows with successes and shrinks with failures and slowness (additive
increase, multiplicative decrease), and a breaker that opens after failures in a row.
Times are given by the caller.  *Does not cover*: locks and waiting (`admission.py`).
"""

from __future__ import annotations

SLOW = 5.0
"""How many times the usual latency is a sign of too much at once: 4 creators of containers
doubled it, p99 trebled it, 8 made it 4.4 (sandbox design §2)."""
_DRIFT = 1.02
"""By how much the fastest start seen is forgotten with each start: machines grow busier."""


class Width:
    """The number of starts that may go on side by side."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"{most} starts at once: at least 1 is needed")
        self._most = float(most)
        self._first = self._width = max(1.0, most / 2)
        """Where it begins, and below which slowness alone does not bring it."""
        self._threshold = self._most
        self._fastest = 0.0
        self._cut = float("-inf")

    @property
    def slots(self) -> int:
        """The width as a whole number, at least 1."""
        return int(self._width)

    def succeeded(self, begun: float, now: float) -> None:
        """Learn that a start took from `begun` to `now`."""
        took = now - begun
        self._fastest = min(self._fastest * _DRIFT, took) if self._fastest else took
        if took > SLOW * self._fastest:
            self._shrink(begun, now, least=self._first)
            return
        step = 1.0 if self._width < self._threshold else 1.0 / self._width
        self._width = min(self._most, self._width + step)

    def failed(self, begun: float, now: float) -> None:
        """Learn that a start failed."""
        self._shrink(begun, now, least=1.0)

    def _shrink(self, begun: float, now: float, *, least: float) -> None:
        if begun < self._cut:
            return  # one of those that were under way: the same incident
        self._cut = now
        self._width = max(min(least, self._width), self._width / 2)
        self._threshold = self._width


class Breaker:
    """Whether an engine is to be left alone."""

    LIMIT = 3
    """Failures in a row, without a success, after which it is."""
    PAUSE, LONGEST = 3.0, 24.0
    """Seconds of the first rest; each failed attempt doubles it, up to the longest."""

    def __init__(self) -> None:
        self.last = ""
        """What the last failure said."""
        self._failures = 0
        self._failed_at = float("-inf")
        self._pause = self.PAUSE
        self._until = 0.0
        self._probing = False

    @property
    def closed(self) -> bool:
        """Whether all is well."""
        return self._failures < self.LIMIT

    def rest(self, now: float) -> float:
        """Return the seconds until the next attempt."""
        return max(0.0, self._until - now) if self._failures >= self.LIMIT else 0.0

    def passes(self, now: float) -> bool:
        """Return whether a start may go on."""
        return self.closed or (now >= self._until and not self._probing)

    def probe(self, now: float) -> bool:
        """Begin a start that may go on; return whether it tries a resting engine."""
        self._probing = self._failures >= self.LIMIT and now >= self._until
        return self._probing

    def succeeded(self) -> None:
        """Learn of a success: all is well."""
        self._failures = 0
        self._pause = self.PAUSE
        self._probing = False

    def failed(self, begun: float, now: float, said: str) -> None:
        """Learn of a failure; many that were under way together count as one."""
        if begun < self._failed_at:
            return
        self.last, self._failed_at = said, now
        self._failures += 1
        if self._failures > self.LIMIT:
            self._pause = min(self._pause * 2, self.LONGEST)
        if self._failures >= self.LIMIT:
            self._until = now + self._pause
        self._probing = False

    def undecided(self, probe: bool) -> None:
        """Learn that a start ended without telling anything about the engine."""
        if probe:
            self._probing = False
