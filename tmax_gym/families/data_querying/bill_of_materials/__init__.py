"""DQ-04 bill of materials: nested parts with dates, resolved by recursive queries.

The structure of the day is free of loops; the table as a whole is not.  Expected rows come from
plain recursion, the reference solution's from SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Artifact, Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_querying.bill_of_materials import assembly, questions, words
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.given import kept
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.database import Rows, database

SQL = program_sections(__package__, "questions.sql")
"""The schema, the views of the day (`now`), and a query for each question."""
ORDERED = {
    name: commands.rstrip("\n")
    for name, commands in program_sections(__package__, "order.sh").items()
}
"""Commands that write the `rows` of the day, and programs for questions that are answered part by
part in an order in which parents precede children."""
HEADERS: Mapping[str, tuple[str, ...]] = {
    "exploded": ("part", "quantity"),
    "where_used": ("assembly", "level"),
    "costs": ("product", "cents"),
    "lead": ("product", "days"),
    "unused": ("code",),
}
COMPUTE: Mapping[str, Callable[[assembly.Assembly], list[tuple[object, ...]]]] = {
    "exploded": assembly.exploded,
    "where_used": assembly.where_used,
    "costs": assembly.costs,
    "lead": assembly.lead,
    "unused": assembly.unused,
}


@dataclass(frozen=True, kw_only=True)
class Materials(World):
    """The decided facts."""

    database: str
    made: assembly.Assembly
    asked: tuple[tuple[str, str], ...]
    """(question, path of its answer)."""


class BillOfMaterials(Family[Materials]):
    """Ask which parts a product needs, how many, how deep, and at what cost."""

    id = "DQ-04"
    slug = "bill-of-materials"
    domain = "data_querying"
    skill = "Graph Processing"
    primitives = (
        "Recursive and hierarchical queries",
        "Graph projection and materialization",
        "Cross-query aggregation and summarization",
        "Complex joins and subqueries",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "awk", "sqlite3")
    produces = {"quantities": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Materials:
        """Return a database of nested parts and one to five questions."""
        structure = assembly.drawn(ctx)
        path = ctx.path(f"{ctx.skin.stem(ctx.rng.fork('stem'))}.db")
        rows: Rows = {
            "parts": [(p.code, p.name, p.cost, p.days) for p in structure.parts],
            "uses": [(u.parent, u.child, u.quantity, u.since, u.until) for u in structure.uses],
        }
        asked = tuple((q, ctx.path(f"{q}.csv")) for q in list(HEADERS)[: ctx.knob(1, 5)])
        return Materials(
            nodes=(database(path, "\n" + SQL["schema"], rows),),
            outputs=tuple(path for _, path in asked),
            database=path,
            made=structure,
            asked=asked,
            produces={"quantities": _quantities(ctx, asked[0][1], structure)},
        )

    def oracle(self, ctx: Context, world: Materials) -> tuple[str, ...]:
        """Return one run a question, looked at: of SQL, or of awk over parts in order."""
        commands = [f"sqlite3 {world.database} .schema 'SELECT * FROM uses LIMIT 5'"]
        sorted_ = ctx.rng.fork("way").chance(0.5)
        if sorted_:
            commands.append(_filled(world, ORDERED["rows"]))
        for question, path in world.asked:
            by_order = sorted_ and question in ORDERED
            done = _walked(world, question, path) if by_order else _answer(world, question, path)
            commands += [*done, f"head -n 4 {path}; wc -l {path}"]
        files = "/tmp/*.sql" + " /tmp/now.txt /tmp/order.txt /tmp/days.txt" * sorted_
        return (*commands, f"rm -f {files}")

    def checks(self, ctx: Context, world: Materials) -> tuple[Check | Gate, ...]:
        """Return each table, row by row; the database must not change."""
        return (
            unchanged("database", world.nodes),
            *(
                exact.rows(question, path, COMPUTE[question](world.made), header=HEADERS[question])
                for question, path in world.asked
            ),
        )

    def say(self, ctx: Context, world: Materials) -> tuple[Clause, ...]:
        """Return the tables, the rule for dates, and the questions."""
        structure = world.made
        names = ("parts", "uses", "parent", "child", "quantity", "days")
        tables = {name: f"`{name}`" for name in names} | {"price": "`cost_cents`"}
        dates = {"since": "`valid_from`", "until": "`valid_to`"}
        facts = {"database": world.database, "day": structure.day}
        more = {
            "exploded": {"product": structure.product},
            "where_used": {"common": structure.common},
        }
        more["unused"] = {"none": "`none`"}
        return (
            words.clause("goal", words.GOAL, facts, role="goal"),
            words.clause("tables", words.TABLES, tables, role="input"),
            words.clause("valid", words.VALID, dates, role="rule"),
            words.clause("form", words.FORM, {}, role="format"),
            *(
                words.clause(
                    question,
                    questions.QUESTIONS[question],
                    {"path": path, "header": f"[{','.join(HEADERS[question])}]"}
                    | more.get(question, {}),
                    role="output",
                )
                for question, path in world.asked
            ),
            kept(world.database),
        )

    def mutants(self, ctx: Context, world: Materials) -> tuple[Attempt, ...]:
        """Return a last day too many, a first day too few, no product, assemblies counted."""
        wrong = {
            "last day counts": ("valid_to > '", "valid_to >= '"),
            "first day does not": ("valid_from <= '", "valid_from < '"),
            "one of each": ("need.n * now.quantity", "need.n"),
            "assemblies too": ("WHERE code NOT IN (SELECT parent FROM now)", ""),
        }
        return tuple(
            Attempt(name, tuple(c for q, p in world.asked for c in _answer(world, q, p, edit=edit)))
            for name, edit in wrong.items()
        )

    def exploits(self, ctx: Context, world: Materials) -> tuple[Attempt, ...]:
        """Return headers without rows, and tables as they are."""
        headers = [f"echo {','.join(HEADERS[q])} > {path}" for q, path in world.asked]
        dump = f"sqlite3 -csv -header {world.database} 'SELECT * FROM uses'"
        zeros = [f"echo {world.made.product},0 >> {path}" for _, path in world.asked]
        return (
            Attempt("headers", tuple(headers)),
            Attempt("one guess", (*headers, *zeros)),
            Attempt("dumps", tuple(f"{dump} > {path}" for path in world.outputs)),
        )


def _quantities(ctx: Context, path: str, structure: assembly.Assembly) -> Artifact:
    """Return how much of every part goes into the product: the question that is always asked."""
    rows, header = assembly.exploded(structure), HEADERS["exploded"]
    return delivered.column(ctx, path, "quantity", header=header, rows=rows)


def _answer(
    world: Materials, question: str, path: str, *, edit: tuple[str, str] = ("", "")
) -> tuple[str, ...]:
    """Return the commands that answer a question."""
    sql = SQL["now"] + SQL[question]
    sql = sql.replace(*edit) if edit[0] else sql
    sql, file = _filled(world, sql), f"/tmp/{question}.sql"
    run = f"sqlite3 -csv -header {world.database} < {file} | tr -d '\\r\"' > {path}"
    return (write_file(file, sql), run)


def _filled(world: Materials, text: str) -> str:
    for name in ("day", "product", "common"):
        text = text.replace(f"@{name}", str(getattr(world.made, name)))
    return text.replace("@database", world.database)


def _walked(world: Materials, question: str, path: str) -> tuple[str, ...]:
    """Return the command that answers a question from parts in order."""
    rows = _filled(world, ORDERED[question])
    head = ",".join(HEADERS[question])
    return (f"{{ echo {head}\n{rows} | LC_ALL=C sort -t, -k1,1; }} > {path}",)


FAMILY = BillOfMaterials()
