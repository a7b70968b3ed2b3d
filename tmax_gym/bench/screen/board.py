"""The state of a run in progress: trials that have ended, trials that run, the mean so far.

Any thread may update it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt

from tmax_gym.bench.records import Key, TrialRecord, Usage
from tmax_gym.reports.statistics.means import average, variance
from tmax_gym.trajectory import Ending

FINISHED = (Ending.SUBMITTED, Ending.AGENT_STOPPED)
"""Endings of agents that nothing cut short."""


@dataclass(frozen=True, slots=True)
class Running:
    """A trial that has not ended."""

    key: Key
    seconds: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state at one moment."""

    total: int
    done: int
    earlier: int
    """Trials among them that had ended before this process."""
    graded: int
    mean: float | None
    """Mean over tasks of their mean rewards."""
    error: float | None
    """Standard error of the mean, clustered by task."""
    seconds: float
    """Seconds since this process began."""
    left: float | None
    """Estimate of the seconds that are left; None before a trial has ended."""
    running: tuple[Running, ...]
    """Trials that run, the longest first."""
    slowest: tuple[tuple[Key, float], ...]
    """Trials that took longest."""
    failures: tuple[tuple[Ending, int], ...]
    """Trials that did not end by themselves, by ending; the most frequent first."""
    usage: Usage
    working: float
    """Seconds of thinking and commands."""
    stopping: bool = False


class Board:
    """Counts that are updated as trials begin and end."""

    def __init__(
        self,
        total: int,
        earlier: Iterable[TrialRecord],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the trials that had ended before."""
        self.total = total
        self.stopping = False
        self._clock = clock
        self._lock = threading.Lock()
        self._begun = clock()
        self._running: dict[Key, float] = {}
        self._rewards: dict[Key, float] = {}
        self._seconds: dict[Key, float] = {}
        self._failures: Counter[Ending] = Counter()
        self._usage, self._working = Usage(), 0.0
        self._done = self._earlier = 0
        for record in earlier:
            self._count(record)
            self._earlier += 1

    def began(self, key: Key) -> None:
        """Note that a trial is being played."""
        with self._lock:
            self._running[key] = self._clock()

    def left(self, key: Key) -> None:
        """Note that a trial was stopped."""
        with self._lock:
            self._running.pop(key, None)

    def ended(self, record: TrialRecord) -> None:
        """Note that a trial has ended."""
        with self._lock:
            self._running.pop(record.key, None)
            self._count(record)

    def _count(self, record: TrialRecord) -> None:
        self._done += 1
        self._seconds[record.key] = record.phases.total
        self._usage += record.usage
        self._working += record.working
        if record.reward is not None:
            self._rewards[record.key] = record.reward
        if record.ending not in FINISHED:
            self._failures[record.ending] += 1

    def snapshot(self, *, shown: int = 5) -> Snapshot:
        """Return the state now."""
        with self._lock:
            at = self._clock()
            mean, error = self._mean()
            fresh = self._done - self._earlier
            elapsed = at - self._begun
            rest = self.total - self._done
            running = sorted(self._running.items(), key=lambda pair: pair[1])
            slowest = sorted(self._seconds.items(), key=lambda pair: (-pair[1], pair[0]))
            return Snapshot(
                total=self.total,
                done=self._done,
                earlier=self._earlier,
                graded=len(self._rewards),
                mean=mean,
                error=error,
                seconds=elapsed,
                left=elapsed / fresh * rest if fresh else None,
                running=tuple(Running(key, at - since) for key, since in running),
                slowest=tuple(slowest[:shown]),
                failures=tuple(self._failures.most_common()),
                usage=self._usage,
                working=self._working,
                stopping=self.stopping,
            )

    def _mean(self) -> tuple[float | None, float | None]:
        by_task: dict[str, list[float]] = {}
        for (task, _), reward in self._rewards.items():
            by_task.setdefault(task, []).append(reward)
        means = [average(rewards) for rewards in by_task.values()]
        if not means:
            return None, None
        return average(means), sqrt(variance(means) / len(means)) if len(means) > 1 else None
