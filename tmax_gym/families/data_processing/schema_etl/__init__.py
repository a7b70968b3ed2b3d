"""DPR-02 schema etl: the agent turns nested records of two forms into flat tables.

Below `SHORT` two fields of flat records are wanted.  Above, the records of every day's export are
taken apart into orders and items, with defaults.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
ORDERS = ("code", "place", "parts")
ITEMS = ("code", "number", "sku", "quantity")
PYTHON = program_text(__package__, "main.py")
KEEP = Obligation(
    "keep",
    "Do not change the files with the exports.",
    "limit",
    ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify", "not edit"),
)


@dataclass(frozen=True, kw_only=True)
class Exports(World):
    """The decided facts."""

    files: tuple[str, ...]
    orders: str
    items: str = ""
    order_rows: tuple[tuple[object, ...], ...] = ()
    item_rows: tuple[tuple[object, ...], ...] = ()


class SchemaEtl(Family[Exports]):
    """Tell the versions apart, name the columns, number the parts."""

    id = "DPR-02"
    slug = "schema-etl"
    domain = "data_processing"
    skill = "Data I/O"
    primitives = (
        "Database bulk import/export",
        "Multi-format file reading and writing",
        "Wide-long format reshaping",
        "Joins, merges, and unions",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "jq", "python3")
    followed_by = {  # noqa: RUF012
        "export-diff": ("orders", "We want to know what has changed since the last export."),
        "lookup-join": ("orders", "Somebody else keeps a list of what we know about each place."),
        "sqlite-load": ("orders", "The warehouse wants to query the records with SQL."),
        "group-report": ("items", "Purchasing asks how much was ordered under each code."),
        "json-feed": ("items", "Another team reads the items as JSON, by code."),
    }

    def world(self, ctx: Context) -> Exports:
        """Return one flat export, or several nested ones."""
        rng = ctx.rng.fork("etl")
        short = ctx.level < SHORT
        nodes: list[Node] = []
        orders: list[tuple[object, ...]] = []
        items: list[tuple[object, ...]] = []
        for day in range(1 if short else ctx.knob(1, 9)):
            lines = []
            for number in range(6):
                r = rng.fork("record", day, number)
                code = f"{ctx.skin.code(r)}-{day}{number}"
                place = "_".join(ctx.skin.place(r).replace(",", " ").split())
                if short:
                    lines.append(json.dumps({"note": r.hex(6), "id": code, "site": place}))
                    orders.append((code, place))
                    continue
                record, parts = _record(r, code, place, number=number)
                lines.append(json.dumps(record))
                shown = place if number % 3 else "unknown"
                orders.append((code, shown, len(parts)))
                items += [(code, n, sku, qty) for n, (sku, qty) in enumerate(parts, start=1)]
            name = f"{ctx.skin.stem(rng)}.jsonl" if short else f"export/day{day + 1:02d}.jsonl"
            nodes.append(text(ctx.path(name), "\n".join(lines) + "\n"))
        first = ctx.path("sites.csv" if short else "orders.csv")
        second = "" if short else ctx.path("items.csv")
        return Exports(
            nodes=tuple(nodes),
            outputs=(first,) if short else (first, second),
            files=tuple(n.path for n in nodes),
            orders=first,
            items=second,
            order_rows=tuple(orders),
            item_rows=tuple(items),
        )

    def oracle(self, ctx: Context, world: Exports) -> tuple[str, ...]:
        """Return jq alone, or two queries an export."""
        if ctx.level < SHORT:
            (source,) = world.files
            query = f"jq -r '[.id, .site] | join(\",\")' {source}"
            return (f"head -n 2 {source}", f"{query} > {world.orders}", f"cat {world.orders}")
        order = (
            '"\\(.id // .key),\\(.site // .body.where // "unknown"),'
            '\\(.lines // .body.rows // [] | length)"'
        )
        item = (
            "(.id // .key) as $k | (.lines // .body.rows // []) | to_entries[] "
            '| "\\($k),\\(.key + 1),\\(.value.sku),\\(.value.qty // 1)"'
        )
        commands = [
            f"head -qn 2 {ctx.path('export')}/*",
            f"echo {','.join(ORDERS)} > {world.orders}; echo {','.join(ITEMS)} > {world.items}",
        ]
        for path in world.files:
            commands.append(f"jq -r '{order}' {path} >> {world.orders}")
            commands.append(f"jq -r '{item}' {path} >> {world.items}")
        return tuple(commands)

    def alternative(self, ctx: Context, world: Exports) -> tuple[str, ...] | None:
        """Return a Python program for all exports."""
        return None if ctx.level < SHORT else _run(world, PYTHON)

    def checks(self, ctx: Context, world: Exports) -> tuple[Check | Gate, ...]:
        """Return the tables."""
        keep = unchanged("exports", world.nodes)
        if ctx.level < SHORT:
            rows = [f"{code},{place}" for code, place in world.order_rows]
            return (keep, exact.lines("sites", world.orders, rows))
        return (
            keep,
            exact.rows("orders", world.orders, world.order_rows, header=ORDERS),
            exact.rows("items", world.items, world.item_rows, header=ITEMS),
        )

    def products(self, ctx: Context, world: Exports) -> Mapping[str, Product]:
        """Return the tables."""
        orders = tuple(tuple(str(cell) for cell in row) for row in world.order_rows)
        if ctx.level < SHORT:
            return {"orders": Table(world.orders, ("id", "site"), orders, "records", header=False)}
        items = tuple(tuple(str(cell) for cell in row) for row in world.item_rows)
        return {
            "orders": Table(world.orders, ORDERS, orders, "orders"),
            "items": Table(world.items, ITEMS, items, "items"),
        }

    def say(self, ctx: Context, world: Exports) -> tuple[Obligation, ...]:
        """Return the forms of a record and the two tables."""
        orders, items = world.orders, world.items
        if ctx.level < SHORT:
            goal = Obligation(
                "goal",
                f"`{world.files[0]}` has a JSON object on each line. Write the values of `id` and "
                f"`site` of every object to `{orders}`, one object a line and in the same order, "
                "with a comma between the two values and without a header.",
                "goal",
            )
            return (goal, KEEP)
        return (
            Obligation(
                "goal",
                f"`{ctx.path('export')}` has one export for each day. Every line of an export is a "
                "record, a JSON object. Convert the records of all exports into two CSV tables, "
                f"`{orders}` and `{items}`.",
                "goal",
            ),
            Obligation(
                "forms",
                "There are two forms of record. Older ones have the fields `id`, `site` and "
                "`lines`, newer ones have `key`, `body.where` and `body.rows`. In both forms these "
                "are the code of the record, its place, and the list of its parts. The code is "
                "always there, but place and parts can be missing.",
                "input",
            ),
            Obligation(
                "orders",
                f"`{orders}` has the header `{','.join(ORDERS)}` and one line for each record. "
                "`place` is `unknown` if the record has none, and `parts` is the number of its "
                "parts, which can be 0.",
                "format",
            ),
            Obligation(
                "items",
                f"`{items}` has the header `{','.join(ITEMS)}` and one line for each part, with "
                "the code of its record. `number` counts the parts of a record from 1, in the "
                "order of its list. `sku` and `quantity` are the fields `sku` and `qty` of the "
                "part, and the quantity is 1 if `qty` is missing.",
                "format",
            ),
            Obligation(
                "order",
                "Both tables follow the order of the exports by file name, and the order of the "
                "lines in each export.",
                "format",
                ("file name", "filename", "by name", "same order", "day by day", "order of the"),
            ),
            KEEP,
        )

    def mutants(self, ctx: Context, world: Exports) -> tuple[Attempt, ...]:
        """Return a version forgotten, defaults forgotten, parts counted from 0."""
        if ctx.level < SHORT:
            (source,) = world.files
            fields = {"swapped": ".site, .id", "note too": ".id, .site, .note", "key only": ".id"}
            return tuple(
                Attempt(n, (f"jq -r '[{f}] | join(\",\")' {source} > {world.orders}",))
                for n, f in fields.items()
            )
        wrong = {
            "counted from 0": PYTHON.replace("start=1", "start=0"),
            "no default place": PYTHON.replace('place or "unknown"', "place"),
            "no default quantity": PYTHON.replace('part.get("qty", 1)', 'part.get("qty", 0)'),
            "second form skipped": PYTHON.replace(
                'code, body = record["key"]', 'continue; code, body = record["key"]'
            ),
        }
        return tuple(Attempt(name, _run(world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Exports) -> tuple[Attempt, ...]:
        """Return bare headers, and an export as the table."""
        bare = f"echo {','.join(ORDERS)} > {world.orders}"
        if world.items:
            bare += f"; echo {','.join(ITEMS)} > {world.items}"
        return (
            Attempt("bare headers", (bare,)),
            Attempt("export", (f"cp {world.files[0]} {world.orders}",)),
        )


def _run(world: Exports, program: str) -> tuple[str, ...]:
    head = f"echo {','.join(ORDERS)} > {world.orders}; echo {','.join(ITEMS)} > {world.items}"
    body = f"ORDERS, ITEMS = {world.orders!r}, {world.items!r}\n{program}"
    loop = f"for f in {' '.join(world.files)}; do python3 /tmp/etl.py $f; done"
    return (write_file("/tmp/etl.py", body), f"{head}; {loop}")


def _record(
    rng: Rng, code: str, place: str, *, number: int
) -> tuple[dict[str, object], list[tuple[str, int]]]:
    """Return a record of the first or second form, and its parts."""
    parts = [(f"s{rng.integer(100, 999)}", rng.integer(1, 9)) for _ in range((number + 1) % 4)]
    rows: list[dict[str, object]] = []
    for place_in, (sku, qty) in enumerate(parts):
        rows.append({"sku": sku} if qty == 1 else {"sku": sku, "qty": qty})
        if place_in == 0 and qty != 1:
            rows[0] = {"sku": sku}
            parts[0] = (sku, 1)
    if number % 2:
        body: dict[str, object] = {"rows": rows} if rows else {}
        if number % 3:
            body["where"] = place
        return {"key": code, "body": body}, parts
    record: dict[str, object] = {"id": code, "lines": rows}
    if number % 3:
        record["site"] = place
    return record, parts


FAMILY = SchemaEtl()
