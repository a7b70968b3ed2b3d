"""DQ-04 bill of materials: nested parts with dates, resolved by recursive queries.

The rows that are valid on the day have no loops, but all rows together do.  Expected rows come from
recursion in Python, those of the reference solution from SQL or awk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.bill_of_materials import assembly
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.database import Rows, database

SQL = program_sections(__package__, "questions.sql")
"""The schema, the views of the day (`now`), and a query for each question."""
ORDERED = {
    name: commands.rstrip("\n")
    for name, commands in program_sections(__package__, "order.sh").items()
}
"""Commands that write the `rows` of the day, and programs that go through the parts so that every
assembly comes before the parts in it."""
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
NOUNS = {"exploded": "bought parts", "where_used": "assemblies"}
"""What one row is, for the answers that are products: the others have too few rows."""
QUESTIONS: Mapping[str, str] = {
    "exploded": "`{path}` is a CSV file with the header `{header}`. It says how many of each "
    "bought part are needed to build one `{product}`, over all levels. A bought part is a part "
    "that contains no other parts on that day. Sort by `part`.",
    "where_used": "`{path}` is a CSV file with the header `{header}`. It lists every part that "
    "contains `{common}`, directly or through other parts. `level` is the smallest number of "
    "levels from that part down to `{common}`, so that direct use is level 1. Sort by `assembly`.",
    "costs": "`{path}` is a CSV file with the header `{header}`. It has the full cost of every "
    "product: its own `cost_cents` plus, for every part in it, the quantity times the full cost of "
    "that part. Put the highest cost first, and sort equal costs by `product`.",
    "lead": "`{path}` is a CSV file with the header `{header}`. It has the number of days until "
    "each product is ready. All parts of an assembly are made in parallel, and the assembly's own "
    "`days` begin when the last of them is ready. Sort by `product`.",
    "unused": "`{path}` is a CSV file with the header `{header}`. It lists the parts that occur in "
    "some row of `uses`, as `parent` or as `child`, but in no row that is valid on `{day}`. Sort "
    "by `code`. If there are no such parts, write `none` as the only row.",
}


@dataclass(frozen=True, kw_only=True)
class Materials(World):
    """The decided facts."""

    database: str
    made: assembly.Assembly
    asked: tuple[tuple[str, str], ...]
    """The question and the path of its answer."""


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
    followed_by = {  # noqa: RUF012
        "sqlite-load": ("exploded", "Purchasing wants to query the parts list in a database."),
        "export-diff": ("exploded", "The parts list was exported before, and purchasing asks what "
                        "has changed since."),
        "lookup-join": ("exploded", "Purchasing has a list that says who supplies which part."),
        "group-report": ("where_used", "A recall of the part is planned level by level."),
        "json-feed": ("where_used", "The team that plans the recall reads JSON only."),
    }  # fmt: skip

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
        )

    def oracle(self, ctx: Context, world: Materials) -> tuple[str, ...]:
        """Return a run of SQL or awk for every question, and a look at each answer."""
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
        """Return a check of every table by rows; the database must not change."""
        return (
            unchanged("database", world.nodes),
            *(
                exact.rows(question, path, COMPUTE[question](world.made), header=HEADERS[question])
                for question, path in world.asked
            ),
        )

    def products(self, ctx: Context, world: Materials) -> Mapping[str, Product]:
        """Return the answers that have enough rows to work on."""
        return {
            name: Table(path, HEADERS[name], _rows(world, name), NOUNS[name])
            for name, path in world.asked
            if name in NOUNS
        }

    def say(self, ctx: Context, world: Materials) -> tuple[Obligation, ...]:
        """Return the tables of the database, the rule for dates, and the questions."""
        made, asked = world.made, dict(world.asked)
        wanted = "tables" if len(asked) > 1 else "table"
        own = (
            " `parts` has for each `code` the cost of the part itself in cents (`cost_cents`) and "
            "the time that it takes itself in days (`days`), both without the parts in it."
            if "costs" in asked
            else ""
        )
        obligations = [
            Obligation(
                "goal",
                f"The SQLite database `{world.database}` holds our bill of materials: which part "
                f"is built into which. Derive the {wanted} below from it, as of `{made.day}`.",
                "goal",
            ),
            Obligation(
                "tables",
                "Each row of `uses` says that one `parent` contains `quantity` pieces of `child`. "
                "If several valid rows have the same `parent` and `child`, their quantities add "
                f"up.{own}",
                "input",
            ),
            Obligation(
                "valid",
                "A row of `uses` is valid from the day `valid_from` on, and no longer valid on the "
                "day `valid_to`. If `valid_to` is NULL, its validity has no end. Use only rows "
                f"that are valid on `{made.day}`"
                + (", except where a table needs others." if "unused" in asked else "."),
            ),
        ]
        if "costs" in asked:
            obligations.append(
                Obligation(
                    "products",
                    "A product is a part that contains other parts on that day and is itself in no "
                    "other part.",
                    keys=("product is", "in no other", "contained in no", "not in any", "top"),
                )
            )
        facts = {"product": made.product, "common": made.common, "day": made.day}
        obligations += [
            Obligation(
                question,
                QUESTIONS[question].format(path=path, header=",".join(HEADERS[question]), **facts),
                "output",
            )
            for question, path in world.asked
        ]
        return (
            *obligations,
            Obligation("keep", f"Leave `{world.database}` unchanged.", "limit"),
        )

    def mutants(self, ctx: Context, world: Materials) -> tuple[Attempt, ...]:
        """Return dates that are off by a day, quantities left out, assemblies counted too."""
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
        """Return headers without rows, one guessed row, and a table of the database."""
        headers = [f"echo {','.join(HEADERS[q])} > {path}" for q, path in world.asked]
        dump = f"sqlite3 -csv -header {world.database} 'SELECT * FROM uses'"
        zeros = [f"echo {world.made.product},0 >> {path}" for _, path in world.asked]
        return (
            Attempt("headers", tuple(headers)),
            Attempt("one guess", (*headers, *zeros)),
            Attempt("dumps", tuple(f"{dump} > {path}" for path in world.outputs)),
        )


def _rows(world: Materials, question: str) -> tuple[tuple[str, ...], ...]:
    """Return the right rows of an answer."""
    return tuple(tuple(map(str, row)) for row in COMPUTE[question](world.made))


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
