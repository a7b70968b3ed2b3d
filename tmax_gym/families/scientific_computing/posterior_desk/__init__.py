"""SCI-19 posterior desk: two samples compared in five ways, exact to the last draw.

A density, a distance of densities, a permutation test, a bootstrap interval and a Metropolis
chain, each asked for by itself, so that each earns its share.  Which statistic, generator,
border rule or prior is right differs from task to task.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World
from tmax_gym.families.scientific_computing.posterior_desk import data, evaluator, plans, words
from tmax_gym.families.scientific_computing.posterior_desk.rendering import render
from tmax_gym.families.shared import sources
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

HEADER = ("analysis", "result")
CASES = 2
"""Hidden inputs an analysis."""
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""
_SCRIPT: tuple[Language, ...] = ("python",)


@dataclass(frozen=True, slots=True)
class Question:
    """One run of the program."""

    order: tuple[str, int, int]
    readings: tuple[evaluator.Reading, ...]

    @property
    def stdin(self) -> bytes:
        """Return the input of the program."""
        lines = (" ".join(map(str, words)) for words in (self.order, *self.readings))
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    plan: plans.Plan
    programs: sources.Sources
    given: data.Given
    sheet: str
    """The file with the method."""
    marks: str
    """The file of the ladder of acceptance, "" where there is none."""
    report: str
    seed: str
    seed_shell: str
    rounds: int
    rows: tuple[tuple[str, str], ...]
    unseen: tuple[Question, ...]


class PosteriorDesk(Family[Desk]):
    """Two small samples, five exact answers."""

    id = "SCI-19"
    slug = "posterior-desk"
    domain = "scientific_computing"
    skill = "Statistical"
    primitives = (
        "MCMC sampling and posterior estimation",
        "Statistical hypothesis comparison",
        "Bootstrap confidence intervals",
        "Density estimation and distribution fitting",
        "Probability distribution distance metrics",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence", "exact_text")
    languages = ("c", "cpp", "go", "rust", "python", "multi")
    tools = ("bash", "grep", "sed")
    consumes = {"seed": Port("scalar", 2, 9_999)}  # noqa: RUF012

    def world(self, ctx: Context) -> Desk:
        """Return two samples, the plan of their comparison, and hidden questions."""
        rng = ctx.rng.fork("desk")
        plan = plans.drawn(rng.fork("plan"), ctx.level)
        seed = ctx.take("seed", lambda r: r.integer(2, 9_999))
        rounds = ctx.knob(40, 99)
        readings = _readings(rng.fork("readings"), plan, ctx.knob(8, 16))
        given = data.given(ctx, rng.fork("files"), plan.groups, readings=readings)
        marks = ctx.path(rng.choice(("accept.txt", "ladder.txt", "thresholds.tab")))
        report = ctx.path(rng.choice(("comparison.csv", "answers.csv", "desk.csv")))
        programs = sources.sources(ctx, rng.choice(("compare", "desk", "samples")), scripts=_SCRIPT)
        sheet = ctx.path(rng.choice(("METHOD.md", "method.txt", "protocol.txt", "ANALYSIS.md")))
        ladder = "".join(f"{step} {mark}\n" for step, mark in enumerate(plan.ladder))
        nodes = [*given.nodes, text(sheet, words.sheet(plan, marks, rng.fork("sheet")))]
        nodes += [text(marks, f"# step threshold\n{ladder}")] if ladder else []
        return Desk(
            nodes=tuple(nodes),
            outputs=(*(program.path for program in programs), report),
            plan=plan,
            programs=programs,
            given=given,
            sheet=sheet,
            marks=marks if ladder else "",
            report=report,
            seed=seed.phrase,
            seed_shell=seed.shell,
            rounds=rounds,
            rows=tuple(
                (name, evaluator.answer(plan, (name, seed.number, rounds), readings))
                for name in plans.ANALYSES
            ),
            unseen=tuple(
                _question(rng.fork("unseen", name, n), plan, name)
                for name in plans.ANALYSES
                for n in range(CASES)
            ),
        )

    def oracle(self, ctx: Context, world: Desk) -> tuple[str, ...]:
        """Return a look at the files, the program, and the report."""
        looks = "; ".join(f"head -n 4 {node.path}" for node in world.given.nodes)
        read = f"cat {world.sheet} {world.marks}".rstrip()
        return (looks, read, *_solved(world, world.plan))

    def checks(self, ctx: Context, world: Desk) -> tuple[Check | Gate, ...]:
        """Return the report and the program; the task's verifier says which weighs more."""
        table, program = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        cases = [(asked.stdin, _said(world.plan, asked)) for asked in world.unseen]
        return (
            unchanged("readings", world.nodes),
            exact.rows("report", world.report, world.rows, header=HEADER, weight=table),
            *sources.equivalence("questions", world.programs, cases, weight=program),
        )

    def say(self, ctx: Context, world: Desk) -> tuple[Clause, ...]:
        """Return the interface, the five analyses and the report."""
        first = world.programs[0]
        clauses = words.say(
            plan=world.plan,
            program=(first.name, first.path),
            sheet=world.sheet,
            report={
                "data": world.given.phrase,
                "seed": world.seed,
                "rounds": str(world.rounds),
                "report": world.report,
                "header": f"`{','.join(HEADER)}`",
            },
        )
        return (*clauses, *sources.say(world.programs))

    def mutants(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return programs with one rule misread that shows, and one without a report."""
        attempts = []
        for name, analysis, plan in plans.mistakes(world.plan):
            asked = [question for question in world.unseen if question.order[0] == analysis]
            if any(_said(plan, q) != _said(world.plan, q) for q in asked):
                attempts.append(Attempt(name, _solved(world, plan)))
        return (*attempts[:WRONG], Attempt("no report", _built(world, world.plan)))

    def exploits(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return a header alone, a program that prints its input, and one fixed answer."""
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.report}",)),
            *sources.cheats(world.programs, "0 0/1"),
        )


def _built(world: Desk, plan: plans.Plan) -> tuple[str, ...]:
    """Return the commands that write the programs, the last of them by this plan."""
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(world.plan, language),
        lambda language: render(plan, language),
    )
    return sources.written(world.programs, writer)


def _solved(world: Desk, plan: plans.Plan) -> tuple[str, ...]:
    """Return the commands that write the programs, and the report with the last of them."""
    call, names = world.programs[-1].call, " ".join(plans.ANALYSES)
    asked = f'(echo "$a" {world.seed_shell} {world.rounds}; {world.given.command})'
    return (
        *_built(world, plan),
        f'(echo {",".join(HEADER)}; for a in {names}; do {asked} | {call} | sed "s/^/$a,/"; '
        f"done) > {world.report}",
    )


def _said(plan: plans.Plan, asked: Question) -> bytes:
    return f"{evaluator.answer(plan, asked.order, asked.readings)}\n".encode()


def _readings(rng: Rng, plan: plans.Plan, size: int) -> tuple[evaluator.Reading, ...]:
    """Return readings of both groups about two humps, mixed; ties and border cells occur."""
    readings = []
    for group, low in zip(plan.groups, (0, rng.integer(0, plan.top // 3)), strict=True):
        for _ in range(size + rng.integer(-2, 2)):
            spread = [rng.integer(low, plan.top) for _ in range(rng.choice((1, 2, 2)))]
            readings.append((group, sum(spread) // len(spread)))
    return tuple(rng.shuffled(readings))


def _question(rng: Rng, plan: plans.Plan, name: str) -> Question:
    readings = _readings(rng.fork("readings"), plan, rng.integer(6, 11))
    return Question((name, rng.integer(1, 2**31 - 1), rng.integer(40, 70)), readings)


FAMILY = PosteriorDesk()
