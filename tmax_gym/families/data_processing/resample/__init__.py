"""DPR-05 resample: the agent puts irregular sensor readings on a common grid of slots.

Below `SHORT` only the highest reading of every minute is wanted.  Above, every sensor has a clock
that is off by a known time, slots are averaged, short gaps are filled and long ones stay open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
HEADER = ("slot", "sensor", "value", "flag")
PYTHON = program_text(__package__, "main.py")
KEEP = Obligation(
    "keep",
    "Do not change the files that you were given.",
    "limit",
    ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify", "not edit"),
)


@dataclass(frozen=True, kw_only=True)
class Series(World):
    """The decided facts."""

    source: str
    target: str
    sensors: tuple[tuple[str, str, int], ...] = ()
    """(name, file, seconds that its clock is behind)."""
    step: int = 0
    gap: int = 0
    span: tuple[int, int] = (0, 0)
    """The first and the last slot."""
    rows: tuple[tuple[object, ...], ...] = ()


class Resample(Family[Series]):
    """Correct the clocks, average by slot, bridge what may be bridged."""

    id = "DPR-05"
    slug = "resample"
    domain = "data_processing"
    skill = "Time Series"
    primitives = (
        "Resampling and gap-filling",
        "Timestamp alignment and parsing",
        "Interpolation and imputation",
        "Time-based bucketing and aggregation",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold", "exact_text")
    languages = ("any", "python")
    tools = ("bash", "awk", "python3")
    followed_by = {  # noqa: RUF012
        "group-report": ("grid", "We want to know how much of each sensor's series is measured."),
        "split-delivery": ("grid", "Every sensor has an owner who gets only its own values."),
        "sqlite-load": ("grid", "The analysts want to query the grid with SQL."),
        "json-feed": ("grid", "The dashboard reads the grid as JSON."),
    }

    def world(self, ctx: Context) -> Series:
        """Return one log, or a file a sensor and their clocks."""
        return _one_log(ctx) if ctx.level < SHORT else _network(ctx)

    def oracle(self, ctx: Context, world: Series) -> tuple[str, ...]:
        """Return awk, or a program that is run sensor by sensor."""
        if ctx.level < SHORT:
            look = ctx.rng.fork("way").choice(("head", "shuf"))
            return (f"{look} -n 5 {world.source}", _highest(world), f"head -n 3 {world.target}")
        return (
            f"cat {world.source}; head -n 3 {ctx.path('readings')}/*",
            write_file("/tmp/grid.py", _program(world)),
            f"echo {','.join(HEADER)} > {world.target}",
            *_runs(world),
            f"cut -d, -f4 {world.target} | sort | uniq -c",
        )

    def alternative(self, ctx: Context, world: Series) -> tuple[str, ...] | None:
        """Return sort and a loop in the shell for the one log."""
        if ctx.level >= SHORT:
            return None
        keep = 'm=${t%:*}; [ "$m" = "$o" ] || echo "$m $v"; o=$m'
        loop = f"while read -r t v; do {keep}; done"
        return (f"sort -k1.1,1.5 -k2,2nr {world.source} | (o=; {loop}) > {world.target}",)

    def checks(self, ctx: Context, world: Series) -> tuple[Check | Gate, ...]:
        """Return the minutes, or the grid."""
        keep = unchanged("readings", world.nodes)
        if ctx.level < SHORT:
            rows = [f"{a} {b}" for a, b in world.rows]
            right = exact.lines("minutes", world.target, rows)
            return (keep, Check("minutes", ctx.verifier, right.score))
        return (keep, table(ctx, "grid", world.target, header=HEADER, rows=world.rows))

    def products(self, ctx: Context, world: Series) -> Mapping[str, Product]:
        """Return the minutes, or the grid unless its order does not count."""
        rows = tuple(tuple(str(cell) for cell in row) for row in world.rows)
        if ctx.level < SHORT:
            columns = ("minute", "value")
            peaks = Table(world.target, columns, rows, "minutes", separator=" ", header=False)
            return {"peaks": peaks}
        if ctx.verifier == "metric_threshold":
            return {}
        return {"grid": Table(world.target, HEADER, rows, "slots")}

    def say(self, ctx: Context, world: Series) -> tuple[Obligation, ...]:
        """Return the grid, the rules and the table."""
        if ctx.level < SHORT:
            return (*_say_short(world.source, world.target), KEEP)
        (first, last), step = world.span, world.step
        return (
            Obligation(
                "goal",
                f"Our sensors write a reading whenever they like. `{ctx.path('readings')}` has one "
                "CSV file for each sensor. Put the readings of all sensors on a common grid of "
                f"time slots and write it to `{world.target}`.",
                "goal",
            ),
            Obligation(
                "slots",
                f"Times are in seconds. There is a slot every {step} seconds, from {first} up to "
                f"and including {last}, for every sensor.",
                "input",
            ),
            Obligation(
                "clocks",
                f"The clocks of the sensors are wrong. `{world.source}` says by how many seconds "
                "each clock is behind. First add this number to the times of that sensor's "
                "readings. It can be negative.",
            ),
            Obligation(
                "value",
                "A slot covers the time from its own second up to, but not including, the next "
                "slot. If there are readings in it, the value of the slot is their mean, rounded "
                "down to a whole number, and its flag is `measured`.",
            ),
            Obligation(
                "fill",
                f"If there are at most {world.gap} slots without readings in a row, with a "
                "`measured` slot directly before and directly after them, their values lie on the "
                "straight line between those two slots, rounded down to whole numbers, and their "
                "flag is `filled`.",
            ),
            Obligation(
                "gaps",
                "All other slots without readings, those at either end of the grid included, have "
                "an empty value and the flag `gap`.",
            ),
            Obligation(
                "format",
                f"`{world.target}` is a CSV file with the header `{','.join(HEADER)}`, sorted by "
                "`sensor` and then by `slot`. A sensor is called like its file, without the "
                "suffix, and `slot` is the second at which the slot begins.",
                "format",
            ),
            KEEP,
        )

    def mutants(self, ctx: Context, world: Series) -> tuple[Attempt, ...]:
        """Return a misread rule at a time."""
        if ctx.level < SHORT:
            right = _highest(world)
            return (
                Attempt("lowest", (right.replace("$2 > x[m]", "$2 < x[m]"),)),
                Attempt("last", (right.replace(" || $2 > x[m]", " || 1"),)),
                Attempt("unsorted", (right.replace("| sort", "| sort -r"),)),
            )
        program = _program(world)
        wrong = {
            "clocks ignored": program.replace("when + offset", "when"),
            "clocks the wrong way": program.replace("when + offset", "when - offset"),
            "every gap filled": program.replace("(GAP + 1) * STEP", "10**9"),
            "held, not bridged": program.replace(
                "a + (b - a) * (slot - before) // (after - before)", "a"
            ),
            "last reading": program.replace("sum(v) // len(v)", "v[-1]"),
        }
        return tuple(Attempt(name, _whole(world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Series) -> tuple[Attempt, ...]:
        """Return a bare header, and a grid of gaps."""
        first, last = world.span
        loop = f"for t in $(seq {first} {world.step or 60} {last}); do echo $t,,,gap; done"
        return (
            Attempt("bare header", (f"echo {','.join(HEADER)} > {world.target}",)),
            Attempt("gaps", (f"(echo {','.join(HEADER)}; {loop}) > {world.target}",)),
        )


def _say_short(source: str, target: str) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"We need the highest value of every minute in the log `{source}`. Every line of the "
            "log is `HH:MM:SS value`.",
            "goal",
        ),
        Obligation(
            "table",
            f"Write a line `HH:MM value` to `{target}` for each minute that occurs in the log, "
            "with the highest value of this minute, in order of time.",
            "output",
        ),
    )


def _highest(world: Series) -> str:
    rule = "!(m in x) || $2 > x[m]"
    body = f"{{ m = substr($1, 1, 5); if ({rule}) x[m] = $2 }} END {{ for (m in x) print m, x[m] }}"
    return f"awk '{body}' {world.source} | sort > {world.target}"


def _program(world: Series) -> str:
    first, last = world.span
    return f"FIRST, LAST, STEP, GAP = {first}, {last}, {world.step}, {world.gap}\n{PYTHON}"


def _runs(world: Series) -> tuple[str, ...]:
    return tuple(
        f"python3 /tmp/grid.py {name} {file} {offset} >> {world.target}"
        for name, file, offset in world.sensors
    )


def _whole(world: Series, program: str) -> tuple[str, ...]:
    head = f"echo {','.join(HEADER)} > {world.target}"
    return (write_file("/tmp/grid.py", program), "; ".join((head, *_runs(world))))


def _one_log(ctx: Context) -> Series:
    rng = ctx.rng.fork("log")
    source, target = ctx.path(f"{ctx.skin.stem(rng)}.log"), ctx.path("highest.txt")
    hour, lines, best = rng.integer(0, 22), [], dict[str, int]()
    for minute in sorted(rng.sample(range(60), 12)):
        for second in sorted(rng.sample(range(60), rng.integer(2, 5))):
            value, key = rng.integer(100, 999), f"{hour:02d}:{minute:02d}"
            lines.append(f"{key}:{second:02d} {value}")
            best[key] = max(value, best.get(key, 0))
    return Series(
        nodes=(text(source, "\n".join(lines) + "\n"),),
        outputs=(target,),
        source=source,
        target=target,
        rows=tuple(sorted(best.items())),
    )


def _network(ctx: Context) -> Series:
    rng = ctx.rng.fork("network")
    step, gap, count = rng.choice((60, 120, 300, 600)), rng.integer(1, 3), rng.integer(16, 24)
    count = max(count, 2 * gap + 11)  # a measured slot must follow the gap that is too long
    first = rng.integer(1_650_000_000, 1_700_000_000) // step * step
    span = (first, first + (count - 1) * step)
    names = [f"{c.lower()}{rng.integer(1, 9)}" for c in rng.sample(sorted(set(ctx.skin.codes)), 8)]
    sensors, nodes, rows = [], [], list[tuple[object, ...]]()
    for name in sorted(names[: ctx.knob(1, 8)]):
        r = rng.fork("sensor", name)
        offset = r.choice((-1, 1)) * r.integer(step // 3, 2 * step)
        slots = _readings(r, count, step=step, gap=gap)
        body = "".join(
            f"{first + number * step + at - offset},{value}\n"
            for number, slot in enumerate(slots)
            for at, value in slot
        )
        path = ctx.path("readings", f"{name}.csv")
        nodes.append(text(path, "time,value\n" + body))
        sensors.append((name, path, offset))
        rows += _grid(name, slots, span=span, step=step, gap=gap)
    clocks, target = ctx.path("clocks.csv"), ctx.path("grid.csv")
    offsets = "".join(f"{name},{offset}\n" for name, _, offset in sensors)
    return Series(
        nodes=(*nodes, text(clocks, "sensor,behind\n" + offsets)),
        outputs=(target,),
        source=clocks,
        target=target,
        sensors=tuple(sensors),
        step=step,
        gap=gap,
        span=span,
        rows=tuple(rows),
    )


def _readings(rng: Rng, count: int, *, step: int, gap: int) -> list[list[tuple[int, int]]]:
    """Return (second in the slot, value) by slot; one gap to bridge and one that is too long."""
    level, slots = rng.integer(300, 5000), list[list[tuple[int, int]]]()
    empty = {3 + n for n in range(gap)} | {8 + gap + n for n in range(gap + 1)}
    for number in range(count):
        level += rng.integer(-90, 90)
        if number in empty or number == count - 1:
            slots.append([])
            continue
        times = sorted(rng.sample(range(step), rng.integer(1, 3)))
        slots.append([(at, level + rng.integer(-25, 25)) for at in times])
    return slots


def _grid(
    name: str,
    slots: Sequence[Sequence[tuple[int, int]]],
    *,
    span: tuple[int, int],
    step: int,
    gap: int,
) -> list[tuple[object, ...]]:
    values = {n: sum(v for _, v in s) // len(s) for n, s in enumerate(slots) if s}
    rows: list[tuple[object, ...]] = []
    for number in range(len(slots)):
        before = max((n for n in values if n < number), default=-1)
        after = min((n for n in values if n > number), default=-1)
        shown: object = ""
        flag = "gap"
        if number in values:
            shown, flag = values[number], "measured"
        elif before >= 0 and after >= 0 and after - before - 1 <= gap:
            a, b = values[before], values[after]
            shown, flag = a + (b - a) * (number - before) // (after - before), "filled"
        rows.append((span[0] + number * step, name, shown, flag))
    return rows


FAMILY = Resample()
