"""DQ-10 ranked search: a program ranks notes for queries, with scores in whole numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.ranked_search import ranking
from tmax_gym.families.products import Product
from tmax_gym.later import Later
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

NAMES = {"python": "Python", "bash": "Bash"}
CALLS = {"python": "python3", "bash": "bash"}
QUERIES = 3
"""Queries in one input of the product."""


@dataclass(frozen=True, kw_only=True)
class Engine(World):
    """The decided facts."""

    paths: dict[str, str]
    formula: ranking.Formula
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    """Answers to the visible queries."""
    hidden_queries: tuple[str, ...]
    expected: Sequence[str]


class RankedSearch(Family[Engine]):
    """Write a search program with weights, pairs of words and exclusions."""

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
    followed_by = {  # noqa: RUF012
        "batch-run": ("search", "Several colleagues have left files with queries in a folder."),
        "command-wrapper": ("search", "Colleagues want one short command for their searches."),
        "make-target": ("search", "Answers should be made anew only if a list has changed."),
    }

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
        given, hidden = tuple(queries[:4]), tuple(queries[4:])
        folder, suffix = ctx.path("notes"), "py" if ctx.language == "python" else "sh"
        paths = {
            "folder": folder,
            "program": ctx.path(f"search.{suffix}"),
            "queries": ctx.path("queries.txt"),
            "answers": ctx.path("answers.txt"),
        }
        files = [text(f"{folder}/{d.number}.txt", f"{d.title}\n{d.body}\n") for d in notes]
        return Engine(
            nodes=(*files, text(paths["queries"], "".join(f"{q}\n" for q in given))),
            outputs=(paths["program"], paths["answers"]),
            paths=paths,
            formula=formula,
            asked=given,
            answers=tuple(ranking.ranked(notes, formula, query) for query in given),
            hidden_queries=hidden,
            expected=Later(lambda: (ranking.ranked(notes, formula, query) for query in hidden)),
        )

    def oracle(self, ctx: Context, world: Engine) -> tuple[str, ...]:
        """Return the program, run on the visible queries."""
        look = f"ls {world.paths['folder']} | wc -l; head -n 3 {world.paths['folder']}/1.txt"
        return (look, *_solved(ctx, world, _source(ctx, world)))

    def checks(self, ctx: Context, world: Engine) -> tuple[Check | Gate, ...]:
        """Return checks of the answers to hidden queries (lines or hits) and to visible ones."""
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

    def products(self, ctx: Context, world: Engine) -> Mapping[str, Product]:
        """Return the program, for lists of a few queries."""
        notes = _notes(world)

        def case(rng: Rng) -> products.Case:
            queries = ranking.queries(rng.fork("queries"), notes, world.formula, count=QUERIES)
            answers = [ranking.ranked(notes, world.formula, query) for query in queries]
            return products.Case(_lines(queries), _lines(answers))

        source = world.paths["program"]
        run = f"{CALLS[ctx.language]} {source}"
        return {"search": products.Program(source, run, case, "lists of queries")}

    def say(self, ctx: Context, world: Engine) -> tuple[Obligation, ...]:
        """Return the interface and the rules of the score."""
        paths = world.paths
        return (
            Obligation(
                "goal",
                f"We want to search the notes in `{paths['folder']}`. Write a program in "
                f"{NAMES[ctx.language]}, `{paths['program']}`, that ranks them for queries.",
                "goal",
            ),
            Obligation(
                "notes",
                "Each note is a file `<number>.txt`. Its first line is the title, and all other "
                "lines together are the body.",
                "input",
            ),
            *_rules(world.formula),
            Obligation(
                "interface",
                "The program reads queries from standard input, one on each line, and prints one "
                f"line for each query: the best notes, at most {world.formula.limit} of them, as "
                "`<number>:<score>` with single spaces between. The highest score comes first, "
                "and of equal scores the lower number. Notes with a score of 0 are left out. If "
                "no note is left, the line is `none`.",
                "format",
            ),
            Obligation(
                "sample",
                f"Also run the program on `{paths['queries']}` and save what it prints as "
                f"`{paths['answers']}`.",
                "output",
            ),
            Obligation("keep", f"Leave the notes and `{paths['queries']}` unchanged.", "limit"),
            Obligation(
                "unseen",
                "We will also run the program on the same notes with queries that you have not "
                "seen.",
                "grading",
                ("not seen", "unseen", "other queries", "hidden", "new queries", "more queries"),
            ),
        )

    def mutants(self, ctx: Context, world: Engine) -> tuple[Attempt, ...]:
        """Return programs with a wrong weight of titles, a wrong limit, or no weights of words."""
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


def _rules(formula: ranking.Formula) -> tuple[Obligation, ...]:
    """Return the parts of the score that apply."""
    rules = [
        Obligation(
            "words",
            "A word is a run of letters `a` to `z` and digits that is as long as possible. Capital "
            "letters are the same as small ones.",
        ),
        Obligation(
            "score",
            "The score of a note is the sum over the different words of the query. Each occurrence "
            f"of a word in the title counts {formula.title}, and each occurrence in the body "
            "counts 1. A word that is repeated in the query counts only once.",
        ),
    ]
    if formula.rare:
        excluded = ", even those that the query excludes" if formula.minus else ""
        rules.append(
            Obligation(
                "rare",
                "Rare words count more: multiply what a word adds by `1 + floor(N / n)`, where `N` "
                "is the number of all notes and `n` is the number of notes with this word in the "
                f"title or in the body{excluded}.",
            )
        )
    if formula.phrase:
        left_out = "repeated and excluded words" if formula.minus else "repeated words"
        rules.append(
            Obligation(
                "phrase",
                f"Leave out {left_out} from the query, and look at each pair of words that then "
                "follow one another. If the same two words also follow one another in this order "
                f"in the title or in the body of the note, add {formula.phrase}, once for each "
                "pair. In the body, the pair may have a line break in between.",
            )
        )
    if formula.minus:
        rules.append(
            Obligation(
                "minus",
                "A word with `-` before it in a query is excluded: it adds nothing itself, and a "
                "note that has this word in its title or in its body is not listed.",
            )
        )
    return tuple(rules)


def _notes(world: Engine) -> tuple[ranking.Document, ...]:
    """Return the notes as they stand in the world."""
    notes = []
    for node in world.nodes:
        folder, _, name = node.path.rpartition("/")
        if folder == world.paths["folder"]:
            title, _, body = (node.data or b"").decode().partition("\n")
            notes.append(ranking.Document(int(name.removesuffix(".txt")), title, body))
    return tuple(notes)


def _lines(texts: Sequence[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


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
