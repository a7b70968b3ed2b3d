"""SCI-19 posterior desk: two samples compared in five ways, exact to the last draw.

The analyses are a density, a distance of densities, a permutation test, a bootstrap interval and
a Metropolis chain, and each is tried by itself.  The statistic, the generator, the rule at the
border and the prior differ from task to task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.scientific_computing.posterior_desk import data, evaluator, method, plans
from tmax_gym.families.scientific_computing.posterior_desk.rendering import render
from tmax_gym.families.shared import sources
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

HEADER = ("analysis", "result")
UNSEEN = ("not seen", "unseen", "hidden", "other readings", "further readings", "other samples")
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
    seed: int
    """The seed of the report."""
    rounds: int
    rows: Sequence[tuple[str, str]]
    unseen: Sequence[Question]


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
    followed_by = {  # noqa: RUF012
        "batch-run": ("program", "Other groups have sent samples and want the same analyses."),
        "command-wrapper": (
            "program",
            "The reviewers want a short command that they can call by hand.",
        ),
        "make-target": ("program", "New readings come in, and the analyses must follow."),
        "export-diff": ("report", "We want to know what differs from the report of last month."),
        "json-feed": ("report", "The web page of the study reads the results as JSON."),
    }

    def world(self, ctx: Context) -> Desk:
        """Return two samples, the plan of their comparison, and hidden questions."""
        rng = ctx.rng.fork("desk")
        plan = plans.drawn(rng.fork("plan"), ctx.level)
        seed = ctx.rng.fork("port", "seed").integer(2, 9_999)
        rounds = ctx.knob(40, 99)
        readings = _readings(rng.fork("readings"), plan, ctx.knob(8, 16))
        given = data.given(ctx, rng.fork("files"), plan.groups, readings=readings)
        marks = ctx.path(rng.choice(("accept.txt", "ladder.txt", "thresholds.tab")))
        report = ctx.path(rng.choice(("comparison.csv", "answers.csv", "desk.csv")))
        programs = sources.sources(ctx, rng.choice(("compare", "desk", "samples")), scripts=_SCRIPT)
        sheet = ctx.path(rng.choice(("METHOD.md", "method.txt", "protocol.txt", "ANALYSIS.md")))
        ladder = "".join(f"{step} {mark}\n" for step, mark in enumerate(plan.ladder))
        nodes = [*given.nodes, prose(sheet, method.sheet(plan, marks))]
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
            seed=seed,
            rounds=rounds,
            rows=Later(
                lambda: (
                    (name, evaluator.answer(plan, (name, seed, rounds), readings))
                    for name in plans.ANALYSES
                )
            ),
            unseen=Later(
                lambda: (
                    _question(rng.fork("unseen", name, n), plan, name)
                    for name in plans.ANALYSES
                    for n in range(CASES)
                )
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

    def products(self, ctx: Context, world: Desk) -> Mapping[str, Product]:
        """Return the program and the report."""
        first = world.programs[0]

        def case(rng: Rng) -> Case:
            asked = _question(rng.fork("question"), world.plan, rng.choice(plans.ANALYSES))
            return Case(asked.stdin, _said(world.plan, asked))

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        return {
            "program": Program(first.path, " ".join(run), case, "questions", " ".join(build)),
            "report": Table(world.report, HEADER, world.rows, "analyses"),
        }

    def say(self, ctx: Context, world: Desk) -> tuple[Obligation, ...]:
        """Return the interface, where the method is written, and the report."""
        first, *others = world.programs
        one, two = world.plan.groups
        names = [f"`{name}`" for name in plans.ANALYSES]
        kept = [f"`{world.sheet}`", *([f"`{world.marks}`"] if world.marks else [])]
        return (
            Obligation(
                "goal",
                f"We compare two samples of readings, `{one}` and `{two}`, and others must be "
                f"able to repeat every result to the last digit. Write a {first.name} program, "
                f"`{first.path}`, that does it.",
                "goal",
            ),
            *sources.twins(others),
            Obligation(
                "names",
                f"The program knows five analyses: {', '.join(names[:-1])} and {names[-1]}. "
                f"`{world.sheet}` says exactly how each of them is computed and printed, and how "
                f"random numbers are drawn.",
                "input",
            ),
            Obligation(
                "feed",
                f"Each run does one analysis, and everything it needs is on standard input. The "
                f"first line is `ANALYSIS SEED ROUNDS`. Each further line is `GROUP READING`, "
                f"where the reading is a whole number from 0 to {world.plan.top}. The program "
                f"prints the result as one line.",
            ),
            Obligation(
                "report",
                f"Also write `{world.report}`, a CSV file with the header `{','.join(HEADER)}` "
                f"and one row for each of the five analyses, in the order given above: its name "
                f"and the line that the program prints. {world.given.sentence} Keep their order "
                f"within each group. Use {world.rounds} rounds and this seed: `{world.seed}`.",
                "output",
            ),
            Obligation(
                "keep",
                f"Leave {', '.join(kept)} and the files with the readings as they are.",
                "limit",
            ),
            Obligation("judged", _judged(world), "grading", keys=UNSEEN),
        )

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


def _judged(world: Desk) -> str:
    """Return how the programs are built and tried."""
    compiled = [
        f"We compile `{one.path}` with `{toolchains.call(one.language)}`, without "
        f"any other file or package. "
        for one in world.programs
        if one.build
    ]
    it = "Both programs are" if len(world.programs) > 1 else "The program is"
    inside = (
        f" The numbers of `{world.marks}` must therefore be in the source." if world.marks else ""
    )
    return (
        f"{''.join(compiled)}{it} run without any other file, for all analyses, with readings and "
        f"seeds that you have not seen.{inside}"
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
    asked = f'(echo "$a" {world.seed} {world.rounds}; {world.given.command})'
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
