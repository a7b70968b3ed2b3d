import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.analysis.measures.difficulty import Features, answer_bits, depth, features
from tmax_gym.analysis.measures.programs import profile
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.spec import StageRef

NONE = Features(0, 0, 0, 0, 0, 0.0, 0)
MOST = Features(60, 24, 12, 15, 8, 1.0, 0)
COUNTS = st.builds(Features, *[st.integers(0, 99)] * 5, st.floats(0, 1), st.integers(0, 9))


def test_d_is_the_weighted_sum_of_the_design():
    # by hand, tasks.md 2.4: 3 commands, 1 tool, 1 stage, 1 check, wholly exact
    raw = 0.30 * 2 + 0.15 * 1 + 0.20 / 12 + 0.10 * 1 + 0.10
    most = 0.30 * math.log2(61) + 0.15 * math.log2(25) + 0.20 + 0.10 * 4 + 0.15 + 0.10
    assert Features(3, 1, 1, 1, 0, 1.0, 0).score == pytest.approx(raw / most)


@given(COUNTS)
def test_d_lies_between_nothing_and_the_hardest(one: Features):
    assert NONE.score == 0.0
    assert 0.0 <= one.score <= MOST.score == 1.0
    assert replace(one, commands=one.commands + 1).score >= one.score


def test_the_depth_is_the_longest_chain_and_not_the_number_of_stages():
    plan = (
        StageRef("a"),
        StageRef("b"),
        StageRef("c", (0, "o")),
        StageRef("d", (2, "o")),
    )
    spec = catalogue.select()[0]
    assert depth(replace(spec, plan=plan)) == 3
    assert depth(replace(spec, plan=plan[:2])) == 1


def test_a_value_among_random_digits_has_the_bits_of_its_digits():
    values = {f"t{n}": [("k", f"{n * 7919 % 10**6:06d}")] for n in range(4000)}
    bits = answer_bits(values)["t77"]
    assert 6 * math.log2(10) - 1.0 < bits <= 6 * math.log2(10) + 1e-9


def test_what_all_values_share_needs_no_guess():
    values = {f"t{n}": [("k", f"same{n % 10}")] for n in range(500)}
    assert answer_bits(values)["t3"] == pytest.approx(math.log2(10), abs=0.2)


def test_the_kind_of_a_code_needs_no_guess_and_a_repeated_value_counts_once():
    assert answer_bits({"t": [("k", "AB-7"), ("k", "AB-7")]}) == {"t": pytest.approx(math.log2(10))}
    assert answer_bits({"t": []}) == {}


def test_features_of_a_real_task_are_those_that_one_can_count():
    name = next(
        spec.name
        for spec in catalogue.select(complexity="intricate")
        if [ref.product and ref.product[0] for ref in spec.plan[1:]]
        == [0, 0]  # two follow-ups of one family
    )
    task = catalogue.load(name)
    seen = features(task, profile(task.oracle))
    assert (seen.depth, seen.checks) == (2, len(task.checks))
    assert seen.hidden >= len(set(task.hidden))
    assert seen.size == sum(len(n.data or b"") for n in task.nodes)
