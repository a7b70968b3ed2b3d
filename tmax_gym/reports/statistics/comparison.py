"""Whether one run is worse than another: the comparison behind `tmax compare`.

Refuses tasks that changed between the runs, and runs without a task in common.  Ungraded trials
are left out of the difference; how far they could move it is said beside it.
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
"""Tasks that a message names."""
ROUNDING = 1e-9
"""A drop from 0.8 to 0.7 is one of 0.1, although 0.8 - 0.7 > 0.1 in binary."""


class Rule(StrEnum):
    """When a drop counts as too large."""

    OBSERVED = "observed"
    """The mean fell by more.  Two runs of one agent differ by chance: allow for it."""
    PROVEN = "proven"
    """The whole interval lies below: few false alarms, small drops pass."""
    POSSIBLE = "possible"
    """Any of the interval lies below: passes only what is shown not to have fallen by more."""


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
    """The smallest true difference that such runs show four times in five; None for one task."""
    lost: tuple[str, ...]
    """Tasks that the first run has a graded trial of and the second has not."""
    gained: tuple[str, ...]
    """Tasks that the second run has a graded trial of and the first has not."""
    unchecked: tuple[str, ...]
    """Compared tasks without a digest in one run or in both: they may have changed."""
    ungraded: tuple[int, int]
    """Ungraded trials of either run."""

    @property
    def lost_share(self) -> float:
        """Return the share of the first run's graded tasks that the second has not."""
        return len(self.lost) / (len(self.lost) + self.paired.difference.count)

    def drop(self, rule: Rule = Rule.OBSERVED) -> float:
        """Return the drop that a rule looks at; negative where the second run is better."""
        seen = self.paired.difference
        ends = {Rule.OBSERVED: seen.mean, Rule.PROVEN: seen.high, Rule.POSSIBLE: seen.low}
        return 0.0 - ends[rule]

    def held(self, max_drop: float, *, rule: Rule = Rule.OBSERVED) -> bool:
        """Return whether the second run did not fall by more than `max_drop`."""
        return self.drop(rule) <= max_drop + ROUNDING


def compare(
    first: Run, second: Run, *, threshold: float | None = None, seed: int = 0
) -> Comparison:
    """Compare two runs on the tasks that both have a graded trial of.

    With a threshold, rewards count as 1 where they reach it and as 0 elsewhere.

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
    found = paired(a, b, seed=seed)
    lowest, highest = (
        _bound(first, second, ends, threshold=threshold) for ends in ((1.0, 0.0), (0.0, 1.0))
    )
    return Comparison(
        first=first.name,
        second=second.name,
        paired=found,
        lowest=lowest,
        highest=highest,
        smallest=None if found.task_se is None else detectable(found.task_se),
        lost=tuple(sorted(a.keys() - b.keys())),
        gained=tuple(sorted(b.keys() - a.keys())),
        unchecked=tuple(task for task in unchecked if task in a and task in b),
        ungraded=(len(first.ungraded), len(second.ungraded)),
    )


def scored(run: Run, threshold: float | None, *, ungraded: float | None = None) -> Rewards:
    """Return what a run's tasks earned, as 0 and 1 where there is a threshold."""
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

    Intervals of parts are as wide as ever: of many parts some will differ by chance.
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
    one, other = first.digests, second.digests
    both = sorted(set(first.tasks) & set(second.tasks))
    changed = [task for task in both if task in one and task in other and one[task] != other[task]]
    if changed:
        ways = [f"{task} ({one[task]} became {other[task]})" for task in changed]
        raise ResultsError(
            f"cannot compare {first.name} with {second.name}: {len(changed)} of {len(both)} tasks "
            f"changed between them: {named(ways)}.\n"
            "Run both on the same version of the tasks, or leave the changed ones out of both."
        )
    return tuple(task for task in both if task not in one or task not in other)


def named(names: Iterable[str]) -> str:
    """Return the first of many names in one line.

    >>> named("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more
