"""The list that a table is joined with, the rules for it, and the right result."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from tmax_gym.families.contract import Following, World
from tmax_gym.families.follow_ups.lookup_join.subjects import (
    OTHER,
    SUBJECTS,
    key_column,
    others,
    said,
)
from tmax_gym.families.products import Table
from tmax_gym.nodes import text
from tmax_gym.rng import Rng

Repeats = Literal["first", "last", "latest", "all"]
Entry = dict[str, str]
STATES = (("active", "left"), ("valid", "expired"), ("yes", "no"))
DAY = date(2024, 1, 1)
OWN = ("since", "state", "extension")
"""Columns of a list that are not about the table."""


@dataclass(frozen=True, kw_only=True)
class Join(World):
    """The decided facts."""

    source: str
    list: str
    target: str
    without: str
    """The file for the values without a partner; "" if there is none."""
    key: str
    ref: str
    """How the list calls the key."""
    between: str
    """The separator of the list."""
    header: tuple[str, ...]
    """The columns of the list."""
    added: tuple[str, ...]
    """Those of them that the result has."""
    repeats: Repeats
    """What happens if the list has several lines for a value."""
    folded: bool
    """Whether the case of letters in the list does not matter."""
    valid: str
    """The state of a line that counts; "" if all lines count."""
    none: str
    """What stands in a row without a partner."""
    sorted: bool
    """Whether the rows are sorted by the first added column."""
    expected: tuple[tuple[str, ...], ...]
    alone: tuple[str, ...]
    """The values without a partner, sorted."""


@dataclass(frozen=True, slots=True)
class _Rules:
    repeats: Repeats
    folded: bool
    states: tuple[str, str]
    added: tuple[str, ...]
    ref: str


def drawn(ctx: Following[Table]) -> Join:
    """Return the decisions, and what follows from them."""
    table, rng = ctx.product, ctx.rng.fork("join")
    key = key_column(table) or table.columns[0]
    rules = _rules(ctx, key, rng)
    entries = _entries(ctx, key, rules)
    dates = ("since",) if rules.repeats == "latest" else ()
    states = ("state",) if rules.states[0] else ()
    middle = rng.shuffled((*rules.added, *dates, *states))
    header = (rules.ref, *middle)
    partners = _partners(entries, rules)
    none = rng.choice(("-", "none", "unknown", "n/a", ""))
    ordered = rng.chance(0.5)
    rows, alone = _joined(table, key, partners, rules, none=none)
    between = rng.choice((",", ";", "\t"))
    suffix = "tsv" if between == "\t" else "csv"
    path = ctx.path(f"{rng.choice(SUBJECTS.get(key, OTHER).files)}.{suffix}")
    target = ctx.path(rng.choice(("joined.csv", f"with_{rules.added[0]}.csv", "result.csv")))
    without = ctx.path(rng.choice(("without.txt", "unmatched.txt"))) if rng.chance(0.6) else ""
    return Join(
        nodes=(text(path, _sheet(header, entries, between)),),
        outputs=(target, without) if without else (target,),
        source=table.path,
        list=path,
        target=target,
        without=without,
        key=key,
        ref=rules.ref,
        between=between,
        header=header,
        added=rules.added,
        repeats=rules.repeats,
        folded=rules.folded,
        valid=rules.states[0],
        none=none,
        sorted=ordered,
        expected=tuple(sorted(rows, key=lambda r: r[len(table.columns)]) if ordered else rows),
        alone=alone,
    )


def _rules(ctx: Following[Table], key: str, rng: Rng) -> _Rules:
    """Return how entries are chosen, and what they add."""
    table = ctx.product
    added = [n for n in SUBJECTS.get(key, OTHER).added if n not in table.columns]
    name = rng.choice(added or ["partner"])
    second = ("extension",) if "extension" not in table.columns and rng.chance(0.5) else ()
    return _Rules(
        repeats=rng.choice(("first", "last", "latest", "all")),
        folded=_foldable(table.column(key)) and rng.chance(0.45),
        states=rng.choice(STATES) if rng.chance(ctx.level - 0.2) else ("", ""),
        added=(name, *second),
        ref=rng.choice(("ref",) if key in OWN else (key, key, "ref")),
    )


def _foldable(values: Sequence[str]) -> bool:
    """Return whether letters of either case can be told to mean the same."""
    different = set(values)
    return (
        all(value.isascii() for value in different)
        and any(value != value.swapcase() for value in different)
        and len({value.lower() for value in different}) == len(different)
    )


def _entries(ctx: Following[Table], key: str, rules: _Rules) -> list[Entry]:
    """Return the lines of the list: some values have none, some have several."""
    rng = ctx.rng.fork("list")
    values = rng.shuffled(tuple(dict.fromkeys(ctx.product.column(key))))
    some = max(1, len(values) // 4)
    several, present, absent = values[:some], values[some:-some], values[-some:]
    more = others(key, values, rng.fork("others"), skin=ctx.skin, count=ctx.knob(2, 8))
    good, bad = rules.states
    lines = [(value, good) for value in (*several, *present, *more)]
    lines += [(value, good) for value in several for _ in range(rng.integer(1, 2))]
    if bad:
        # One value has no line at all unless it is the only one that has no good line.
        lines += [(value, bad) for value in absent[: max(1, some - 1)]]
        lines += [(value, bad) for value in rng.sample(present, len(present) // 3)]
    pool = said(SUBJECTS.get(key, OTHER), ctx.skin, rng.fork("said"), count=len(lines))
    days = rng.sample(range(2 * len(lines)), len(lines))
    spare: dict[str, list[str]] = {}
    entries: list[Entry] = []
    for (value, state), day in zip(lines, days, strict=True):
        fresh = spare.setdefault(value, rng.shuffled(pool))
        spelt = rng.choice((value, value.upper(), value.lower(), value.title()))
        entries.append(
            {
                **dict(zip(rules.added, (fresh.pop(), _extension(rng)), strict=False)),
                rules.ref: spelt if rules.folded else value,
                "since": (DAY + timedelta(days=3 * day)).isoformat(),
                "state": state,
            }
        )
    return _mixed(entries, rules, rng)


def _extension(rng: Rng) -> str:
    return str(rng.integer(2100, 8900))


def _mixed(entries: Sequence[Entry], rules: _Rules, rng: Rng) -> list[Entry]:
    """Return the lines in a drawn order, in which the latest one of a value is not the last."""
    mixed = rng.shuffled(entries)
    lines: dict[str, list[int]] = {}
    for number, entry in enumerate(mixed):
        if entry["state"] == rules.states[0]:
            lines.setdefault(_key(entry, rules), []).append(number)
    for places in lines.values():
        newest = max(places, key=lambda n: mixed[n]["since"])
        mixed[places[0]], mixed[newest] = mixed[newest], mixed[places[0]]
    return mixed


def _key(entry: Entry, rules: _Rules) -> str:
    return entry[rules.ref].lower() if rules.folded else entry[rules.ref]


def _partners(entries: Sequence[Entry], rules: _Rules) -> dict[str, list[Entry]]:
    """Return the lines that count for each value."""
    every: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry["state"] == rules.states[0]:
            every.setdefault(_key(entry, rules), []).append(entry)
    if rules.repeats == "all":
        return every
    if rules.repeats == "latest":
        return {k: [max(several, key=lambda e: e["since"])] for k, several in every.items()}
    at = 0 if rules.repeats == "first" else -1
    return {key: [several[at]] for key, several in every.items()}


def _joined(
    table: Table, key: str, partners: dict[str, list[Entry]], rules: _Rules, *, none: str
) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Return the rows with what the list says, and the values that it does not have."""
    nobody = [dict.fromkeys(rules.added, none)]
    rows: list[tuple[str, ...]] = []
    alone: set[str] = set()
    for row, value in zip(table.rows, table.column(key), strict=True):
        matched = partners.get(value.lower() if rules.folded else value)
        if not matched:
            alone.add(value)
        rows += [(*row, *(e[name] for name in rules.added)) for e in matched or nobody]
    return rows, tuple(sorted(alone))


def _sheet(header: Sequence[str], entries: Sequence[Entry], between: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=between, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([entry[name] for name in header] for entry in entries)
    return out.getvalue()
