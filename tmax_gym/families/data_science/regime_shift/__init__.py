"""DSC-06 regime shift: where a series changes its level, and what the levels are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

TOLERANCE = 2
"""Samples by which a reported change may be off."""
MARGIN = 12
"""Fewest samples of a regime."""

PYTHON = program_text(__package__, "main.py")


@dataclass(frozen=True, kw_only=True)
class Series(World):
    """The decided facts."""

    source: str
    target: str
    column: str
    shifts: tuple[int, ...]
    means: tuple[float, ...]
    sigma: float
    length: int


class RegimeShift(Family[Series]):
    """A noisy series with a known number of level changes."""

    id = "DSC-06"
    slug = "regime-shift"
    domain = "data_science"
    skill = "Mathematical"
    primitives = (
        "Hypothesis testing and confidence intervals",
        "Sampling and bootstrap methods",
        "Missing value and outlier handling",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("any", "python")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Series:
        """Return a series whose shifts the reference solution finds: drawn until it does."""
        for attempt in range(50):
            series = _series(ctx, ctx.rng.fork("series", attempt))
            detected = _detect(series.values, len(series.shifts))
            near = all(abs(a - b) <= 1 for a, b in zip(detected, series.shifts, strict=True))
            exact_first = detected[0] == series.shifts[0]  # a later stage may need it
            if near and exact_first and not _evenly_spaced(series):
                return _world(ctx, series)
        raise ValueError(f"no separable series in 50 draws at level {ctx.level}")

    def oracle(self, ctx: Context, world: Series) -> tuple[str, ...]:
        """Return binary segmentation with refinement, in Python."""
        return (
            f"head -n 4 {world.source}; wc -l {world.source}",
            write_file("/tmp/shift.py", _program(world)),
            f"python3 /tmp/shift.py && cat {world.target}",
            "rm /tmp/shift.py",
        )

    def checks(self, ctx: Context, world: Series) -> tuple[Check | Gate, ...]:
        """Return the F1 of the shifts and the share of levels within half a sigma."""
        return (
            unchanged("source", world.nodes),
            metric_threshold(
                "shifts", lambda e: _f1(e, world), base=0.0, threshold=1.0, weight=2.0
            ),
            metric_threshold("means", lambda e: _levels(e, world), base=0.0, threshold=1.0),
        )

    def say(self, ctx: Context, world: Series) -> tuple[Obligation, ...]:
        """Return the series, the number of changes and the answer's form."""
        count = len(world.shifts)
        times = "once" if count == 1 else f"{count} times"
        return (
            Obligation(
                "goal",
                f"`{world.source}` holds a noisy series of measurements in the column "
                f"`{world.column}`, one row per `sample`. The level of the series, that is its "
                f"mean, changes abruptly. Find out where, and write the positions and the levels "
                f"to `{world.target}`.",
                "goal",
            ),
            Obligation(
                "count",
                f"The level changes exactly {times}.",
                "input",
                keys=("once", "one change", "one jump", "single", f"{count} times"),
            ),
            Obligation(
                "format",
                f"`{world.target}` is a JSON object with two lists. `shifts` has, in ascending "
                f"order, the value of `sample` in the first row after each change. `means` has "
                f"the mean of each stretch between the changes, from the first stretch to the "
                f"last, so it is one entry longer than `shifts`.",
                "format",
            ),
            Obligation(
                "tolerance",
                f"An entry of `shifts` counts as right if it is at most {TOLERANCE} samples off, "
                f"and an entry of `means` if it is off by at most half the standard deviation of "
                f"the noise.",
                "grading",
            ),
            Obligation("keep", f"Leave `{world.source}` as it is.", "limit"),
        )

    def mutants(self, ctx: Context, world: Series) -> tuple[Attempt, ...]:
        """Return an off-by-many index, evenly spaced cuts, levels forgotten."""
        program = _program(world)
        wrong = {
            "five late": program.replace(
                '"shifts": sorted(cuts)', '"shifts": [c + 5 for c in cuts]'
            ),
            "even spacing": program.replace(
                "means = [",
                "cuts = [len(x) * (i + 1) // (COUNT + 1) for i in range(COUNT)]\nmeans = [",
            ),
            "no levels": program.replace('"means": means', '"means": []'),
        }
        return tuple(
            Attempt(name, (write_file("/tmp/shift.py", body), "python3 /tmp/shift.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Series) -> tuple[Attempt, ...]:
        """Return every index as a shift, and numbers that are none."""
        every = f"import json; json.dump({{'shifts': list(range({world.length})), 'means': []}}, "
        return (
            Attempt("every index", (f"python3 -c \"{every}open('{world.target}', 'w'))\"",)),
            Attempt("nan", (f'echo \'{{"shifts": [NaN], "means": [1e999]}}\' > {world.target}',)),
        )


@dataclass(frozen=True, slots=True)
class _Made:
    values: tuple[float, ...]
    shifts: tuple[int, ...]
    sigma: float


def _series(ctx: Context, rng: Rng) -> _Made:
    measure = ctx.skin.measure(ctx.rng.fork("measure"))
    count = ctx.knob(1, 5)
    length = ctx.knob(90, 420)
    spare = length - MARGIN * (count + 1)
    marks = sorted(rng.integer(0, spare) for _ in range(count))
    shifts = tuple(mark + MARGIN * (i + 1) for i, mark in enumerate(marks))
    sigma = (measure.hi - measure.lo) / 40
    ratio = 7.0 - 2.5 * ctx.level
    level, levels = measure.lo + (measure.hi - measure.lo) * (0.3 + 0.4 * rng.uniform()), []
    for _ in range(count + 1):
        levels.append(level)
        step = sigma * ratio * (1.0 + 0.5 * rng.uniform())
        up = level + step < measure.hi and (level - step < measure.lo or rng.chance(0.5))
        level += step if up else -step
    edges = (0, *shifts, length)
    values = [
        round(levels[i] + sigma * rng.gauss(), 3)
        for i, (a, b) in enumerate(pairwise(edges))
        for _ in range(b - a)
    ]
    return _Made(tuple(values), shifts, sigma)


def _evenly_spaced(series: _Made) -> bool:
    """Return whether a guess without a look at the values finds all shifts."""
    parts = len(series.shifts) + 1
    guess = (len(series.values) * part // parts for part in range(1, parts))
    return all(abs(a - b) <= TOLERANCE for a, b in zip(guess, series.shifts, strict=True))


def _world(ctx: Context, series: _Made) -> Series:
    column = ctx.skin.measure(ctx.rng.fork("measure")).column
    source = ctx.path(f"{ctx.skin.stem(ctx.rng.fork('stem'))}.csv")
    body = f"sample,{column}\n" + "".join(f"{i},{v:.3f}\n" for i, v in enumerate(series.values))
    target = ctx.path("regimes.json")
    edges = (0, *series.shifts, len(series.values))
    means = tuple(sum(series.values[a:b]) / (b - a) for a, b in pairwise(edges))
    return Series(
        nodes=(text(source, body),),
        outputs=(target,),
        source=source,
        target=target,
        column=column,
        shifts=series.shifts,
        means=means,
        sigma=series.sigma,
        length=len(series.values),
    )


def _detect(values: tuple[float, ...], count: int) -> list[int]:
    """Return change points by binary segmentation and refinement, as the oracle does."""
    total = [0.0]
    for value in values:
        total.append(total[-1] + value)

    def gain(a: int, m: int, b: int) -> float:
        return (total[m] - total[a]) ** 2 / (m - a) + (total[b] - total[m]) ** 2 / (b - m)

    def best(a: int, b: int) -> tuple[float, int]:
        spots = range(a + 4, b - 3)
        if not spots:
            return (-1.0, a)
        m = max(spots, key=lambda m: gain(a, m, b))
        return (gain(a, m, b) - (total[b] - total[a]) ** 2 / (b - a), m)

    cuts: list[int] = []
    for _ in range(count):
        edges = [0, *sorted(cuts), len(values)]
        cuts.append(max(best(a, b) for a, b in pairwise(edges))[1])
    for _ in range(6):
        edges = [0, *sorted(cuts), len(values)]
        cuts = [best(edges[i - 1], edges[i + 1])[1] for i in range(1, len(edges) - 1)]
    return sorted(cuts)


def _program(world: Series) -> str:
    names = {
        "SOURCE": world.source,
        "TARGET": world.target,
        "COLUMN": world.column,
        "COUNT": len(world.shifts),
    }
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + PYTHON


def _numbers(evidence: Evidence, world: Series, key: str) -> list[float]:
    report = exact.read_json(evidence, world.target)
    values = report.get(key) if isinstance(report, dict) else None
    if not isinstance(values, list) or len(values) > world.length:
        raise BadOutput(f"{world.target} has no list {key!r} of a plausible length")
    if not all(tolerance.is_number(v, below=1e15) for v in values):
        raise BadOutput(f"{key!r} in {world.target} holds what is no finite number")
    return [float(v) for v in values]


def _f1(evidence: Evidence, world: Series) -> float:
    shifts = sorted(_numbers(evidence, world, "shifts"))
    left, hits = list(world.shifts), 0
    for index in shifts:
        near = [s for s in left if abs(s - index) <= TOLERANCE]
        if near:
            left.remove(near[0])
            hits += 1
    return 2 * hits / (len(shifts) + len(world.shifts))


def _levels(evidence: Evidence, world: Series) -> float:
    means = _numbers(evidence, world, "means")
    if len(means) != len(world.means):
        raise BadOutput(f"`means` has {len(means)} entries")
    near = [math.fabs(a - b) <= world.sigma / 2 for a, b in zip(means, world.means, strict=True)]
    return sum(near) / len(near) if _f1(evidence, world) > 0 else 0.0


FAMILY = RegimeShift()
