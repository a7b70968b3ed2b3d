"""DPR-05 resample: irregular sensor readings on a common grid, filled by rule, gaps flagged.

Below `SHORT` the highest reading of every minute is wanted.  Above, every sensor has a clock that
is off by a known time, slots are averaged, short gaps are bridged and long ones stay open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_processing.resample import words
from tmax_gym.families.data_processing.resample.words import HEADER
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

SHORT = 0.2
PYTHON = program_text(__package__, "main.py")


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
    produces = {"sum": Port("secret")}  # noqa: RUF012

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

    def say(self, ctx: Context, world: Series) -> tuple[Clause, ...]:
        """Return the grid, the rules and the table."""
        if ctx.level < SHORT:
            return words.short(world.source, world.target)
        return words.whole(
            (ctx.path("readings"), world.source, world.target),
            step=world.step,
            gap=world.gap,
            span=world.span,
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
    phrase = f"the sum of the readings in {target}"
    read = f"awk '{{ n += $2 }} END {{ print n }}' {target}"
    return Series(
        nodes=(text(source, "\n".join(lines) + "\n"),),
        outputs=(target,),
        source=source,
        target=target,
        rows=tuple(sorted(best.items())),
        produces={"sum": ctx.stored("secret", sum(best.values()), phrase, read=read)},
    )


def _network(ctx: Context) -> Series:
    rng = ctx.rng.fork("network")
    step, gap, count = rng.choice((60, 120, 300, 600)), rng.integer(1, 3), rng.integer(16, 24)
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
        produces={"sum": delivered.total(ctx, target, "value", header=HEADER, rows=rows)},
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
