"""Follow-up: the agent loads a table into an SQLite database with stated names and types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from shlex import quote

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.sqlite_load import reading
from tmax_gym.families.follow_ups.sqlite_load.design import CONSTANT, LINE, Design, drawn
from tmax_gym.families.follow_ups.sqlite_load.reading import Row
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import arguments, file_name, heads, listed, run_once
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

LOAD = program_text(__package__, "load.py")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@dataclass(frozen=True, kw_only=True)
class Store(World):
    """The decided facts."""

    target: str
    design: Design
    rows: tuple[Row, ...]


class SqliteLoad(FollowUp[Table, Store]):
    """A table in a database, with an index or a view."""

    slug = "sqlite-load"
    tools = ("bash", "python3", "sqlite3")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether there are several rows, and columns whose names need no quotes."""
        plain = all(name.isascii() and name.isidentifier() for name in product.columns)
        return plain and len(product.rows) >= 3 and len(product.columns) >= 2

    def world(self, ctx: Following[Table]) -> Store:
        """Return the design of the database; there are no files to begin with."""
        rng, design = ctx.rng.fork("store"), drawn(ctx)
        names = ("data.db", "store.sqlite", file_name(ctx.product.noun, "db"))
        target = ctx.path(rng.choice(names))
        rows = design.rows(ctx.product)
        return Store(nodes=(), outputs=(target,), target=target, design=design, rows=rows)

    def oracle(self, ctx: Following[Table], world: Store) -> tuple[str, ...]:
        """Return SQL that makes the table, a program that fills it, and more SQL."""
        return _written(ctx, world)

    def checks(self, ctx: Following[Table], world: Store) -> tuple[Check | Gate, ...]:
        """Return checks of the rows, the columns, the index and the view."""
        parts: list[tuple[str, Callable[[bytes], bool], float]] = [
            ("columns", lambda data: _has_columns(data, world.design), 0.15)
        ]
        if world.design.index:
            parts.append(("index", lambda data: _has_index(data, world.design), 0.1))
        if world.design.view:
            parts.append(("view", lambda data: _has_view(data, world), 0.15))

        def loaded(evidence: Evidence) -> float:
            return _loaded(evidence.read(world.target), world)

        def checked(holds: Callable[[bytes], bool]) -> Callable[[Evidence], float]:
            def score(evidence: Evidence) -> float:
                data = evidence.read(world.target)
                if _loaded(data, world) < exact.NOT_WHOLE / 2:
                    raise BadOutput("less than half of the rows are right")
                return float(holds(data))

            return score

        return (
            Check("rows", "exact_text", loaded, weight=0.6),
            *(Check(name, "exact_text", checked(f), weight=w) for name, f, w in parts),
        )

    def say(self, ctx: Following[Table], world: Store) -> tuple[Obligation, ...]:
        """Return the names and types, where values come from, the index and the view."""
        table, design = ctx.product, world.design
        columns = listed([f"{c.name} {c.type}" for c in design.columns])
        return (
            Obligation(
                "goal",
                f"Load the {table.noun} in `{table.path}` into a new SQLite database "
                f"`{world.target}`.",
                "goal",
            ),
            *heads(table),
            Obligation(
                "table",
                f"Its table `{design.table}` has one row for each row of the file, and exactly the "
                f"columns {columns}, in this order.",
                "format",
            ),
            *_sources(table, design),
            *_extras(design),
        )

    def mutants(self, ctx: Following[Table], world: Store) -> tuple[Attempt, ...]:
        """Return databases without a row, without index and view, and under another name."""
        bare = replace(world, design=replace(world.design, index=None, view=None))
        short = LOAD.replace("marks =", "loaded.pop()\nmarks =")
        other = f"sqlite3 {world.target} 'ALTER TABLE {world.design.table} RENAME TO wrong'"
        wrong = [
            Attempt("last_row", _written(ctx, world, short)),
            Attempt("bare", _written(ctx, bare)),
            Attempt("other_table", (*_written(ctx, bare), other)),
        ]
        if any(c.type == "INTEGER" and not c.primary for c in world.design.columns):
            wrong.append(Attempt("only_text", _written(ctx, world, kind="TEXT")))
        return tuple(wrong)

    def exploits(self, ctx: Following[Table], world: Store) -> tuple[Attempt, ...]:
        """Return an empty table with all that belongs to it, and an endless view for a table."""
        design = world.design
        ways = {
            "empty": [design.schema(), *design.extras()],
            "nulls": [
                design.schema(),
                f"INSERT INTO {design.table} DEFAULT VALUES;",
                *design.extras(),
            ],
            "endless": [f"CREATE VIEW {design.table} AS {ENDLESS};"],
        }
        return tuple(
            Attempt(
                name,
                (
                    f"mkdir -p {ctx.home}",
                    write_file("/tmp/made.sql", "\n".join(statements)),
                    f"sqlite3 {world.target} < /tmp/made.sql",
                ),
            )
            for name, statements in ways.items()
        )


def _loaded(data: bytes, world: Store) -> float:
    """Return how many rows are right, as F1, reduced unless all are."""
    names, wanted = world.design.names, Counter(map(_typed, world.rows))
    rows = reading.rows(data, world.design.table, names, wanted=len(world.rows))
    seen = Counter(map(_typed, rows))
    share = 2 * (seen & wanted).total() / (seen.total() + wanted.total())
    return 1.0 if seen == wanted else exact.NOT_WHOLE * share


def _typed(row: Row) -> tuple[tuple[str, object], ...]:
    """Return a row in which 1, 1.0 and "1" differ."""
    return tuple((type(value).__name__, value) for value in row)


def _has_columns(data: bytes, design: Design) -> bool:
    seen = reading.columns(data, design.table)
    kinds = [[(c.name, c.type) for c in every] for every in (seen, design.columns)]
    primary = [[c.name for c in every if c.primary] for every in (seen, design.columns)]
    return kinds[0] == kinds[1] and primary[1] in ([], primary[0])


def _has_index(data: bytes, design: Design) -> bool:
    assert design.index
    name, index = design.index
    return reading.index(data, design.table, name) == index


def _has_view(data: bytes, world: Store) -> bool:
    """Return whether the view is right for all rows, and for some of them."""
    design = world.design
    assert design.view
    statement = reading.view(data, design.view.name)
    for rows in (world.rows, world.rows[::2]):
        names, seen = reading.shown(
            statement, design.view.name, schema=design.schema(), table=design.table, loaded=rows
        )
        wanted_names, wanted = design.viewed(rows)
        if names != wanted_names or Counter(map(_typed, seen)) != Counter(
            map(_typed, wanted.elements())
        ):
            return False
    return True


def _sources(table: Table, design: Design) -> tuple[Obligation, ...]:
    """Return where the values come from that are not in a column of the same name."""
    pairs = tuple(zip(design.names, design.origins, strict=True))
    rules = []
    for name, origin in pairs:
        if origin == LINE:
            rules.append(f"`{name}` numbers the rows in the order of the file, from 1.")
        elif origin.startswith(CONSTANT):
            rules.append(f"`{name}` is `{origin[1:]}` in every row.")
        elif name != origin:
            rules.append(f"`{name}` is the column `{origin}` of the file.")
    rest = [name for name, origin in pairs if name == origin]
    if rest and rules:
        rules.append(f"{listed(rest)} {'is' if len(rest) == 1 else 'are'} as in the file.")
    elif rest:
        rules.append(f"The values of {listed(rest)} are those of the columns with these names.")
    rules += [f"`{c.name}` is the primary key." for c in design.columns if c.primary]
    if any(not cell for row in table.rows for cell in row):
        rules.append("An empty cell becomes `NULL`.")
    return (Obligation("sources", " ".join(rules), "rule"),)


def _extras(design: Design) -> tuple[Obligation, ...]:
    """Return what is said about the index and the view."""
    every = []
    if design.index:
        name, index = design.index
        kind, end = (
            ("a unique index", "") if index.unique else ("an index", ", which is not unique")
        )
        order = ", in this order" if len(index.columns) > 1 else ""
        sentence = f"Add {kind} `{name}` on {listed(index.columns)}{order}{end}."
        every.append(Obligation("index", sentence, "rule"))
    if design.view:
        view, name = design.view, design.view.name
        if view.count:
            shows = (
                f"a view `{name}` with the columns `{view.column}` and `{view.count}`: every value "
                f"of `{view.column}` once, with the number of its rows"
            )
        else:
            shows = (
                f"a view `{name}` with all columns of `{design.table}` in their order, which shows "
                f"the rows whose `{view.column}` is at least {view.least}"
            )
        sentence = (
            f"Add {shows}. It must look at nothing but `{design.table}`, and stay right when rows "
            "are added or deleted there."
        )
        every.append(Obligation("view", sentence, "rule"))
    return tuple(every)


def _written(
    ctx: Following[Table], world: Store, program: str = LOAD, *, kind: str = ""
) -> tuple[str, ...]:
    """Return the commands that make the database; with a kind, all values have it."""
    design, extras = world.design, "\n".join(world.design.extras())
    numbers = [
        origin
        for column, origin in zip(design.columns, design.origins, strict=True)
        if column.type == "INTEGER" and not kind
    ]
    names = (world.target, design.table, ",".join(design.origins), ",".join(numbers))
    return (
        f"mkdir -p {ctx.home}",
        f"head -n 3 {ctx.product.path}",
        f"sqlite3 {world.target} {quote(design.schema(kind))}",
        *run_once("/tmp/load.py", program, (*arguments(ctx.product), *names)),
        *([f"sqlite3 {world.target} {quote(extras)}"] if extras else []),
        f"sqlite3 {world.target} {quote(f'SELECT count(*) FROM {design.table}')}",
    )


FOLLOW_UP = SqliteLoad()
