"""The five verifier kinds as functions of evidence; expected scores worked out by hand."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.memory_evidence import MemoryEvidence, holding
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Exchange,
    Outcome,
    Program,
    Reply,
    Turn,
    adversarial_corpus,
    fuzz_equivalence,
    metric_threshold,
    multi_protocol,
    shuffled,
    unchanged,
)
from tmax_gym.nodes import text

TOOL = Program("/app/tool.py", "python")
EVIL = [Case(stdin=b"evil %d" % i) for i in range(4)]
CLEAN = [Case(stdin=b"clean %d" % i) for i in range(4)]


def accepting(rule) -> MemoryEvidence:
    return MemoryEvidence(program=lambda case: Outcome(0 if rule(case.stdin) else 1, b""))


def corpus_check():
    return adversarial_corpus(
        "c", TOOL, evil=EVIL, clean=CLEAN, accepts=lambda outcome: outcome.exit_code == 0
    )


@pytest.mark.parametrize(
    ("rule", "score"),
    [
        (lambda data: data.startswith(b"clean"), 1.0),
        (lambda data: True, 0.0),
        (lambda data: False, 0.0),
        (lambda data: data.startswith(b"evil"), 0.0),
        (lambda data: data == b"evil 0" or data.startswith(b"clean"), 0.75),
        (lambda data: data in (b"clean 0", b"clean 1"), 0.5),
    ],
)
def test_a_corpus_pays_only_for_telling_evil_from_clean(rule, score):
    assert corpus_check().score(accepting(rule)) == pytest.approx(score)


def test_a_program_that_hangs_on_everything_earns_nothing_from_a_corpus():
    hanging = MemoryEvidence(program=lambda case: Outcome(0, b"", timed_out=True))
    assert corpus_check().score(hanging) == 0.0


def test_an_absent_program_is_bad_output_not_half_a_score():
    with pytest.raises(BadOutput):
        corpus_check().score(MemoryEvidence())


def fuzz(outputs: list[bytes], expected: list[bytes]) -> float:
    check = fuzz_equivalence(
        "f", TOOL, cases=[Case(stdin=b"%d" % i) for i in range(len(expected))], expected=expected
    )
    return check.score(MemoryEvidence(program=lambda case: Outcome(0, outputs[int(case.stdin)])))


def test_fuzzing_pays_in_full_for_every_output_equal():
    assert fuzz([b"a\n", b"b", b"c"], [b"a", b"b\n", b"c"]) == 1.0


def test_fuzzing_pays_nothing_for_the_best_constant_answer():
    assert fuzz([b"no"] * 4, [b"no", b"no", b"yes", b"no"]) == 0.0


def test_fuzzing_pays_the_share_above_chance():
    # chance is 1/4; three of four right: (3/4 - 1/4) / (3/4) = 2/3
    assert fuzz([b"a", b"b", b"c", b"-"], [b"a", b"b", b"c", b"d"]) == pytest.approx(2 / 3)


def test_fuzzing_refuses_a_corpus_with_one_answer():
    with pytest.raises(ValueError, match="every expected output is the same"):
        fuzz([b"a", b"a"], [b"a", b"a"])


def turning(*answers: Outcome) -> MemoryEvidence:
    """Return evidence of a program that gives its answers in turn, whatever it is asked."""
    endless = itertools.cycle(answers)
    return MemoryEvidence(program=lambda case: next(endless))


def test_a_corpus_pays_nothing_for_verdicts_that_alternate():
    # 8 cases in order, three answers in turn: in six rounds each is accepted at least once.
    three = (Outcome(0, b""), Outcome(1, b""), Outcome(1, b""))
    assert corpus_check().score(turning(*three)) == 0.0


def test_fuzzing_runs_a_case_several_times_where_answers_are_few():
    check = fuzz_equivalence(
        "f", TOOL, cases=[Case(stdin=b"%d" % i) for i in range(3)], expected=[b"a", b"b", b"a"]
    )
    # Three cases and four answers in turn: each case gets another answer in every round.
    guessing = turning(*(Outcome(0, word) for word in (b"a", b"b", b"a", b"-")))
    assert check.score(guessing) == 0.0


def test_an_order_is_another_one_each_time():
    assert len({tuple(shuffled(range(20))) for _ in range(10)}) == 10
    assert sorted(shuffled(range(20))) == list(range(20))


def test_a_right_output_with_a_failing_exit_code_does_not_count():
    check = fuzz_equivalence("f", TOOL, cases=[Case(), Case()], expected=[b"a", b"b"])
    failing = MemoryEvidence(program=lambda case: Outcome(1, b"a"))
    assert check.score(failing) == 0.0


def test_fuzzing_gives_a_run_the_time_that_its_family_asks_for():
    given: list[float] = []

    class Watched(MemoryEvidence):
        def run(self, program, cases, *, timeout=5.0, chained=0):
            given.append(timeout)
            return super().run(program, cases, timeout=timeout, chained=chained)

    evidence = Watched(program=lambda case: Outcome(0, case.stdin))
    cases = [Case(stdin=b"a"), Case(stdin=b"b")]
    for asked in ({}, {"timeout": 25.0}):
        check = fuzz_equivalence("f", TOOL, cases=cases, expected=[b"a", b"b"], **asked)
        assert check.score(evidence) == 1.0
    assert given == [5.0, 25.0]


@pytest.mark.parametrize(
    ("measured", "base", "threshold", "score"),
    [
        (0.5, 0.5, 0.9, 0.0),
        (0.9, 0.5, 0.9, 1.0),
        (0.7, 0.5, 0.9, 0.5),
        (2.0, 0.5, 0.9, 1.0),
        (10.0, 10.0, 2.0, 0.0),
        (2.0, 10.0, 2.0, 1.0),
        (6.0, 10.0, 2.0, 0.5),
        (math.nan, 0.0, 1.0, 0.0),
        (math.inf, 10.0, 2.0, 0.0),
    ],
)
def test_a_metric_ramps_from_its_base_to_its_threshold(measured, base, threshold, score):
    check = metric_threshold("m", lambda _: measured, base=base, threshold=threshold)
    assert check.score(MemoryEvidence()) == pytest.approx(score)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_metric_score_never_leaves_the_unit_interval(measured):
    check = metric_threshold("m", lambda _: measured, base=0.25, threshold=0.75)
    assert 0.0 <= check.score(MemoryEvidence()) <= 1.0


def test_a_conversation_pays_the_weight_of_the_right_turns():
    step = Exchange("x", "http", port=80)
    turns = [
        Turn(step, lambda reply: reply.status == 200, weight=3.0),
        Turn(step, lambda reply: reply.body == b"no", weight=1.0),
        Turn(step),
    ]
    check = multi_protocol("p", "/app/start.sh", turns)
    evidence = MemoryEvidence(replies=(Reply(status=200), Reply(body=b"yes"), Reply()))
    assert check.score(evidence) == pytest.approx(0.75)


def test_an_unanswered_turn_counts_as_wrong_even_when_silence_would_fit():
    turn = Turn(Exchange("x", "tcp", port=1), lambda reply: reply.body == b"")
    check = multi_protocol("p", "/app/start.sh", [turn])
    assert check.score(MemoryEvidence(replies=(Reply(error="refused"),))) == 0.0


def test_a_gate_on_unchanged_files_notices_a_change_and_an_absence():
    gate = unchanged("g", [text("/app/a", "one")])
    assert gate.holds(holding(a="one"))
    assert not gate.holds(holding(a="two"))
    assert not gate.holds(holding())
