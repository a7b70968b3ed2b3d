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
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.database import Rows, database

SCHEMA = """
CREATE TABLE parts (code TEXT PRIMARY KEY, name TEXT, cost_cents INTEGER, days INTEGER);
CREATE TABLE uses (parent TEXT, child TEXT, quantity INTEGER, valid_from TEXT, valid_to TEXT);
"""
NOW = """\
CREATE TEMP VIEW now AS SELECT parent, child, quantity FROM uses
 WHERE valid_from <= '@day' AND (valid_to IS NULL OR valid_to > '@day');
CREATE TEMP VIEW tops AS SELECT DISTINCT parent AS code FROM now
 WHERE parent NOT IN (SELECT child FROM now);
"""
SQL: Mapping[str, str] = {
    "exploded": """\
WITH RECURSIVE need (code, n) AS (
 SELECT '@product', 1 UNION ALL
 SELECT now.child, need.n * now.quantity FROM need JOIN now ON now.parent = need.code)
SELECT code AS part, SUM(n) AS quantity FROM need
WHERE code NOT IN (SELECT parent FROM now) GROUP BY 1 ORDER BY 1;
""",
    "where_used": """\
WITH RECURSIVE up (code, level) AS (
 SELECT '@common', 0 UNION
 SELECT now.parent, up.level + 1 FROM up JOIN now ON now.child = up.code)
SELECT code AS assembly, MIN(level) AS level FROM up WHERE level > 0 GROUP BY 1 ORDER BY 1;
""",
    "costs": """\
WITH RECURSIVE need (top, code, n) AS (
 SELECT code, code, 1 FROM tops UNION ALL
 SELECT need.top, now.child, need.n * now.quantity FROM need JOIN now ON now.parent = need.code)
SELECT top AS product, SUM(n * cost_cents) AS cents FROM need JOIN parts USING (code)
GROUP BY 1 ORDER BY 2 DESC, 1;
""",
    "lead": """\
WITH RECURSIVE chain (top, code, total) AS (
 SELECT code, code, days FROM tops JOIN parts USING (code) UNION ALL
 SELECT chain.top, now.child, chain.total + parts.days
 FROM chain JOIN now ON now.parent = chain.code JOIN parts ON parts.code = now.child)
SELECT top AS product, MAX(total) AS days FROM chain GROUP BY 1 ORDER BY 1;
""",
    "unused": """\
CREATE TEMP TABLE gone AS SELECT parent AS code FROM uses UNION SELECT child FROM uses
EXCEPT SELECT parent FROM now EXCEPT SELECT child FROM now;
SELECT code FROM gone UNION ALL SELECT 'none' WHERE NOT EXISTS (SELECT 1 FROM gone) ORDER BY 1;
""",
}
ROWS = """\
sqlite3 -separator ' ' @database "SELECT parent, child, quantity FROM uses
 WHERE valid_from <= '@day' AND (valid_to IS NULL OR valid_to > '@day')" > /tmp/now.txt
cut -d ' ' -f 1,2 /tmp/now.txt | tsort > /tmp/order.txt && wc -l /tmp/order.txt"""
ORDERED: Mapping[str, str] = {
    "exploded": """\
awk -v OFS=, 'NR == FNR { kid[$1, ++n[$1]] = $2; of[$1, n[$1]] = $3; next }
FNR == 1 { need["@product"] = 1 }
!($1 in need) { next }
!n[$1] { print $1, need[$1] }
{ for (i = 1; i <= n[$1]; i++) need[kid[$1, i]] += need[$1] * of[$1, i] }' \\
  /tmp/now.txt /tmp/order.txt""",
    "lead": """\
sqlite3 -separator ' ' @database 'SELECT code, days FROM parts' > /tmp/days.txt
tac /tmp/order.txt | awk -v OFS=, 'FILENAME == "/tmp/days.txt" { own[$1] = $2; next }
FILENAME == "/tmp/now.txt" { kid[$1, ++n[$1]] = $2; used[$2] = 1; next }
{ most = 0
  for (i = 1; i <= n[$1]; i++) if (total[kid[$1, i]] > most) most = total[kid[$1, i]]
  total[$1] = own[$1] + most
  if (n[$1] && !used[$1]) print $1, total[$1] }' /tmp/days.txt /tmp/now.txt -""",
}
"""Questions that are answered part by part in an order in which parents precede children."""
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
    """What goes into what, how often, how deep, and at what cost."""

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
        made = assembly.drawn(ctx)
        path = ctx.path(f"{ctx.skin.stem(ctx.rng.fork('stem'))}.db")
        rows: Rows = {
            "parts": [(p.code, p.name, p.cost, p.days) for p in made.parts],
            "uses": [(u.parent, u.child, u.quantity, u.since, u.until) for u in made.uses],
        }
        asked = tuple((q, ctx.path(f"{q}.csv")) for q in list(SQL)[: ctx.knob(1, 5)])
        return Materials(
            nodes=(database(path, SCHEMA, rows),),
            outputs=tuple(path for _, path in asked),
            database=path,
            made=made,
            asked=asked,
            produces={"quantities": _quantities(ctx, asked[0][1], made)},
        )

    def oracle(self, ctx: Context, world: Materials) -> tuple[str, ...]:
        """Return one run a question, looked at: of SQL, or of awk over parts in order."""
        commands = [f"sqlite3 {world.database} .schema 'SELECT * FROM uses LIMIT 5'"]
        sorted_ = ctx.rng.fork("way").chance(0.5)
        if sorted_:
            commands.append(_filled(world, ROWS))
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
        """Return the tables, what counts on the day, and the questions."""
        made = world.made
        names = ("parts", "uses", "parent", "child", "quantity", "days")
        tables = {name: f"`{name}`" for name in names} | {"price": "`cost_cents`"}
        dates = {"since": "`valid_from`", "until": "`valid_to`"}
        facts = {"database": world.database, "day": made.day}
        more = {"exploded": {"product": made.product}, "where_used": {"common": made.common}}
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


def _quantities(ctx: Context, path: str, made: assembly.Assembly) -> Artifact:
    """Return how much of every part goes into the product: the question that is always asked."""
    rows, header = assembly.exploded(made), HEADERS["exploded"]
    return delivered.column(ctx, path, "quantity", header=header, rows=rows)


def _answer(
    world: Materials, question: str, path: str, *, edit: tuple[str, str] = ("", "")
) -> tuple[str, ...]:
    """Return the commands that answer a question."""
    sql = (NOW + SQL[question]).replace(*edit) if edit[0] else NOW + SQL[question]
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
