"""How often intervals contain the truth and tests are wrong, in simulations with fixed seeds."""

import math
from collections.abc import Callable
from statistics import fmean

import numpy as np
import pytest

from tmax_gym.reports.statistics import mean, mean_interval, paired
from tmax_gym.reports.statistics.intervals import wilson
from tmax_gym.reports.statistics.pairs import sign_flip
from tmax_gym.reports.statistics.passes import solve_rate

Table = dict[str, tuple[float, ...]]


def draw(rng: np.random.Generator, *, tasks: int, attempts: int) -> Table:
    """Solve rates like a benchmark's (many near 0, mean 1/3), then zeros and ones."""
    rates = rng.beta(0.5, 1.0, size=tasks)
    return {str(n): tuple(rng.binomial(1, p, size=attempts) * 1.0) for n, p in enumerate(rates)}


def coverage(
    interval: Callable[[Table], tuple[float, float]], *, tasks: int, attempts: int, rounds: int
) -> float:
    rng = np.random.Generator(np.random.PCG64(20))
    ends = (interval(draw(rng, tasks=tasks, attempts=attempts)) for _ in range(rounds))
    return fmean(low <= 1 / 3 <= high for low, high in ends)


def bootstrap(table: Table) -> tuple[float, float]:
    interval = mean(table).interval
    return interval.low, interval.high


def clustered(table: Table) -> tuple[float, float]:
    interval = solve_rate(table)
    return interval.low, interval.high


def naive(table: Table) -> tuple[float, float]:
    flat = [x for row in table.values() for x in row]
    return wilson(fmean(flat), len(flat))


def test_the_bootstrap_over_tasks_holds_the_truth_19_times_in_20() -> None:
    # 400 rounds: the error of a coverage of 0.95 is 0.011.
    assert coverage(bootstrap, tasks=60, attempts=5, rounds=400) == pytest.approx(0.945, abs=0.03)


def test_the_bootstrap_over_eight_tasks_is_too_narrow() -> None:
    assert 0.80 <= coverage(bootstrap, tasks=8, attempts=5, rounds=400) <= 0.93


def test_wilsons_interval_for_clusters_holds_the_truth() -> None:
    share = coverage(clustered, tasks=60, attempts=5, rounds=2000)
    assert share == pytest.approx(0.95, abs=0.02)


def test_intervals_of_trials_taken_as_independent_are_too_narrow() -> None:
    assert coverage(naive, tasks=60, attempts=5, rounds=2000) < 0.80


def test_the_run_error_is_how_far_repeated_runs_scatter() -> None:
    rng = np.random.Generator(np.random.PCG64(21))
    rates = rng.beta(0.5, 1.0, size=30)
    means, errors = [], []
    for _ in range(400):
        won = rng.binomial(1, np.repeat(rates[:, None], 4, axis=1)) * 1.0
        table = {str(n): tuple(row) for n, row in enumerate(won.tolist())}
        means.append(won.mean())
        # Without the interval, which is not tested here.
        errors.append(run_se(table))
    # 400 rounds: the relative error of a standard deviation is 1 / sqrt(800) = 0.035.
    assert fmean(errors) == pytest.approx(float(np.std(means, ddof=1)), rel=0.1)


def run_se(table: Table) -> float:
    from tmax_gym.reports.statistics.means import noise

    return math.sqrt((noise(table) or 0.0) / len(table))


def test_runs_of_one_agent_are_told_apart_1_time_in_20() -> None:
    rng = np.random.Generator(np.random.PCG64(22))
    rejected = []
    for _ in range(2000):
        rates = rng.beta(0.5, 1.0, size=14)
        a, b = (rng.binomial(8, rates) / 8 for _ in range(2))
        rejected.append(sign_flip((b - a).tolist()) <= 0.05)
    # A permutation test never rejects too often; with such coarse values, a little too rarely.
    assert 0.025 <= fmean(rejected) <= 0.06


def test_the_paired_interval_holds_a_true_difference() -> None:
    rng = np.random.Generator(np.random.PCG64(23))
    held = []
    for _ in range(300):
        rates = rng.uniform(0.1, 0.7, size=60)
        a, b = (
            {str(n): tuple(rng.binomial(1, p, size=5) * 1.0) for n, p in enumerate(at)}
            for at in (rates, rates + 0.1)
        )
        gained = [fmean(b[task]) - fmean(a[task]) for task in a]
        seen = mean_interval(gained)
        held.append(seen.low <= 0.1 <= seen.high)
    assert fmean(held) == pytest.approx(0.945, abs=0.035)
    assert paired(a, b).difference == mean_interval([gained[int(t)] for t in sorted(a)])
