"""The other version of a table, and how the two differ.

No row of the other version is a right row of the table, up to one in `RARE` if there is no other
way: else a copy of it would be half a solution of the earlier stage.  So rows that count as equal
differ in a column that is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from tmax_gym.families.contract import Following
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import plain_columns
from tmax_gym.rng import Rng

RARE = 14
"""So many rows to one row of the table that both versions share."""
_LAST = re.compile(r"\d{1,3}(?=\D*\Z)", re.ASCII)
_LETTER = re.compile(r"[A-Za-z](?=[^A-Za-z]*\Z)")
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of a table that are compared."""

    key: str
    compared: tuple[str, ...]
    """The columns whose differences count, in the order of the table."""
    other: tuple[Row, ...]
    """The rows of the other version, in its order, with the columns of the table."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of either version that has no equal in the other one."""

    key: str
    kind: int
    """0: only in the table; 1: only in the other version; 2: in both, but different."""
    before: Row
    """The compared cells of the other version; empty ones if there is no such row."""
    after: Row


def keys(table: Table) -> tuple[str, ...]:
    """Return the columns that can be a key of plain cells."""
    plain = plain_columns(table)
    return tuple(name for name in table.keys if name in plain)


def drawn(ctx: Following[Table]) -> Versions:
    """Return another version of a table: rows removed, added and changed."""
    table, rng = ctx.product, ctx.rng.fork("versions")
    key = keys(table)[0 if table.columns[0] in keys(table) else -1]
    values = [name for name in table.columns if name != key]
    ignored = set(rng.sample(values, rng.integer(1, len(values) - 1))) if len(values) > 1 else set()
    compared = tuple(name for name in values if name not in ignored)
    rows = rng.shuffled(table.rows)
    fresh = max(1, len(rows) * rng.integer(15, 25) // 100)
    common = rows[fresh:]
    same = max(1, len(common) // 3) if ignored else len(rows) // RARE
    other = []
    for place, row in enumerate(common):
        moved = [name for name in values if name in ignored]
        if place >= same:
            moved += rng.sample(compared, rng.integer(1, len(compared)))
        other.append(_changed(table, row, moved, rng))
    for row in rng.sample(rows, min(len(rows), fresh + rng.integer(0, 1))):
        strange = _changed(table, row, values, rng)
        other.append(_renamed(table, key, strange, [*rows, *other], rng))
    return Versions(key, compared, tuple(rng.shuffled(other)))


def differences(table: Table, versions: Versions) -> tuple[Difference, ...]:
    """Return how a table differs from its other version, sorted by the key."""
    place = table.columns.index(versions.key)
    new = {row[place]: _cells(table, versions, row) for row in table.rows}
    old = {row[place]: _cells(table, versions, row) for row in versions.other}
    empty = ("",) * len(versions.compared)
    numbers = versions.key in table.integers
    names = sorted(new.keys() | old.keys(), key=lambda k: (int(k) if numbers else 0, k))
    return tuple(
        Difference(
            name,
            0 if name not in old else 1 if name not in new else 2,
            old.get(name, empty),
            new.get(name, empty),
        )
        for name in names
        if new.get(name) != old.get(name)
    )


def _cells(table: Table, versions: Versions, row: Row) -> Row:
    return tuple(row[table.columns.index(name)] for name in versions.compared)


def _changed(table: Table, row: Row, names: Sequence[str], rng: Rng) -> Row:
    """Return a row with other values in some columns."""
    cells = list(row)
    for name in names:
        place = table.columns.index(name)
        others = sorted(set(table.column(name)) - {row[place]})
        own = _LAST.search(row[place]) and (name in table.keys or rng.chance(0.7))
        cells[place] = _altered(row[place], rng) if own or not others else rng.choice(others)
    return tuple(cells)


def _renamed(table: Table, key: str, row: Row, taken: Sequence[Row], rng: Rng) -> Row:
    """Return a row with a key that no other row has."""
    place = table.columns.index(key)
    keys = {other[place] for other in taken}
    name = row[place]
    while name in keys:
        name = _altered(name, rng, longer=rng.chance(0.5))
    return (*row[:place], name, *row[place + 1 :])


def _altered(cell: str, rng: Rng, *, longer: bool = False) -> str:
    """Return a cell with other last digits, or another last letter if there is no digit."""
    digits, letter = _LAST.search(cell), _LETTER.search(cell)
    if digits:
        first = 10 ** (len(digits[0]) - 1)
        old = int(digits[0])
        drawn = rng.choice([n for n in range(first, 10 * first) if n != old])
        extra = str(rng.integer(1, 9)) if longer else ""
        return f"{cell[: digits.start()]}{drawn}{extra}{cell[digits.end() :]}"
    if letter:
        drawn_letter = rng.choice([sign for sign in ascii_lowercase if sign != letter[0].lower()])
        sign = drawn_letter.upper() if letter[0].isupper() else drawn_letter
        return cell[: letter.start()] + sign + cell[letter.end() :]
    return cell + "x"
