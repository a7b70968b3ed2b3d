"""Functions of the mutant-hunter family: source, faults, and tests that find every fault."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a module under test."""

    name: str
    source: str
    faults: tuple[tuple[str, str], ...]
    """What stands in the source once, and what a mutant has in its place."""
    tests: str
    """Statements that hold for the right function and fail for every mutant."""


FUNCTIONS = (
    Function(
        "tier_price",
        '''\
def tier_price(quantity, unit):
    """Return the price in cents of `quantity` items at `unit` cents each.

    5 % off from 10 items, 12 % off from 100; half a cent rounds up.  Raises ValueError for a
    quantity below 1.
    """
    if quantity < 1:
        raise ValueError("quantity")
    off = 12 if quantity >= 100 else 5 if quantity >= 10 else 0
    return (quantity * unit * (100 - off) + 50) // 100
''',
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
        '''\
def overlap(one, two):
    """Return how many minutes two spans share.

    A span is a pair (start, end) of minutes; its end does not belong to it.
    """
    start, end = max(one[0], two[0]), min(one[1], two[1])
    return max(0, end - start)
''',
        (("max(0, end - start)", "abs(end - start)"), ("max(one[0]", "min(one[0]"),
         ("end - start)", "end - start + 1)")),
        """\
assert overlap((0, 10), (20, 30)) == 0 and overlap((5, 10), (0, 30)) == 5
assert overlap((0, 10), (10, 20)) == 0 and overlap((3, 9), (4, 8)) == 4
""",
    ),
    Function(
        "merged",
        '''\
def merged(spans):
    """Return the spans that the given ones cover together, in ascending order.

    Spans that overlap or touch (one ends where another starts) become one.
    """
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
''',
        (("start <= out", "start < out"), ("max(out[-1][1], end)", "end"),
         ("sorted(spans)", "spans")),
        """\
assert merged([(5, 7), (1, 3)]) == [(1, 3), (5, 7)]
assert merged([(1, 3), (3, 4)]) == [(1, 4)] and merged([(1, 9), (2, 3)]) == [(1, 9)]
""",
    ),
    Function(
        "check_digit",
        '''\
def check_digit(number):
    """Return the digit that has to follow a string of digits.

    From the right, every other digit is doubled, the last one first; a result above 9 is
    lessened by 9.  With the check digit the sum of all is a multiple of 10.
    """
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return (10 - total % 10) % 10
''',
        (("place % 2 == 0", "place % 2 == 1"), ("value > 9", "value > 10"),
         ("(10 - total % 10) % 10", "10 - total % 10")),
        """\
assert check_digit("7992739871") == 3 and check_digit("0") == 0
assert check_digit("5") == 9 and check_digit("12") == 5
""",
    ),
    Function(
        "page",
        '''\
def page(items, number, size):
    """Return (items of one page, whether a later page has any).

    Pages count from 1 and hold `size` items, the last one perhaps fewer.  Raises ValueError for
    a page or a size below 1.
    """
    if number < 1 or size < 1:
        raise ValueError("page")
    first = (number - 1) * size
    return items[first : first + size], len(items) > first + size
''',
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
        '''\
def minutes(text):
    """Return the minutes that a text like "2h5m", "3h" or "45m" means.

    Hours come first, both parts are whole numbers, and at least one of them is there.  Raises
    ValueError for anything else, also for 60 minutes or more behind hours.
    """
    found = re.fullmatch("(?:([0-9]+)h)?(?:([0-9]+)m)?", text)
    if not text or not found:
        raise ValueError(text)
    hours, rest = int(found[1] or 0), int(found[2] or 0)
    if found[1] and rest > 59:
        raise ValueError(text)
    return 60 * hours + rest
''',
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
        '''\
def ranked(scores):
    """Return a dictionary from each name to its rank, the highest score first.

    Equal scores share a rank, and the ranks that they take up are left out after them.
    """
    out = {}
    for name, score in scores.items():
        out[name] = 1 + sum(other > score for other in scores.values())
    return out
''',
        (("other > score", "other >= score"), ("other > score", "other < score"),
         ("in scores.values())", "in set(scores.values()))")),
        """\
assert ranked({"a": 5, "b": 7, "c": 5, "d": 1}) == {"a": 2, "b": 1, "c": 2, "d": 4}
assert ranked({}) == {}
""",
    ),
    Function(
        "shortened",
        '''\
def shortened(text, limit):
    """Return the text in at most `limit` characters, cut at a space where it has to be cut.

    A cut text ends in "..", which counts; a first word that is too long is cut anywhere.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - 2]
    if text[limit - 2] != " " and " " in kept:
        kept = kept[: kept.rindex(" ")]
    return kept.rstrip() + ".."
''',
        (("len(text) <= limit", "len(text) < limit"), ("text[: limit - 2]", "text[:limit]"),
         ('text[limit - 2] != " " and ', ""), ("kept.rindex", "kept.index")),
        """\
assert shortened("abc def", 7) == "abc def" and shortened("ab cd efgh", 8) == "ab cd.."
assert shortened("abcdefgh", 6) == "abcd.." and shortened("ab cd ef gh", 7) == "ab cd.."
assert shortened("a b c dddddd", 9) == "a b c.."
""",
    ),
)  # fmt: skip
