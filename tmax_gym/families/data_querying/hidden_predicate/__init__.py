"""DQ-14 hidden predicate: a compiled filter keeps some records; its condition is wanted as SQL.

The verifier evaluates the expression on hidden rows, in an engine that can only read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.hidden_predicate import predicate
from tmax_gym.families.products import Product, Table
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.database import Rows, Value, database


@dataclass(frozen=True, kw_only=True)
class Closed(World):
    """The decided facts."""

    tool: str
    database: str
    table: str
    where: str
    kept: str
    counts: str
    """"" below the level at which a count is asked for."""
    made: predicate.Filter
    rows: tuple[predicate.Row, ...]
    groups: tuple[str, ...]
    unseen: tuple[predicate.Row, ...]
    truth: tuple[bool, ...]


class HiddenPredicate(Family[Closed]):
    """Run a filter, read its machine code, and write its condition as SQL."""

    id = "DQ-14"
    slug = "hidden-predicate"
    domain = "data_querying"
    skill = "Data Comprehension"
    primitives = (
        "Data model reverse engineering",
        "Parameterized query construction",
        "Query-to-pipeline chaining",
        "Result sorting, pagination, and filtering",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("fuzz_equivalence", "adversarial_corpus")
    languages = ("any", "bash")
    tools = ("bash", "sqlite3")
    followed_by = {  # noqa: RUF012
        "export-diff": ("counts", "We want to know how the counts have changed since last month."),
        "lookup-join": ("counts", "For each place somebody has to be told how many rows are kept."),
        "json-feed": ("counts", "The team that replaces the program wants the counts as JSON."),
    }

    def world(self, ctx: Context) -> Closed:
        """Return the filter, a table to try it on, and unseen rows."""
        rng = ctx.rng.fork("filter")
        plain = predicate.usable([m.column for m in ctx.skin.measures])
        columns = rng.sample(plain, min(len(plain), ctx.knob(2, 4)))
        hidden = predicate.drawn(columns, rng.fork("terms"), ctx.knob(1, 5))
        rows = hidden.rows(rng.fork("rows"), ctx.knob(40, 160))
        places = sorted({slugged(p) for p in ctx.skin.places})[:5]
        groups = [rng.choice(places) for _ in rows]
        table = slugged(ctx.skin.thing(rng).plural)
        path = ctx.path(f"{ctx.skin.stem(rng)}.db")
        unseen = hidden.rows(rng.fork("unseen"), 240)
        truth = hidden.keeps(unseen)
        counts = ctx.path("counts.csv") if ctx.level >= 0.3 else ""
        outputs = [ctx.path("where.sql"), ctx.path("kept.txt"), *([counts] if counts else [])]
        tool = Node(ctx.path("bin", "screen"), data=executable(hidden.program()), mode=0o755)
        return Closed(
            nodes=(tool, _database(path, table, columns, rows=rows, groups=groups)),
            outputs=tuple(outputs),
            tool=tool.path,
            database=path,
            table=table,
            where=outputs[0],
            kept=outputs[1],
            counts=counts,
            made=hidden,
            rows=tuple(rows),
            groups=tuple(groups),
            unseen=tuple(unseen),
            truth=tuple(truth),
        )

    def oracle(self, ctx: Context, world: Closed) -> tuple[str, ...]:
        """Return the verdicts of the tool, and a condition that is compared with them."""
        again = f'sqlite3 {world.database} "SELECT id FROM {world.table} WHERE $(cat {world.where})'
        return (
            f"sqlite3 {world.database} .schema",
            *_by_tool(world),
            *_counted(world, f"SELECT id FROM {world.table} WHERE id IN (SELECT id FROM kept)"),
            f"objdump -d -M intel {world.tool} | grep -c cmp",
            *_written(world, world.made),
            f'{again} ORDER BY id" | cmp - {world.kept} && rm -f /tmp/verdicts',
        )

    def checks(self, ctx: Context, world: Closed) -> tuple[Check | Gate, ...]:
        """Return checks of the kept rows, the counts, and the condition on unseen rows."""
        every = [str(n) for n in range(1, len(world.rows) + 1)]
        kept = [n for n, yes in zip(every, world.made.keeps(world.rows), strict=True) if yes]
        verifier = ctx.verifier if ctx.verifier in self.verifiers else self.verifiers[0]
        checks: list[Check | Gate] = [
            unchanged("inputs", world.nodes),
            exact.lines("kept", world.kept, kept, initial=every),
            Check("condition", verifier, lambda e: _score(e, world), weight=3.0),
        ]
        if world.counts:
            rows = _counts(world)
            checks.append(exact.rows("counts", world.counts, rows, header=("place", "kept")))
        return tuple(checks)

    def products(self, ctx: Context, world: Closed) -> Mapping[str, Product]:
        """Return the counts by place, if they are asked for."""
        if not world.counts:
            return {}
        rows = tuple((place, str(count)) for place, count in _counts(world))
        return {"counts": Table(world.counts, ("place", "kept"), rows, "places")}

    def say(self, ctx: Context, world: Closed) -> tuple[Obligation, ...]:
        """Return the tool, its input, and what is to be left behind."""
        obligations = [
            Obligation(
                "goal",
                f"We screen the rows of the table `{world.table}` with the program "
                f"`{world.tool}`, but its source code is lost. Find out the condition under which "
                f"it keeps a row, and write this condition to `{world.where}` as an SQL "
                f"expression.",
                "goal",
            ),
            Obligation(
                "feed",
                "The program is a filter. Each line of its standard input has the whole numbers "
                f"`{' '.join(world.made.columns)}` of one row, in this order and separated by "
                "spaces, and for each line it prints `keep` or `drop`.",
                "input",
            ),
            Obligation(
                "form",
                f"`{world.where}` must contain only what would stand after `WHERE` in a query of "
                f"this table: an expression of column names, numbers and operators, without the "
                f"word `WHERE`, without any `SELECT`, and with at most {predicate.LONGEST} "
                f"characters.",
                "format",
            ),
            Obligation(
                "kept",
                f"Also run the program on all rows of `{world.table}` in the SQLite database "
                f"`{world.database}`, and write the `id` of each row that it keeps to "
                f"`{world.kept}`, one on a line, in ascending order.",
                "output",
            ),
        ]
        if world.counts:
            obligations.append(
                Obligation(
                    "counts",
                    f"`{world.counts}` is a CSV file with the header `place,kept` and the number "
                    f"of rows of this table that the program keeps for each `place`, sorted by "
                    f"`place`. A place of which it keeps no row is listed with 0.",
                    "output",
                )
            )
        return (
            *obligations,
            Obligation("keep", f"Leave `{world.database}` and the program unchanged.", "limit"),
            Obligation(
                "unseen",
                "We will try the expression on other rows, which you have not seen: it must be "
                "true for exactly those that the program keeps.",
                "grading",
                ("not seen", "unseen", "other rows", "hidden", "new rows", "different rows"),
            ),
        )

    def mutants(self, ctx: Context, world: Closed) -> tuple[Attempt, ...]:
        """Return conditions that are negated, too short, or joined the wrong way."""
        hidden = world.made
        wrong: dict[str, str] = {
            "turned round": f"NOT {predicate.sql(hidden.condition)}",
            "first column only": f"{hidden.columns[0]} > {hidden.ranges[0][1] // 2}",
            "everything": "1",
        }
        if len(hidden.terms) > 1:
            wrong["last term forgotten"] = predicate.sql(predicate.shorter(hidden)[0].condition)
            wrong["first term forgotten"] = predicate.sql(predicate.shorter(hidden)[1].condition)
            swapped = replace(
                hidden, joins=tuple("and" if j == "or" else "or" for j in hidden.joins)
            )
            wrong["junctions swapped"] = predicate.sql(swapped.condition)
        ask = f"SELECT id FROM {world.table} WHERE id IN (SELECT id FROM kept)"
        return tuple(
            Attempt(
                name,
                (
                    *_by_tool(world),
                    *_counted(world, ask),
                    f"echo '{text}' > {world.where}",
                ),
            )
            for name, text in wrong.items()
        )

    def exploits(self, ctx: Context, world: Closed) -> tuple[Attempt, ...]:
        """Return conditions that always hold, never hold, or do more than read a row."""
        every = f"sqlite3 {world.database} 'SELECT id FROM {world.table}' > {world.kept}"
        return (
            Attempt("all", (every, f"echo 1 > {world.where}")),
            Attempt("none", (f"echo 0 > {world.where}",)),
            Attempt("outside", (f"echo \"1) FROM t; ATTACH '/x' AS y; --\" > {world.where}",)),
            Attempt("endless", (f"echo '{'(' * 700}1{')' * 700}' > {world.where}",)),
        )


def _database(
    path: str,
    table: str,
    columns: list[str],
    *,
    rows: list[predicate.Row],
    groups: list[str],
) -> Node:
    schema = f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, place TEXT, " + ", ".join(
        f"{c} INTEGER NOT NULL" for c in columns
    )
    numbered: list[tuple[Value, ...]] = [
        (n, place, *row) for n, (place, row) in enumerate(zip(groups, rows, strict=True), start=1)
    ]
    filled: Rows = {table: numbered}
    return database(path, schema + ")", filled)


def _by_tool(world: Closed) -> tuple[str, ...]:
    """Return the commands that put the table through the tool."""
    columns = ", ".join(world.made.columns)
    ask = f"sqlite3 -separator ' ' {world.database} 'SELECT {columns} FROM {world.table} "
    return (
        f"{ask}ORDER BY id' | {world.tool} > /tmp/verdicts",
        f"sqlite3 {world.database} 'SELECT id FROM {world.table} ORDER BY id' "
        f"| paste -d ' ' - /tmp/verdicts | awk '$2 == \"keep\" {{print $1}}' > {world.kept}",
    )


def _counted(world: Closed, ids: str) -> tuple[str, ...]:
    if not world.counts:
        return ()
    sql = (
        "CREATE TEMP TABLE kept (id INTEGER);\n"
        f".import {world.kept} kept\n.headers on\n.mode csv\n"
        f"SELECT place, SUM(id IN ({ids})) AS kept FROM {world.table} GROUP BY 1 ORDER BY 1;\n"
    )
    return (
        write_file("/tmp/counts.sql", sql),
        f"sqlite3 {world.database} < /tmp/counts.sql | tr -d '\\r\"' > {world.counts}; "
        "rm /tmp/counts.sql",
    )


def _written(world: Closed, answer: predicate.Filter) -> tuple[str, ...]:
    return (f"echo '{predicate.sql(answer.condition)}' > {world.where}",)


def _counts(world: Closed) -> list[tuple[str, int]]:
    kept = world.made.keeps(world.rows)
    total = {place: 0 for place in sorted(world.groups)}
    for place, yes in zip(world.groups, kept, strict=True):
        total[place] += yes
    return list(total.items())


def _score(evidence: Evidence, world: Closed) -> float:
    """Return the true positive rate plus the true negative rate, less 1."""
    verdicts = predicate.evaluated(
        exact.read_text(evidence, world.where), world.made.columns, world.unseen
    )
    pairs = list(zip(verdicts, world.truth, strict=True))
    kept = fraction(sum(a and b for a, b in pairs), sum(world.truth))
    dropped = fraction(sum(not a and not b for a, b in pairs), len(pairs) - sum(world.truth))
    return max(0.0, kept + dropped - 1.0)


FAMILY = HiddenPredicate()
