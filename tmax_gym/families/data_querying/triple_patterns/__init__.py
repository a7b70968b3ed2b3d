"""DQ-05 triple patterns: a small query engine for a graph of named edges.

The signs in paths, the rows of an answer and the way to count steps differ from task to task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, unchanged
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.triple_patterns import instruction, patterns
from tmax_gym.families.data_querying.triple_patterns.rendering import render
from tmax_gym.families.products import Product
from tmax_gym.families.shared import marks, sources
from tmax_gym.families.shared import tricks as _tricks
from tmax_gym.later import Later
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

SIZES = ((5, 9), (7, 14), (9, 22), (12, 30))
"""Nodes and triples of the hidden graphs."""
ASKED = 9
"""Queries on each of them."""
FEW = 4
"""Queries in one input of the product."""
WRONG = 4
"""The largest number of wrong programs in a task; a proof compiles each of them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A graph and the queries about it."""

    triples: tuple[patterns.Triple, ...]
    queries: tuple[str, ...]

    @property
    def graph(self) -> str:
        """Return the triples as lines."""
        return "".join(f"{' '.join(triple)}\n" for triple in self.triples)

    @property
    def asked(self) -> str:
        """Return the queries as lines."""
        return "".join(f"{query}\n" for query in self.queries)

    def answer(self, rules: patterns.Rules) -> list[str]:
        """Return one line for each query."""
        return patterns.answer(rules, self.triples, self.queries)


@dataclass(frozen=True, kw_only=True)
class Engine(World):
    """The decided facts."""

    rules: patterns.Rules
    programs: sources.Sources
    paths: dict[str, str]
    shown: Trial
    trials: Sequence[Trial]


class TriplePatterns(Family[Engine]):
    """Write an engine for patterns, paths, negation and shortest ways."""

    id = "DQ-05"
    slug = "triple-patterns"
    domain = "data_querying"
    skill = "Graph Processing"
    primitives = (
        "Knowledge graph pattern matching",
        "Graph traversal and shortest path computation",
        "Graph query languages (SPARQL, Cypher)",
        "Result sorting, pagination, and filtering",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("cpp", "go", "rust", "multi")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("engine", "Several teams have sent their own graphs with queries."),
        "command-wrapper": ("engine", "Colleagues want to ask the engine with one short command."),
        "make-target": ("engine", "Answers should be made anew only if a graph has changed."),
    }

    def world(self, ctx: Context) -> Engine:
        """Return a graph with queries, and hidden ones."""
        rng = ctx.rng.fork("graph")
        rules = patterns.drawn(ctx.rng.fork("rules"), ctx.level)
        nodes = patterns.names(ctx.skin)
        size = ctx.knob(8, 14), ctx.knob(14, 40)
        shown = _trial(rules, rng.fork("shown"), nodes, size=size, asked=ctx.knob(4, 10))
        trials = Later(
            lambda: (
                _trial(rules, rng.fork("hidden", n), nodes, size=size, asked=ASKED)
                for n, size in enumerate(SIZES)
            )
        )
        programs = sources.sources(ctx, "match", scripts=("python",))
        paths = {
            "graph": ctx.path(f"{ctx.skin.stem(rng)}.graph"),
            "queries": ctx.path("queries.txt"),
            "answers": ctx.path("answers.txt"),
        }
        return Engine(
            nodes=(text(paths["graph"], shown.graph), text(paths["queries"], shown.asked)),
            outputs=(*(program.path for program in programs), paths["answers"]),
            rules=rules,
            programs=programs,
            paths=paths,
            shown=shown,
            trials=trials,
        )

    def oracle(self, ctx: Context, world: Engine) -> tuple[str, ...]:
        """Return the programs and a run of the last one."""
        return (f"head -n 5 {world.paths['graph']} {world.paths['queries']}",
                *_written(world, world.rules))  # fmt: skip

    def checks(self, ctx: Context, world: Engine) -> tuple[Check | Gate, ...]:
        """Return checks of the run, and of the programs on hidden graphs, query by query."""
        cases = [Case(stdin=_stdin(trial).encode()) for trial in world.trials]
        expected = [trial.answer(world.rules) for trial in world.trials]
        return (
            unchanged("graph", world.nodes),
            exact.value("run", world.paths["answers"], "\n".join(world.shown.answer(world.rules))),
            *(
                marks.answers(
                    f"answers in {program.language}",
                    program.program(),
                    cases,
                    expected=expected,
                    weight=3.0 / len(world.programs),
                )
                for program in world.programs
            ),
        )

    def products(self, ctx: Context, world: Engine) -> Mapping[str, Product]:
        """Return the last program, which is a script if there are two."""
        source, nodes = world.programs[-1], patterns.names(ctx.skin)

        def case(rng: Rng) -> products.Case:
            trial = _trial(world.rules, rng.fork("trial"), nodes, size=SIZES[1], asked=FEW)
            answers = trial.answer(world.rules)
            return products.Case(
                _stdin(trial).encode(), "".join(f"{a}\n" for a in answers).encode()
            )

        run = " ".join(toolchains.start(source.language, source.path, "{out}"))
        build = " ".join(toolchains.build(source.language, source.path, "{out}"))
        return {"engine": products.Program(source.path, run, case, "graphs with queries", build)}

    def say(self, ctx: Context, world: Engine) -> tuple[Obligation, ...]:
        """Return the language of queries, and the run."""
        return instruction.say(world.rules, world.programs, world.paths)

    def mutants(self, ctx: Context, world: Engine) -> tuple[Attempt, ...]:
        """Return engines that get one rule wrong or do not know one sign, and incomplete runs."""
        rules = world.rules
        other = {
            "other rows": replace(rules, bag=not rules.bag),
            "other way": replace(rules, hops="both" if rules.hops == "directed" else "directed"),
        }
        wrong = {
            name: lambda language, changed=changed: render(changed, language)
            for name, changed in other.items()
            if any(trial.answer(changed) != trial.answer(rules) for trial in world.trials)
        }
        for sign in ("inverse", "plus", "star", "either"):
            if getattr(rules, sign) and any(getattr(rules, sign) in t.asked for t in world.trials):
                less = patterns.Rules(**{**asdict(rules), sign: ""})
                wrong[f"no {sign}"] = lambda language, changed=less: render(changed, language)
        done, answers = _written(world, rules), world.paths["answers"]
        return (
            *(
                Attempt(name, _written(world, rules, writer))
                for name, writer in list(wrong.items())[:WRONG]
            ),
            Attempt("not run", done[:-1]),
            Attempt("one answer missing", (*done, f"sed -i '$d' {answers}")),
        )

    def exploits(self, ctx: Context, world: Engine) -> tuple[Attempt, ...]:
        """Return programs that find nothing, print their input, or print one line."""
        nothing = "sed '1,/^?$/d; s/.*/none/'"
        tricks: dict[str, sources.Writer] = {
            "none": lambda language: _tricks.starts(language, nothing),
            "input": _tricks.copies,
            "one line": lambda language: _tricks.prints(language, ["none"]),
        }
        return tuple(
            Attempt(name, tuple(write_file(m.path, make(m.language)) for m in world.programs))
            for name, make in tricks.items()
        )


def _trial(
    rules: patterns.Rules, rng: Rng, nodes: list[str], *, size: tuple[int, int], asked: int
) -> Trial:
    few = rng.sample(nodes, min(size[0], len(nodes)))
    edges = rng.sample(patterns.EDGES, 2 + (size[1] > 12))
    triples = patterns.graph(rng.fork("triples"), few, edges, size=size[1])
    queries = patterns.queries(rules, rng.fork("queries"), triples, count=asked)
    return Trial(tuple(triples), tuple(queries))


def _stdin(trial: Trial) -> str:
    return f"{trial.graph}{patterns.BREAK}\n{trial.asked}"


def _written(
    world: Engine, rules: patterns.Rules, last: sources.Writer | None = None
) -> tuple[str, ...]:
    """Return the commands that write the programs and run the last one.

    `last` writes the last program, if it is given.
    """

    def right(language: Language) -> str:
        return render(rules, language)

    writer = sources.last_wrong(world.programs, right, last) if last else right
    feed = f"(cat {world.paths['graph']}; echo '{patterns.BREAK}'; cat {world.paths['queries']})"
    answers = world.paths["answers"]
    return (
        *sources.written(world.programs, writer),
        f"{feed} | {world.programs[-1].call} > {answers}; head -n 3 {answers}",
    )


FAMILY = TriplePatterns()
