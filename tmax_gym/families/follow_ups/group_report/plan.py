"""What a report on groups shows: the column that makes the groups, the measures, the order.

Covers the choice and the true rows.  Does not cover files or words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmax_gym.families.contract import Following
from tmax_gym.families.products import Table
from tmax_gym.families.shared.columns import FEW, grouping, plain_columns
from tmax_gym.rng import Rng

MOST_SPREAD = 6
"""Most values that become columns of the report."""
NUMBERS: dict[str, Callable[[Sequence[int]], int]] = {"sum": sum, "min": min, "max": max}
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """One column of a report."""

    name: str
    kind: str
    """rows, percent, distinct, first, last, sum, min or max."""
    column: str = ""
    """The column of the table that it looks at, if it looks at one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of a report."""

    group: str
    measures: tuple[Measure, ...]
    """The number of rows first."""
    spread: str
    """A column whose values become columns of the report, or ""."""
    leading: str
    """The measure by which the rows are sorted; "" sorts by the group."""
    rising: bool
    """Whether the smallest value of that measure comes first."""
    least: int
    """Fewest rows of a group in the report."""


def plan(ctx: Following[Table]) -> Plan:
    """Return a drawn report."""
    table, rng = ctx.product, ctx.rng.fork("plan")
    group = grouping(table)
    spread = _spread(table, group)
    free = [name for name in ("rows", "count", "entries") if name not in table.columns]
    rows = Measure(rng.choice(free or ["group_size"]), "rows")
    pool = _pool(table, group, spread)
    sums = [place for place, measure in enumerate(pool) if measure.kind == "sum"]
    rest = [place for place in range(len(pool)) if place not in sums]
    drawn = [*sums, *rng.sample(rest, min(len(rest), ctx.knob(1, 4) - len(sums)))]
    measures = (rows, *(pool[place] for place in sorted(drawn)))
    leading = rng.choice(("", rows.name, *(m.name for m in measures if m.kind == "sum")))
    return Plan(
        group=group,
        measures=measures,
        spread=spread,
        leading=leading,
        rising=bool(leading) and rng.chance(0.3),
        least=_least(table, group, rng),
    )


def report(table: Table, plan: Plan) -> tuple[Row, tuple[Row, ...]]:
    """Return the header and the rows of the right report."""
    groups: dict[str, list[Row]] = {}
    for value, row in zip(table.column(plan.group), table.rows, strict=True):
        groups.setdefault(value, []).append(row)
    names = tuple(measure.name for measure in plan.measures)
    kinds = sorted(set(table.column(plan.spread))) if plan.spread else []
    place = table.columns.index(plan.spread) if plan.spread else 0

    def rank(value: str) -> tuple[int, int, str]:
        number = int(value) if plan.group in table.integers else 0
        if not plan.leading:
            return 0, number, value
        first = int(_measured(table, plan.measures[names.index(plan.leading)], groups[value]))
        return first if plan.rising else -first, number, value

    rows = tuple(
        (
            value,
            *(_measured(table, measure, groups[value]) for measure in plan.measures),
            *(str(sum(row[place] == kind for row in groups[value])) for kind in kinds),
        )
        for value in sorted(groups, key=rank)
        if len(groups[value]) >= plan.least
    )
    return (plan.group, *names, *kinds), rows


def _spread(table: Table, group: str) -> str:
    for name in plain_columns(table):
        kinds = set(table.column(name))
        few = 2 <= len(kinds) <= min(MOST_SPREAD, len(table.rows) // FEW)
        clear = not any(kind[0].isdigit() or "_" in kind or kind == "rows" for kind in kinds)
        if name not in (group, *table.integers) and few and clear:
            return name
    return ""


def _pool(table: Table, group: str, spread: str) -> list[Measure]:
    """Return what could be measured besides the number of rows."""
    others = [name for name in plain_columns(table) if name not in (group, spread)]
    numbers = [name for name in others if name in table.integers]
    words = [name for name in others if name not in table.integers]
    pool = []
    if numbers:
        last = numbers[-1]
        amount = last == table.integers[-1] and last != table.columns[0]
        kinds = ("sum", "min", "max") if amount else ("min", "max")
        pool += [Measure(f"{kind}_{last}", kind, last) for kind in kinds]
    if words:
        pool += [Measure(f"{kind}_{words[0]}", kind, words[0]) for kind in ("first", "last")]
    pool += [
        Measure(f"different_{name}", "distinct", name) for name in others if name not in table.keys
    ][:1]
    pool.append(Measure("percent", "percent"))
    return [measure for measure in pool if measure.name not in table.columns]


def _least(table: Table, group: str, rng: Rng) -> int:
    """Return the size below which groups are left out; 1 mostly."""
    values = table.column(group)
    sizes = sorted({values.count(value) for value in values})
    kept = len({value for value in values if values.count(value) > sizes[0]})
    return sizes[0] + 1 if kept >= 2 and rng.chance(0.4) else 1


def _measured(table: Table, measure: Measure, members: Sequence[Row]) -> str:
    if measure.kind == "rows":
        return str(len(members))
    if measure.kind == "percent":
        return str(100 * len(members) // len(table.rows))
    place = table.columns.index(measure.column)
    values = [row[place] for row in members]
    if measure.kind == "distinct":
        return str(len(set(values)))
    if measure.kind in ("first", "last"):
        return min(values) if measure.kind == "first" else max(values)
    return str(NUMBERS[measure.kind]([int(value) for value in values]))
