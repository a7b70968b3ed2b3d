"""Compare two runs on the same tasks: mean difference, interval and permutation test.

A task is one pair, so that easy and hard tasks cancel out, which at least halves the error of a
difference.  Covers tasks with a graded trial in both runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from tmax_gym.reports.statistics.intervals import Interval, mean_interval
from tmax_gym.reports.statistics.means import noise, task_means, variance
from tmax_gym.reports.statistics.trials import Rewards

EXACT = 18
"""Up to so many differences, all combinations of signs are tried: 2^18 sums take 5 ms."""
FLIPS = 100_000
"""Number of random combinations for more differences: p = 0.05 then has an error of 0.0007."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The difference of two runs, second minus first, as a mean over tasks."""

    difference: Interval
    """Bootstrap 95 % interval over tasks."""
    task_se: float | None
    """Standard error for another sample of tasks; None for one task."""
    run_se: float | None
    """Standard error for other attempts at the same tasks; None if a run has no repeated task."""
    p: float
    """Two-sided p value of the sign-flip test."""
    better: int
    """Number of tasks on which the second run is better."""
    worse: int
    equal: int


def shared(a: Rewards, b: Rewards) -> tuple[dict[str, Sequence[float]], dict[str, Sequence[float]]]:
    """Return both runs, restricted to their common tasks."""
    both = sorted(a.keys() & b.keys())
    return {task: a[task] for task in both}, {task: b[task] for task in both}


def differences(a: Rewards, b: Rewards) -> dict[str, float]:
    """Return the difference `b` - `a` of the mean rewards, by task.

    >>> differences({"x": (0.0, 1.0), "y": (1.0,)}, {"x": (1.0,)})
    {'x': 0.5}
    """
    mine, theirs = map(task_means, shared(a, b))
    return {task: theirs[task] - mine[task] for task in mine}


def paired(a: Rewards, b: Rewards, *, seed: int = 0) -> Paired:
    """Compare two runs task by task.

    Raises:
        ValueError: No task is graded in both.
    """
    gained = tuple(differences(a, b).values())
    if not gained:
        raise ValueError("no task is graded in both runs")
    known = [n for n in map(noise, shared(a, b)) if n is not None]
    count = len(gained)
    return Paired(
        difference=mean_interval(gained, seed=seed),
        task_se=sqrt(variance(gained) / count) if count > 1 else None,
        run_se=sqrt(fsum(known) / count) if len(known) == 2 else None,
        p=sign_flip(gained, seed=seed),
        better=sum(d > 0 for d in gained),
        worse=sum(d < 0 for d in gained),
        equal=sum(d == 0 for d in gained),
    )


def sign_flip(gained: Sequence[float], *, seed: int = 0) -> float:
    """Return the probability of a sum at least this far from 0 if all signs are random.

    Exact for up to `EXACT` differences other than 0, else estimated from `FLIPS` random signs; the
    observed signs count as one of them, so that p is never 0.

    >>> sign_flip((1.0, 1.0, 1.0, 0.0))
    0.25
    """
    data = np.asarray(sorted(abs(d) for d in gained if d != 0.0), dtype=np.float64)
    if not len(data):
        return 1.0
    # Sums that differ only by rounding are equal, and count as far away.
    far = abs(fsum(gained)) - 1e-9 * float(data.sum())
    if len(data) <= EXACT:
        sums = np.zeros(1)
        for size in data:
            sums = np.concatenate((sums + size, sums - size))
        return float(np.mean(np.abs(sums) >= far))
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, (1 << 20) // len(data))
    hits = 0
    for start in range(0, FLIPS, step):
        rows = min(step, FLIPS - start)
        signs = rng.integers(2, size=(rows, len(data)), dtype=np.int8) * 2.0 - 1.0
        hits += int(np.count_nonzero(np.abs((signs * data).sum(axis=1)) >= far))
    return (1 + hits) / (1 + FLIPS)
