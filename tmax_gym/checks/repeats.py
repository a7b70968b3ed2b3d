"""How often the cases of a program run, where a guess could be right.

A program that ignores its input, and decides by chance, by a clock or by a process id, must not be
paid for luck.  A program that reads its input answers a case the same way in every round; one that
guesses betrays itself sooner or later, and then every case runs in more rounds.  Limit: the code
counts on programs whose answers depend on their input alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
LUCK_BITS = 16
"""A program that tosses a coin for each run gives itself away with probability 1 - 2**-16."""
MORE_ROUNDS = 4
"""For a program that answered a case differently.  A right guess then takes six equal tosses."""


def rounds_for(count: int) -> int:
    """Return in how many rounds `count` cases run: two, or more where there are few cases.

    In r rounds a coin answers each case the same way with probability 2 ** (1 - r).

    >>> [rounds_for(count) for count in (1, 5, 9, 16, 48)]
    [17, 5, 3, 2, 2]
    """
    return 1 + math.ceil(LUCK_BITS / count)


def repeated(
    run: Callable[[int], Sequence[T]], count: int, *, answers_each: int = 1
) -> list[tuple[T, ...]]:
    """Return the answers of every case, one for each round.

    Args:
        run: Runs all cases in so many rounds; returns answers round after round.
        count: Cases of one round, at least 1.
        answers_each: Answers that a case asks for on average: more of them need fewer rounds.
    """
    answers = _by_case(run(rounds_for(count * answers_each)), count)
    if any(len(set(seen)) > 1 for seen in answers):
        more = _by_case(run(MORE_ROUNDS), count)
        answers = [(*first, *later) for first, later in zip(answers, more, strict=True)]
    return answers


def _by_case(answers: Sequence[T], count: int) -> list[tuple[T, ...]]:
    """Turn answers round after round into those of every case.

    >>> _by_case("abAB", 2)
    [('a', 'A'), ('b', 'B')]
    """
    return [tuple(answers[case::count]) for case in range(count)]
