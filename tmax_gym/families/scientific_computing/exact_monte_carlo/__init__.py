"""SCI-03 exact Monte Carlo: a simulation whose generator and draw order are prescribed.

The program is run on hidden seeds and lengths; after one wrong draw everything differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.scientific_computing.exact_monte_carlo.model import Model, render, simulate
from tmax_gym.families.shared import sources as _sources
from tmax_gym.families.shared import tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

CONSTANTS = ((1_664_525, 1_013_904_223), (22_695_477, 1), (1_103_515_245, 12_345))
"""Multiplier and increment of well-known generators modulo 2^32."""
TICKS = 200
UNSEEN = ("not seen", "unseen", "hidden", "other seeds", "other runs", "further seeds")


@dataclass(frozen=True, kw_only=True)
class Simulation(World):
    """The decided facts."""

    model: Model
    programs: _sources.Sources
    runs: str
    answer: str
    seed: int
    """The seed of the one run."""
    result: str
    cases: tuple[tuple[bytes, bytes], ...]


class ExactMonteCarlo(Family[Simulation]):
    """Simulate a queue with arrivals, service, breakdowns and losses, draw by draw."""

    id = "SCI-03"
    slug = "exact-monte-carlo"
    domain = "scientific_computing"
    skill = "Algorithmic"
    primitives = (
        "Monte Carlo simulation",
        "Reproducible computation pipelines",
        "Scientific code regression testing",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("simulator", "The planners have sent lists of runs that they need."),
        "command-wrapper": (
            "simulator",
            "The planners want a short command that they can call by hand.",
        ),
        "make-target": ("simulator", "The lists of runs change, and the results must follow."),
    }

    def world(self, ctx: Context) -> Simulation:
        """Return a model, a sample of runs, and hidden runs."""
        model = _model(ctx)
        seed = ctx.rng.fork("port", "seed").integer(2, 9_999)
        runs, answer = ctx.path("runs.txt"), ctx.path("result.txt")
        rng = ctx.rng.fork("runs")
        sample = "".join(f"{rng.integer(1, 10**6)} {rng.integer(20, 90)}\n" for _ in range(3))
        cases = tuple(_case(model, ctx.rng.fork("case", n), n) for n in range(ctx.knob(10, 24)))
        programs = _sources.sources(ctx, "simulate")
        result = simulate(model, seed, TICKS)
        return Simulation(
            nodes=(text(runs, sample),),
            outputs=(*(program.path for program in programs), answer),
            model=model,
            programs=programs,
            runs=runs,
            answer=answer,
            seed=seed,
            result=result,
            cases=cases,
        )

    def oracle(self, ctx: Context, world: Simulation) -> tuple[str, ...]:
        """Return the program in the task's language and the run that is asked for."""
        return (
            *_sources.written(world.programs, lambda language: render(world.model, language)),
            *(f"{program.call} < {world.runs}" for program in world.programs),
            f"echo {world.seed} {TICKS} | {world.programs[-1].call} > {world.answer}",
        )

    def checks(self, ctx: Context, world: Simulation) -> tuple[Check | Gate, ...]:
        """Return the hidden runs and the one result."""
        return (
            exact.value("result", world.answer, world.result, weight=1.0),
            *_sources.equivalence("runs", world.programs, world.cases, weight=3.0, roots=("/app",)),
        )

    def products(self, ctx: Context, world: Simulation) -> Mapping[str, Product]:
        """Return the simulator, which is a filter."""
        first = world.programs[0]

        def case(rng: Rng) -> Case:
            return Case(*_case(world.model, rng.fork("runs"), rng.integer(0, 9)))

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        return {
            "simulator": Program(first.path, " ".join(run), case, "lists of runs", " ".join(build))
        }

    def say(self, ctx: Context, world: Simulation) -> tuple[Obligation, ...]:
        """Return the model, rule by rule, and the interface."""
        first, *others = world.programs
        things = ctx.skin.thing(ctx.rng.fork("thing")).plural
        return (
            Obligation(
                "goal",
                f"We simulate a queue of {things}, and our results must be reproduced exactly, "
                f"down to the last random draw. Write the simulation in {first.name}, as "
                f"`{first.path}`, exactly by the prescribed rules.",
                "goal",
            ),
            *_sources.twins(others),
            Obligation(
                "interface",
                f"Each line of standard input is one run: a seed, which is a whole number below "
                f"`2^32`, and a number of ticks, separated by a blank. For each run the program "
                f"prints one line `served lost queue peak`, with single blanks between the "
                f"numbers, where `queue` is the length of the queue at the end of the run. "
                f"`{world.runs}` is a sample input.",
                "input",
            ),
            *_model_rules(world.model),
            Obligation(
                "answer",
                f"Also write to `{world.answer}` the line that the program prints for a run of "
                f"{TICKS} ticks with this seed: `{world.seed}`.",
                "output",
            ),
            Obligation("judged", _judged(world), "grading", keys=UNSEEN),
        )

    def mutants(self, ctx: Context, world: Simulation) -> tuple[Attempt, ...]:
        """Return one subtle deviation at a time."""
        model = world.model
        wrong = {
            "low bits": (">> 16", "& 65535"),
            "losses too late": (f"queue > {model.capacity}", f"queue > {model.capacity + 1}"),
            "service too eager": (f"< {model.service}", f"<= {model.service}"),
        }
        return tuple(Attempt(name, _slipped(world, slip)) for name, slip in wrong.items())

    def exploits(self, ctx: Context, world: Simulation) -> tuple[Attempt, ...]:
        """Return programs that say one thing, and that echo."""
        zeros = tuple(
            write_file(program.path, tricks.prints(program.language, ["0 0 0 0"]))
            for program in world.programs
        )
        echo = tuple(
            write_file(program.path, tricks.copies(program.language)) for program in world.programs
        )
        return (
            Attempt("zeros", (*zeros, f"echo 0 0 0 0 > {world.answer}")),
            Attempt("echo", echo),
        )


def _slipped(world: Simulation, slip: tuple[str, str]) -> tuple[str, ...]:
    """Return the commands that write the programs, the last of them with a slip."""
    last = world.programs[-1].language
    sources = {program: render(world.model, program.language) for program in world.programs}
    return tuple(
        write_file(program.path, source.replace(*slip) if program.language == last else source)
        for program, source in sources.items()
    )


def _model(ctx: Context) -> Model:
    rng = ctx.rng.fork("model")
    multiplier, increment = rng.choice(CONSTANTS)
    arrival = rng.integer(45, 70)
    return Model(
        multiplier=multiplier,
        increment=increment,
        arrival=arrival,
        batch=rng.integer(2, 3) if ctx.level >= 0.3 else 1,
        service=min(arrival + rng.integer(5, 20), 88),
        capacity=rng.integer(3, 6),
        failure=rng.integer(3, 9) if ctx.level >= 0.5 else 0,
        repair=rng.integer(2, 5),
    )


def _case(model: Model, rng: Rng, number: int) -> tuple[bytes, bytes]:
    """Return a hidden input, longer with its number, and the expected output."""
    runs = [(rng.integer(0, 2**32 - 1), rng.integer(30, 60 + 6 * number)) for _ in range(3)]
    stdin = "".join(f"{seed} {ticks}\n" for seed, ticks in runs)
    out = "".join(simulate(model, seed, ticks) + "\n" for seed, ticks in runs)
    return stdin.encode(), out.encode()


def _judged(world: Simulation) -> str:
    """Return how the programs are built and tried."""
    compiled = [
        f"We compile `{one.path}` with `{toolchains.call(one.language)}`, without "
        f"any other file or package. "
        for one in world.programs
        if one.build
    ]
    it = "both programs" if len(world.programs) > 1 else "the program"
    return (
        f"{''.join(compiled)}We will run {it} with seeds and numbers of ticks that you have not "
        f"seen."
    )


def _model_rules(model: Model) -> tuple[Obligation, ...]:
    """Return the generator, and what happens in a tick."""
    steps = "arrivals, losses, breakdowns, service, peak"
    if not model.failure:
        steps = "arrivals, losses, service, peak"
    joins = "one joins the queue"
    if model.batch > 1:
        joins = f"draw r again, and `1 + r % {model.batch}` join the queue"
    breakdowns = Obligation(
        "breakdowns",
        f"Breakdowns: the server is up at first. If it is up, draw r; if `r % 100 < "
        f"{model.failure}`, it is down in the next {model.repair} ticks, but the service of the "
        f"present tick still takes place. In a tick in which the server is down, there is no draw "
        f"here, and service is skipped, also without a draw.",
    )
    service = "Service (skipped while the server is down)" if model.failure else "Service"
    return (
        Obligation(
            "generator",
            f"The random generator has a state x, which is the seed at the start of a run. A draw "
            f"sets x to `{model.multiplier} * x + {model.increment}` modulo `2^32` and gives r, "
            f"which is the new x shifted right by 16 bits.",
        ),
        Obligation(
            "order",
            f"The queue is empty at first. Each tick consists of these steps, in this order: "
            f"{steps}.",
            keys=(steps, "in this order", "in order", "order"),
        ),
        Obligation("arrivals", f"Arrivals: draw r. If `r % 100 < {model.arrival}`, {joins}."),
        Obligation(
            "losses",
            f"Losses: if more than {model.capacity} are in the queue, it is cut to "
            f"{model.capacity}, and those that are removed are counted as `lost`.",
        ),
        *([breakdowns] if model.failure else []),
        Obligation(
            "service",
            f"{service}: draw r, even if the queue is empty. If `r % 100 < {model.service}` and "
            f"the queue is not empty, one leaves the queue and is counted as `served`.",
        ),
        Obligation(
            "peak",
            "Peak: `peak` is the greatest length that the queue had at this point of any tick of "
            "the run.",
        ),
    )


FAMILY = ExactMonteCarlo()
