"""Rounds of cases: what guesses is run more often, what reads its input is not."""

import itertools
import random

import pytest

from tests.support.memory_evidence import MemoryEvidence
from tmax_gym.checks.check import Case, Outcome, Program, adversarial_corpus
from tmax_gym.checks.repeats import MORE_ROUNDS, repeated, rounds_for


def test_steady_answers_need_no_more_rounds() -> None:
    asked: list[int] = []

    def run(rounds: int) -> list[str]:
        asked.append(rounds)
        return ["a", "b"] * rounds

    rounds = rounds_for(2)
    assert repeated(run, 2) == [("a",) * rounds, ("b",) * rounds]
    assert asked == [rounds]


def test_one_answer_that_changes_brings_more_rounds_for_every_case() -> None:
    endless = itertools.cycle("ab")
    answers = repeated(lambda rounds: [next(endless) for _ in range(3 * rounds)], 3)
    assert [len(seen) for seen in answers] == [rounds_for(3) + MORE_ROUNDS] * 3


@pytest.mark.parametrize("count", range(1, 60))
def test_a_coin_answers_all_cases_steadily_once_in_sixty_thousand_times_at_most(count: int) -> None:
    # Each of the later rounds must repeat the first one's toss, in every case.
    assert 0.5 ** (count * (rounds_for(count) - 1)) <= 2**-16


@pytest.mark.parametrize(("evil", "clean"), [(3, 2), (7, 2), (8, 8), (12, 12), (24, 24)])
def test_a_coin_is_not_paid_by_a_corpus_of_any_size(evil: int, clean: int) -> None:
    check = adversarial_corpus(
        "c", Program("/app/tool.py", "python"),
        evil=[Case()] * evil, clean=[Case()] * clean, accepts=lambda o: o.exit_code == 0,
    )  # fmt: skip
    coin = random.Random(evil)
    tossing = MemoryEvidence(program=lambda case: Outcome(coin.getrandbits(1), b""))
    assert [check.score(tossing) for _ in range(300)] == [0.0] * 300
