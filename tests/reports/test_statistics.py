"""Means, intervals, pass@k and paired tests, against enumeration and closed forms."""

import itertools
import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmax_gym.reports.statistics import (
    Run,
    Trial,
    differences,
    flaky,
    mean,
    mean_interval,
    paired,
    passing,
    summarise,
)
from tmax_gym.reports.statistics.intervals import wilson
from tmax_gym.reports.statistics.means import bounds
from tmax_gym.reports.statistics.pairs import EXACT, sign_flip
from tmax_gym.reports.statistics.passes import pass_hat_k, solve_rate, successes
from tmax_gym.reports.statistics.summary import breakdown
from tmax_gym.trajectory import Ending

# Eighths are exact in binary, so that sums are not rounded.
reward = st.integers(0, 8).map(lambda n: n / 8)
rewards = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(reward, min_size=1, max_size=6), min_size=1
)
quick = settings(max_examples=40)


def run_of(table: Mapping[str, Sequence[float | None]]) -> Run:
    trials = [
        Trial(task, n, got, Ending.UNGRADED if got is None else Ending.SUBMITTED, "", _tags(task))
        for task, row in table.items()
        for n, got in enumerate(row)
    ]
    return Run("run", tuple(trials))


def _tags(task: str) -> tuple[tuple[str, str], ...]:
    return (("difficulty", "easy" if task < "c" else "hard"),)


# Means


def test_tasks_weigh_the_same_however_many_trials_they_have() -> None:
    assert mean({"a": (1.0,), "b": (0.0, 0.0, 0.0)}).value == 0.5


def test_the_task_error_is_the_cluster_robust_one() -> None:
    table = {"a": (1, 0, 1), "b": (0, 0, 0), "c": (1, 1, 1), "d": (0.5, 0.25, 1)}
    flat = [x for row in table.values() for x in row]
    centre = sum(flat) / len(flat)
    scores = [sum(x - centre for x in row) for row in table.values()]
    # The sandwich with the T / (T - 1) of Stata and inspect-ai.
    expected = math.sqrt(4 / 3 * sum(s * s for s in scores)) / len(flat)
    assert mean(table).task_se == pytest.approx(expected)


def test_the_run_error_of_zeros_and_ones_is_the_binomial_one() -> None:
    # Unbiased: p (1 - p) / (k - 1) a task.
    expected = math.sqrt(0.25 * 0.75 / 3 + 0.5 * 0.5 / 3) / 2
    assert mean({"a": (1, 0, 0, 0), "b": (1, 1, 0, 0)}).run_se == pytest.approx(expected)


def test_a_task_that_was_tried_once_is_as_noisy_as_the_others() -> None:
    # Task a has variance 1/2 and so 1/4 for its mean; b is given 1/2 for its only trial.
    assert mean({"a": (1, 0), "b": (1,)}).run_se == pytest.approx(math.sqrt(0.75) / 2)


def test_errors_that_cannot_be_estimated_are_absent() -> None:
    one = mean({"a": (1, 0)})
    assert (one.task_se, one.run_se) == (None, 0.5)
    assert mean({"a": (1,), "b": (0,)}).run_se is None


def test_an_empty_table_has_no_mean() -> None:
    with pytest.raises(ValueError, match="nothing was graded"):
        mean({})


@quick
@given(rewards, st.randoms(use_true_random=False))
def test_order_changes_nothing_to_the_last_bit(
    table: dict[str, list[float]], source: random.Random
) -> None:
    names = list(table)
    source.shuffle(names)
    mixed = {name: source.sample(table[name], len(table[name])) for name in names}
    assert mean(mixed, seed=3) == mean(table, seed=3)
    assert passing(mixed, 1, seed=3) == passing(table, 1, seed=3)
    assert flaky(mixed) == flaky(table)


@quick
@given(rewards)
def test_moving_every_reward_moves_the_mean_and_no_error(table: dict[str, list[float]]) -> None:
    before = mean(table)
    after = mean({task: [x + 0.5 for x in row] for task, row in table.items()})
    assert after.value == pytest.approx(before.value + 0.5)
    assert after.task_se == pytest.approx(before.task_se, abs=1e-12)
    assert after.run_se == pytest.approx(before.run_se, abs=1e-12)
    assert after.interval.low == pytest.approx(before.interval.low + 0.5)


# Ungraded trials


def test_ungraded_trials_are_left_out_counted_and_bounded() -> None:
    run = run_of({"a": (1.0, None), "b": (0.0, 0.5), "c": (None, None)})
    found = summarise(run, ks=(1, 2))
    assert found.reward is not None
    # a: 1, b: 1/4; c has no say.
    assert (found.reward.value, found.reward.tasks, found.reward.trials) == (0.625, 2, 3)
    assert dict(found.endings) == {Ending.SUBMITTED: 3, Ending.UNGRADED: 3}
    # All 0: (1/2 + 1/4 + 0) / 3; all 1: (1 + 1/4 + 1) / 3.
    assert (found.bounds.low, found.bounds.high) == (0.25, 0.75)
    assert (found.bounds.trials, found.bounds.tasks) == (3, 1)
    assert [(p.k, p.every, p.left_out) for p in found.passing] == [
        (1, False, 0),
        (2, False, 1),
        (1, True, 0),
        (2, True, 1),
    ]


def test_a_run_without_any_grade_has_no_mean_but_bounds() -> None:
    summary = summarise(run_of({"a": (None,), "b": (None, None)}))
    assert (summary.reward, summary.solved, summary.smallest) == (None, None, None)
    assert summary.passing == ()
    assert (summary.bounds.low, summary.bounds.high) == (0.0, 1.0)


maybe = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.none() | reward, min_size=1, max_size=4), min_size=1
)


@quick
@given(maybe)
def test_any_grades_of_the_ungraded_stay_within_the_bounds(
    table: dict[str, list[float | None]],
) -> None:
    run = run_of(table)
    interval = bounds(run)
    for fill in (0.0, 0.5, 1.0):
        value = mean(run.rewards(ungraded=fill)).value
        assert interval.low - 1e-12 <= value <= interval.high + 1e-12
    if run.rewards():
        assert interval.low - 1e-12 <= mean(run.rewards()).value <= interval.high + 1e-12
    if not run.ungraded:
        assert interval.low == interval.high


@quick
@given(maybe)
def test_ungraded_trials_change_no_figure_of_the_graded(
    table: dict[str, list[float | None]],
) -> None:
    bare = {task: [x for x in row if x is not None] for task, row in table.items()}
    bare = {task: row for task, row in bare.items() if row}
    rewards = run_of(table).rewards()
    assert rewards == {task: tuple(row) for task, row in sorted(bare.items())}


def test_a_breakdown_adds_up_to_the_run() -> None:
    run = run_of({"a": (1, 1), "b": (0, 1), "c": (0, None), "d": (0, 0)})
    parts = dict(breakdown(run, "difficulty"))
    assert list(parts) == ["easy", "hard"]
    assert parts["easy"].reward is not None and parts["easy"].reward.value == 0.75
    assert parts["hard"].bounds.trials == 1
    assert sum(part.trials for part in parts.values()) == 8
    assert [value for value, _ in breakdown(run, "category")] == [""]


# Intervals


@given(st.integers(1, 200), st.data())
def test_wilson_ends_where_the_score_test_does(n: int, data: st.DataObject) -> None:
    share = data.draw(st.integers(0, n)) / n
    for end in wilson(share, n):
        assert 0.0 <= end <= 1.0
        if 0.0 < end < 1.0:
            error = math.sqrt(end * (1 - end) / n)
            assert abs(share - end) / error == pytest.approx(1.959964, abs=1e-4)


@given(st.integers(1, 50), st.data())
def test_wilson_is_the_same_for_failures(n: int, data: st.DataObject) -> None:
    won = data.draw(st.integers(0, n))
    low, high = wilson(won / n, n)
    assert wilson((n - won) / n, n) == pytest.approx((1 - high, 1 - low))


def test_the_bootstrap_has_the_mass_of_all_resamples_in_its_tails() -> None:
    values = (0.0, 0.13, 0.37, 0.71, 1.0)
    every = [sum(draw) / 5 for draw in itertools.product(values, repeat=5)]
    interval = mean_interval(values, seed=7)
    below = sum(m <= interval.low for m in every) / len(every)
    above = sum(m >= interval.high for m in every) / len(every)
    assert below == pytest.approx(0.025, abs=0.008)
    assert above == pytest.approx(0.025, abs=0.008)


def test_the_solve_rate_of_one_trial_a_task_is_wilsons() -> None:
    table = {str(n): (float(n < 12),) for n in range(40)}
    interval = solve_rate(table)
    # Of T clusters the unbiased variance leaves T - 1.
    assert (interval.low, interval.high) == pytest.approx(wilson(0.3, 39))


def test_attempts_that_all_agree_are_worth_one_trial() -> None:
    once = {str(n): (float(n < 12),) for n in range(40)}
    often = {task: row * 10 for task, row in once.items()}
    a, b = solve_rate(once), solve_rate(often)
    assert (a.low, a.high) == (b.low, b.high)
    assert b.count == 400


def test_no_success_at_all_leaves_an_interval() -> None:
    interval = solve_rate({str(n): (0.0,) * 5 for n in range(20)})
    assert (interval.low, interval.high) == (0.0, wilson(0.0, 20)[1])
    assert interval.high > 0.1


# pass@k


@given(st.integers(1, 7), st.data())
def test_pass_hat_k_is_the_share_of_subsets_that_are_all_success(
    n: int, data: st.DataObject
) -> None:
    solved = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    subsets = list(itertools.combinations([True] * solved + [False] * (n - solved), k))
    assert pass_hat_k(n, solved, k) == pytest.approx(sum(map(all, subsets)) / len(subsets))


@quick
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.dictionaries(
            st.sampled_from("abcd"), st.lists(reward, min_size=n, max_size=n), min_size=1
        )
    ),
    reward,
)
def test_more_trials_pass_more_and_all_of_them_less(
    table: dict[str, list[float]], threshold: float
) -> None:
    ks = range(1, len(next(iter(table.values()))) + 1)
    some = [passing(table, k, threshold=threshold) for k in ks]
    every = [passing(table, k, threshold=threshold, every=True) for k in ks]
    rates = [p.rate.mean for p in some if p], [p.rate.mean for p in every if p]
    assert rates[0] == sorted(rates[0]) and rates[1] == sorted(rates[1], reverse=True)
    assert rates[0][0] == pytest.approx(rates[1][0])
    assert rates[0][0] == pytest.approx(mean(successes(table, threshold=threshold)).value)


def test_graded_rewards_pass_by_their_threshold() -> None:
    table = {"a": (0.5, 0.7, 1.0)}
    for threshold, expected in ((0.5, 1.0), (0.7, 2 / 3), (1.0, 1 / 3), (1.1, 0.0)):
        passed = passing(table, 1, threshold=threshold)
        assert passed and passed.rate.mean == pytest.approx(expected)


def test_tasks_with_too_few_trials_are_left_out_and_counted() -> None:
    table = {"a": (1, 0, 0), "b": (1,), "c": (0, 0)}
    passed = passing(table, 2)
    assert passed and (passed.rate.count, passed.left_out) == (2, 1)
    assert passed.rate.mean == pytest.approx((2 / 3 + 0) / 2)
    assert passing(table, 4) is None


def test_flaky_tasks_are_solved_now_and_then() -> None:
    table = {"a": (1, 1), "b": (0, 0), "c": (1, 0, 0, 0), "d": (1, 0), "e": (0.5, 0.9)}
    assert [(f.task, f.solved, f.trials) for f in flaky(table)] == [("d", 1, 2), ("c", 1, 4)]
    assert [f.task for f in flaky(table, threshold=0.9)] == ["d", "e", "c"]


# Pairs


@given(st.lists(st.integers(-4, 4).map(lambda n: n / 4), min_size=1, max_size=9))
def test_the_sign_test_tries_every_sign(gained: list[float]) -> None:
    sums = [
        abs(sum(s * d for s, d in zip(signs, gained, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(gained))
    ]
    assert sign_flip(gained) == sum(s >= abs(sum(gained)) for s in sums) / len(sums)


@quick
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=25))
def test_sums_that_differ_by_rounding_alone_are_ties(gained: list[int]) -> None:
    # Tenths are not exact in binary: 0.1 + 0.2 > 0.3.
    assert sign_flip([d / 10 for d in gained], seed=1) == sign_flip(gained, seed=1)


def test_random_signs_agree_with_the_binomial_law() -> None:
    # Of 40 differences of one size 27 are positive: twice the upper tail of 40 coins.
    expected = 2 * sum(math.comb(40, n) for n in range(27, 41)) / 2**40
    assert len([1.0] * 40) > EXACT
    probability = sign_flip([1.0] * 27 + [-1.0] * 13, seed=5)
    assert probability == pytest.approx(expected, abs=4 * math.sqrt(expected / 100_000))
    assert probability == sign_flip([1.0] * 27 + [-1.0] * 13, seed=5)


def test_random_signs_never_give_a_probability_of_zero() -> None:
    assert sign_flip([1.0] * 60) == pytest.approx(1 / 100_001)


@quick
@given(rewards, rewards)
def test_the_other_way_round_everything_changes_its_sign(
    a: dict[str, list[float]], b: dict[str, list[float]]
) -> None:
    if not a.keys() & b.keys():
        with pytest.raises(ValueError, match="no task is graded in both"):
            paired(a, b)
        return
    there, back = paired(a, b), paired(b, a)
    assert back.difference.mean == pytest.approx(-there.difference.mean)
    assert (back.better, back.worse, back.equal) == (there.worse, there.better, there.equal)
    assert back.p == there.p
    assert back.task_se == pytest.approx(there.task_se)
    assert there.better + there.worse + there.equal == len(a.keys() & b.keys())


@quick
@given(rewards)
def test_a_run_against_itself_shows_nothing(table: dict[str, list[float]]) -> None:
    pair = paired(table, table)
    assert (pair.difference.low, pair.difference.high, pair.p) == (0.0, 0.0, 1.0)


def test_pairing_removes_what_tasks_have_in_common() -> None:
    hard = {str(n): (n / 20, n / 20) for n in range(20)}
    better = {task: tuple(x + 0.01 for x in row) for task, row in hard.items()}
    pair = paired(hard, better)
    assert pair.difference.mean == pytest.approx(0.01)
    assert pair.task_se == pytest.approx(0.0, abs=1e-12)
    assert (mean(hard).task_se or 0) > 0.06


def test_differences_are_of_tasks_that_both_have() -> None:
    assert differences({"a": (1.0,), "b": (0.0,)}, {"b": (1.0, 0.0), "c": (1.0,)}) == {"b": 0.5}
