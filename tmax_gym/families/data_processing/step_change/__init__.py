"""DPR-20 step change: the agent finds anomalies, changes of level and neighbours of series.

The method is on a sheet, and all of it is in whole numbers.  The agent writes a program that works
with parallel workers, is run on hidden series, and makes a report on given series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.step_change import rules
from tmax_gym.families.data_processing.step_change.rendering import program
from tmax_gym.families.data_processing.step_change.sheet import sheet as method
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

CASES = 5
DRAWS = 12
"""Sets of series drawn until both anomalies and changes occur; mostly the first or second."""


@dataclass(frozen=True, kw_only=True)
class Screening(World):
    """The decided facts."""

    plan: rules.Plan
    programs: sources.Sources
    source: str
    sheet: str
    report: str
    workers: int
    rows: tuple[rules.Series, ...]
    lines: Sequence[str]
    cases: Sequence[tuple[bytes, bytes]]


class StepChange(Family[Screening]):
    """Scale, find, compare, in parallel and to the unit."""

    id = "DPR-20"
    slug = "step-change"
    domain = "data_processing"
    skill = "Time Series"
    primitives = (
        "Anomaly and changepoint detection",
        "Normalization and standardization",
        "Distance and similarity computation",
        "Parallel data processing",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text", "fuzz_equivalence")
    languages = ("python", "c", "cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("program", "The series of all other sites are waiting for the same method."),
        "command-wrapper": ("program", "The analysts want a command that they can call easily."),
        "make-target": ("program", "Reports should be made again only when their series change."),
    }

    def world(self, ctx: Context) -> Screening:
        """Return series, the sheet with an example, and hidden series."""
        plan = rules.plan(ctx.rng.fork("plan"), hard=ctx.level >= 0.45)
        rng = ctx.rng.fork("series")
        names = _names(ctx, rng, ctx.knob(4, 12))
        rows = _telling(plan, rng.fork("shown"), names, length=ctx.knob(12, 40))
        workers = rng.integer(2, 4)
        small = _telling(plan, rng.fork("example"), names[:3], length=12)
        programs = sources.sources(ctx, "steps", scripts=("python",))
        source, report = ctx.path(f"{ctx.skin.stem(rng)}.txt"), ctx.path("report.txt")
        sheet = ctx.path("METHOD.md")
        example = (_fed(2, small), "\n".join(rules.report(plan, 2, small)))
        return Screening(
            nodes=(text(source, _listed(rows)), prose(sheet, method(plan, example))),
            outputs=(*(one.path for one in programs), report),
            plan=plan,
            programs=programs,
            source=source,
            sheet=sheet,
            report=report,
            workers=workers,
            rows=rows,
            lines=Later(lambda: rules.report(plan, workers, rows)),
            cases=Later(lambda: (_case(ctx, plan, n) for n in range(CASES))),
        )

    def oracle(self, ctx: Context, world: Screening) -> tuple[str, ...]:
        """Return a look at the sheet and the series, and a run of every program."""
        return (
            f"cat {world.sheet}; cut -c 1-70 {world.source} | nl",
            *_done(world, partial(program, world.plan)),
            f"join <(cut -d ' ' -f 1 {world.source} | sort) <(sort {world.report}) | head -n 5; "
            f"tail -n {world.workers} {world.report}",
        )

    def checks(self, ctx: Context, world: Screening) -> tuple[Check | Gate, ...]:
        """Return the report and the program; the task's verifier says which weighs more."""
        heavy = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        return (
            unchanged("series", world.nodes),
            exact.lines("report", world.report, world.lines, weight=heavy[0]),
            *sources.equivalence("program", world.programs, world.cases, weight=heavy[1]),
        )

    def products(self, ctx: Context, world: Screening) -> Mapping[str, Product]:
        """Return the first program."""

        def case(rng: Rng) -> Case:
            return Case(*_drawn(ctx, world.plan, rng, rng.integer(0, CASES - 1)))

        one = replace(world.programs[0], binary="{out}")
        return {"program": Program(one.path, one.call, case, "sets", " ".join(one.build))}

    def say(self, ctx: Context, world: Screening) -> tuple[Obligation, ...]:
        """Return the programs, their input, their workers, and the report."""
        first = world.programs[0]
        return (
            Obligation(
                "goal",
                f"Write a program in {first.name}, `{first.path}`, that finds anomalies, changes "
                "of level and nearest neighbours in a set of series. The method is in "
                f"`{world.sheet}`, and the results must be exactly as it says.",
                "goal",
            ),
            Obligation(
                "feed",
                "The first line of standard input is the number of workers. Every other line is a "
                "series: its name and then its points, separated by blanks. The program "
                "prints the report of the method to standard output.",
                "format",
                ("standard input", "stdin"),
            ),
            Obligation(
                "workers",
                "The workers are threads or processes that really run in parallel, and each of "
                "them works on the series that the method deals to it. The lines of the report "
                "still come in the order of the input.",
                keys=("parallel", "thread", "processes", "at the same time", "concurrent"),
            ),
            Obligation(
                "report",
                f"Also run the program with {world.workers} workers on the series in "
                f"`{world.source}`, one series a line, and write the report to `{world.report}`.",
                "output",
            ),
            *sources.languages(world.programs),
            Obligation(
                "unseen",
                "We will test it on other series, with other numbers of workers.",
                "grading",
                ("other series", "unseen", "not seen", "hidden", "further series", "more series"),
            ),
            Obligation(
                "keep",
                "Do not change the files that are there now.",
                "limit",
                (
                    "not change",
                    "unchanged",
                    "as it is",
                    "as they are",
                    "untouched",
                    "not modify",
                    "not edit",
                ),
            ),
        )

    def mutants(self, ctx: Context, world: Screening) -> tuple[Attempt, ...]:
        """Return a scale of the other scope, other limits and dealing, and missing parts."""
        plan = world.plan
        deals = [deal for deal in rules.DEALS if deal != plan.deal]
        ways = {
            "other scope": replace(plan, whole=not plan.whole),
            "other limit": replace(plan, limit=plan.limit // 4),
            "other bound": replace(plan, bound=plan.bound * 40),
            "other dealing": replace(plan, deal=deals[0]),
            "other distance": replace(
                plan, distance="sum" if plan.distance != "sum" else "largest"
            ),
        }
        plans = {
            name: other
            for name, other in ways.items()
            if tuple(rules.report(other, world.workers, world.rows)) != world.lines
        }
        right = partial(program, plan)
        wrong = {
            name: _done(world, sources.last_wrong(world.programs, right, partial(program, other)))
            for name, other in plans.items()
        }
        wrong["no report"] = (*_done(world, right), f"rm {world.report}")
        wrong["report alone"] = (*_done(world, right), f"rm {world.programs[-1].path}")
        return tuple(Attempt(name, way) for name, way in wrong.items())

    def exploits(self, ctx: Context, world: Screening) -> tuple[Attempt, ...]:
        """Return names alone, and programs that print their input."""
        names = f"cut -d ' ' -f 1 {world.source} | sed 's/$/ - - - 0 1/' > {world.report}"
        copied = [write_file(one.path, tricks.copies(one.language)) for one in world.programs]
        return (Attempt("names", (names,)), Attempt("input as output", (names, *copied)))


def _done(world: Screening, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write the programs, and run the last one on the series."""
    call = world.programs[-1].call
    return (
        *sources.written(world.programs, writer),
        f"(echo {world.workers}; cat {world.source}) | {call} > {world.report}",
    )


def _listed(rows: tuple[rules.Series, ...]) -> str:
    return "".join(f"{name} {' '.join(map(str, points))}\n" for name, points in rows)


def _fed(workers: int, rows: tuple[rules.Series, ...]) -> str:
    return f"{workers}\n{_listed(rows)}"


def _names(ctx: Context, rng: Rng, count: int) -> list[str]:
    stems = sorted({slugged(place) for place in ctx.skin.places})
    pool = [f"{stem}_{number}" for stem in stems for number in (1, 2)]
    return rng.sample(pool, count)


def _telling(
    plan: rules.Plan, rng: Rng, names: list[str], *, length: int
) -> tuple[rules.Series, ...]:
    """Return series among which there are anomalies and changes of level, if chance allows."""
    for number in range(DRAWS):
        rows = tuple((name, _points(rng.fork(number, name), length=length)) for name in names)
        *_, odd, steps = zip(
            *(line.split()[:3] for line in rules.report(plan, 1, rows)[:-1]), strict=True
        )
        if set(odd) - {"-"} and set(steps) - {"-"}:
            break
    return rows


def _points(rng: Rng, *, length: int) -> tuple[int, ...]:
    """Return points on one to three levels, some of them far off."""
    level, noise = rng.integer(200, 900), rng.choice((4, 10, 25, 60))
    steps = {rng.integer(3, length - 3) for _ in range(rng.weighted((0, 1, 2), (2, 3, 2)))}
    spikes = {rng.integer(0, length - 1) for _ in range(rng.weighted((0, 1, 2), (2, 3, 2)))}
    points = []
    for place in range(length):
        if place in steps:
            level = max(40, level + rng.choice((-1, 1)) * rng.integer(60, 500))
        off = rng.choice((-1, 1)) * rng.integer(150, 700) if place in spikes else 0
        points.append(max(0, level + rng.integer(-noise, noise) + off))
    return tuple(points)


def _case(ctx: Context, plan: rules.Plan, number: int) -> tuple[bytes, bytes]:
    """Return hidden series for some workers, and their report."""
    return _drawn(ctx, plan, ctx.rng.fork("case", number), number)


def _drawn(ctx: Context, plan: rules.Plan, rng: Rng, number: int) -> tuple[bytes, bytes]:
    """Return series for some workers, and their report; a larger number gives more of them."""
    names = _names(ctx, rng, 3 + number % 5)
    rows = tuple((name, _points(rng.fork(name), length=9 + 2 * number)) for name in names)
    workers = rng.integer(1, 5)
    out = "".join(f"{line}\n" for line in rules.report(plan, workers, rows))
    return _fed(workers, rows).encode(), out.encode()


FAMILY = StepChange()
