"""Summarise a run: all its statistics, for all tasks or by their tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.reports.statistics.intervals import Interval
from tmax_gym.reports.statistics.means import Bounds, Mean, bounds, mean
from tmax_gym.reports.statistics.passes import SOLVED, Flaky, Passing, flaky, passing, solve_rate
from tmax_gym.reports.statistics.power import detectable, repeated
from tmax_gym.reports.statistics.trials import Run
from tmax_gym.trajectory import Ending


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The statistics of a run, or of a part of it."""

    name: str
    tasks: int
    """Number of tasks with a trial."""
    trials: int
    endings: tuple[tuple[Ending, int], ...]
    """Number of trials by how they ended."""
    reward: Mean | None
    """Mean over graded trials; None if there is none."""
    bounds: Bounds
    """Smallest and largest mean if all trials had been graded."""
    solved: Interval | None
    """Share of graded trials that solve their task."""
    passing: tuple[Passing, ...]
    """pass@k and pass^k for every k for which some task has enough trials."""
    flaky: tuple[Flaky, ...]
    smallest: float | None
    """The smallest change on the same tasks that a second run detects with a power of 80 %."""


def summarise(
    run: Run, *, ks: Sequence[int] = (1, 2, 4, 5), threshold: float = SOLVED, seed: int = 0
) -> RunSummary:
    """Return the statistics of a run.

    Raises:
        ValueError: There is no trial.
    """
    rewards = run.rewards()
    passed = (
        passing(rewards, k, every=every, threshold=threshold, seed=seed)
        for every in (False, True)
        for k in ks
    )
    of_repetition = repeated(rewards)
    attempts = sum(map(len, rewards.values())) / max(1, len(rewards))
    return RunSummary(
        name=run.name,
        tasks=len(run.tasks),
        trials=len(run.trials),
        endings=run.endings,
        reward=mean(rewards, seed=seed) if rewards else None,
        bounds=bounds(run),
        solved=solve_rate(rewards, threshold=threshold) if rewards else None,
        passing=tuple(rate for rate in passed if rate is not None),
        flaky=flaky(rewards, threshold=threshold),
        smallest=None
        if of_repetition is None
        else detectable(of_repetition.se(len(rewards), attempts)),
    )


def breakdown(
    run: Run, tag: str, *, ks: Sequence[int] = (1,), threshold: float = SOLVED, seed: int = 0
) -> tuple[tuple[str, RunSummary], ...]:
    """Return a summary for every value of a tag, by value; "" holds tasks without it."""
    return tuple(
        (value, summarise(part, ks=ks, threshold=threshold, seed=seed))
        for value, part in run.by_tag(tag)
    )
