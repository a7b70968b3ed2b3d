"""Run the cases of a program in several rounds if a guess could be right.

A program that ignores its input, and decides by chance, by a clock or by a process id, must not be
rewarded for luck.  A program that reads its input gives the same answer in every round.  One that
guesses will sooner or later give different answers, and then every case runs in more rounds.
Limit: answers of honest programs must depend on their input alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
LUCK_BITS = 16
"""A program that guesses at random is detected with probability 1 - 2**-16."""
MORE_ROUNDS = 4
"""Further rounds for a program whose answers differ.  A right guess then takes six equal ones."""


def rounds_for(count: int) -> int:
    """Return the number of rounds for `count` cases: two, or more if there are few cases.

    In r rounds a random program answers a case the same way with probability 2 ** (1 - r).

    >>> [rounds_for(count) for count in (1, 5, 9, 16, 48)]
    [17, 5, 3, 2, 2]
    """
    return 1 + math.ceil(LUCK_BITS / count)


def repeated(
    run: Callable[[int], Sequence[T]], count: int, *, answers_each: int = 1
) -> list[tuple[T, ...]]:
    """Return the answers of each of `count` cases, one for each round.

    `run` runs all cases in so many rounds, and returns answers round after round.  Cases with
    several answers (`answers_each`) need fewer rounds.
    """
    answers = _by_case(run(rounds_for(count * answers_each)), count)
    if any(len(set(own)) > 1 for own in answers):
        more = _by_case(run(MORE_ROUNDS), count)
        answers = [(*first, *later) for first, later in zip(answers, more, strict=True)]
    return answers


def _by_case(answers: Sequence[T], count: int) -> list[tuple[T, ...]]:
    """Regroup answers from rounds to cases.

    >>> _by_case("abAB", 2)
    [('a', 'A'), ('b', 'B')]
    """
    return [tuple(answers[case::count]) for case in range(count)]
