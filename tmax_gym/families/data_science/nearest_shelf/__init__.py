"""DSC-16 nearest shelf: texts as integer vectors, with fewer axes, and the nearest items.

The program answers four kinds of question, and each kind is tried by itself.  Features, hash,
weights, axes and measure differ from task to task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.data_science.nearest_shelf import data, evaluator, method, plans
from tmax_gym.families.data_science.nearest_shelf.rendering import render
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.shared import sources
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

HEADER = ("request", "rank", "name")
CASES = (("vectors", 2), ("covariance", 2), ("axes", 2), ("nearest", 3))
"""Hidden inputs a question."""
UNSEEN = ("not seen", "unseen", "hidden", "other items", "further items", "other requests")
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""
_SCRIPT: tuple[Language, ...] = ("python",)


@dataclass(frozen=True, slots=True)
class Question:
    """One run of the program."""

    ask: tuple[str, int]
    items: tuple[evaluator.Item, ...]
    requests: tuple[str, ...]

    @property
    def stdin(self) -> bytes:
        """Return the input of the program."""
        lines = [
            f"{self.ask[0]} {self.ask[1]}",
            *(f"{name} {description}" for name, description in self.items),
        ]
        lines += [f"? {request}" for request in self.requests]
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, kw_only=True)
class Shelf(World):
    """The decided facts."""

    plan: plans.Plan
    programs: sources.Sources
    given: data.Given
    sheet: str
    """The file with the method."""
    requests: str
    report: str
    things: str
    asked: Question
    unseen: Sequence[Question]


class NearestShelf(Family[Shelf]):
    """Embed, look at covariances, drop axes, rank."""

    id = "DSC-16"
    slug = "nearest-shelf"
    domain = "data_science"
    skill = "Algorithmic"
    primitives = (
        "Similarity search and recommendation",
        "Embedding computation and retrieval",
        "Dimensionality reduction",
        "Correlation and covariance analysis",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence", "exact_text")
    languages = ("c", "cpp", "go", "rust", "python", "multi")
    tools = ("bash", "awk", "sed")
    followed_by = {  # noqa: RUF012
        "batch-run": ("program", "Every site has sent a file with questions of its own."),
        "command-wrapper": (
            "program",
            "Colleagues want a proper command to ask for similar items.",
        ),
        "group-report": ("report", "We want to see which items are found again and again."),
        "json-feed": ("report", "The website shows what was found and reads JSON."),
        "split-delivery": (
            "report",
            "Each request came from somebody else, who gets only his part.",
        ),
    }

    def world(self, ctx: Context) -> Shelf:
        """Return items and requests, the plan of their vectors, and hidden questions."""
        rng = ctx.rng.fork("shelf")
        plan = plans.drawn(rng.fork("plan"), ctx.level)
        asked = _question(ctx, rng.fork("given"), plan, "nearest", ctx.knob(9, 20))
        files = data.given(ctx, rng.fork("files"), asked.items)
        if files.by_name:
            asked = Question(asked.ask, tuple(sorted(asked.items)), asked.requests)
        requests = ctx.path(rng.choice(("requests.txt", "wanted.txt", "asked.txt")))
        report = ctx.path(rng.choice(("related.csv", "nearest.csv", "found.csv")))
        sheet = ctx.path(rng.choice(("METHOD.md", "method.txt", "shelving.txt", "VECTORS.md")))
        programs = sources.sources(
            ctx, rng.choice(("shelf", "related", "nearest")), scripts=_SCRIPT
        )
        return Shelf(
            nodes=(
                *files.nodes,
                text(requests, "".join(f"{request}\n" for request in asked.requests)),
                prose(sheet, method.sheet(plan)),
            ),
            outputs=(*(files.path for files in programs), report),
            plan=plan,
            programs=programs,
            given=files,
            sheet=sheet,
            requests=requests,
            report=report,
            things=ctx.skin.thing(rng).plural,
            asked=asked,
            unseen=Later(
                lambda: (
                    _question(ctx, rng.fork("unseen", name, n), plan, name, 8 + 2 * n)
                    for name, count in CASES
                    for n in range(count)
                )
            ),
        )

    def oracle(self, ctx: Context, world: Shelf) -> tuple[str, ...]:
        """Return a look at the files, the program, and the report."""
        look = f"cat {world.sheet}; {world.given.command} | head -n 3; head -n 3 {world.requests}"
        return (look, *_solved(world, world.plan))

    def checks(self, ctx: Context, world: Shelf) -> tuple[Check | Gate, ...]:
        """Return the report and the program; the task's verifier says which weighs more."""
        table, program = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        cases = [(asked.stdin, _said(world.plan, asked)) for asked in world.unseen]
        return (
            unchanged("items", world.nodes),
            exact.rows("report", world.report, _rows(world), header=HEADER, weight=table),
            *sources.equivalence("questions", world.programs, cases, weight=program),
        )

    def products(self, ctx: Context, world: Shelf) -> Mapping[str, Product]:
        """Return the program and the report."""
        first = world.programs[0]

        def case(rng: Rng) -> Case:
            name, _ = rng.choice(CASES)
            asked = _question(ctx, rng.fork("question"), world.plan, name, 8)
            return Case(asked.stdin, _said(world.plan, asked))

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        return {
            "program": Program(first.path, " ".join(run), case, "questions", " ".join(build)),
            "report": Table(world.report, HEADER, _rows(world), "items that were found"),
        }

    def say(self, ctx: Context, world: Shelf) -> tuple[Obligation, ...]:
        """Return the interface, where the method is written, and the report."""
        first, *others = world.programs
        asks = [f"`{name}`" for name in plans.ASKS]
        request = (
            "`? NAMES` for each request (the names of one or more items, separated by blanks)"
            if world.plan.liked
            else "`? TEXT` for each request"
        )
        twins = sources.twins(others)
        obligations = [
            Obligation(
                "goal",
                f"We look for related {world.things} by comparing their texts, but our tools don't "
                f"agree with each other. Write a {first.name} program, `{first.path}`, that does "
                f"it in whole numbers only, so that every machine gets the same answers.",
                "goal",
            ),
            *twins,
            Obligation(
                "names",
                f"The program answers four kinds of question: {', '.join(asks[:-1])} and "
                f"{asks[-1]}. `{world.sheet}` says exactly how each of them is computed and "
                f"printed.",
                "input",
            ),
            Obligation(
                "feed",
                f"Each run answers one question, which it reads from standard input. The first "
                f"line is `QUESTION COUNT`, where `COUNT` is the number of items to name for a "
                f"request. Then there is a line `NAME TEXT` for each item (a name has no blanks) "
                f"and, after all items, a line {request}. The program prints the answer to "
                f"standard output.",
            ),
            Obligation(
                "report",
                f"Also write `{world.report}`, a CSV file with the answer to the question "
                f"`nearest {world.asked.ask[1]}`. {world.given.sentence} The requests are in "
                f"`{world.requests}`, one per line, without the `?`.",
                "output",
            ),
            Obligation(
                "rows",
                f"`{world.report}` has the header `{','.join(HEADER)}` and one row for each item "
                f"that is found: the number of the request, counted from 1 in the order of the "
                f"file, the rank of the item, counted from 1 for each request, and its name. The "
                f"rows are sorted by `request` and then by `rank`.",
                "format",
            ),
        ]
        keep = (
            f"Leave `{world.sheet}`, `{world.requests}` and the files with the items as they are."
        )
        return (
            *obligations,
            Obligation("keep", keep, "limit"),
            Obligation("judged", _judged(world), "grading", keys=UNSEEN),
        )

    def mutants(self, ctx: Context, world: Shelf) -> tuple[Attempt, ...]:
        """Return programs with one rule misread that shows, and one without a report."""
        attempts = []
        for name, question, plan in plans.mistakes(world.plan):
            asked = [unseen for unseen in world.unseen if unseen.ask[0] == question]
            if any(_said(plan, q) != _said(world.plan, q) for q in asked):
                attempts.append(Attempt(name, _solved(world, plan)))
        return (*attempts[:WRONG], Attempt("no report", _built(world, world.plan)))

    def exploits(self, ctx: Context, world: Shelf) -> tuple[Attempt, ...]:
        """Return a header alone, a program that prints its input, and one fixed answer."""
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.report}",)),
            *sources.cheats(world.programs, "0 1 2"),
        )


def _built(world: Shelf, plan: plans.Plan) -> tuple[str, ...]:
    """Return the commands that write the programs, the last of them by this plan."""
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(world.plan, language),
        lambda language: render(plan, language),
    )
    return sources.written(world.programs, writer)


def _solved(world: Shelf, plan: plans.Plan) -> tuple[str, ...]:
    """Return the commands that write the programs, and the report with the last of them."""
    question = " ".join(map(str, world.asked.ask))
    asked = f"(echo {question}; {world.given.command}; sed 's/^/? /' {world.requests})"
    listed = 'awk \'{ for (i = 1; i <= NF; i++) print NR "," i "," $i }\''
    return (
        *_built(world, plan),
        f"(echo {','.join(HEADER)}; {asked} | {world.programs[-1].call} | {listed}) "
        f"> {world.report}",
    )


def _judged(world: Shelf) -> str:
    """Return how the programs are built and tried."""
    built = [source for source in world.programs if source.build]
    calls = [f"`{toolchains.call(one.language)}`" for one in built]
    compiled = [
        f"We compile `{one.path}` with {call}, without any other file or package. "
        for one, call in zip(built, calls, strict=True)
    ]
    it = "Both programs are" if len(world.programs) > 1 else "The program is"
    return (
        f"{''.join(compiled)}{it} run without any other file, on all four kinds of question, with "
        f"items and requests that you have not seen."
    )


def _rows(world: Shelf) -> tuple[tuple[str, str, str], ...]:
    """Return the rows of the report."""
    lines = _said(world.plan, world.asked).decode().split("\n")
    return tuple(
        (str(request), str(rank), name)
        for request, line in enumerate(lines, 1)
        for rank, name in enumerate(line.split(), 1)
    )


def _said(plan: plans.Plan, asked: Question) -> bytes:
    return evaluator.answer(plan, asked.ask, asked.items, requests=asked.requests).encode()


def _question(ctx: Context, rng: Rng, plan: plans.Plan, name: str, size: int) -> Question:
    """Return items and requests of the trade, and how many are wanted."""
    items = data.items(ctx.skin, rng.fork("items"), size)
    requests = data.requests(
        ctx.skin, rng.fork("requests"), items, liked=plan.liked, count=rng.integer(3, 5)
    )
    return Question((name, rng.integer(2, 5)), items, tuple(requests))


FAMILY = NearestShelf()
