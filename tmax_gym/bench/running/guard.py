"""Watching over a trial from outside: nothing that hangs in it outlives its limits, or the run.

First the trial is let end by itself, then its machine is destroyed, then it is left behind.
Covers machines that do not answer and runs that are stopped in the middle of a command or of
grading.  Does not cover agents that do not return: see `tmax_gym.timed`.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

from tmax_gym.bench.running.watched import WatchedTask
from tmax_gym.bench.statuses import Overdue, Stopped
from tmax_gym.deadlines import command, deadlines, patience
from tmax_gym.env import Part
from tmax_gym.episode import EpisodeLimits
from tmax_gym.rollout import Playable
from tmax_gym.task import Task
from tmax_gym.trial.task import TrialTask

END_SECONDS = 2.0
"""For a trial of a run that is stopped to end by itself."""
LATE_SECONDS = 5.0
"""After the agent's time, for a command to be stopped: four rungs of half a second, a new shell."""
CLOSE_SECONDS = 3.0
"""For a machine to be destroyed."""
_SIDE_BY_SIDE = 16
"""Trials that may wait for each other's machines."""
_HARBOR_SECONDS = 900.0
"""Around the verifiers of a Harbor task: a machine of their own, copies of what was left."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Seconds after which something is stuck, by what is being done."""

    start: float = math.inf
    command: float = math.inf
    grading: float = math.inf

    def of(self, part: Part) -> float:
        """Return the limit of a part."""
        return math.inf if part == "nothing" else float(getattr(self, part))


def allowed(task: Task | Playable, limits: EpisodeLimits, backend: str) -> Allowed:
    """Return what the parts of a trial add up to at most."""
    longest = command(patience(backend), min(limits.command_timeout, limits.episode_seconds))
    if isinstance(task, Task):
        parts = deadlines(task, limits, backend, at_once=_SIDE_BY_SIDE)
        return Allowed(parts.reset, longest, parts.grade)
    if not isinstance(task, TrialTask):
        return Allowed(command=longest)
    times = task.settings.multipliers
    factor = times.all if times.verifier is None else times.verifier
    grading = max(
        step.verifier.timeout_sec * factor + sum(h.timeout_sec for h in step.verifier.collect)
        for step in task.harbor.steps
    )
    return Allowed(command=longest, grading=grading + _HARBOR_SECONDS)


@dataclass(slots=True)
class Guard:
    """What looks at a trial again and again while it is played."""

    task: WatchedTask
    limits: Allowed
    stop: threading.Event
    """Set where the run is being stopped."""
    reason: Stopped | Overdue | None = None
    """Why the machine was destroyed; None where it was not."""
    _since: float | None = field(default=None, init=False)

    def __call__(self) -> None:
        """Look; raises where the trial is to be left behind."""
        now = time.monotonic()
        why: Stopped | Overdue | None = Stopped() if self.stop.is_set() else self._late(now)
        if why is None and self.reason is None:
            self._since = None
            return
        if self._since is None:
            self._since = now
        patience = END_SECONDS if isinstance(why, Stopped) else 0.0
        if self.reason is None and now - self._since >= patience:
            self.reason = why
            # Not here: an engine that hangs would hold this thread up as well.
            threading.Thread(target=self.task.close, name="destroy", daemon=True).start()
        if self.reason is not None and now - self._since > patience + CLOSE_SECONDS:
            raise self.reason

    def _late(self, now: float) -> Overdue | None:
        doing = self.task.doing
        took, most = now - doing.since, self.limits.of(doing.part)
        if took > most:
            return Overdue(f"{doing.part} took {took:.0f} s, and {most:.0f} s are the most")
        over = -self.task.time_left()
        if doing.part == "command" and over > LATE_SECONDS:
            return Overdue(f"a command did not end {over:.0f} s after the agent's time was over")
        return None
