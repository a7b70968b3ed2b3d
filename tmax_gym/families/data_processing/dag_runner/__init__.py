"""DPR-11 dag runner: the agent writes a program that simulates a pipeline and prints its events.

The rules are on a sheet.  The order of ready steps, the retries, the effects of a failure and the
treatment of earlier results differ from task to task.  Hidden pipelines are graded, some of them
with cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.dag_runner import pipelines
from tmax_gym.families.data_processing.dag_runner.rendering import render
from tmax_gym.families.data_processing.dag_runner.sheet import sheet
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

CASES = 10
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""


@dataclass(frozen=True, kw_only=True)
class Depot(World):
    """The decided facts."""

    rules: pipelines.Rules
    programs: sources.Sources
    paths: dict[str, str]
    batch: tuple[pipelines.Pipeline, ...]
    """The pipelines of the world; none below the level at which they are asked for."""
    unseen: tuple[pipelines.Pipeline, ...]


class DagRunner(Family[Depot]):
    """Simulate steps in Kahn's order, with a clock and a record of finished steps."""

    id = "DPR-11"
    slug = "dag-runner"
    domain = "data_processing"
    skill = "Algorithmic"
    primitives = (
        "Pipeline DAG orchestration",
        "Pipeline scheduling and cron management",
        "Multi-stage pipeline orchestration",
        "Pipeline logging and monitoring",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("go", "rust", "cpp", "multi")
    tools = ("bash", "diff")
    followed_by = {  # noqa: RUF012
        "batch-run": ("runner", "The operators want to see every pipeline of the week in advance."),
        "command-wrapper": ("runner", "The planners want a command that they can type themselves."),
        "make-target": ("runner", "The events should be made anew whenever a pipeline changes."),
    }

    def world(self, ctx: Context) -> Depot:
        """Return the sheet, an example, pipelines to simulate, and hidden ones."""
        rng = ctx.rng.fork("depot")
        rules = pipelines.drawn(rng.fork("rules"), ctx.level)
        names = _names(ctx, rng.fork("names"))
        example = _pipeline(rng.fork("example"), rules, names, size=ctx.knob(5, 7))
        count = ctx.knob(0, 6)
        batch = tuple(
            _pipeline(rng.fork("batch", n), rules, names, size=6 + n) for n in range(count)
        )
        folder = rng.choice(("pipelines", "nightly", "flows"))
        paths = {
            "sheet": ctx.path(rng.choice(("RUNNER.txt", "rules.txt", "runner.txt"))),
            "sample": ctx.path("example.txt"),
            "shown": ctx.path("example.trace"),
        }
        nodes = [
            prose(paths["sheet"], sheet(rules)),
            text(paths["sample"], example.text(rules)),
            text(paths["shown"], "\n".join(pipelines.trace(rules, example)) + "\n"),
        ]
        if batch:
            paths |= {"pipelines": ctx.path(folder, "*.txt"), "traces": ctx.path("traces.txt")}
        for number, pipeline in enumerate(batch, start=1):
            nodes.append(text(ctx.path(folder, f"{number}.txt"), pipeline.text(rules)))
        programs = sources.sources(ctx, rng.choice(("dryrun", "runner", "play")), scripts=_SCRIPT)
        paths["program"] = programs[0].path
        return Depot(
            nodes=tuple(nodes),
            outputs=(*(p.path for p in programs), *([paths["traces"]] if batch else [])),
            rules=rules,
            programs=programs,
            paths=paths,
            batch=batch,
            unseen=tuple(_hidden(rng.fork("unseen", n), rules, names, n) for n in range(CASES)),
        )

    def oracle(self, ctx: Context, world: Depot) -> tuple[str, ...]:
        """Return a look at the sheet, the program, a trial, and the traces."""
        return (f"cat {world.paths['sheet']}", *_solved(world, world.rules))

    def checks(self, ctx: Context, world: Depot) -> tuple[Check | Gate, ...]:
        """Return the hidden pipelines, and the traces of those of the world."""
        cases = [
            (checks.text(world.rules).encode(), traces)
            for checks, traces in zip(world.unseen, _said(world, world.rules), strict=True)
        ]
        checks: list[Check | Gate] = [
            unchanged("inputs", world.nodes),
            *sources.equivalence("runner", world.programs, cases, weight=3.0),
        ]
        if world.batch:
            lines = [line for one in world.batch for line in pipelines.trace(world.rules, one)]
            checks.append(exact.lines("traces", world.paths["traces"], lines))
        return tuple(checks)

    def products(self, ctx: Context, world: Depot) -> Mapping[str, Product]:
        """Return the first program."""
        names = _names(ctx, ctx.rng.fork("depot").fork("names"))

        def case(rng: Rng) -> Case:
            drawn = _hidden(rng, world.rules, names, rng.integer(0, CASES - 1))
            return Case(drawn.text(world.rules).encode(), _printed(world.rules, drawn))

        one = replace(world.programs[0], binary="{out}")
        return {"runner": Program(one.path, one.call, case, "pipelines", " ".join(one.build))}

    def say(self, ctx: Context, world: Depot) -> tuple[Obligation, ...]:
        """Return the programs, their input, and the batch."""
        paths = world.paths
        obligations = [
            Obligation(
                "goal",
                f"Write a dry run of our pipeline runner in {world.programs[0].name}, as "
                f"`{paths['program']}`. It plays a pipeline by the rules in `{paths['sheet']}` and "
                "prints which event happens at which tick. It only simulates the clock: no step "
                "is really run, and the program does not wait.",
                "goal",
            ),
            Obligation(
                "feed",
                "The program reads one pipeline from standard input and prints its events to "
                f"standard output. `{paths['sample']}` is an example of a pipeline, and "
                f"`{paths['shown']}` is exactly what must be printed for it. The exit status is "
                "always 0, even if the pipeline has a cycle.",
                "format",
            ),
        ]
        if world.batch:
            obligations.append(
                Obligation(
                    "batch",
                    f"Also run it on each of the files `{paths['pipelines']}`, in the order of "
                    f"their names, and write all events to `{paths['traces']}`, one pipeline after "
                    "the other with nothing in between.",
                    "output",
                )
            )
        return (
            *obligations,
            *sources.languages(world.programs),
            Obligation(
                "unseen",
                "We will test it on other pipelines that you have not seen, and some of them have "
                "cycles.",
                "grading",
                ("not seen", "unseen", "hidden", "other pipelines", "further pipelines"),
            ),
            Obligation(
                "keep",
                "Leave the files that are there now unchanged.",
                "limit",
                ("unchanged", "as they are", "untouched", "not change", "not modify", "not edit"),
            ),
        )

    def mutants(self, ctx: Context, world: Depot) -> tuple[Attempt, ...]:
        """Return runners with one rule misread that shows."""
        right = _said(world, world.rules)
        attempts = [
            Attempt(name, _solved(world, world.rules, wrong=rules))
            for name, rules in pipelines.mistakes(world.rules)
            if _said(world, rules) != right
        ]
        return tuple(attempts[:WRONG])

    def exploits(self, ctx: Context, world: Depot) -> tuple[Attempt, ...]:
        """Return runners that know the example, and that print their input; empty traces."""
        shown = "sed 's/^/0 start /'"
        known = ["0 end done=0 kept=0 failed=0 skipped=0"]
        attempts = [
            Attempt(
                "one trace",
                tuple(write_file(p.path, tricks.prints(p.language, known)) for p in world.programs),
            ),
            Attempt(
                "echo",
                tuple(write_file(p.path, tricks.starts(p.language, shown)) for p in world.programs),
            ),
        ]
        if world.batch:
            attempts.append(Attempt("no traces", (f": > {world.paths['traces']}",)))
        return tuple(attempts)


_SCRIPT: tuple[Language, ...] = ("python",)


def _names(ctx: Context, rng: Rng) -> list[str]:
    """Return names of steps, as the place would have them."""
    verbs = ("load", "clean", "join", "sum", "check", "export")
    nouns = sorted({slugged(thing.plural) for thing in ctx.skin.things})
    return sorted({f"{rng.choice(verbs)}_{rng.choice(nouns)}" for _ in range(60)})


def _pipeline(
    rng: Rng, rules: pipelines.Rules, names: list[str], *, size: int, cyclic: bool = False
) -> pipelines.Pipeline:
    return pipelines.pipeline(rng, rules, names=rng.sample(names, size), cyclic=cyclic)


def _hidden(rng: Rng, rules: pipelines.Rules, names: list[str], number: int) -> pipelines.Pipeline:
    """Return a hidden pipeline; one of five has a circle."""
    cyclic = number % 5 == 4
    return _pipeline(rng, rules, names, size=5 + number, cyclic=cyclic)


def _printed(rules: pipelines.Rules, pipeline: pipelines.Pipeline) -> bytes:
    return ("\n".join(pipelines.trace(rules, pipeline)) + "\n").encode()


def _said(world: Depot, rules: pipelines.Rules) -> list[bytes]:
    return [_printed(rules, one) for one in world.unseen]


def _solved(
    world: Depot, rules: pipelines.Rules, *, wrong: pipelines.Rules | None = None
) -> tuple[str, ...]:
    """Return the commands that write the programs, and the traces with the last one."""
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(rules, language),
        lambda language: render(wrong or rules, language),
    )
    call, paths = world.programs[-1].call, world.paths
    commands = [*sources.written(world.programs, writer)]
    commands.append(f"diff <({call} < {paths['sample']}) {paths['shown']} && echo same")
    if world.batch:
        commands.append(
            f"for file in {paths['pipelines']}; do {call} < $file; done > {paths['traces']}"
        )
    return tuple(commands)


FAMILY = DagRunner()
