"""Compare two runs, to find whether the second is worse: the statistics of `tmax compare`.

Tasks that changed between the runs are refused, and so are runs without a common task.  Ungraded
trials are left out of the difference; how far they could move it is reported beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tmax_gym.errors import ResultsError
from tmax_gym.reports.statistics.means import average
from tmax_gym.reports.statistics.pairs import Paired, differences, paired
from tmax_gym.reports.statistics.passes import successes
from tmax_gym.reports.statistics.power import detectable
from tmax_gym.reports.statistics.trials import Rewards, Run

NAMED = 5
"""Largest number of tasks named in a message."""
ROUNDING = 1e-9
"""A drop from 0.8 to 0.7 counts as 0.1, although 0.8 - 0.7 > 0.1 in binary."""


class Rule(StrEnum):
    """When a drop counts as too large."""

    OBSERVED = "observed"
    """The mean fell by more.  Two runs of one agent differ by chance, so allow for that."""
    PROVEN = "proven"
    """The whole interval is below: few false alarms, but small drops pass."""
    POSSIBLE = "possible"
    """A part of the interval is below: only runs that certainly did not fall by more pass."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second run against the first."""

    first: str
    second: str
    paired: Paired
    lowest: float
    """The difference if ungraded trials were 1 in the first run and 0 in the second."""
    highest: float
    """The difference if it were the other way round."""
    smallest: float | None
    """The smallest difference that such runs detect with a power of 80 %; None for one task."""
    lost: tuple[str, ...]
    """Tasks with a graded trial only in the first run."""
    gained: tuple[str, ...]
    """Tasks with a graded trial only in the second run."""
    unchecked: tuple[str, ...]
    """Compared tasks that may have changed, because a run has no digest of them."""
    ungraded: tuple[int, int]
    """Number of ungraded trials in each run."""

    @property
    def lost_share(self) -> float:
        """Return the share of the first run's graded tasks that are not graded in the second."""
        return len(self.lost) / (len(self.lost) + self.paired.difference.count)

    def drop(self, rule: Rule = Rule.OBSERVED) -> float:
        """Return the drop that a rule judges; negative if the second run is better."""
        change = self.paired.difference
        ends = {Rule.OBSERVED: change.mean, Rule.PROVEN: change.high, Rule.POSSIBLE: change.low}
        return 0.0 - ends[rule]

    def held(self, max_drop: float, *, rule: Rule = Rule.OBSERVED) -> bool:
        """Return whether the second run did not fall by more than `max_drop`."""
        return self.drop(rule) <= max_drop + ROUNDING


def compare(
    first: Run, second: Run, *, threshold: float | None = None, seed: int = 0
) -> Comparison:
    """Compare two runs on the tasks with a graded trial in both.

    With a threshold, rewards count as 1 if they reach it, else as 0.

    Raises:
        ResultsError: A task changed, or no task is graded in both.
    """
    unchecked = _same_tasks(first, second)
    a, b = (scored(run, threshold) for run in (first, second))
    if not a.keys() & b.keys():
        raise ResultsError(
            f"cannot compare {first.name} with {second.name}: no task is graded in both "
            f"({len(a)} graded in the first, {len(b)} in the second).\n"
            "Run both on the same tasks."
        )
    pairs = paired(a, b, seed=seed)
    lowest, highest = (
        _bound(first, second, ends, threshold=threshold) for ends in ((1.0, 0.0), (0.0, 1.0))
    )
    return Comparison(
        first=first.name,
        second=second.name,
        paired=pairs,
        lowest=lowest,
        highest=highest,
        smallest=None if pairs.task_se is None else detectable(pairs.task_se),
        lost=tuple(sorted(a.keys() - b.keys())),
        gained=tuple(sorted(b.keys() - a.keys())),
        unchecked=tuple(task for task in unchecked if task in a and task in b),
        ungraded=(len(first.ungraded), len(second.ungraded)),
    )


def scored(run: Run, threshold: float | None, *, ungraded: float | None = None) -> Rewards:
    """Return the rewards of a run's tasks, as 0 and 1 if there is a threshold."""
    rewards = run.rewards(ungraded=ungraded)
    return rewards if threshold is None else successes(rewards, threshold=threshold)


def _bound(first: Run, second: Run, ends: tuple[float, float], *, threshold: float | None) -> float:
    a, b = (
        scored(run, threshold, ungraded=end) for run, end in zip((first, second), ends, strict=True)
    )
    return average(tuple(differences(a, b).values()))


def by_tag(
    first: Run, second: Run, tag: str, *, threshold: float | None = None, seed: int = 0
) -> tuple[tuple[str, Comparison], ...]:
    """Compare two runs for every value of a tag that both have; "" holds tasks without it.

    The intervals are not corrected for many parts, of which some will differ by chance.
    """
    others = dict(second.by_tag(tag))
    pairs = ((value, part, others.get(value)) for value, part in first.by_tag(tag))
    return tuple(
        (value, compare(part, other, threshold=threshold, seed=seed))
        for value, part, other in pairs
        if other is not None and part.rewards().keys() & other.rewards().keys()
    )


def _same_tasks(first: Run, second: Run) -> tuple[str, ...]:
    """Return the common tasks that cannot be checked; refuse those that changed."""
    old, new = first.digests, second.digests
    both = sorted(set(first.tasks) & set(second.tasks))
    changed = [task for task in both if task in old and task in new and old[task] != new[task]]
    if changed:
        ways = [f"{task} ({old[task]} became {new[task]})" for task in changed]
        raise ResultsError(
            f"cannot compare {first.name} with {second.name}: {len(changed)} of {len(both)} tasks "
            f"changed between them: {named(ways)}.\n"
            "Run both on the same version of the tasks, or leave the changed ones out of both."
        )
    return tuple(task for task in both if task not in old or task not in new)


def named(names: Iterable[str]) -> str:
    """Return the first few names, and the number of the others, in one line.

    >>> named("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more
