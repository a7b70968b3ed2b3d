"""Follow-up: the agent divides a table into one file for each value of a column."""

from __future__ import annotations

import json
from collections import Counter

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.split_delivery.plan import (
    Rows,
    Split,
    columns_that_divide,
    drawn,
)
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import heads, is_trimmed, listed, run_once
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.obligations import Obligation

PIECES = program_sections(__package__, "split.py")
BETWEEN = {"csv": ",", "tsv": "\t"}


class SplitDelivery(FollowUp[Table, Split]):
    """One file for each value of a column, in a stated form, and often a list of the files."""

    slug = "split-delivery"
    tools = ("bash", "python3")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether a column has a few values that repeat."""
        return is_trimmed(product) and bool(columns_that_divide(product))

    def world(self, ctx: Following[Table]) -> Split:
        """Return how the table is divided; there are no files to begin with."""
        return drawn(ctx)

    def oracle(self, ctx: Following[Table], world: Split) -> tuple[str, ...]:
        """Return a Python program that is used once."""
        return _written(world, _program(ctx.product, world))

    def checks(self, ctx: Following[Table], world: Split) -> tuple[Check | Gate, ...]:
        """Return a check of the files, and one of their list."""

        def score(evidence: Evidence) -> float:
            shares = [_share(evidence, world, name, rows) for name, rows in world.parts.items()]
            there = {n.path for n in evidence.tree(world.folder) if n.kind != "dir"}
            more = len(there - {f"{world.folder}/{name}" for name in world.parts})
            return sum(shares) / (len(shares) + more)

        if not world.index:
            return (Check("parts", "exact_text", score),)
        entries = [
            [{"value": world.values[name], "file": name, "rows": len(rows)}[e] for e in world.entry]
            for name, rows in sorted(world.parts.items())
        ]
        return (
            Check("parts", "exact_text", score, weight=0.85),
            exact.rows("index", world.index, entries, header=world.entry, weight=0.15),
        )

    def say(self, ctx: Following[Table], world: Split) -> tuple[Obligation, ...]:
        """Return the column, the names of the files, their form and the list of them."""
        table = ctx.product
        files = "one or several files" if world.limit else "one file"
        return (
            Obligation(
                "goal",
                f"Divide the {table.noun} in `{world.source}` by the value of `{world.column}`, "
                f"and write {files} for each value to the directory `{world.folder}`.",
                "goal",
            ),
            *heads(table),
            Obligation("names", _say_names(table, world), "output"),
            Obligation("form", _say_form(world), "format"),
            *_say_rows(table, world),
            *_say_index(world),
        )

    def mutants(self, ctx: Following[Table], world: Split) -> tuple[Attempt, ...]:
        """Return files in reverse order, without the last row, of another form and with more."""
        program = _program(ctx.product, world)
        rows = "enumerate(rows, start=1)"
        form = {
            "jsonl": ("file.write(", 'item["rows"] = len(kept)\n            file.write('),
            "table": ("        writer.writerow(", "        print("),
            "bare": ("writerows(kept)", "writerows([columns, *kept])"),
        }["jsonl" if world.form == "jsonl" else "table" if world.header else "bare"]
        wrong = {
            "reversed": (rows, f"list({rows})[::-1]"),
            "last row": (rows, "enumerate(rows[:-1], start=1)"),
            "one more": ("files = []", f'files = [["", "all{world.suffix}", rows]]'),
            "other form": form,
        }
        return tuple(
            Attempt(name, _written(world, program.replace(old, new, 1)))
            for name, (old, new) in wrong.items()
        )

    def exploits(self, ctx: Following[Table], world: Split) -> tuple[Attempt, ...]:
        """Return files without rows, and files with one empty row."""
        between = BETWEEN.get(world.form, ",")
        head = between.join(world.fields) + "\n" if world.header else ""
        empty = between.join('""' for _ in world.fields)
        if world.form == "jsonl":
            empty = json.dumps(dict.fromkeys(world.fields, ""))
        bodies = {"no rows": head, "an empty row": f"{head}{empty}\n"}
        return tuple(
            Attempt(
                name,
                (
                    f"mkdir -p {world.folder}",
                    *(write_file(f"{world.folder}/{part}", body) for part in world.parts),
                ),
            )
            for name, body in bodies.items()
        )


def _share(evidence: Evidence, world: Split, name: str, rows: Rows) -> float:
    """Return how much of one file is right; 0 for a file that is absent or cannot be read."""
    path = f"{world.folder}/{name}"
    try:
        if world.form == "jsonl":
            return _objects(evidence, path, [dict(zip(world.fields, r, strict=True)) for r in rows])
        between, header = BETWEEN[world.form], world.fields if world.header else ()
        return exact.rows(name, path, rows, header=header, delimiter=between).score(evidence)
    except BadOutput:
        return 0.0


def _objects(evidence: Evidence, path: str, wanted: list[dict[str, str]]) -> float:
    lines = tolerance.lines(exact.read_text(evidence, path))
    actual = [json.dumps(tolerance.value(line, path), sort_keys=True) for line in lines]
    right = [json.dumps(one, sort_keys=True) for one in wanted]
    if actual == right:
        return 1.0
    hits = (Counter(actual) & Counter(right)).total()
    return exact.NOT_WHOLE * 2 * hits / (len(actual) + len(right))


def _say_names(table: Table, world: Split) -> str:
    begin, end = world.before, world.suffix
    if world.naming in ("by_first_row", "by_order"):
        order = {
            "by_first_row": f"the order in which the values first occur in `{world.source}`",
            "by_order": "the byte order of the values",
        }[world.naming]
        return f"The files are `{begin}01{end}`, `{begin}02{end}` and so on, numbered in {order}."
    values = table.column(world.column)
    change = ", in lower case" if any(value != value.lower() for value in values) else ""
    if any(" " in value for value in values):
        change += f"{' and' if change else ','} with `{world.blank}` instead of each blank"
    name = f"<{world.column}>"
    value = f"`{name}` is the value of `{world.column}`{change or ' as it stands in the table'}"
    if not world.limit:
        return f"The file of a value is called `{begin}{name}{end}`, where {value}."
    return (
        f"The files of a value are called `{begin}{name}-1{end}`, `{begin}{name}-2{end}` and so "
        f"on, where {value}. Each has {world.limit} rows, and only the last one of a value may "
        "have fewer."
    )


def _say_form(world: Split) -> str:
    if world.form == "jsonl":
        return (
            "Each line of a file is one JSON object for one row, with exactly the fields "
            f"{listed(world.fields)}, all of them strings."
        )
    if world.form == "csv" and world.header:
        return f"Each file is a CSV file with the header `{','.join(world.fields)}`."
    start = "begins with a header" if world.header else "has no header"
    if world.form == "csv":
        start = "is a CSV file without a header"
    between = ", separated by tabs" if world.form == "tsv" else ""
    return f"Each file {start}. Its columns are {listed(world.fields)}, in this order{between}."


def _say_rows(table: Table, world: Split) -> tuple[Obligation, ...]:
    """Return what the rows hold, their order, and that there are no other files."""
    same = "All values stay as they are in the table."
    if world.place:
        start = "from 1 below the header" if table.header else "from 1"
        same = (
            f"`{world.place}` is the number of the row in `{world.source}`, counted {start}. All "
            "other values stay as they are."
        )
    return (
        Obligation("values", same, "format", ("as they are", "unchanged", "as it is")),
        Obligation(
            "order",
            "In each file the rows are in the order of the table. The directory has no other "
            "files.",
            "format",
            ("order",),
        ),
    )


def _say_index(world: Split) -> tuple[Obligation, ...]:
    if not world.index:
        return ()
    meaning = {
        "value": f"its value of `{world.column}`",
        "file": "its name without the directory",
        "rows": "the number of its rows without a header",
    }
    first, second, third = (meaning[name] for name in world.entry)
    return (
        Obligation(
            "index",
            f"Also write `{world.index}`, a CSV file with the header `{','.join(world.entry)}`, "
            "sorted by file name in byte order. It has one line for each file: "
            f"{first}, {second} and {third}.",
            "output",
        ),
    )


def _program(table: Table, world: Split) -> str:
    """Return the program that divides the table, without parts that it does not need."""
    form = "objects" if world.form == "jsonl" else "table" if world.header else "bare_table"
    names = ["start", "header" if table.header else "no_header", "group", world.naming, form]
    program = "".join(PIECES[name] for name in (*names, *(("index",) if world.index else ())))
    holes = {
        "@source": world.source,
        "@separator": table.separator,
        "@columns": list(table.columns),
        "@place": world.place,
        "@column": world.column,
        "@fields": list(world.fields),
        "@blank": world.blank,
        "@before": world.before,
        "@suffix": world.suffix,
        "@limit": world.limit,
        "@folder": world.folder,
        "@between": BETWEEN.get(world.form, ""),
        "@index": world.index,
        "@entry": list(world.entry),
    }
    # A longer name first, because another may be its beginning.
    for name in sorted(holes, key=len, reverse=True):
        program = program.replace(name, repr(holes[name]))
    return program


def _written(world: Split, program: str) -> tuple[str, ...]:
    home = world.folder.rpartition("/")[0]
    return (f"mkdir -p {home}", *run_once("/tmp/split.py", program, ()))


FOLLOW_UP = SplitDelivery()
