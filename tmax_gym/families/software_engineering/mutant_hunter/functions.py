"""Functions of the mutant-hunter family: source, faults, and tests that find every fault."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_sections


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a module under test."""

    name: str
    source: str
    faults: tuple[tuple[str, str], ...]
    """Text that the source has once, and its replacement in a mutant."""
    tests: str
    """Statements that hold for the right function and fail for every mutant."""


_SOURCES = program_sections(__package__, "functions.py")
FUNCTIONS = (
    Function(
        "tier_price",
        _SOURCES["tier_price"],
        (("quantity < 1", "quantity < 0"), (">= 100", "> 100"), (">= 10 ", "> 10 "),
         ("+ 50", "+ 49")),
        """\
assert tier_price(9, 10) == 90 and tier_price(10, 10) == 95
assert tier_price(100, 10) == 880 and tier_price(10, 1) == 10
assert refuses(tier_price, 0, 5) and tier_price(1, 5) == 5
""",
    ),
    Function(
        "overlap",
        _SOURCES["overlap"],
        (("max(0, end - start)", "abs(end - start)"), ("max(one[0]", "min(one[0]"),
         ("end - start)", "end - start + 1)")),
        """\
assert overlap((0, 10), (20, 30)) == 0 and overlap((5, 10), (0, 30)) == 5
assert overlap((0, 10), (10, 20)) == 0 and overlap((3, 9), (4, 8)) == 4
""",
    ),
    Function(
        "merged",
        _SOURCES["merged"],
        (("start <= out", "start < out"), ("max(out[-1][1], end)", "end"),
         ("sorted(spans)", "spans")),
        """\
assert merged([(5, 7), (1, 3)]) == [(1, 3), (5, 7)]
assert merged([(1, 3), (3, 4)]) == [(1, 4)] and merged([(1, 9), (2, 3)]) == [(1, 9)]
""",
    ),
    Function(
        "check_digit",
        _SOURCES["check_digit"],
        (("place % 2 == 0", "place % 2 == 1"), ("value > 9", "value > 10"),
         ("(10 - total % 10) % 10", "10 - total % 10")),
        """\
assert check_digit("7992739871") == 3 and check_digit("0") == 0
assert check_digit("5") == 9 and check_digit("12") == 5
""",
    ),
    Function(
        "page",
        _SOURCES["page"],
        (("number < 1 or size < 1", "number < 1"), ("len(items) > first", "len(items) >= first"),
         ("(number - 1) * size", "number * size"), ("first + size], len", "size], len")),
        """\
assert page([1, 2, 3, 4], 1, 2) == ([1, 2], True) and page([1, 2, 3, 4], 2, 2) == ([3, 4], False)
assert page([1, 2, 3], 2, 2) == ([3], False) and page([], 1, 5) == ([], False)
assert refuses(page, [1], 0, 1) and refuses(page, [1], 1, 0)
""",
    ),
    Function(
        "minutes",
        _SOURCES["minutes"],
        (("rest > 59", "rest > 60"), ("found[1] and rest", "rest"),
         ("if not text or not found", "if not found"), ("re.fullmatch", "re.match")),
        """\
assert minutes("2h5m") == 125 and minutes("90m") == 90 and minutes("3h") == 180
assert refuses(minutes, "1h60m") and refuses(minutes, "") and refuses(minutes, "5mx")
assert minutes("1h59m") == 119
""",
    ),
    Function(
        "ranked",
        _SOURCES["ranked"],
        (("other > score", "other >= score"), ("other > score", "other < score"),
         ("in scores.values())", "in set(scores.values()))")),
        """\
assert ranked({"a": 5, "b": 7, "c": 5, "d": 1}) == {"a": 2, "b": 1, "c": 2, "d": 4}
assert ranked({}) == {}
""",
    ),
    Function(
        "shortened",
        _SOURCES["shortened"],
        (("len(text) <= limit", "len(text) < limit"), ("text[: limit - 2]", "text[:limit]"),
         ('text[limit - 2] != " " and ', ""), ("kept.rindex", "kept.index")),
        """\
assert shortened("abc def", 7) == "abc def" and shortened("ab cd efgh", 8) == "ab cd.."
assert shortened("abcdefgh", 6) == "abcd.." and shortened("ab cd ef gh", 7) == "ab cd.."
assert shortened("a b c dddddd", 9) == "a b c.."
""",
    ),
)  # fmt: skip
