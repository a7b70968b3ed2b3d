"""Follow-up: the agent groups the rows of a table by a column and writes one row for each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Evidence, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.group_report.plan import (
    Measure,
    Plan,
    Row,
    plan,
    report,
)
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import (
    SEPARATORS,
    arguments,
    file_name,
    grouping,
    heads,
    listed,
    run_once,
)
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

GROUPS = program_text(__package__, "groups.py")


@dataclass(frozen=True, kw_only=True)
class Report(World):
    """The decided facts."""

    target: str
    separator: str
    plan: Plan
    header: Row
    rows: tuple[Row, ...]


class GroupReport(FollowUp[Table, Report]):
    """One row for each value of a column: how many rows have it, and what they add up to."""

    slug = "group-report"
    tools = ("bash", "python3", "awk")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether some column repeats its values."""
        return len(product.rows) >= 4 and bool(grouping(product))

    def world(self, ctx: Following[Table]) -> Report:
        """Return what the report shows; there are no files to begin with."""
        rng = ctx.rng.fork("report")
        separator = rng.weighted(tuple(SEPARATORS), (3, 1, 1))
        suffix = "tsv" if separator == "\t" else "csv"
        drawn = plan(ctx)
        by_group = file_name(f"by {drawn.group}", suffix)
        target = ctx.path(rng.choice((by_group, f"groups.{suffix}", f"summary.{suffix}")))
        header, rows = report(ctx.product, drawn)
        return Report(
            nodes=(),
            outputs=(target,),
            target=target,
            separator=separator,
            plan=drawn,
            header=header,
            rows=rows,
        )

    def oracle(self, ctx: Following[Table], world: Report) -> tuple[str, ...]:
        """Return a program that groups, then a sort and perhaps a filter."""
        return _written(ctx, world, GROUPS)

    def checks(self, ctx: Following[Table], world: Report) -> tuple[Check | Gate, ...]:
        """Return a check of the whole report, and one of the numbers of rows only."""
        counted = Counter(row[:2] for row in world.rows)

        def sizes(evidence: Evidence) -> float:
            rows = exact.read_rows(evidence, world.target, delimiter=world.separator)
            seen = Counter(tolerance.alike([row[:2] for row in rows[1:]], list(counted)))
            return 2 * (seen & counted).total() / (seen.total() + counted.total())

        return (
            exact.rows(
                "groups",
                world.target,
                world.rows,
                header=world.header,
                delimiter=world.separator,
                weight=0.8,
            ),
            Check("sizes", "exact_text", sizes, weight=0.2),
        )

    def say(self, ctx: Following[Table], world: Report) -> tuple[Obligation, ...]:
        """Return the groups, the measures, the order and the form of the file."""
        table, plan = ctx.product, world.plan
        return (
            Obligation(
                "goal",
                f"Group the {table.noun} in `{table.path}` by `{plan.group}`, and write a report "
                f"with one row for each group to `{world.target}`.",
                "goal",
            ),
            *heads(table),
            *(
                Obligation(f"measure_{number}", sentence, "rule")
                for number, sentence in enumerate(_measures(plan.measures))
            ),
            *_limit(plan),
            _order(table, plan),
            *_form(world),
        )

    def mutants(self, ctx: Following[Table], world: Report) -> tuple[Attempt, ...]:
        """Return a report without the last row, one with wrong sizes and one in reverse order."""
        wrong = {
            "last_row": GROUPS.replace("groups = {}", "cells.pop()\ngroups = {}"),
            "header_counted": GROUPS.replace("return len(members)", "return len(members) + 1"),
            # The largest one, because a limit may leave out smaller ones anyway.
            "largest_group": GROUPS.replace(
                "in groups.items()", "in sorted(groups.items(), key=lambda own: len(own[1]))[:-1]"
            ),
        }
        backwards = (
            f"head -n 1 {world.target} > /tmp/backwards",
            f"tail -n +2 {world.target} | tac >> /tmp/backwards",
            f"mv /tmp/backwards {world.target}",
        )
        return (
            *(Attempt(name, _written(ctx, world, program)) for name, program in wrong.items()),
            Attempt("backwards", (*_written(ctx, world, GROUPS), *backwards)),
        )

    def exploits(self, ctx: Following[Table], world: Report) -> tuple[Attempt, ...]:
        """Return a report without groups, and one with a single group of everything."""
        names = world.header[: 1 + len(world.plan.measures)]
        bodies = {"nothing": [names], "all": [names, ("all", *("1" for _ in names[1:]))]}
        return tuple(
            Attempt(
                name,
                (
                    f"mkdir -p {ctx.home}",
                    write_file(world.target, "\n".join(world.separator.join(r) for r in rows)),
                ),
            )
            for name, rows in bodies.items()
        )


def _measures(measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return one sentence for each measure."""
    forms = {
        "rows": "is the number of rows of the group",
        "percent": "is the share of the group in all rows of the file in percent, rounded down to "
        "a whole number",
        "distinct": "is the number of different values of `{}` in the group",
        "first": "is the first value of `{}` in the group in byte order",
        "last": "is the last value of `{}` in the group in byte order",
        "sum": "is the sum of `{}` over the group",
        "min": "is the smallest value of `{}` in the group",
        "max": "is the largest value of `{}` in the group",
    }
    return tuple(f"`{m.name}` {forms[m.kind].format(m.column)}." for m in measures)


def _limit(plan: Plan) -> tuple[Obligation, ...]:
    if plan.least == 1:
        return ()
    sentence = f"Leave out all groups of fewer than {plan.least} rows."
    return (Obligation("least", sentence, "rule"),)


def _order(table: Table, plan: Plan) -> Obligation:
    numbers = plan.group in table.integers
    kind = "as a number, the smallest first" if numbers else "in byte order"
    if not plan.leading:
        return Obligation("order", f"Sort the report by `{plan.group}`, {kind}.", "rule")
    end = "smallest" if plan.rising else "largest"
    return Obligation(
        "order",
        f"Sort the report by `{plan.leading}`, the {end} number first, and groups with the same "
        f"number by `{plan.group}`, {kind}.",
        "rule",
    )


def _form(world: Report) -> tuple[Obligation, ...]:
    """Return what the file looks like; the names of spread columns are for the agent to see."""
    plan, between = world.plan, world.separator
    names = world.header[: 1 + len(plan.measures)]
    kind = "The report is a CSV file"
    if between != ",":
        kind = f"The cells of the report are separated by {SEPARATORS[between]}"
    if not plan.spread and between != "\t":
        header = f"{kind}, and its header is `{between.join(names)}`."
        return (Obligation("form", header, "format"),)
    form = f"{kind}, and its header has the names {listed(names)}, in this order."
    if not plan.spread:
        return (Obligation("form", form, "format"),)
    return (
        Obligation("form", form, "format"),
        Obligation(
            "spread",
            f"After these, the report has one more column for each different value of "
            f"`{plan.spread}` in the file, in byte order. The name of the column is the value, and "
            "its cells say how many rows of the group have this value, which may be 0.",
            "format",
        ),
    )


def _written(ctx: Following[Table], world: Report, program: str) -> tuple[str, ...]:
    plan, body = world.plan, "/tmp/groups.txt"
    between = "$'\\t'" if world.separator == "\t" else f"'{world.separator}'"
    measures = ",".join(f"{m.name}:{m.kind}:{m.column}" for m in plan.measures)
    words = (*arguments(ctx.product), plan.group, plan.spread, measures, world.separator)
    write, run, remove = run_once("/tmp/groups.py", program, words)
    keys = "-k1,1n" if plan.group in ctx.product.integers else "-k1,1"
    if plan.leading:
        place = world.header.index(plan.leading) + 1
        keys = f"-k{place},{place}n{'' if plan.rising else 'r'} {keys}"
    keep = f" | awk -F{between} '$2 >= {plan.least}'" if plan.least > 1 else ""
    return (
        f"mkdir -p {ctx.home}",
        write,
        f"{run} > {body}",
        f"head -n 1 {body} > {world.target}",
        f"tail -n +2 {body}{keep} | LC_ALL=C sort -t {between} {keys} >> {world.target}",
        f"{remove} {body}",
    )


FOLLOW_UP = GroupReport()
