"""DQ-10 ranked search: queries over a folder of notes, scored in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fuzz_equivalence,
    metric_threshold,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.ranked_search import ranking, words
from tmax_gym.nodes import text
from tmax_gym.texts.clauses import Clause

NAMES = {"python": "Python", "bash": "Bash"}


@dataclass(frozen=True, kw_only=True)
class Engine(World):
    """The decided facts."""

    paths: dict[str, str]
    formula: ranking.Formula
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    """Answers to the visible queries."""
    hidden_queries: tuple[str, ...]
    expected: tuple[str, ...]


class RankedSearch(Family[Engine]):
    """Words, weights, neighbours, exclusions."""

    id = "DQ-10"
    slug = "ranked-search"
    domain = "data_querying"
    skill = "Data Comprehension"
    primitives = (
        "Cross-representation mapping (relational, document, graph)",
        "Index strategy design",
        "Result sorting, pagination, and filtering",
        "NoSQL aggregation pipelines",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence", "metric_threshold")
    languages = ("python", "bash")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Engine:
        """Return the notes, some queries, and hidden ones."""
        rng = ctx.rng.fork("notes")
        skin = ctx.skin
        nouns = [*(t.plural for t in skin.things), *skin.events, *(m.name for m in skin.measures)]
        notes = ranking.corpus(rng.fork("corpus"), rng.shuffled(nouns), ctx.knob(6, 24))
        formula = ranking.Formula(
            title=rng.integer(2, 5),
            rare=ctx.level >= 0.25,
            phrase=rng.integer(4, 9) if ctx.level >= 0.45 else 0,
            minus=ctx.level >= 0.65,
            limit=rng.integer(3, 6),
        )
        queries = ranking.queries(rng.fork("queries"), notes, formula, count=18)
        answers = [ranking.ranked(notes, formula, query) for query in queries]
        folder, suffix = ctx.path("notes"), "py" if ctx.language == "python" else "sh"
        paths = {
            "folder": folder,
            "program": ctx.path(f"search.{suffix}"),
            "queries": ctx.path("queries.txt"),
            "answers": ctx.path("answers.txt"),
        }
        files = [text(f"{folder}/{d.number}.txt", f"{d.title}\n{d.body}\n") for d in notes]
        return Engine(
            nodes=(*files, text(paths["queries"], "".join(f"{q}\n" for q in queries[:4]))),
            outputs=(paths["program"], paths["answers"]),
            paths=paths,
            formula=formula,
            asked=tuple(queries[:4]),
            answers=tuple(answers[:4]),
            hidden_queries=tuple(queries[4:]),
            expected=tuple(answers[4:]),
        )

    def oracle(self, ctx: Context, world: Engine) -> tuple[str, ...]:
        """Return the program, run on the visible queries."""
        look = f"ls {world.paths['folder']} | wc -l; head -n 3 {world.paths['folder']}/1.txt"
        return (look, *_solved(ctx, world, _source(ctx, world)))

    def checks(self, ctx: Context, world: Engine) -> tuple[Check | Gate, ...]:
        """Return the hidden queries, by whole answers or by hits, and the visible ones."""
        program = Program(world.paths["program"], ctx.language)
        cases = [Case(stdin=f"{query}\n".encode()) for query in world.hidden_queries]
        hidden: Check = fuzz_equivalence(
            "queries", program, cases=cases, expected=[e.encode() for e in world.expected], weight=3
        )
        if ctx.verifier == "metric_threshold":
            hidden = metric_threshold(
                "queries",
                lambda e: _overlap(e, program, cases, world),
                base=0.3,
                threshold=1.0,
                weight=3.0,
            )
        return (
            unchanged("notes", world.nodes),
            exact.value("answers", world.paths["answers"], "\n".join(world.answers)),
            hidden,
        )

    def say(self, ctx: Context, world: Engine) -> tuple[Clause, ...]:
        """Return the interface and the score, part by part."""
        return words.say(formula=world.formula, language=NAMES[ctx.language], paths=world.paths)

    def mutants(self, ctx: Context, world: Engine) -> tuple[Attempt, ...]:
        """Return a title like any line, one document less, and parts of the score left out."""
        right, form = _source(ctx, world), world.formula
        python = ctx.language == "python"
        head = f"{form.title}, {int(form.rare)}, {form.phrase}, {int(form.minus)}, {form.limit}"
        wrong = {
            "plain title": (form.title, "1"),
            "one less": (form.limit, str(form.limit - 1)),
            "one more for the title": (form.title, str(form.title + 2)),
        }
        programs = {}
        for name, (old, new) in wrong.items():
            if python:
                parts = head.split(", ")
                parts[0 if "title" in name else 4] = new
                programs[name] = right.replace(head, ", ".join(parts))
            else:
                key = "title" if "title" in name else "limit"
                programs[name] = right.replace(f"-v {key}={old}", f"-v {key}={new}")
        if form.rare:
            programs["no weights"] = right.replace("if RARE and", "if 0 and").replace(
                "rare ?", "0 ?"
            )
        return tuple(Attempt(name, _solved(ctx, world, body)) for name, body in programs.items())

    def exploits(self, ctx: Context, world: Engine) -> tuple[Attempt, ...]:
        """Return a program that finds nothing, and one with a constant answer."""
        program = world.paths["program"]
        python = ctx.language == "python"
        loop = "import sys\nfor _ in sys.stdin: print({!r})" if python else "sed 's/.*/{}/'"
        return tuple(
            Attempt(name, (write_file(program, loop.format(answer)),))
            for name, answer in (("nothing", "none"), ("first", "1:1 2:1 3:1"))
        )


def _source(ctx: Context, world: Engine) -> str:
    body = ranking.PYTHON if ctx.language == "python" else ranking.BASH
    form = world.formula
    for name in ("title", "rare", "phrase", "minus", "limit"):
        body = body.replace(f"@{name}", str(int(getattr(form, name))))
    return body.replace("@folder", world.paths["folder"])


def _solved(ctx: Context, world: Engine, source: str) -> tuple[str, ...]:
    paths = world.paths
    call = "python3" if ctx.language == "python" else "bash"
    run = f"{call} {paths['program']} < {paths['queries']} > {paths['answers']}"
    return (write_file(paths["program"], source), f"{run}; head -n 2 {paths['answers']}")


def _overlap(evidence: Evidence, program: Program, cases: list[Case], world: Engine) -> float:
    """Return the mean share of expected hits, each with its score, at its rank."""
    outcomes = evidence.run(program, cases)
    total = 0.0
    for outcome, expected in zip(outcomes, world.expected, strict=True):
        wanted = expected.split()
        printed = outcome.stdout.decode("utf-8", "replace").split()
        if outcome.timed_out or outcome.exit_code or len(printed) > len(wanted):
            continue
        total += sum(a == b for a, b in zip(printed, wanted, strict=False)) / len(wanted)
    return total / len(cases)


FAMILY = RankedSearch()
