"""A drawn expression language: its parts, and how they are drawn.

Covers rows of operators with their own binding, literals, brackets that compute, functions, a
memory, ranges, and the names of errors.  Does not cover values (`calculator.py`), the
description (`sheet.py`) nor programs (`rendering.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Literal

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng

Ties = Literal["left", "right", "none"]
Reach = Literal["modulus", "wrap", "limit"]
MEMORY = ("ans", "it", "last", "prev", "mem")
BINARY: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "add": ("a plus b", lambda a, b: a + b),
    "sub": ("a minus b", lambda a, b: a - b),
    "mul": ("a times b", lambda a, b: a * b),
    "quot": ("a divided by b, rounded down", lambda a, b: a // b),
    "rest": ("a minus (b times (a divided by b, rounded down))", lambda a, b: a % b),
    "chop": (
        "a divided by b, rounded towards zero",
        lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    ),
    "low": ("the smaller of a and b", min),
    "high": ("the larger of a and b", max),
    "gap": ("the absolute difference of a and b", lambda a, b: abs(a - b)),
    "gcd": ("the greatest common divisor of a and b, ignoring signs; 0 if both are 0", gcd),
    "join": ("ten times a, plus b", lambda a, b: 10 * a + b),
    "both": ("bitwise AND of a and b in two's complement", lambda a, b: a & b),
    "either": ("bitwise OR of a and b in two's complement", lambda a, b: a | b),
    "odd": ("bitwise XOR of a and b in two's complement", lambda a, b: a ^ b),
    "less": ("1 if a is less than b, else 0", lambda a, b: int(a < b)),
    "same": ("1 if a equals b, else 0", lambda a, b: int(a == b)),
    "mean": ("half of the sum of a and b, rounded down", lambda a, b: (a + b) // 2),
}
UNARY: dict[str, tuple[str, Callable[[int], int]]] = {
    "neg": ("0 minus a", lambda a: -a),
    "flip": ("-1 minus a", lambda a: -1 - a),
    "mag": ("the absolute value of a", abs),
    "sign": ("the sign of a: 1, 0 or -1", lambda a: (a > 0) - (a < 0)),
    "square": ("a times a", lambda a: a * a),
    "twice": ("two times a", lambda a: 2 * a),
    "half": ("half of a, rounded down", lambda a: a // 2),
    "next": ("a plus one", lambda a: a + 1),
    "none": ("1 if a is 0, else 0", lambda a: int(a == 0)),
}
CALLS: dict[str, tuple[str, Callable[[list[int]], int]]] = {
    "least": ("its smallest argument", min),
    "most": ("its largest argument", max),
    "total": ("the sum of its arguments", sum),
    "spread": ("its largest argument minus its smallest", lambda v: max(v) - min(v)),
    "turns": ("its first argument minus the second plus the third minus the fourth and so on",
              lambda v: sum(v[::2]) - sum(v[1::2])),
    "count": ("the number of its arguments", len),
}  # fmt: skip
"""Meaning of a name to (what the sheet says, what it computes)."""
DIVIDING = ("quot", "rest", "chop")


@dataclass(frozen=True, slots=True)
class Row:
    """Operators that bind equally."""

    signs: tuple[tuple[str, str], ...]
    """(symbol, meaning) of each."""
    ties: Ties = "left"
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language."""

    rows: tuple[Row, ...]
    """The loosest first; a row's level is its position, from 1."""
    postfix: tuple[tuple[str, str], ...]
    brackets: tuple[tuple[str, str, str], ...]
    """(opening, closing, meaning), "" for brackets that only group."""
    calls: tuple[tuple[str, str], ...]
    """(name, meaning) of the functions."""
    separator: str
    marks: tuple[tuple[str, int], ...]
    """(character before the digits, base)."""
    suffixes: tuple[tuple[str, int], ...]
    """(letter behind a decimal literal, factor)."""
    gap: str
    """Separator allowed between two digits; "" for none."""
    reach: Reach
    bound: int
    """The modulus, the bits, or the largest magnitude."""
    memory: str
    """Name of the last value; "" where there is none."""
    words: tuple[str, str, str]
    """Names of errors: syntax, division by zero, out of range."""
    shape: str
    """How an error is printed: a format of `word` and `at`."""
    first: int
    """Number of a line's first column."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return everything that is neither a literal nor a name, the longest first."""
        symbols = {sign for row in self.rows for sign, _ in row.signs}
        symbols |= {sign for sign, _ in self.postfix} | {self.separator}
        symbols |= {bracket for pair in self.brackets for bracket in pair[:2]}
        return tuple(sorted(symbols, key=lambda sign: (-len(sign), sign)))


SIGNS = (*"+-*/%^&|~!<>=?", "<>", "**", "//", "->", "<-", "=>", "++", "--", "..", "&&", "||", "<=",
         ">=", ":=", "!!", "::", "??", "<<<", "%%", "/*")  # fmt: skip
"""Symbols of operators.  None holds a bracket, a separator, or what a literal may begin with."""
NAMES = {
    "least": ("least", "min", "lowest"),
    "most": ("most", "max", "top"),
    "total": ("total", "sum", "all"),
    "spread": ("spread", "range", "width"),
    "turns": ("turns", "swing", "zigzag"),
    "count": ("count", "size", "many"),
}
WORDS = (
    ("syntax", "zero", "range"),
    ("E1", "E2", "E3"),
    ("bad", "div", "big"),
    ("parse", "divide", "overflow"),
)
SHAPES = ("error {word} {at}", "{word} at {at}", "! {at} {word}", "{at}: {word}", "?{word} ({at})")


def drawn(ctx: Context, rng: Rng) -> Tongue:
    """Return the language of a stage."""
    signs = rng.fork("signs").shuffled(SIGNS)
    reach, bound = _reach(rng.fork("reach"))
    fancy = rng.fork("brackets").sample((("[", "]"), ("{", "}")), 2)[: ctx.knob(0, 2)]
    unary = rng.fork("unary").shuffled(sorted(UNARY))
    prefix, postfix = 1 + (ctx.level >= 0.4), ctx.knob(0, 2)
    rows = _rows(rng.fork("rows"), signs, count=ctx.knob(5, 11), odd=ctx.level >= 0.3)
    before = [Row(((signs.pop(), unary.pop()),), "left", prefix=True) for _ in range(prefix)]
    rows = _placed(rows, before, rng.fork("place"), odd=ctx.level >= 0.4)
    calls = rng.fork("calls").sample(sorted(CALLS), ctx.knob(0, 3))
    names = [(rng.fork("name", call).choice(NAMES[call]), call) for call in calls]
    letters = rng.fork("literals")
    return Tongue(
        rows=tuple(rows),
        postfix=tuple((signs.pop(), unary.pop()) for _ in range(postfix)),
        brackets=(("(", ")", ""), *((*pair, unary.pop()) for pair in fancy)),
        calls=tuple(names),
        separator=letters.choice((",", ";")),
        marks=_marks(letters, ctx.knob(1, 2)),
        suffixes=tuple(letters.sample(SUFFIXES, ctx.knob(0, 2))),
        gap=letters.choice(("_", "'", "")) if ctx.level >= 0.2 else "",
        reach=reach,
        bound=bound,
        memory=letters.choice(MEMORY) if ctx.level >= 0.25 else "",
        words=letters.choice(WORDS),
        shape=letters.choice(SHAPES),
        first=letters.integer(0, 1),
    )


SUFFIXES = (("k", 1000), ("d", 12), ("g", 144), ("s", 20), ("h", 100))


def _marks(rng: Rng, count: int) -> tuple[tuple[str, int], ...]:
    """Return what marks literals of another base: a sign each, all different."""
    bases = rng.sample((2, 3, 5, 6, 7, 8, 12, 16), count)
    return tuple(zip(rng.sample("$#@", count), bases, strict=True))


def _reach(rng: Rng) -> tuple[Reach, int]:
    """Return how values are bounded; every product of two of them fits in 63 bits."""
    match rng.integer(0, 2):
        case 0:
            return "modulus", rng.choice((997, 4099, 9973, 10_007, 65_521, 100_003))
        case 1:
            return "wrap", rng.choice((12, 16, 18, 20, 24, 32))
        case _:
            return "limit", rng.choice((99_999, 999_999, 9_999_999, 500_000))


def _rows(rng: Rng, signs: list[str], *, count: int, odd: bool) -> list[Row]:
    """Return `count` binary operators in rows, at least one of which groups from the right."""
    meanings = rng.sample(sorted(BINARY), count)
    if not {"sub", "quot", "join", "chop"} & set(meanings):
        meanings[0] = rng.choice(("sub", "quot", "join", "chop"))
    rows = [meanings[n : n + 2] for n in range(0, count, 2)]
    ties: list[Ties] = [rng.choice(("left", "right")) for _ in rows]
    if odd:
        ties[rng.integer(0, len(rows) - 1)] = "none"
    uneven = [n for n, row in enumerate(rows) if {"sub", "quot", "join", "chop"} & set(row)]
    ties[rng.choice(uneven)] = "right"
    levels = [
        Row(tuple((signs.pop(), meaning) for meaning in row), tie)
        for row, tie in zip(rows, ties, strict=True)
    ]
    return rng.shuffled(levels)


def _placed(rows: list[Row], before: list[Row], rng: Rng, *, odd: bool) -> list[Row]:
    """Return the rows with those of prefix operators among them, tightest where not odd."""
    for row in before:
        at = rng.integer(1, len(rows)) if odd else len(rows)
        sign, meaning = row.signs[0]
        if rng.chance(0.4):
            taken = {s for r in rows if r.prefix for s, _ in r.signs}
            shared = [s for r in rows if not r.prefix for s, _ in r.signs if s not in taken]
            sign = rng.choice(shared)
        rows = [*rows[:at], Row(((sign, meaning),), "left", prefix=True), *rows[at:]]
    return rows
