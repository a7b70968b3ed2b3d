"""Follow-up: the agent compares a table with another version of it and writes the differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.export_diff.earlier import (
    Difference,
    Versions,
    differences,
    drawn,
    keys,
)
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import (
    SEPARATORS,
    arguments,
    csv_text,
    heads,
    listed,
    run_once,
)
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.texts.obligations import Obligation

DIFFERENCES = program_text(__package__, "differences.py")
PRETENCE = program_text(__package__, "pretence.py")
WORDS = (
    ("added", "removed", "changed"),
    ("new", "gone", "different"),
    ("extra", "missing", "altered"),
)
TAB = "\t"
SIDES = (("other", "ours"), ("theirs", "ours"), ("other", "this"))
Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison(World):
    """The decided facts."""

    target: str
    other: str
    """The path of the other version."""
    columns: tuple[str, ...]
    """The columns of the other version, in its order."""
    separator: str
    versions: Versions
    words: tuple[str, str, str]
    """What a row is called that is only in the table, only in the other version, or changed."""
    wide: bool
    """Whether a row of the target holds all cells of a key, not only one."""
    sides: tuple[str, str]
    """What the two versions are called in the header, the table last."""
    sorted_by_kind: bool
    header: Row
    rows: tuple[Row, ...]


class ExportDiff(FollowUp[Table, Comparison]):
    """What was added to a table, removed from it and changed, by a key."""

    slug = "export-diff"
    tools = ("bash", "python3", "awk")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether a key and three rows can be told apart."""
        return len(product.rows) >= 3 and len(product.columns) >= 2 and bool(keys(product))

    def world(self, ctx: Following[Table]) -> Comparison:
        """Return the other version and how it is to be compared."""
        rng, versions = ctx.rng.fork("comparison"), drawn(ctx)
        columns = tuple(rng.shuffled(ctx.product.columns))
        separator = rng.choice(tuple(SEPARATORS))
        name = rng.choice(("other", "reference", "compare_with", "second_list"))
        path = ctx.path(f"{name}.{'csv' if separator != TAB else 'tsv'}")
        places = [ctx.product.columns.index(column) for column in columns]
        body = [columns, *([row[place] for place in places] for row in versions.other)]
        target = ctx.path(rng.choice(("differences.csv", "changes.csv", "diff.csv")))
        wide, by_kind = rng.chance(0.5), rng.chance(0.4)
        words = rng.choice(WORDS)
        kind = rng.choice([w for w in ("change", "what", "kind") if w not in ctx.product.columns])
        sides = rng.choice(SIDES)
        cells = [f"{side}_{name}" for name in versions.compared for side in sides]
        column = "field" if versions.key == "column" else "column"
        differing = differences(ctx.product, versions)
        return Comparison(
            nodes=(text(path, csv_text(body, separator)),),
            outputs=(target,),
            target=target,
            other=path,
            columns=columns,
            separator=separator,
            versions=versions,
            words=words,
            wide=wide,
            sides=sides,
            sorted_by_kind=by_kind,
            header=(versions.key, kind, *(cells if wide else (column, *sides))),
            rows=_rows(versions, differing, words, wide=wide, by_kind=by_kind),
        )

    def oracle(self, ctx: Following[Table], world: Comparison) -> tuple[str, ...]:
        """Return a look at both files, a program that compares them, and a sort."""
        return (f"head -n 3 {ctx.product.path} {world.other}", *_written(ctx, world, DIFFERENCES))

    def checks(self, ctx: Following[Table], world: Comparison) -> tuple[Check | Gate, ...]:
        """Return a check of the differences, above what the other version alone tells."""
        whole = exact.rows("differences", world.target, world.rows, header=world.header)
        blind = _rows(
            world.versions,
            [
                Difference(row[ctx.product.columns.index(world.versions.key)], 1, cells, blank)
                for row, cells, blank in _cells(ctx.product, world.versions)
            ],
            world.words,
            wide=world.wide,
            by_kind=False,
        )
        hits = (Counter(blind) & Counter(world.rows)).total()
        start = exact.NOT_WHOLE * 2 * hits / (len(blind) + len(world.rows))

        def score(evidence: Evidence) -> float:
            return max(0.0, (whole.score(evidence) - start) / (1.0 - start))

        return (replace(whole, score=score),)

    def say(self, ctx: Following[Table], world: Comparison) -> tuple[Obligation, ...]:
        """Return the files, what is compared, and the form of the result."""
        table = ctx.product
        return (
            Obligation(
                "goal",
                f"Compare the {table.noun} in `{table.path}` with those in `{world.other}`, and "
                f"write the differences to `{world.target}`.",
                "goal",
            ),
            *heads(table),
            _other(world),
            *_rules(table, world),
            *_form(table, world),
        )

    def mutants(self, ctx: Following[Table], world: Comparison) -> tuple[Attempt, ...]:
        """Return results without removed rows, with swapped sides, and without the last row."""
        wrong = {
            "no_removed": DIFFERENCES.replace("in new | old", "in new"),
            "swapped": DIFFERENCES.replace("new, old = table", "old, new = table"),
            "no_added": DIFFERENCES.replace("in new | old", "in old"),
        }
        last = f"sed -i '$d' {world.target}"
        return (
            *(Attempt(name, _written(ctx, world, program)) for name, program in wrong.items()),
            Attempt("last_row", (*_written(ctx, world, DIFFERENCES), last)),
        )

    def exploits(self, ctx: Following[Table], world: Comparison) -> tuple[Attempt, ...]:
        """Return a result without rows, and two that only need the other version."""
        table, folder = ctx.product, ctx.product.path.rpartition("/")[0]
        header = write_file(world.target, csv_text([world.header]))
        words = (world.other, world.separator, *arguments(table), ",".join(table.columns))
        copy = run_once("/tmp/pretence.py", PRETENCE, words)
        heading = quote(table.separator.join(table.columns))
        nothing = f"mkdir -p {quote(folder)}; {f'echo {heading}' if table.header else ':'}"
        return (
            Attempt("nothing", (header,)),
            Attempt(
                "all_removed",
                (f"{nothing} > {quote(table.path)}", *_written(ctx, world, DIFFERENCES)),
            ),
            Attempt(
                "other_as_ours",
                (f"mkdir -p {quote(folder)}", *copy, *_written(ctx, world, DIFFERENCES)),
            ),
        )


def _cells(table: Table, versions: Versions) -> list[tuple[Row, Row, Row]]:
    """Return the rows of the other version, their compared cells, and as many empty ones."""
    places = [table.columns.index(name) for name in versions.compared]
    blank = ("",) * len(places)
    return [(row, tuple(row[place] for place in places), blank) for row in versions.other]


def _rows(
    versions: Versions,
    differing: Sequence[Difference],
    words: Sequence[str],
    *,
    wide: bool,
    by_kind: bool,
) -> tuple[Row, ...]:
    """Return differences, sorted by their key, as rows of the target."""
    rows: list[Row] = []
    for one in sorted(differing, key=lambda one: one.kind if by_kind else 0):
        pairs = tuple(zip(one.before, one.after, strict=True))
        if wide:
            rows.append((one.key, words[one.kind], *(cell for pair in pairs for cell in pair)))
        elif one.kind < 2:
            rows.append((one.key, words[one.kind], "", "", ""))
        else:
            rows += [
                (one.key, words[2], name, before, after)
                for name, (before, after) in zip(versions.compared, pairs, strict=True)
                if before != after
            ]
    return tuple(rows)


def _other(world: Comparison) -> Obligation:
    if world.separator == TAB:
        form = f"its cells are separated by tabs, and it has the columns {listed(world.columns)}"
    else:
        header = world.separator.join(world.columns)
        form = f"its cells are separated by {SEPARATORS[world.separator]}, and its header is "
        form += f"`{header}`"
    return Obligation("other", f"`{world.other}` has a header: {form}.", "input")


def _rules(table: Table, world: Comparison) -> tuple[Obligation, ...]:
    """Return which rows belong together, and which differences count."""
    key, compared = world.versions.key, world.versions.compared
    added, removed, changed = world.words
    differ = f"{listed(compared)} {'differs' if len(compared) == 1 else 'do not all agree'}"
    ignored = [name for name in table.columns if name not in (key, *compared)]
    rules = [
        f"Rows of the two files with the same `{key}` belong together.",
        f"Such a pair counts as `{changed}` if {differ}. If not, it is left out of the result.",
        f"Every `{key}` that is only in `{table.path}` counts as `{added}`, and every one only in "
        f"`{world.other}` as `{removed}`.",
    ]
    if ignored:
        rules.append(f"Differences in {listed(ignored)} do not count.")
    return tuple(Obligation(f"rule_{n}", rule, "rule") for n, rule in enumerate(rules))


def _form(table: Table, world: Comparison) -> tuple[Obligation, ...]:
    """Return the header of the result, its cells and its order."""
    (key, kind), (other, ours) = world.header[:2], world.sides
    result = f"The result is a CSV file with the header `{','.join(world.header)}`, where `{kind}` "
    result += "is one of these three words. It has one row for each"
    if world.wide:
        cells = (
            f"{result} `{key}` that is not left out. The columns that begin with `{other}_` are "
            f"those of `{world.other}`, those with `{ours}_` are those of `{table.path}`, and "
            f"cells of a file without this `{key}` are empty."
        )
    else:
        cells = (
            f"{result} cell that differs in a pair, with the name of the column as "
            f"`{world.header[2]}`, the cell in `{world.other}` as `{other}` and the cell in "
            f"`{table.path}` as `{ours}`. For each `{key}` that is in one file only, it has one "
            "row in which these three cells are empty."
        )
    order = "as a number, the smallest first" if key in table.integers else "in byte order"
    order = f"by `{key}`, {order}"
    if world.sorted_by_kind:
        words = ", then ".join(f"`{word}`" for word in world.words)
        order = f"by `{kind}` (first {words}), and rows with the same one {order}"
    if not world.wide and len(world.versions.compared) > 1:
        order += f". Rows of one pair follow the order of the columns in `{table.path}`"
    return (
        Obligation("form", cells, "format"),
        Obligation("order", f"Sort the rows {order}.", "format"),
    )


def _written(ctx: Following[Table], world: Comparison, program: str) -> tuple[str, ...]:
    versions, body = world.versions, "/tmp/differences.csv"
    compared, layout = ",".join(versions.compared), "rows" if world.wide else "cells"
    words = (*arguments(ctx.product), world.other, world.separator, versions.key, compared)
    write, run, remove = run_once(
        "/tmp/differences.py", program, (*words, ",".join(world.words), layout)
    )
    order = "-k1,1n" if versions.key in ctx.product.integers else "-k1,1"
    sort = f"LC_ALL=C sort -s -t, {order}"
    parts = f"{sort} {body}"
    if world.sorted_by_kind:
        cases = [f"awk -F, '$2 == \"{word}\"' {body} | {sort};" for word in world.words]
        parts = f"{{ {' '.join(cases)} }}"
    return (
        write,
        f"{run} > {body}",
        f"echo {','.join(world.header)} > {world.target}",
        f"{parts} >> {world.target}",
        f"{remove} {body}",
    )


FOLLOW_UP = ExportDiff()
