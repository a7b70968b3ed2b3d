"""The database that is asked for: a table, where its columns come from, an index and a view.

Covers the choice, the SQL and the right rows.  Does not cover the agent's file or words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmax_gym.families.contract import Following
from tmax_gym.families.follow_ups.sqlite_load.reading import Column, Index, Row
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import file_name, grouping
from tmax_gym.rng import Rng

_RESERVED = """
all and as at by case check column default from group in index is key like limit not of on or order
primary references row rows select set table to values view where
"""
RESERVED = frozenset(_RESERVED.split())
"""Names that would have to be quoted in SQL, or that only look so."""
DIGITS = 18
"""A longer integer may not fit."""
LINE, CONSTANT = "#", "="
"""Origins of columns that are not in the file; the second one is followed by the value."""


@dataclass(frozen=True, slots=True)
class View:
    """A view that is asked for."""

    name: str
    column: str
    """The column of the database that it groups by, or whose small values it leaves out."""
    count: str = ""
    """The name of the number of rows in a group; "" for a view of single rows."""
    least: int = 0
    """The smallest value in a view of single rows."""


@dataclass(frozen=True, slots=True)
class Design:
    """A database with one table."""

    table: str
    columns: tuple[Column, ...]
    origins: tuple[str, ...]
    """For each column, the column of the file, `LINE`, or `CONSTANT` and its value."""
    index: tuple[str, Index] | None
    view: View | None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(column.name for column in self.columns)

    def schema(self, kind: str = "") -> str:
        """Return the statement that makes the table, with one kind of column if it is given."""
        parts = [
            f'"{c.name}" {kind or c.type}{" PRIMARY KEY" if c.primary else ""}'
            for c in self.columns
        ]
        return f'CREATE TABLE "{self.table}" ({", ".join(parts)});'

    def extras(self) -> tuple[str, ...]:
        """Return the statements that make the index and the view."""
        statements = []
        if self.index:
            name, index = self.index
            unique = "UNIQUE " if index.unique else ""
            on = ", ".join(index.columns)
            statements.append(f"CREATE {unique}INDEX {name} ON {self.table} ({on});")
        if self.view:
            view, start = self.view, f"CREATE VIEW {self.view.name} AS SELECT"
            if view.count:
                end = f"{view.column}, count(*) AS {view.count} FROM {self.table}"
                statements.append(f"{start} {end} GROUP BY {view.column};")
            else:
                where = f"WHERE {view.column} >= {view.least}"
                statements.append(f"{start} * FROM {self.table} {where};")
        return tuple(statements)

    def rows(self, table: Table) -> tuple[Row, ...]:
        """Return the right rows."""
        numbers = [column.type == "INTEGER" for column in self.columns]

        def value(origin: str, number: bool, *, line: int, row: Sequence[str]) -> int | str | None:
            if origin == LINE:
                return line
            if origin.startswith(CONSTANT):
                return origin[1:]
            cell = row[table.columns.index(origin)]
            return None if not cell else int(cell) if number else cell

        return tuple(
            tuple(
                value(o, n, line=line, row=row) for o, n in zip(self.origins, numbers, strict=True)
            )
            for line, row in enumerate(table.rows, 1)
        )

    def viewed(self, rows: Sequence[Row]) -> tuple[tuple[str, ...], Counter[Row]]:
        """Return the names and the rows that the view shows if the table has some rows."""
        assert self.view
        view, place = self.view, self.names.index(self.view.column)
        if view.count:
            sizes = Counter(row[place] for row in rows)
            return (view.column, view.count), Counter(sizes.items())
        kept = [row for row in rows if int(str(row[place])) >= view.least]
        return self.names, Counter(kept)


def integers(table: Table) -> tuple[str, ...]:
    """Return the columns whose cells are integers or empty."""
    return tuple(
        name
        for place, name in enumerate(table.columns)
        if name in replace(table, rows=tuple(row for row in table.rows if row[place])).integers
        and all(len(cell) <= DIGITS for cell in table.column(name))
    )


def drawn(ctx: Following[Table]) -> Design:
    """Return a drawn design; the level decides whether it has both an index and a view."""
    table, rng = ctx.product, ctx.rng.fork("design")
    numbers = integers(table)
    renamed = {name for name in table.columns if name in RESERVED}
    if rng.chance(0.5):
        renamed.add(rng.choice(table.columns))
    names = {name: f"{name}_value" if name in renamed else name for name in table.columns}
    fields = [(names[n], "INTEGER" if n in numbers else "TEXT", n) for n in table.columns]
    extra = rng.choice((LINE, CONSTANT, ""))
    if extra:
        free = [n for n in _extra_names(extra) if n not in names.values()]
        constant = f"{CONSTANT}{rng.choice(('import', 'load', 'run'))}-{rng.integer(11, 99)}"
        origin = LINE if extra == LINE else constant
        fields.insert(0, (rng.choice(free), "INTEGER" if extra == LINE else "TEXT", origin))
    primary = LINE if extra == LINE else rng.choice(("", *table.keys[:1]))
    stem = file_name(table.noun, "x").removesuffix(".x")
    name = rng.choice((stem, f"all_{stem}", f"{stem}_list"))
    design = Design(
        table=f"{name}_table" if name in (*RESERVED, *names.values()) else name,
        columns=tuple(Column(n, kind, o == primary) for n, kind, o in fields),
        origins=tuple(o for _, _, o in fields),
        index=None,
        view=None,
    )
    view = _view(table, design, names, rng)
    both = ctx.level > 0.7 or rng.chance(0.2)
    plain = view is None or both or rng.chance(0.5)
    index = _index(table, design, names, rng) if plain else None
    return replace(design, index=index, view=view if both or index is None else None)


def _extra_names(extra: str) -> tuple[str, ...]:
    return ("line", "position", "id") if extra == LINE else ("batch", "origin", "import_run")


def _index(
    table: Table, design: Design, names: dict[str, str], rng: Rng
) -> tuple[str, Index] | None:
    """Return an index on one or two columns; it is unique if one of them is a key."""
    primary = [c.name for c in design.columns if c.primary]
    free = [name for name in table.columns if names[name] not in primary]
    on = rng.sample(free, min(len(free), rng.integer(1, 2)))
    if not on:
        return None
    columns = tuple(names[name] for name in on)
    unique = any(name in table.keys for name in on) and rng.chance(0.6)
    return f"{design.table}_by_{columns[0]}", Index(unique, columns)


def _view(table: Table, design: Design, names: dict[str, str], rng: Rng) -> View | None:
    """Return a view of groups or of large values, if a column allows it."""
    group, numbers = grouping(table), [n for n in table.integers if n in integers(table)]
    if group and (not numbers or rng.chance(0.6)):
        free = [n for n in ("amount", "how_many", "total") if n != names[group]]
        return View(f"{design.table}_per_{names[group]}", names[group], count=rng.choice(free))
    if not numbers:
        return None
    chosen = rng.choice(numbers)
    values = sorted({int(cell) for cell in table.column(chosen)})
    if len(values) < 2:
        return None
    return View(f"large_{design.table}", names[chosen], least=_between(values))


def _between(values: Sequence[int]) -> int:
    """Return a number in the middle of sorted values that tells none of them if they are apart."""
    middle = len(values) // 2
    return (values[middle - 1] + values[middle] + 1) // 2
