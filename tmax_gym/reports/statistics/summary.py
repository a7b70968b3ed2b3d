"""What a run adds up to, as a whole and by its tasks' tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.reports.statistics.intervals import Interval
from tmax_gym.reports.statistics.means import Bounds, Mean, bounds, mean
from tmax_gym.reports.statistics.passes import SOLVED, Flaky, Passing, flaky, passing, solve_rate
from tmax_gym.reports.statistics.power import detectable, repeated
from tmax_gym.reports.statistics.trials import Run


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The statistics of a run, or of a part of it."""

    name: str
    tasks: int
    """Tasks that were tried."""
    trials: int
    statuses: tuple[tuple[str, int], ...]
    """How trials ended."""
    reward: Mean | None
    """Over graded trials; None if there is none."""
    bounds: Bounds
    """Where the mean could lie, had all trials been graded."""
    solved: Interval | None
    """Share of graded trials that solve their task."""
    passing: tuple[Passing, ...]
    """pass@k and pass^k for every k that some task has trials enough for."""
    flaky: tuple[Flaky, ...]
    smallest: float | None
    """The smallest change on these very tasks that a second such run shows four times in five."""


def summarise(
    run: Run, *, ks: Sequence[int] = (1, 2, 4, 5), threshold: float = SOLVED, seed: int = 0
) -> RunSummary:
    """Return what a run adds up to.

    Raises:
        ValueError: There is no trial.
    """
    rewards = run.rewards()
    passed = (
        passing(rewards, k, every=every, threshold=threshold, seed=seed)
        for every in (False, True)
        for k in ks
    )
    noise = repeated(rewards)
    attempts = sum(map(len, rewards.values())) / max(1, len(rewards))
    return RunSummary(
        name=run.name,
        tasks=len(run.tasks),
        trials=len(run.trials),
        statuses=run.statuses,
        reward=mean(rewards, seed=seed) if rewards else None,
        bounds=bounds(run),
        solved=solve_rate(rewards, threshold=threshold) if rewards else None,
        passing=tuple(found for found in passed if found is not None),
        flaky=flaky(rewards, threshold=threshold),
        smallest=None if noise is None else detectable(noise.se(len(rewards), attempts)),
    )


def breakdown(
    run: Run, tag: str, *, ks: Sequence[int] = (1,), threshold: float = SOLVED, seed: int = 0
) -> tuple[tuple[str, RunSummary], ...]:
    """Return a summary for every value of a tag, by value; "" holds tasks without it."""
    return tuple(
        (value, summarise(part, ks=ks, threshold=threshold, seed=seed))
        for value, part in run.by_tag(tag)
    )
