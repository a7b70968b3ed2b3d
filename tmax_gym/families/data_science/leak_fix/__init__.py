"""DSC-02 leak fix: rows of the test folds influence the training; the code is repaired in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote

from tmax_gym.checks import exact
from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fraction,
    fuzz_equivalence,
    prints,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.data_science.leak_fix import evaluation
from tmax_gym.families.products import Edits, Product
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

HIDDEN = 3
"""Number of hidden tables."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(World):
    """The decided facts."""

    package: str
    notes: str
    table: str
    score: str
    leaks: tuple[evaluation.Leak, ...]
    rows: evaluation.Rows
    hidden_tables: tuple[evaluation.Rows, ...]


class LeakFix(Family[Pipeline]):
    """Groups, late columns, selection, scaling, neighbours."""

    id = "DSC-02"
    slug = "leak-fix"
    domain = "data_science"
    skill = "Testing"
    primitives = (
        "Cross-validation and hyperparameter tuning",
        "Model training and evaluation",
        "Pipeline reproducibility testing",
        "Feature engineering and selection",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence", "metric_threshold")
    languages = ("python", "any")
    tools = ("bash", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "patch-file": ("package", "The maintainers of the package want the repair as a patch."),
        "git-commit": ("package", "The repair should be reviewed before the next evaluation."),
    }

    def world(self, ctx: Context) -> Pipeline:
        """Return the package with one to five leaks, and tables on which all of them show."""
        rng = ctx.rng.fork("leaks")
        leaks = tuple(rng.shuffled(evaluation.LEAKS)[: ctx.knob(1, 5)])
        measures = sorted({m.column for m in ctx.skin.measures})
        names = rng.sample(measures, 4)
        names[3] = f"late_{names[3]}"
        package = ctx.path("vendor", "evaluation")
        notes, table = f"{package}/NOTES.txt", ctx.path(f"{ctx.skin.stem(rng)}.csv")
        tables = _telling(leaks, rng.fork("tables"), names, ctx.knob(14, 20))
        nodes = [text(notes, evaluation.RULES.replace("{package}", package))]
        for module, source in evaluation.MODULES.items():
            for leak in leaks:
                if leak.module == module:
                    source = source.replace(leak.right, leak.wrong)
            nodes.append(text(f"{package}/{module}.py", source))
        return Pipeline(
            nodes=(*nodes, text(table, evaluation.csv_text(tables[0]))),
            outputs=(ctx.path("score.txt"),),
            package=package,
            notes=notes,
            table=table,
            score=ctx.path("score.txt"),
            leaks=leaks,
            rows=tables[0],
            hidden_tables=tuple(tables[1:]),
        )

    def oracle(self, ctx: Context, world: Pipeline) -> tuple[str, ...]:
        """Return one repair a leak, each looked at, and the score."""
        commands = [f"cat {world.notes} {world.package}/[a-z]*.py"]
        for leak in sorted(world.leaks, key=lambda leak: evaluation.STAGES.index(leak.stage)):
            commands += [
                _repair(world, leak, leak.right),
                f"python3 {world.package} {leak.stage} {world.table} | head -n 3",
            ]
        return (*commands, *_scored(world))

    def checks(self, ctx: Context, world: Pipeline) -> tuple[Check | Gate, ...]:
        """Return one check a stage that is wrong at first, and the score."""
        program = Program(f"{world.package}/__main__.py", "python", roots=(world.package,))
        kept = [n for n in world.nodes if n.path in (world.notes, world.table)]
        right, broken = evaluation.package(()), evaluation.package(evaluation.edits(world.leaks))
        checks: list[Check | Gate] = [unchanged("notes and table", kept)]
        for stage in evaluation.STAGES:
            tables = [t for t in world.hidden_tables if right(stage, t) != broken(stage, t)]
            if not tables:
                continue
            wanted = ["\n".join(right(stage, rows)).encode() for rows in tables]
            cases = [
                Case(
                    argv=(stage, "/tmp/t.csv"), nodes=(text("/tmp/t.csv", evaluation.csv_text(t)),)
                )
                for t in tables
            ]
            if ctx.verifier == "metric_threshold" or len(set(wanted)) == 1:
                checks.append(_metric(stage, program, cases, wanted))
            else:
                checks.append(fuzz_equivalence(stage, program, cases=cases, expected=wanted))
        lines = "\n".join(right("score", world.rows))
        return (*checks, exact.value("report", world.score, lines, weight=0.8))

    def products(self, ctx: Context, world: Pipeline) -> Mapping[str, Product]:
        """Return the repaired package."""
        root = f"{world.package}/"
        before = {
            node.path.removeprefix(root): node.data or b""
            for node in world.nodes
            if node.path.startswith(root)
        }
        return {"package": Edits(world.package, before, "evaluation package")}

    def say(self, ctx: Context, world: Pipeline) -> tuple[Obligation, ...]:
        """Return the suspicion, the rules, and where the score belongs."""
        return (
            Obligation(
                "goal",
                f"The scores that the evaluation package `{world.package}` reports for the data "
                f"set `{world.table}` cannot be trusted: somewhere, information leaks from the "
                f"rows that are tested into the training. Find every leak and fix it in the "
                f"Python source of the package.",
                "goal",
            ),
            Obligation(
                "notes",
                f"`{world.notes}` describes what each of the stages "
                f"{', '.join(f'`{stage}`' for stage in evaluation.STAGES[:-1])} and "
                f"`{evaluation.STAGES[-1]}` is meant to do. Where the code does something else, "
                f"the code is wrong.",
                "input",
            ),
            Obligation(
                "keep",
                f"Keep the command line `python3 {world.package} STAGE TABLE` and the format of "
                f"the output as they are. Don't change `{world.notes}` or `{world.table}`.",
                "limit",
            ),
            Obligation(
                "score",
                f"When the package is repaired, run the stage `score` on `{world.table}` and save "
                f"its output in `{world.score}`.",
                "output",
            ),
            Obligation(
                "unseen",
                "We will also run every stage of the repaired package on tables that you have not "
                "seen.",
                "grading",
                keys=("not seen", "unseen", "hidden", "other tables", "other data", "new tables"),
            ),
        )

    def mutants(self, ctx: Context, world: Pipeline) -> tuple[Attempt, ...]:
        """Return hasty repairs of the first leak, and one leak left as it is."""
        first, *rest = world.leaks
        others = [_repair(world, leak, leak.right) for leak in rest]
        ways = {f"hasty {n}": (_repair(world, first, o),) for n, o in enumerate(first.others, 1)}
        attempts = [Attempt(name, (*way, *others, *_scored(world))) for name, way in ways.items()]
        return (*attempts, Attempt("one left", (*others, *_scored(world))))

    def exploits(self, ctx: Context, world: Pipeline) -> tuple[Attempt, ...]:
        """Return the leaky score, a package that prints nothing, and a perfect score."""
        perfect = "\\n".join(["9 of 9"] * 3)
        return (
            Attempt("leaky score", _scored(world)),
            Attempt("silent", (f"echo 'print()' > {world.package}/__main__.py",)),
            Attempt("perfect", (f"printf '{perfect}\\n' > {world.score}",)),
        )


def _telling(
    leaks: tuple[evaluation.Leak, ...], rng: Rng, names: list[str], size: int
) -> list[evaluation.Rows]:
    """Return tables on whose score the leaks show together, and each one by itself on some."""
    right, broken = evaluation.package(()), evaluation.package(evaluation.edits(leaks))
    first = leaks[0]
    alone = {leak.wrong: leak for leak in leaks}
    hasty = [evaluation.package(((first.module, first.right, other),)) for other in first.others]
    shown: set[str] = set()
    tables: list[evaluation.Rows] = []
    for number in range(300):
        rows = evaluation.table(rng.fork(number), names, size)
        truth = right("score", rows)
        if truth == broken("score", rows):
            continue
        news = {
            key
            for key, leak in alone.items()
            if key not in shown
            and evaluation.package(evaluation.edits((leak,)))(leak.stage, rows)
            != right(leak.stage, rows)
        }
        news |= {
            str(n)
            for n, way in enumerate(hasty)
            if str(n) not in shown and way(first.stage, rows) != right(first.stage, rows)
        }
        wanted = len(alone) + len(hasty) - len(shown) - len(news)
        if not tables or news or len(tables) + wanted < HIDDEN + 1:
            if tables:
                shown |= news
            tables.append(rows)
        if len(tables) > HIDDEN and len(shown) == len(alone) + len(hasty):
            return tables[: max(HIDDEN + 1, len(tables))]
    raise ValueError(f"no tables that show {len(leaks)} leaks in 300 draws")


def _metric(stage: str, program: Program, cases: list[Case], wanted: list[bytes]) -> Check:
    """Return the share of tables with the right lines, as a metric."""

    def score(evidence: Evidence) -> float:
        outcomes = evidence.run(program, cases)
        hits = sum(
            o.exit_code == 0 and prints(o.stdout, w) for o, w in zip(outcomes, wanted, strict=True)
        )
        if not outcomes:
            raise BadOutput(f"stage {stage} was not run")
        return fraction(hits, len(wanted))

    return Check(stage, "metric_threshold", score)


def _repair(world: Pipeline, leak: evaluation.Leak, instead: str) -> str:
    """Return the command that puts another line in place of a leak."""
    old = "".join(f"\\{c}" if c in "[]*.^$\\" else c for c in leak.wrong)
    script = f"s|{old}$|{instead}|; s|{old}]|{instead}]|"
    return f"sed -i {quote(script)} {world.package}/{leak.module}.py"


def _scored(world: Pipeline) -> tuple[str, ...]:
    return (
        f"python3 {world.package} score {world.table} > {world.score}",
        f"rm -rf {world.package}/__pycache__",
    )


FAMILY = LeakFix()
