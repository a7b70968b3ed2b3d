"""Mean rewards and their two standard errors.

Every task weighs the same, however many of its trials were graded.  The *task* error is of
another draw of tasks as well as attempts: it is what a claim about such tasks needs.  The *run*
error is of other attempts at the very same tasks: it is what a repeated run will show.
Covers graded trials; what the others could change is in `Bounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from tmax_gym.reports.statistics.intervals import Interval, mean_interval
from tmax_gym.reports.statistics.trials import Rewards, Run


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over tasks of the mean reward of each."""

    value: float
    task_se: float | None
    """Clustered by task; None for one task."""
    run_se: float | None
    """With the tasks held fixed; None if no task was tried twice."""
    interval: Interval
    """Bootstrap, 95 %, over tasks."""
    tasks: int
    trials: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the mean could lie, had the ungraded trials been graded."""

    low: float
    """Every one of them at the least reward."""
    high: float
    """Every one of them at the greatest reward."""
    trials: int
    """Ungraded trials."""
    tasks: int
    """Tasks that only have ungraded trials."""


def average(values: Sequence[float]) -> float:
    """Return the mean, the same to the last bit in whatever order the values come.

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("no values: nothing was graded")
    return fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """Return the unbiased variance of at least two values.

    >>> variance((0.0, 1.0))
    0.5
    """
    if len(values) < 2:
        raise ValueError(f"{len(values)} values have no variance")
    middle = average(values)
    return fsum((value - middle) ** 2 for value in values) / (len(values) - 1)


def task_means(rewards: Rewards) -> dict[str, float]:
    """Return the mean reward of every task, by name."""
    return {task: average(rewards[task]) for task in sorted(rewards)}


def attempt_variances(rewards: Rewards) -> dict[str, float] | None:
    """Return the variance between attempts at every task; None if no task was tried twice.

    A task that was tried once is given the mean variance of the others.
    """
    seen = {task: variance(got) for task, got in sorted(rewards.items()) if len(got) > 1}
    if not seen:
        return None
    usual = average(tuple(seen.values()))
    return {task: seen.get(task, usual) for task in sorted(rewards)}


def noise(rewards: Rewards) -> float | None:
    """Return the mean over tasks of the variance of a task's mean; None if none was tried twice."""
    variances = attempt_variances(rewards)
    if variances is None:
        return None
    return average([variances[task] / len(got) for task, got in sorted(rewards.items())])


def mean(rewards: Rewards, *, seed: int = 0) -> Mean:
    """Return the mean over tasks with its errors.

    The run error pools the variance within tasks, so that no attempt has to be matched with
    another task's, which the order of files would decide.

    Raises:
        ValueError: Nothing was graded.

    >>> mean({"a": (1.0, 0.0), "b": (0.0, 0.0)}).value
    0.25
    """
    means = tuple(task_means(rewards).values())
    count = len(means)
    within = noise(rewards)
    return Mean(
        value=average(means),
        task_se=sqrt(variance(means) / count) if count > 1 else None,
        run_se=None if within is None else sqrt(within / count),
        interval=mean_interval(means, seed=seed),
        tasks=count,
        trials=sum(len(got) for got in rewards.values()),
    )


def bounds(run: Run, *, least: float = 0.0, greatest: float = 1.0) -> Bounds:
    """Return where the mean could lie; tasks without any graded trial are in it as well.

    Raises:
        ValueError: There is no trial.
    """
    low, high = (
        average(tuple(task_means(run.rewards(ungraded=end)).values())) for end in (least, greatest)
    )
    lost = len(run.tasks) - len(run.rewards())
    return Bounds(low=low, high=high, trials=len(run.ungraded), tasks=lost)
