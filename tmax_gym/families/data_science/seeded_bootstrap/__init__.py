"""DSC-04 seeded bootstrap: intervals by a prescribed generator, draw order and percentile rule.

A report on given data and a program for hidden data; either is the heavier part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Artifact, Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_science.seeded_bootstrap import bootstrap, words
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.texts.skins import slugged

HEADER = ("column", "low", "middle", "high")


@dataclass(frozen=True, kw_only=True)
class Study(World):
    """The decided facts."""

    plan: bootstrap.Plan
    programs: sources.Sources
    source: str
    report: str
    columns: tuple[str, ...]
    replicates: int
    seed: str
    seed_shell: str
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
    consumes = {"seed": Port("scalar", 2, 9_999)}  # noqa: RUF012
    produces = {"interval": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Study:
        """Return data, the plan of the bootstrap, and hidden samples."""
        plan = _plan(ctx)
        seed = ctx.take("seed", lambda r: r.integer(2, 9_999))
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
            bounds = bootstrap.bounds(plan, seed.number, replicates=replicates, sample=picked)
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
            seed=seed.phrase,
            seed_shell=seed.shell,
            rows=tuple(rows),
            cases=tuple(_case(ctx, plan, n) for n in range(8)),
            produces={"interval": _interval(ctx, report, rows[-1])},
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

    def say(self, ctx: Context, world: Study) -> tuple[Clause, ...]:
        """Return the plan, step by step, and the report."""
        report = {
            "source": world.source,
            "stratum": "`stratum`",
            "columns": ", ".join(f"`{c}`" for c in world.columns),
            "seed": world.seed,
            "count": str(world.replicates),
            "report": world.report,
            "header": f"`{','.join(HEADER)}`",
        }
        first = world.programs[0]
        clauses = words.say(plan=world.plan, language=first.name, program=first.path, report=report)
        return (*clauses, *sources.say(world.programs))

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


def _interval(ctx: Context, report: str, row: tuple[str, ...]) -> Artifact:
    """Return the three numbers of the last line of the report."""
    phrase = f"the three hyphen-joined numbers in the last line of {report} (as in `7-8-9`)"
    read = f"tail -n 1 {report} | cut -d, -f2- | tr , -"
    return ctx.stored("secret", "-".join(row[1:]), phrase, read=read)


def _written(world: Study, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write the programs, and run the last one once a column."""
    commands = list(sources.written(world.programs, writer))
    call = world.programs[-1].call
    commands.append(f"echo {','.join(HEADER)} > {world.report}")
    for number, column in enumerate(world.columns, start=2):
        cells = f"tail -n +2 {world.source} | cut -d, -f1,{number} | tr , ' '"
        commands.append(
            f"(echo {world.seed_shell} {world.replicates}; {cells}) | {call} | tr ' ' , "
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
    rng = ctx.rng.fork("case", number)
    size, replicates, seed = 5 + number, rng.integer(12, 34), rng.integer(0, 2**32 - 1)
    sample = [(name, values[0]) for name, values in _sample(ctx, rng, size, 1)]
    sample = rng.shuffled(sample)
    stdin = f"{seed} {replicates}\n" + "".join(f"{name} {value}\n" for name, value in sample)
    bounds = bootstrap.bounds(plan, seed, replicates=replicates, sample=sample)
    return stdin.encode(), bounds.encode()


FAMILY = SeededBootstrap()
