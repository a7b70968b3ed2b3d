"""Variance components, detectable differences, and the number of trials that they need."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.reports.statistics import attempts_needed, mean, paired, paired_components
from tmax_gym.reports.statistics.power import (
    Components,
    chance,
    components,
    detectable,
    repeated,
    tasks_needed,
)

variances = st.floats(0.001, 0.25)


def normal_table(rng: np.random.Generator, *, tasks: int, attempts: int) -> np.ndarray:
    """True values of variance 0.04, attempts of variance 0.09 around them."""
    true = rng.normal(0.5, 0.2, size=(tasks, 1))
    return true + rng.normal(0.0, 0.3, size=(tasks, attempts))


def table(values: np.ndarray) -> dict[str, tuple[float, ...]]:
    return {str(n): tuple(row) for n, row in enumerate(values.tolist())}


def test_components_are_found_again_in_simulated_runs() -> None:
    rng = np.random.Generator(np.random.PCG64(30))
    estimate = components(table(normal_table(rng, tasks=4000, attempts=3)))
    assert estimate is not None
    # Relative error of a variance of 4,000 values: sqrt(2 / 4000) = 0.022.
    assert estimate.task == pytest.approx(0.04, rel=0.1)
    assert estimate.attempt == pytest.approx(0.09, rel=0.1)


def test_components_give_back_the_error_of_the_run_they_are_of() -> None:
    rng = np.random.Generator(np.random.PCG64(31))
    run = table(normal_table(rng, tasks=50, attempts=4))
    estimate = components(run)
    assert estimate is not None
    assert estimate.se(50, 4) == pytest.approx(mean(run).task_se)


def test_paired_components_give_back_the_error_of_the_pair() -> None:
    rng = np.random.Generator(np.random.PCG64(32))
    true = rng.normal(0.5, 0.2, size=(60, 1))
    a = table(true + rng.normal(0, 0.3, size=(60, 4)))
    b = table(true + rng.normal(0.05, 0.2, size=(60, 1)) + rng.normal(0, 0.3, size=(60, 4)))
    estimate = paired_components(a, b)
    assert estimate is not None
    assert estimate.se(60, 4) == pytest.approx(paired(a, b).task_se)
    # The variance that both runs share cancels; 0.04 of the difference's own is left.
    assert estimate.task == pytest.approx(0.04, abs=0.03)
    assert estimate.attempt == pytest.approx(0.18, rel=0.25)


def test_a_repetition_differs_by_the_noise_of_both_runs() -> None:
    rng = np.random.Generator(np.random.PCG64(33))
    run = table(normal_table(rng, tasks=50, attempts=4))
    estimate = repeated(run)
    assert estimate is not None
    assert estimate.se(50, 4) == pytest.approx(math.sqrt(2) * (mean(run).run_se or 0))


def test_runs_without_repeated_attempts_show_no_components() -> None:
    once = {"a": (1.0,), "b": (0.0,)}
    twice = {"a": (1.0, 0.0), "b": (0.0, 1.0)}
    assert components(once) is None and repeated(once) is None
    assert paired_components(once, twice) is None
    assert components({"a": (1.0, 0.0)}) is None


def test_a_difference_is_shown_as_often_as_was_promised() -> None:
    rng = np.random.Generator(np.random.PCG64(34))
    se = Components(0.01, 0.09).se(80, 4)
    true = detectable(se)
    # Effects vary between tasks (variance 0.01), attempts of either run by half of 0.09.
    gained = (
        true
        + rng.normal(0, 0.1, size=(4000, 80))
        + rng.normal(0, 0.3 / math.sqrt(2 * 4), size=(4000, 80))
        + rng.normal(0, 0.3 / math.sqrt(2 * 4), size=(4000, 80))
    )
    z = gained.mean(axis=1) / (gained.std(axis=1, ddof=1) / math.sqrt(80))
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.02)
    assert chance(se, true) == pytest.approx(0.8, abs=1e-3)


def test_without_a_difference_the_power_is_the_level() -> None:
    assert chance(0.02, 0.0, level=0.9) == pytest.approx(0.1)
    assert (chance(0.0, 0.0), chance(0.0, 0.01)) == (0.0, 1.0)


@given(variances, variances, st.floats(0.01, 0.3), st.integers(1, 10))
def test_the_tasks_needed_do_and_one_less_does_not(
    task: float, attempt: float, difference: float, attempts: int
) -> None:
    of = Components(task, attempt)
    need = tasks_needed(of, difference, attempts=attempts)
    assert detectable(of.se(need, attempts)) <= difference * (1 + 1e-6)
    if need > 1:
        assert detectable(of.se(need - 1, attempts)) > difference * (1 - 1e-6)


@given(variances, variances, st.floats(0.01, 0.3), st.integers(1, 500))
def test_the_attempts_needed_do_and_one_less_does_not(
    task: float, attempt: float, difference: float, tasks: int
) -> None:
    of = Components(task, attempt)
    need = attempts_needed(of, difference, tasks=tasks)
    if need is None:
        assert detectable(math.sqrt(of.task / tasks)) >= difference * (1 - 1e-6)
        return
    assert detectable(of.se(tasks, need)) <= difference * (1 + 1e-6)
    if need > 1:
        assert detectable(of.se(tasks, need - 1)) > difference * (1 - 1e-6)


def test_no_number_of_attempts_makes_up_for_tasks() -> None:
    of = Components(0.04, 0.09)
    assert attempts_needed(of, 0.01, tasks=100) is None
    # (1.96 + 0.84)^2 * 0.04 / 0.01^2 = 3,140 tasks if attempts cost nothing.
    assert tasks_needed(Components(0.04, 0.0), 0.01, attempts=1) == 3140


def test_a_difference_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="difference of 0"):
        tasks_needed(Components(0.1, 0.1), 0.0, attempts=1)
