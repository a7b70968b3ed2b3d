"""DSC-04 seeded bootstrap: intervals by a prescribed generator, draw order and percentile rule.

The task asks for a report on given data and for a program that is tried on hidden data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.seeded_bootstrap import bootstrap
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world import toolchains

HEADER = ("column", "low", "middle", "high")
ROWS = 3
"""Fewest rows of a report that a later stage can work on."""
WHOLE = (
    "A replicate consists of n draws from all n values together. The names of the strata are "
    "ignored."
)
SPLIT = (
    "A replicate goes through the strata in byte order of their names. From each stratum it makes "
    "as many draws as the stratum has values, so n is the number of values in this stratum alone."
)
UNSEEN = ("not seen", "unseen", "hidden", "other samples", "other data", "further samples")


@dataclass(frozen=True, kw_only=True)
class Study(World):
    """The decided facts."""

    plan: bootstrap.Plan
    programs: sources.Sources
    source: str
    report: str
    columns: tuple[str, ...]
    replicates: int
    seed: int
    rows: tuple[tuple[str, ...], ...]
    cases: tuple[tuple[bytes, bytes], ...]


class SeededBootstrap(Family[Study]):
    """Resample to the last draw."""

    id = "DSC-04"
    slug = "seeded-bootstrap"
    domain = "data_science"
    skill = "Mathematical"
    primitives = (
        "Sampling and bootstrap methods",
        "Pipeline reproducibility testing",
        "Hypothesis testing and confidence intervals",
        "Reproducible pipeline construction",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text", "fuzz_equivalence")
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("program", "Other sites have sent samples and want the same intervals."),
        "make-target": ("program", "The samples still grow, and their intervals must follow."),
        "command-wrapper": (
            "program",
            "The statisticians want a short command that they can call by hand.",
        ),
        "export-diff": ("report", "We want to know which intervals differ from the last report."),
        "json-feed": ("report", "The dashboard draws the intervals and reads JSON."),
    }

    def world(self, ctx: Context) -> Study:
        """Return data, the plan of the bootstrap, and hidden samples."""
        plan = _plan(ctx)
        seed = ctx.rng.fork("port", "seed").integer(2, 9_999)
        rng = ctx.rng.fork("data")
        columns = rng.sample(sorted({m.column for m in ctx.skin.measures}), ctx.knob(1, 4))
        size, replicates = ctx.knob(9, 22), ctx.knob(40, 90)
        sample = _sample(ctx, rng.fork("rows"), size, len(columns))
        source, report = ctx.path(f"{ctx.skin.stem(rng)}.csv"), ctx.path("intervals.csv")
        body = ",".join(("stratum", *columns)) + "\n"
        body += "".join(",".join((name, *map(str, values))) + "\n" for name, values in sample)
        rows = []
        for at, column in enumerate(columns):
            picked = [(name, values[at]) for name, values in sample]
            bounds = bootstrap.bounds(plan, seed, replicates=replicates, sample=picked)
            rows.append((column, *bounds.split()))
        programs = sources.sources(ctx, "bootstrap")
        return Study(
            nodes=(text(source, body),),
            outputs=(*(program.path for program in programs), report),
            plan=plan,
            programs=programs,
            source=source,
            report=report,
            columns=tuple(columns),
            replicates=replicates,
            seed=seed,
            rows=tuple(rows),
            cases=tuple(_case(ctx, plan, n) for n in range(8)),
        )

    def oracle(self, ctx: Context, world: Study) -> tuple[str, ...]:
        """Return the program, and one run of it a column."""
        right = _written(world, lambda language: bootstrap.render(world.plan, language))
        return (f"head -n 4 {world.source}", *right)

    def checks(self, ctx: Context, world: Study) -> tuple[Check | Gate, ...]:
        """Return the report and the program; the task's verifier says which weighs more."""
        heavy = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        return (
            unchanged("data", world.nodes),
            exact.rows("report", world.report, world.rows, header=HEADER, weight=heavy[0]),
            *sources.equivalence(
                "program", world.programs, world.cases, weight=heavy[1], roots=("/app",)
            ),
        )

    def products(self, ctx: Context, world: Study) -> Mapping[str, Product]:
        """Return the program, and the report if it has several rows."""
        first = world.programs[0]

        def case(rng: Rng) -> Case:
            stdin, bounds = _drawn(ctx, rng, world.plan, size=rng.integer(5, 12))
            return Case(stdin, bounds + b"\n")

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        products: dict[str, Product] = {
            "program": Program(first.path, " ".join(run), case, "samples", " ".join(build))
        }
        if len(world.rows) >= ROWS:
            products["report"] = Table(world.report, HEADER, world.rows, "intervals")
        return products

    def say(self, ctx: Context, world: Study) -> tuple[Obligation, ...]:
        """Return the method, step by step, and the report."""
        first, *others = world.programs
        plan = world.plan
        columns = [f"`{column}`" for column in world.columns]
        named = " and ".join([", ".join(columns[:-1]), columns[-1]]) if columns[1:] else columns[0]
        rows = f"one row for each of the columns {named}, in this order"
        if len(columns) == 1:
            rows = f"one row, for the column {named}"
        return (
            Obligation(
                "goal",
                f"Our bootstrap intervals must come out the same everywhere, down to the last "
                f"digit. Write a {first.name} program, `{first.path}`, that follows the "
                f"prescribed method exactly.",
                "goal",
            ),
            *sources.twins(others),
            Obligation(
                "feed",
                "The program reads standard input. The first line has the seed, a whole number "
                "below `2^32`, and the number of replicates, separated by a blank. Each further "
                "line is one observation: the name of its stratum and its value, a whole number, "
                "separated by a blank. The program prints one line, `low middle high`, with single "
                "blanks between the three numbers.",
                "input",
            ),
            Obligation(
                "draw",
                f"The random generator has a state x, which is the seed at first and is never "
                f"reset during a run. For every draw, set x to `{plan.multiplier} * x + "
                f"{plan.increment}` modulo `2^32`, and then take the value with the index "
                f"`(x >> 16) % n`, counted from 0, among n values in input order.",
            ),
            Obligation("strata", SPLIT if plan.strata else WHOLE, keys=("strat", "replicate")),
            Obligation(
                "statistic",
                f"The statistic of a replicate is a trimmed mean in thousandths: sort all values "
                f"of the replicate, leave out the lowest {plan.trim} % and the highest "
                f"{plan.trim} % of them (in each case this share of the number of values in the "
                f"whole replicate, rounded down), and compute `floor(1000 * sum / count)` of the "
                f"values that are left.",
            ),
            Obligation(
                "bounds",
                f"Sort the statistics of all B replicates in ascending order. `low`, `middle` and "
                f"`high` are the statistics with the index `floor(B * p / 1000)`, counted from 0, "
                f"for p = {plan.tail}, p = 500 and p = {1000 - plan.tail}.",
            ),
            Obligation(
                "report",
                f"Also write `{world.report}`, a CSV file with the header `{','.join(HEADER)}` and "
                f"{rows}. The observations are in `{world.source}`, whose column `stratum` names "
                f"the stratum. Use {world.replicates} replicates for every column, and start each "
                f"time from this seed: `{world.seed}`.",
                "output",
            ),
            Obligation("keep", f"Leave `{world.source}` as it is.", "limit"),
            Obligation("judged", _judged(world), "grading", keys=UNSEEN),
        )

    def mutants(self, ctx: Context, world: Study) -> tuple[Attempt, ...]:
        """Return low bits, another generator, a percentile further out, another unit."""
        plan = world.plan
        wrong: dict[str, tuple[tuple[str, str], ...]] = {
            "low bits": (("(x >> 16)", "x"), ("int(x / 65536)", "x")),
            "other increment": ((str(plan.increment), str(plan.increment + 2)),),
            "wider tail": ((f"{plan.tail}", f"{plan.tail + 60}"),),
            "hundredths": (("1000 * sum", "100 * sum"), ("1000 * total", "100 * total")),
        }
        return tuple(
            Attempt(name, _written(world, _slipping(world, slips))) for name, slips in wrong.items()
        )

    def exploits(self, ctx: Context, world: Study) -> tuple[Attempt, ...]:
        """Return a header alone, zeros, and programs that print zeros."""
        zeros = "".join(f"{column},0,0,0\n" for column in world.columns)
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.report}",)),
            Attempt("zeros", (write_file(world.report, f"{','.join(HEADER)}\n{zeros}"),)),
            Attempt(
                "zero program",
                tuple(
                    write_file(program.path, tricks.prints(program.language, ["0 0 0"]))
                    for program in world.programs
                ),
            ),
        )


def _judged(world: Study) -> str:
    """Return how the programs are built and tried."""
    built = [source for source in world.programs if source.build]
    calls = [f"`{toolchains.call(one.language)}`" for one in built]
    compiled = [
        f"We compile `{one.path}` with {call}, without any other file or package. "
        for one, call in zip(built, calls, strict=True)
    ]
    it = "both programs" if len(world.programs) > 1 else "the program"
    return f"{''.join(compiled)}We will also run {it} on samples that you have not seen."


def _written(world: Study, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write the programs, and run the last one once a column."""
    commands = list(sources.written(world.programs, writer))
    call = world.programs[-1].call
    commands.append(f"echo {','.join(HEADER)} > {world.report}")
    for number, column in enumerate(world.columns, start=2):
        cells = f"tail -n +2 {world.source} | cut -d, -f1,{number} | tr , ' '"
        commands.append(
            f"(echo {world.seed} {world.replicates}; {cells}) | {call} | tr ' ' , "
            f"| sed 's/^/{column},/' >> {world.report}"
        )
    return tuple(commands)


def _slipping(world: Study, slips: tuple[tuple[str, str], ...]) -> sources.Writer:
    """Return a writer of the programs, the last of them with a slip."""

    def right(language: Language) -> str:
        return bootstrap.render(world.plan, language)

    def wrong(language: Language) -> str:
        return reduce(lambda source, slip: source.replace(*slip), slips, right(language))

    return sources.last_wrong(world.programs, right, wrong)


def _plan(ctx: Context) -> bootstrap.Plan:
    rng = ctx.rng.fork("plan")
    multiplier, increment = rng.choice(bootstrap.CONSTANTS)
    return bootstrap.Plan(
        multiplier=multiplier,
        increment=increment,
        strata=int(ctx.level >= 0.5),
        trim=rng.choice((10, 20, 25)) if ctx.level >= 0.3 else rng.choice((5, 10)),
        tail=rng.choice((25, 50, 100)),
    )


def _sample(ctx: Context, rng: Rng, size: int, columns: int) -> list[tuple[str, list[int]]]:
    names = sorted({slugged(place) for place in ctx.skin.places})[: ctx.knob(2, 4)]
    tops = [rng.choice((60, 400, 2500)) for _ in range(columns)]
    return [
        (names[n] if n < len(names) else rng.choice(names), [rng.integer(0, top) for top in tops])
        for n in range(size)
    ]


def _case(ctx: Context, plan: bootstrap.Plan, number: int) -> tuple[bytes, bytes]:
    """Return a hidden sample and the expected bounds."""
    return _drawn(ctx, ctx.rng.fork("case", number), plan, size=5 + number)


def _drawn(ctx: Context, rng: Rng, plan: bootstrap.Plan, *, size: int) -> tuple[bytes, bytes]:
    """Return a sample as the program reads it, and the expected bounds."""
    replicates, seed = rng.integer(12, 34), rng.integer(0, 2**32 - 1)
    sample = [(name, values[0]) for name, values in _sample(ctx, rng, size, 1)]
    sample = rng.shuffled(sample)
    stdin = f"{seed} {replicates}\n" + "".join(f"{name} {value}\n" for name, value in sample)
    bounds = bootstrap.bounds(plan, seed, replicates=replicates, sample=sample)
    return stdin.encode(), bounds.encode()


FAMILY = SeededBootstrap()
