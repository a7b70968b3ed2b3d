"""How a table is divided: the column, the names of the files, their form and their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Table
from tmax_gym.rng import Rng

Form = Literal["csv", "tsv", "jsonl"]
Naming = Literal["by_value", "by_value_in_parts", "by_first_row", "by_order"]
Rows = tuple[tuple[str, ...], ...]
FEWEST, MOST = 2, 12
"""Number of different values that a column may have."""
FIRST = (
    "sensor", "station", "log", "region", "buyer", "measure", "request", "state", "label", "kind",
)  # fmt: skip
"""Columns that stand for somebody who gets rows, the most telling one first."""
PLACES = ("row", "position", "entry")
"""Names of a column that counts the rows."""
ENTRIES = (("value", "file", "rows"), ("file", "value", "rows"), ("file", "rows", "value"))
IN_PARTS = 0.7
"""Level from which on a value may have several files."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_. -]*")
_FOR_TSV = re.compile(r'[^"\t\r\n]*')


@dataclass(frozen=True, kw_only=True)
class Split(World):
    """The decided facts."""

    source: str
    folder: str
    column: str
    """The column whose values decide where a row goes."""
    naming: Naming
    before: str
    """How the name of every file begins."""
    blank: str
    """What stands in a name for each blank of the value."""
    limit: int
    """Largest number of rows of a file; 0 if there is none."""
    form: Form
    header: bool
    fields: tuple[str, ...]
    """The columns of the files."""
    place: str
    """The column among them that counts the rows of the table; "" if none does."""
    index: str
    """The list of the files; "" if there is none."""
    entry: tuple[str, ...]
    """The columns of that list."""
    parts: Mapping[str, Rows]
    """The right rows by the name of the file."""
    values: Mapping[str, str]
    """The value by the name of the file."""

    @property
    def suffix(self) -> str:
        """Return how the names of the files end."""
        return f".{self.form}"


def columns_that_divide(table: Table) -> tuple[str, ...]:
    """Return the columns with a few values, none of them empty, of which some occur repeatedly."""
    several = {
        name: set(table.column(name))
        for name in table.columns
        if len(table.rows) > len(set(table.column(name)))
    }
    return tuple(
        name for name, values in several.items() if FEWEST <= len(values) <= MOST and all(values)
    )


def drawn(ctx: Following[Table]) -> Split:
    """Return the decisions, and what follows from them."""
    table, rng = ctx.product, ctx.rng.fork("split")
    able = columns_that_divide(table)
    column = next((name for name in FIRST if name in able), able[0])
    groups = _groups(table, column)
    folder = ctx.path(rng.choice((f"by_{_plain(column)}", "parts", "delivery", "outbox")))
    naming, blank = _naming(ctx, groups, rng.fork("names"))
    form = _form(table, rng.fork("form"))
    place, fields = _fields(table, column, rng.fork("fields"))
    before = rng.choice(("", "part-", f"{_plain(table.noun.split()[0])}-"))
    limit = _limit(groups, rng.fork("limit")) if naming == "by_value_in_parts" else 0
    parts: dict[str, Rows] = {}
    values: dict[str, str] = {}
    for name, value, rows in _files(groups, naming, blank, limit):
        called = f"{before}{name}.{form}"
        parts[called] = tuple(_picked(table, fields, place, number) for number in rows)
        values[called] = value
    listed = naming in ("by_first_row", "by_order") or rng.chance(0.4)
    index = ctx.path(rng.choice(("index.csv", "files.csv", "contents.csv"))) if listed else ""
    return Split(
        nodes=(),
        outputs=(folder, index) if index else (folder,),
        source=table.path,
        folder=folder,
        column=column,
        naming=naming,
        before=before,
        blank=blank,
        limit=limit,
        form=form,
        header=form != "jsonl" and rng.chance(0.7),
        fields=fields,
        place=place,
        index=index,
        entry=rng.choice(ENTRIES),
        parts=parts,
        values=values,
    )


def _plain(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", words.lower())


def _groups(table: Table, column: str) -> dict[str, list[int]]:
    """Return the numbers of the rows of each value, in the order of its first row."""
    groups: dict[str, list[int]] = {}
    for number, value in enumerate(table.column(column)):
        groups.setdefault(value, []).append(number)
    return groups


def _naming(
    ctx: Following[Table], groups: Mapping[str, Sequence[int]], rng: Rng
) -> tuple[Naming, str]:
    """Return how files are named, by their values only if these can stand in a name."""
    blank = rng.choice(("-", "_"))
    names = {value.lower().replace(" ", blank) for value in groups}
    plain = all(_PLAIN.fullmatch(value) for value in groups) and len(names) == len(groups)
    if not plain or rng.chance(0.35):
        return ("by_first_row" if rng.chance(0.5) else "by_order"), blank
    many = max(map(len, groups.values())) >= 3
    in_parts = many and ctx.level >= IN_PARTS and rng.chance(0.6)
    return ("by_value_in_parts" if in_parts else "by_value"), blank


def _limit(groups: Mapping[str, Sequence[int]], rng: Rng) -> int:
    most = max(map(len, groups.values()))
    return rng.integer(max(2, most // 4), most - 1)


def _files(
    groups: Mapping[str, list[int]], naming: Naming, blank: str, limit: int
) -> list[tuple[str, str, list[int]]]:
    """Return the name of each file without its ends, its value and the numbers of its rows."""
    if naming in ("by_value", "by_value_in_parts"):
        names = {value: value.lower().replace(" ", blank) for value in groups}
        if not limit:
            return [(names[value], value, rows) for value, rows in groups.items()]
        return [
            (f"{names[value]}-{at // limit + 1}", value, rows[at : at + limit])
            for value, rows in groups.items()
            for at in range(0, len(rows), limit)
        ]
    order = sorted(groups) if naming == "by_order" else groups
    return [(f"{at:02}", value, groups[value]) for at, value in enumerate(order, start=1)]


def _form(table: Table, rng: Rng) -> Form:
    cells = (cell for row in table.rows for cell in row)
    tabs = all(_FOR_TSV.fullmatch(cell) for cell in cells)
    forms: tuple[Form, ...] = ("csv", "csv", "jsonl", *(("tsv",) if tabs else ()))
    return rng.choice(forms)


def _fields(table: Table, column: str, rng: Rng) -> tuple[str, tuple[str, ...]]:
    """Return the name of the column that counts, and the columns of the files."""
    place = next(name for name in rng.shuffled(PLACES) if name not in table.columns)
    kept = tuple(name for name in table.columns if name != column)
    fields = kept if len(kept) >= 2 and rng.chance(0.5) else table.columns
    return (place, (place, *fields)) if rng.chance(0.4) else ("", fields)


def _picked(table: Table, fields: Sequence[str], place: str, number: int) -> tuple[str, ...]:
    cells = dict(zip(table.columns, table.rows[number], strict=True))
    if place:
        cells[place] = str(number + 1)
    return tuple(cells[name] for name in fields)
