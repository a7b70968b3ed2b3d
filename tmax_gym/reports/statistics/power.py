"""Compute the smallest detectable difference, and the tasks and attempts that it needs.

The model is that the error of a mean over T tasks of k attempts each is
sqrt((task + attempt / k) / T), and so is that of a paired difference with its own two variances.
Uses normal approximations, which are good for 20 tasks or more.  Does not cover sequential tests:
looking after every trial needs other thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from tmax_gym.reports.statistics.intervals import normal_quantile
from tmax_gym.reports.statistics.means import (
    attempt_variances,
    average,
    noise,
    task_means,
    variance,
)
from tmax_gym.reports.statistics.pairs import differences, shared
from tmax_gym.reports.statistics.trials import Rewards

LEVEL = 0.95
"""Two-sided: 1 - LEVEL is the rate of false positives."""
POWER = 0.8
"""The rate at which a true difference should be detected (Cohen, 1988)."""


@dataclass(frozen=True, slots=True)
class Components:
    """The two components of the variance of a mean over tasks."""

    task: float
    """Variance between tasks, without the variance between attempts."""
    attempt: float
    """Variance between attempts at one task."""

    def se(self, tasks: int, attempts: float) -> float:
        """Return the standard error of the mean over `tasks` with `attempts` each."""
        return sqrt((self.task + self.attempt / attempts) / tasks)


def components(rewards: Rewards) -> Components | None:
    """Return the components of a run's mean; None without two tasks and a repeated task."""
    within = attempt_variances(rewards)
    share = noise(rewards)
    if within is None or share is None or len(rewards) < 2:
        return None
    between = variance(tuple(task_means(rewards).values())) - share
    return Components(max(0.0, between), average(tuple(within.values())))


def paired_components(a: Rewards, b: Rewards) -> Components | None:
    """Return the components of the difference between two runs; None if they are unknown."""
    mine, theirs = shared(a, b)
    first, second = components(mine), components(theirs)
    shares = noise(mine), noise(theirs)
    if first is None or second is None or shares[0] is None or shares[1] is None:
        return None
    between = variance(tuple(differences(a, b).values())) - shares[0] - shares[1]
    return Components(max(0.0, between), first.attempt + second.attempt)


def repeated(rewards: Rewards) -> Components | None:
    """Return the components of the difference between a run and its repetition.

    A change that helps every task alike has the same components, so that no change is easier to
    detect.
    """
    own = components(rewards)
    return None if own is None else Components(0.0, 2.0 * own.attempt)


def detectable(se: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """Return the smallest true difference that is detected with this power, for an error.

    >>> round(detectable(0.01), 4)
    0.028
    """
    return (normal_quantile((1 + level) / 2) + normal_quantile(power)) * se


def chance(se: float, difference: float, *, level: float = LEVEL) -> float:
    """Return the power: how often a true difference is detected, for an error.

    >>> round(chance(0.01, 0.028), 2), round(chance(0.01, 0.0), 2)
    (0.8, 0.05)
    """
    if se <= 0.0:
        return float(difference != 0.0)
    z, shift = normal_quantile((1 + level) / 2), abs(difference) / se
    normal = NormalDist()
    return normal.cdf(shift - z) + normal.cdf(-shift - z)


def tasks_needed(
    of: Components, difference: float, *, attempts: int, level: float = LEVEL, power: float = POWER
) -> int:
    """Return how many tasks are needed to detect a true difference with this power.

    Raises:
        ValueError: The difference is 0, which no number of tasks can show.
    """
    squared = _largest_error(difference, level=level, power=power) ** 2
    # If the quotient is a whole number, rounding must not add a task.
    return max(1, ceil((of.task + of.attempt / attempts) / squared - 1e-9))


def plan(
    of: Components, difference: float, *, attempts: Sequence[int] = (1, 2, 3, 5, 10)
) -> tuple[tuple[int, int], ...]:
    """Return (attempts, tasks needed) to detect a true difference.

    >>> plan(Components(0.01, 0.09), 0.05, attempts=(1, 3))
    ((1, 314), (3, 126))
    """
    return tuple((k, tasks_needed(of, difference, attempts=k)) for k in attempts)


def attempts_needed(
    of: Components, difference: float, *, tasks: int, level: float = LEVEL, power: float = POWER
) -> int | None:
    """Return how many attempts at each task are needed; None if there are too few tasks.

    Raises:
        ValueError: The difference is 0, which no number of tasks can show.
    """
    left = _largest_error(difference, level=level, power=power) ** 2 * tasks - of.task
    if left <= 0.0:
        return None if of.task + of.attempt > 0.0 else 1
    return max(1, ceil(of.attempt / left - 1e-9))


def _largest_error(difference: float, *, level: float, power: float) -> float:
    if difference == 0.0:
        raise ValueError("no number of trials shows a difference of 0")
    return abs(difference) / detectable(1.0, level=level, power=power)
