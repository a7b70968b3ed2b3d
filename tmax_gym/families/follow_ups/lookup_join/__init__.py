"""Follow-up: the agent joins a table with a list that says something about one of its columns."""

from __future__ import annotations

from dataclasses import replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.lookup_join.plan import Join, Repeats, drawn
from tmax_gym.families.follow_ups.lookup_join.subjects import key_column
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import heads, is_trimmed, listed
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.obligations import Obligation

PIECES = program_sections(__package__, "join.py")
LOG = "/tmp/without.txt"


class LookupJoin(FollowUp[Table, Join]):
    """A CSV with all rows of a table and what a list says about each, by stated rules."""

    slug = "lookup-join"
    tools = ("bash", "python3")
    works_on = Table

    def suits(self, product: Table) -> bool:
        """Return whether a column has several values and none of them is empty."""
        several = len(product.rows) >= 2 and is_trimmed(product)
        return several and key_column(product) is not None

    def world(self, ctx: Following[Table]) -> Join:
        """Return a list with some of the values of a column, and others."""
        return drawn(ctx)

    def oracle(self, ctx: Following[Table], world: Join) -> tuple[str, ...]:
        """Return a Python program that is used once, and a sorted list of what it prints."""
        return _written(ctx.product, world)

    def checks(self, ctx: Following[Table], world: Join) -> tuple[Check | Gate, ...]:
        """Return a check of the rows, one of the values without a partner, and a gate."""
        header = (*ctx.product.columns, *world.added)
        rows = exact.rows("rows", world.target, world.expected, header=header, weight=0.9)
        kept = unchanged("list", world.nodes)
        if not world.without:
            return (rows, kept)
        return (rows, exact.lines("without", world.without, world.alone, weight=0.1), kept)

    def say(self, ctx: Following[Table], world: Join) -> tuple[Obligation, ...]:
        """Return the two inputs, the rules of the join and the result."""
        table = ctx.product
        header = ",".join((*table.columns, *world.added))
        return (
            Obligation(
                "goal",
                f"Join the {table.noun} in `{world.source}` with the list `{world.list}`, and "
                f"write the result to `{world.target}`.",
                "goal",
            ),
            *heads(table),
            Obligation("list", _say_list(world), "input"),
            *_say_rules(world),
            Obligation(
                "header",
                f"`{world.target}` is a CSV file with the header `{header}`. "
                "It has all columns of the table as they are, and then "
                f"{listed(world.added)} of the list.",
                "format",
            ),
            Obligation("none", _say_none(world), "format"),
            Obligation("order", _say_order(world), "format", ("order",)),
            *_say_rest(world),
        )

    def mutants(self, ctx: Following[Table], world: Join) -> tuple[Attempt, ...]:
        """Return joins that lose rows, take other lines of the list or mark rows otherwise."""
        table = ctx.product
        other: Repeats = "first" if world.repeats == "last" else "last"
        wrong = {
            "no partner no row": world,
            "another line": replace(world, repeats=other),
            "another mark": replace(world, none="nobody"),
            **({"every line counts": replace(world, valid="")} if world.valid else {}),
        }
        return tuple(
            Attempt(
                name,
                _written(table, changed, ", nobody)" if changed is world else ""),
            )
            for name, changed in wrong.items()
        )

    def exploits(self, ctx: Following[Table], world: Join) -> tuple[Attempt, ...]:
        """Return a header without rows, and the list in place of the table."""
        names = (*ctx.product.columns, *world.added)
        head = ",".join(names)
        blanks = "," * (len(names) - 1)
        rest = (f": > {world.without}",) if world.without else ()
        values = f"tail -n +2 {world.list} | tr '\\t;' ',,' | sed 's/$/{blanks}/'"
        return (
            Attempt("no rows", (f"echo {head} > {world.target}", *rest)),
            Attempt("the list", (f"{{ echo {head}; {values}; }} > {world.target}", *rest)),
        )


def _say_list(world: Join) -> str:
    if world.between == "\t":
        form = f"has the columns {listed(world.header)}, separated by tabs, and a header"
    else:
        form = f"has the header `{world.between.join(world.header)}`"
    same = "" if not world.folded else ", whatever the case of the letters"
    return (
        f"The list {form}. A line of the list belongs to the rows whose `{world.key}` is equal to "
        f"its `{world.ref}`{same}."
    )


def _say_rules(world: Join) -> tuple[Obligation, ...]:
    """Return which lines of the list count, and what happens if there are several."""
    some = "lines that count" if world.valid else "lines"
    several = f"If several {some} belong to a row, "
    several += {
        "first": "the first of them is its partner.",
        "last": "the last of them is its partner.",
        "latest": "the one with the latest day in `since` is its partner.",
        "all": "each of them is its partner, and the row is written once for each, in the order of "
        "the list.",
    }[world.repeats]
    valid = f"Only lines whose `state` is `{world.valid}` count."
    return (
        *((Obligation("valid", valid),) if world.valid else ()),
        Obligation("several", several, "rule", ("several", "more than one", "multiple")),
    )


def _say_none(world: Join) -> str:
    if not world.none:
        return f"In rows without a partner, leave {listed(world.added)} empty."
    return f"In rows without a partner, write `{world.none}` for {listed(world.added)}."


def _say_order(world: Join) -> str:
    if not world.sorted:
        return "The rows are in the order of the table."
    first = world.added[0]
    return (
        f"Sort the rows by `{first}` in byte order; rows with the same `{first}` stay in the order "
        "of the table."
    )


def _say_rest(world: Join) -> tuple[Obligation, ...]:
    """Return the list of values without a partner, and what stays as it is."""
    kept = Obligation("kept", f"Do not change `{world.list}`.", "limit")
    if not world.without:
        return (kept,)
    spelt = ", as they stand in the table" if world.folded else ""
    alone = (
        f"Also write the values of `{world.key}` without a partner to `{world.without}`{spelt}: "
        "each of them once, on a line of its own, in byte order."
    )
    return (Obligation("without", alone, "output"), kept)


def _program(table: Table, world: Join) -> str:
    """Return the program that joins, without parts that it does not need."""
    names = ["start", "header" if table.header else "no_header", "list"]
    names += ["valid"] if world.valid else []
    names += ["folded" if world.folded else "exact"]
    names += [world.repeats] if world.repeats != "all" else []
    names += ["join_folded" if world.folded else "join"]
    names += ["sort"] if world.sorted else []
    program = "".join(PIECES[name] for name in (*names, "write"))
    holes = {
        "@source": world.source,
        "@separator": table.separator,
        "@columns": list(table.columns),
        "@list": world.list,
        "@between": world.between,
        "@valid": world.valid,
        "@ref": world.ref,
        "@key": world.key,
        "@added": list(world.added),
        "@none": world.none,
        "@target": world.target,
    }
    # A longer name first, because another may be its beginning.
    for name in sorted(holes, key=len, reverse=True):
        program = program.replace(name, repr(holes[name]))
    return program


def _written(table: Table, world: Join, lost: str = "") -> tuple[str, ...]:
    """Return commands that join; `lost` is what rows without a partner depend on."""
    program = _program(table, world)
    script = write_file("/tmp/join.py", program.replace(lost, ", [])") if lost else program)
    if not world.without:
        return (script, "python3 /tmp/join.py > /dev/null", "rm /tmp/join.py")
    return (
        script,
        f"python3 /tmp/join.py > {LOG}",
        f"LC_ALL=C sort -u {LOG} > {world.without}",
        f"rm /tmp/join.py {LOG}",
    )


FOLLOW_UP = LookupJoin()
