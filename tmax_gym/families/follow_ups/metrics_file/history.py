"""A history of figures: a CSV file to which a line is appended."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Evidence
from tmax_gym.families.contract import Attempt, Following, World
from tmax_gym.families.products import Record
from tmax_gym.families.shared.columns import listed
from tmax_gym.families.shared.records import another, fresh, numbers
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

MOST_FIELDS = 4
DRAWS = 100
GROUPS = ("site", "place", "team", "room")
COUNTS = ("no", "run", "nr")
DAYS = ("day", "date")
START = date(2025, 1, 6)
Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class History(World):
    """The decided facts."""

    record: str
    target: str
    between: str
    header: Row
    count: str
    """The column that numbers the lines."""
    day: tuple[str, str]
    """The column of the day, and its value in the new line."""
    group: tuple[str, str]
    """The column of the group, and its value in the new line."""
    fields: Row
    """The columns that have the values of the fields of the same name."""
    grown: str
    """The field whose change since the last line of the group is a column; "" for none."""
    change: str
    """The name of that column."""
    open_end: bool
    """Whether the last line has no end."""
    old: tuple[Row, ...]
    new: Row


def drawn(ctx: Following[Record]) -> History:
    """Return the decisions, and what follows from them."""
    rng, record = ctx.rng.fork("history"), ctx.product
    names = tuple(record.fields)
    some = set(rng.sample(names, min(len(names), rng.integer(2, MOST_FIELDS))))
    fields = tuple(name for name in names if name in some)
    integers = [name for name in fields if name in numbers(record)]
    grown = rng.choice(integers) if integers and rng.chance(0.75) else ""
    change = rng.choice((f"{grown}_change", f"{grown}_diff")) if grown else ""
    count, day = rng.choice(fresh(COUNTS, record)), rng.choice(fresh(DAYS, record))
    group = rng.choice(fresh(GROUPS, record))
    columns = [*fields, day, group, *([change] if change else [])]
    header = (count, *rng.shuffled(columns))
    places = rng.sample(ctx.skin.places, ctx.knob(2, 4))
    own = (count, day, group, grown, change)
    draws = (_rows(ctx, rng.fork("rows", n), places, own, fields) for n in range(DRAWS))
    *old, new = next(rows for rows in draws if _telling(rows, grown, change))
    between = rng.choice((",", ";"))
    stem = slugged(record.noun)
    target = ctx.path(rng.choice(("history.csv", f"{stem}_history.csv", f"{stem}s.csv")))
    open_end = rng.chance(0.3)
    lines = [between.join(header), *(between.join(row[c] for c in header) for row in old)]
    content = "\n".join(lines) + ("" if open_end else "\n")
    return History(
        nodes=(text(target, content),),
        outputs=(target,),
        record=record.path,
        target=target,
        between=between,
        header=header,
        count=count,
        day=(day, new[day]),
        group=(group, new[group]),
        fields=fields,
        grown=grown,
        change=change,
        open_end=open_end,
        old=tuple(tuple(row[c] for c in header) for row in old),
        new=tuple(new[c] for c in header),
    )


def _rows(
    ctx: Following[Record], rng: Rng, places: Sequence[str], own: Sequence[str], fields: Row
) -> list[dict[str, str]]:
    """Return all lines; the last one has the record, and the one before it another place."""
    count, day, group, grown, change = own
    amount = ctx.knob(6, 22)
    where = [rng.choice(places) for _ in range(amount - 2)] + [places[1], places[0]]
    where[0] = places[0]
    first, when = rng.integer(1, 400), START + timedelta(days=rng.integer(0, 200))
    last: dict[str, int] = {}
    rows: list[dict[str, str]] = []
    for number, place in enumerate(where):
        when += timedelta(days=rng.integer(1, 9))
        values = {n: another(ctx.product.fields[n], ctx.skin, rng) for n in fields}
        if number == amount - 1:
            values = {n: ctx.product.fields[n] for n in fields}
        row = {n: str(value) for n, value in values.items()}
        row |= {count: str(first + number), day: when.isoformat(), group: place}
        if grown:
            now = int(values[grown])
            row[change] = str(now - last[place]) if place in last else ""
            last[place] = now
        rows.append(row)
    return rows


def _telling(rows: Sequence[Mapping[str, str]], grown: str, change: str) -> bool:
    """Return whether the change is neither that of the line before nor the one since that line."""
    if not change:
        return True
    *_, before, new = rows
    return new[change] not in (before[change], str(int(new[grown]) - int(before[grown])))


def checks(world: History) -> tuple[Check, ...]:
    """Return a check of the new line, worth most if the others are as they were."""
    wanted = [world.header, *world.old, world.new]
    own = [n for n, name in enumerate(world.header) if name in (*world.fields, world.change)]

    def score(evidence: Evidence) -> float:
        rows = exact.read_rows(evidence, world.target, delimiter=world.between)
        actual = tolerance.alike(rows, wanted)
        if actual == wanted:
            return 1.0
        row = actual[-1] if actual else ()
        if actual == wanted[:-1] or len(row) != len(world.header):
            return 0.0
        share = sum(row[at] == world.new[at] for at in own) / len(own)
        kept = actual[:-1] == wanted[:-1]
        return exact.NOT_WHOLE * share * (1.0 if kept else 0.5)

    return (Check("line", "exact_text", score),)


def say(world: History, noun: str) -> tuple[Obligation, ...]:
    """Return what the new line has in each column, and that the others stay."""
    group, place = world.group
    day, when = world.day
    which = "has the field" if len(world.fields) == 1 else "have the fields"
    several = (
        Obligation(
            "change",
            f"`{world.change}` is `{world.grown}` minus the `{world.grown}` of the last line "
            f"before that has the same `{group}`.",
            "format",
        ),
    )
    return (
        Obligation(
            "goal",
            f"Append the {noun} that `{world.record}` describes as one line to the history "
            f"`{world.target}`.",
            "goal",
        ),
        Obligation(
            "header",
            f"The history is a CSV file with the header `{world.between.join(world.header)}`; "
            f"{listed(world.fields)} {which} of the same name.",
            "format",
        ),
        Obligation(
            "facts",
            f"In the new line `{day}` is `{when}`, `{group}` is `{place}`, and `{world.count}` is "
            "one more than in the line before.",
            "format",
        ),
        *(several if world.change else ()),
        Obligation("kept", "All lines that are there now stay as they are.", "limit", ("lines",)),
    )


def oracle(world: History) -> tuple[str, ...]:
    """Return shell commands that put the line together."""
    between, group = shlex.quote(world.between), world.header.index(world.group[0]) + 1
    commands = [f"sed -i '$a\\' {world.target}"] if world.open_end else []
    commands.append(f"last=$(tail -n 1 {world.target} | cut -d {between} -f 1)")
    if world.change:
        at = world.header.index(world.grown) + 1
        commands.append(
            f"before=$(awk -F {between} -v where={shlex.quote(world.group[1])} "
            f"'${group} == where {{ value = ${at} }} END {{ print value }}' {world.target})"
        )
    cells: Mapping[str, str] = {
        world.count: "$last + 1",
        world.day[0]: f'"{world.day[1]}"',
        world.group[0]: f'"{world.group[1]}"',
        world.change: f".{world.grown} - $before",
    }
    row = ", ".join(f"({cells.get(name, f'.{name}')})" for name in world.header)
    known = '--argjson last "$last"' + (' --argjson before "$before"' if world.change else "")
    query = shlex.quote(f'[{row}] | map(tostring) | join("{world.between}")')
    commands.append(f"line=$(jq -r {known} {query} {world.record})")
    return (*commands, f'echo "$line" >> {world.target}')


def mutants(world: History) -> tuple[Attempt, ...]:
    """Return lines with a wrong number or a wrong change, and files with too many or too few."""
    commands = oracle(world)
    wrong = {
        "same number": [c.replace("$last + 1", "$last") for c in commands],
        "twice": [*commands, commands[-1]],
        "overwritten": [c.replace(">> ", "> ") for c in commands],
    }
    if world.change:
        wrong["any line before"] = [
            c.replace(f"${world.header.index(world.group[0]) + 1} == where", "NR > 1")
            for c in commands
        ]
    if world.open_end:
        wrong["two lines in one"] = list(commands[1:])
    return tuple(Attempt(name, tuple(changed)) for name, changed in wrong.items())


def exploits(world: History) -> tuple[Attempt, ...]:
    """Return the last line again, and a line without the record."""
    known = dict([world.day, world.group])
    blank = replace(world, new=tuple(known.get(name, "-") for name in world.header)).new
    line = shlex.quote(world.between.join(blank))
    end = f"sed -i '$a\\' {world.target}"
    return (
        Attempt("last again", (end, f"tail -n 1 {world.target} >> {world.target}")),
        Attempt("no record", (end, f"echo {line} >> {world.target}")),
    )
