"""DSC-04 seeded bootstrap: intervals by a prescribed generator, draw order and percentile rule.

A report on given data and a program for data that nobody has seen; either is the heavier part.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym import exact
from tmax_gym.algebra import Attempt, Context, Family, Port, World, write_file
from tmax_gym.checks import Case, Check, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.data_science import _resampling
from tmax_gym.families.data_science import _resampling_words as words
from tmax_gym.files import text
from tmax_gym.words.clauses import Clause
from tmax_gym.words.skins import slugged
from tmax_gym.world.rng import Rng

HEADER = ("column", "low", "middle", "high")
NAMES = {"python": "Python", "bash": "Bash", "c": "C"}


@dataclass(frozen=True, kw_only=True)
class Study(World):
    """The decided facts."""

    plan: _resampling.Plan
    program: str
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
    languages = ("python", "c", "bash")
    tools = ("bash", "python3")
    consumes = {"seed": Port("scalar", 2, 9_999)}  # noqa: RUF012

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
            said = _resampling.bounds(plan, seed.number, replicates=replicates, sample=picked)
            rows.append((column, *said.split()))
        program = ctx.path(f"bootstrap.{_resampling.SUFFIX[ctx.language]}")
        return Study(
            nodes=(text(source, body),),
            outputs=(program, report),
            plan=plan,
            program=program,
            source=source,
            report=report,
            columns=tuple(columns),
            replicates=replicates,
            seed=seed.phrase,
            seed_shell=seed.shell,
            rows=tuple(rows),
            cases=tuple(_case(ctx, plan, n) for n in range(8)),
        )

    def oracle(self, ctx: Context, world: Study) -> tuple[str, ...]:
        """Return the program, and one run of it a column."""
        return (f"head -n 4 {world.source}", *self._solved(ctx, world, self._source(ctx, world)))

    def _source(self, ctx: Context, world: Study) -> str:
        return _resampling.render(world.plan, ctx.language)

    def _solved(self, ctx: Context, world: Study, source: str) -> tuple[str, ...]:
        call = {
            "python": f"python3 {world.program}",
            "bash": f"bash {world.program}",
            "c": "/tmp/bootstrap",
        }[ctx.language]
        build = (f"gcc -O2 -o /tmp/bootstrap {world.program}",) if ctx.language == "c" else ()
        commands = [write_file(world.program, source), *build]
        commands.append(f"echo {','.join(HEADER)} > {world.report}")
        for number, column in enumerate(world.columns, start=2):
            cells = f"tail -n +2 {world.source} | cut -d, -f1,{number} | tr , ' '"
            commands.append(
                f"(echo {world.seed_shell} {world.replicates}; {cells}) | {call} | tr ' ' , "
                f"| sed 's/^/{column},/' >> {world.report}"
            )
        return tuple(commands)

    def checks(self, ctx: Context, world: Study) -> tuple[Check | Gate, ...]:
        """Return the report and the program; the task's verifier says which weighs more."""
        heavy = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        return (
            unchanged("data", world.nodes),
            exact.rows("report", world.report, world.rows, header=HEADER, weight=heavy[0]),
            fuzz_equivalence(
                "program",
                Program(world.program, ctx.language),
                cases=[Case(stdin=stdin) for stdin, _ in world.cases],
                expected=[out for _, out in world.cases],
                weight=heavy[1],
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
        return words.say(
            plan=world.plan, language=NAMES[ctx.language], program=world.program, report=report
        )

    def mutants(self, ctx: Context, world: Study) -> tuple[Attempt, ...]:
        """Return low bits, a generator that starts late, a percentile one off."""
        right = self._source(ctx, world)
        plan = world.plan
        shift = {
            "python": ("(x >> 16)", "x"),
            "bash": ("int(x / 65536)", "x"),
            "c": ("(x >> 16)", "x"),
        }
        wrong = {
            "low bits": right.replace(*shift[ctx.language]),
            "other increment": right.replace(str(plan.increment), str(plan.increment + 2)),
            "wider tail": right.replace(f"{plan.tail}", f"{plan.tail + 60}"),
            "hundredths": right.replace("1000 * sum", "100 * sum").replace(
                "1000 * total", "100 * total"
            ),
        }
        return tuple(Attempt(name, self._solved(ctx, world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Study) -> tuple[Attempt, ...]:
        """Return a header alone, zeros, and a program that echoes."""
        zeros = "".join(f"{column},0,0,0\n" for column in world.columns)
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.report}",)),
            Attempt("zeros", (write_file(world.report, f"{','.join(HEADER)}\n{zeros}"),)),
            Attempt("echo", (write_file(world.program, "print(0, 0, 0)"),)),
        )


def _plan(ctx: Context) -> _resampling.Plan:
    rng = ctx.rng.fork("plan")
    multiplier, increment = rng.choice(_resampling.CONSTANTS)
    return _resampling.Plan(
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


def _case(ctx: Context, plan: _resampling.Plan, number: int) -> tuple[bytes, bytes]:
    """Return a hidden sample and the expected bounds."""
    rng = ctx.rng.fork("case", number)
    size, replicates, seed = 5 + number, rng.integer(12, 34), rng.integer(0, 2**32 - 1)
    sample = [(name, values[0]) for name, values in _sample(ctx, rng, size, 1)]
    sample = rng.shuffled(sample)
    stdin = f"{seed} {replicates}\n" + "".join(f"{name} {value}\n" for name, value in sample)
    said = _resampling.bounds(plan, seed, replicates=replicates, sample=sample)
    return stdin.encode(), said.encode()


FAMILY = SeededBootstrap()
