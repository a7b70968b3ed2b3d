"""Rules of the quality gate: how each reads, how two languages test it, how a row breaks it.

Covers eight columns and fifteen rules; a test is true for a row that satisfies the rule.
Does not cover which rules apply: see `__init__.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from tmax_gym.rng import Rng

STATES = ("open", "held", "paid", "void", "done", "late", "sent", "lost")
Row = dict[str, str]
COLUMNS = ("code", "opened", "closed", "state", "count", "price", "total", "note")


@dataclass(frozen=True, slots=True)
class Limits:
    """The values that a rule sheet names."""

    low: int
    high: int
    """Smallest and largest allowed count."""
    length: int
    """Largest length of the note."""
    states: tuple[str, ...]
    """The first one means: not closed yet."""


NO_LIMITS = Limits(0, 0, 0, ())


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the sheet, in the order in which rules are tried."""

    name: str
    sheet: str
    """The sentence in the sheet; `<x>` stands for the heading of column x."""
    python: str
    awk: str
    needs: tuple[str, ...] = ()
    """Rules without which this one cannot be tested."""


_MONEY = "consists of one or more digits, a point and exactly two more digits"
_DATE = "a valid calendar date in the form YYYY-MM-DD"
_FORM = "[A-Z][A-Z]+-[0-9][0-9][0-9][0-9]"
RULES = (
    Rule("fields", "the row has exactly 8 fields", "len(row) == 8", "NF == 8"),
    Rule(
        "form",
        "<code> consists of two to four capital letters, a hyphen and four digits",
        're.fullmatch("[A-Z]{2,4}-[0-9]{4}", code)',
        f"code ~ /^{_FORM}$/ && length(code) <= 9",
    ),
    Rule("opened", f"<opened> is {_DATE}", "is_day(opened)", "is_day(opened)"),
    Rule(
        "closed",
        f"<closed> is empty or {_DATE}",
        'closed == "" or is_day(closed)',
        'closed == "" || is_day(closed)',
    ),
    Rule("state", "<state> is one of: @states", "state in STATES", 'index(STATES, "|" state "|")'),
    Rule(
        "count",
        "<count> is a whole number from @low to @high, without a sign or leading zeros",
        're.fullmatch("0|[1-9][0-9]*", count) and @low <= int(count) <= @high',
        "count ~ /^(0|[1-9][0-9]*)$/ && count + 0 >= @low && count + 0 <= @high",
    ),
    Rule(
        "price",
        f"<price> {_MONEY}",
        're.fullmatch("[0-9]+[.][0-9]{2}", price)',
        "price ~ /^[0-9]+[.][0-9][0-9]$/",
    ),
    Rule(
        "total",
        f"<total> {_MONEY}",
        're.fullmatch("[0-9]+[.][0-9]{2}", total)',
        "total ~ /^[0-9]+[.][0-9][0-9]$/",
    ),
    Rule(
        "note",
        "<note> has at most @length characters and neither begins nor ends with a blank",
        'len(note) <= @length and note == note.strip(" ")',
        "length(note) <= @length && note !~ /^ / && note !~ / $/",
    ),
    Rule(
        "check",
        "the last digit of <code> equals the sum of its other three digits modulo 10",
        "sum(map(int, code[-4:-1])) % 10 == int(code[-1])",
        "digits(code) % 10 == substr(code, length(code))",
        ("form",),
    ),
    Rule(
        "order",
        "<closed> is empty or not earlier than <opened>",
        'closed == "" or closed >= opened',
        'closed == "" || closed >= opened',
        ("opened", "closed"),
    ),
    Rule(
        "pair",
        "<closed> is empty if and only if <state> is @first",
        '(closed == "") == (state == STATES[0])',
        '(closed == "") == (state == "@first")',
        ("closed", "state"),
    ),
    Rule(
        "product",
        "<total> is exactly <count> times <price>",
        "cents(total) == int(count) * cents(price)",
        "cents(total) == count * cents(price)",
        ("count", "price", "total"),
    ),
    Rule(
        "unique",
        "<code> does not occur in any accepted row above",
        "code not in seen",
        "!(code in seen)",
        ("form",),
    ),
    Rule(
        "sequence",
        "<opened> is not earlier than in the last accepted row above, if there is one",
        "opened >= last",
        "opened >= last",
        ("opened",),
    ),
)


def good(rng: Rng, limits: Limits, above: list[Row], *, prefix: str) -> Row:
    """Return a row that satisfies every rule below these rows; values at limits are frequent."""
    digits = [rng.integer(0, 9) for _ in range(3)]
    code = f"{prefix}-{digits[0]}{digits[1]}{digits[2]}{sum(digits) % 10}"
    if any(row["code"] == code for row in above):
        return good(rng, limits, above, prefix=prefix)
    if above:
        opened = date.fromisoformat(above[-1]["opened"]) + timedelta(rng.choice((0, 1, 9, 30)))
    else:
        opened = date(2024, 2, 29) if rng.chance(0.4) else date(2022, 1, 1)
        opened += timedelta(rng.choice((0, 0, 31, 300)))
    state = rng.choice(limits.states)
    closed = opened + timedelta(rng.choice((0, 0, 3, 40)))
    edge = rng.choice((limits.low, limits.high, 0))
    count = edge or rng.integer(limits.low, limits.high)
    price = rng.integer(5, 9000)
    words = "late van, no seal, paid twice, see desk two, ask again on monday".replace(",", "")
    size = rng.choice((0, limits.length, rng.integer(1, limits.length)))
    note = words[:size] if not words[:size].endswith(" ") else words[: size - 1] + "x"
    return {
        "code": code,
        "opened": opened.isoformat(),
        "closed": "" if state == limits.states[0] else closed.isoformat(),
        "state": state,
        "count": str(count),
        "price": _money(price),
        "total": _money(price * count),
        "note": note,
    }


def bad(rng: Rng, rule: str, row: Row, *, above: list[Row], limits: Limits) -> str:
    """Return a line that breaks a rule and none that is tried before it; barely, mostly."""
    new = dict(row)
    if rule == "fields":
        line = ";".join(row[c] for c in COLUMNS)
        return rng.choice((line + ";", line.rpartition(";")[0], line.replace("-", ";", 1)))
    if rule in ("opened", "closed"):
        year = row["opened"][:4]
        wrong = (f"{year}-04-31", "2023-02-29", f"{year}-13-01", f"{year}-1-05", f"{year}-05-00")
        new[rule] = rng.choice(wrong)
    elif rule in ("price", "total"):
        text = row[rule]
        wrong = (text[:-1], text.replace(".", ","), "-" + text, text + "0", text.split(".")[0])
        new[rule] = rng.choice(wrong)
    else:
        new |= _bad(rng, rule, row, above, limits)
    return ";".join(new[c] for c in COLUMNS)


def _bad(rng: Rng, rule: str, row: Row, above: list[Row], limits: Limits) -> Row:
    code, state, count = row["code"], row["state"], row["count"]
    other = rng.choice(limits.states[1:])
    earlier = date.fromisoformat(row["opened"]) - timedelta(1)
    before = date.fromisoformat(above[-1]["opened"]) - timedelta(rng.choice((1, 1, 40)))
    ways: dict[str, tuple[Row, ...]] = {
        "form": tuple(
            {"code": c}
            for c in (code.lower(), code[:-1], code + "0", " " + code, code.replace("-", ""))
        ),
        "state": ({"state": state.upper()}, {"state": state + "s"}, {"state": ""}),
        "count": tuple(
            {"count": c}
            for c in (str(limits.low - 1), str(limits.high + 1), "0" + count, "+" + count, "")
        ),
        "note": (
            {"note": "n" * (limits.length + 1)},
            {"note": " x"},
            {"note": "x "},
        ),
        "check": ({"code": code[:-1] + str((int(code[-1]) + rng.integer(1, 9)) % 10)},),
        "order": ({"state": other, "closed": earlier.isoformat()},),
        "pair": (
            {"state": other, "closed": ""},
            {"state": limits.states[0], "closed": row["opened"]},
        ),
        "product": tuple(
            {"total": _money(int(row["total"].replace(".", "")) + d)} for d in (1, -1, 100)
        ),
        "unique": ({"code": above[0]["code"]}, {"code": above[-1]["code"]}),
        "sequence": ({"opened": before.isoformat()},),
    }
    return rng.choice(ways[rule])


@dataclass(frozen=True, slots=True)
class Tables:
    """Makes tables under one sheet."""

    codes: tuple[str, ...]
    """Prefixes of codes."""
    rules: tuple[Rule, ...]
    limits: Limits
    header: str

    def mixed(self, rng: Rng, broken: Sequence[Rule]) -> tuple[str, str]:
        """Return a table whose rows are good but for one row a broken rule, and its report."""
        above: list[Row] = []
        lines, report = [self.header], []
        plan: list[Rule | None] = [*broken, *([None] * rng.integer(1, 3))]
        for rule in (None, *rng.shuffled(plan)):
            row = good(rng, self.limits, above, prefix=rng.choice(self.codes))
            if rule is None:
                above.append(row)
                lines.append(";".join(row[c] for c in COLUMNS))
            else:
                lines.append(bad(rng, rule.name, row, above=above, limits=self.limits))
                report.append(f"{len(lines)} R{self.rules.index(rule) + 1}")
        report.append(f"{len(above)} accepted, {len(report)} rejected")
        return "\n".join(lines) + "\n", "\n".join(report) + "\n"


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
