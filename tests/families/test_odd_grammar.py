"""The expression language of odd-grammar, on a hand-made sheet with values computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tmax_gym.families.software_engineering.odd_grammar.calculator import answers
from tmax_gym.families.software_engineering.odd_grammar.language import Row, Tongue

HAND = Tongue(
    rows=(
        Row((("*", "mul"),), "left"),
        Row((("-", "sub"), ("/", "quot")), "right"),
        Row((("~", "neg"),), prefix=True),
        Row((("<", "less"), ("<>", "gap")), "none"),
    ),
    postfix=(("!", "square"),),
    brackets=(("(", ")", ""), ("[", "]", "next")),
    calls=(("top", "most"), ("zigzag", "turns")),
    separator=";",
    marks=(("$", 16),),
    suffixes=(("k", 1000),),
    gap="_",
    reach="limit",
    bound=99_999,
    memory="it",
    words=("bad", "div", "big"),
    shape="{word} at {at}",
    first=1,
)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("2*3-1", "4"),  # the minus binds tighter: 2 * (3 - 1)
        ("9-4-3", "8"),  # from the right: 9 - (4 - 3)
        ("7/2-9", "-1"),  # 7 / (2 - 9), rounded down
        ("~5<>8", "-3"),  # before its operand, but looser than the distance
        ("~~4", "4"),
        ("3!-1", "8"),
        ("[4]!", "25"),
        ("$ff", "255"),
        ("1_0k", "10000"),
        ("top(3;9;[9])", "10"),
        ("zigzag(10;3;1)", "8"),
        ("it", "0"),
        ("1<2<3", "bad at 4"),
        ("1<(2<3)", "0"),  # 1 is not less than 1
        ("4-", "bad at 3"),
        ("(4]", "bad at 3"),
        ("4 4", "bad at 3"),
        ("5-foo", "bad at 3"),
        ("top 4", "bad at 5"),
        ("$", "bad at 1"),
        ("6/(2-2)", "div at 2"),
        ("6/0*", "bad at 5"),  # syntax comes before division
        ("50k*2", "big at 4"),
    ],
)
def test_a_line_comes_to_what_the_sheet_says(line: str, answer: str) -> None:
    assert answers(HAND, line) == f"{answer}\n"


def test_the_memory_outlives_errors_and_blank_lines() -> None:
    assert answers(HAND, "4*5\n\n  \n6/0\nit-1\n") == "20\ndiv at 2\n19\n"


def test_values_wrap_or_reduce_at_every_step() -> None:
    wrapped = replace(HAND, reach="wrap", bound=8)
    assert answers(wrapped, "100*2\n~200\n") == "-56\n56\n"
    reduced = replace(HAND, reach="modulus", bound=7)
    assert answers(reduced, "~1\n6*6\n") == "6\n1\n"
