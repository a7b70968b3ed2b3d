"""Compute mean rewards and their two standard errors.

Every task has the same weight, however many of its trials were graded.  The *task* error is for
another sample of tasks and attempts, which matters for claims about such tasks.  The *run* error
is for other attempts at the same tasks, which matters for a repeated run.
Covers graded trials; `Bounds` shows what the others could change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from tmax_gym.reports.statistics.intervals import Interval, mean_interval
from tmax_gym.reports.statistics.trials import Rewards, Run


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over tasks of their mean rewards."""

    value: float
    task_se: float | None
    """Clustered by task; None for one task."""
    run_se: float | None
    """For fixed tasks; None if no task was tried twice."""
    interval: Interval
    """Bootstrap 95 % interval over tasks."""
    tasks: int
    trials: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Smallest and largest mean if the ungraded trials had been graded."""

    low: float
    """If all of them had the smallest reward."""
    high: float
    """If all of them had the largest reward."""
    trials: int
    """Number of ungraded trials."""
    tasks: int
    """Number of tasks without a graded trial."""


def average(values: Sequence[float]) -> float:
    """Return the mean; the order of the values does not change a bit of it.

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
    mean_ = average(values)
    return fsum((value - mean_) ** 2 for value in values) / (len(values) - 1)


def task_means(rewards: Rewards) -> dict[str, float]:
    """Return the mean reward of every task, by name."""
    return {task: average(rewards[task]) for task in sorted(rewards)}


def attempt_variances(rewards: Rewards) -> dict[str, float] | None:
    """Return the variance between attempts at every task; None if no task was tried twice.

    A task that was tried once gets the mean variance of the others.
    """
    known = {task: variance(own) for task, own in sorted(rewards.items()) if len(own) > 1}
    if not known:
        return None
    usual = average(tuple(known.values()))
    return {task: known.get(task, usual) for task in sorted(rewards)}


def noise(rewards: Rewards) -> float | None:
    """Return the mean over tasks of the variance of a task's mean; None if none was tried twice."""
    variances = attempt_variances(rewards)
    if variances is None:
        return None
    return average([variances[task] / len(own) for task, own in sorted(rewards.items())])


def mean(rewards: Rewards, *, seed: int = 0) -> Mean:
    """Return the mean over tasks with its errors.

    The run error pools the variance within tasks, so that attempts of different tasks need not be
    matched.

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
        trials=sum(map(len, rewards.values())),
    )


def bounds(run: Run, *, least: float = 0.0, greatest: float = 1.0) -> Bounds:
    """Return the smallest and largest possible mean, which include tasks without a graded trial.

    Raises:
        ValueError: There is no trial.
    """
    low, high = (
        average(tuple(task_means(run.rewards(ungraded=end)).values())) for end in (least, greatest)
    )
    lost = len(run.tasks) - len(run.rewards())
    return Bounds(low=low, high=high, trials=len(run.ungraded), tasks=lost)
