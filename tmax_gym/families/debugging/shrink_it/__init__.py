"""DBG-08 shrink it: a closed tool fails on long inputs; find short ones that still fail.

The fault needs a few lines in a certain order; all other lines are ballast.  The score follows the
logarithm of the number of lines that are left, from the whole input down to the lines that the
fault needs.  What is left is not decided in advance, so there are no products.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng, stable_log
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.program import (
    Const,
    Emit,
    Field,
    If,
    Logic,
    Op,
    Put,
    Register,
    Set,
    Test,
    Var,
)

VERBS, SLOTS, TOP = 8, 20, 900
DDMIN = program_text(__package__, "ddmin.py")


@dataclass(frozen=True, slots=True)
class Input:
    """An input that makes the tool fail."""

    path: str
    target: str
    rows: tuple[str, ...]
    needed: tuple[int, ...]
    """Places of lines that suffice, and none of which can be spared."""


@dataclass(frozen=True, kw_only=True)
class Failure(World):
    """The decided facts."""

    tool: str
    source: str
    target: str
    inputs: tuple[Input, ...]
    program: ir.Program


class ShrinkIt(Family[Failure]):
    """Delete lines as long as the fault stays."""

    id = "DBG-08"
    slug = "shrink-it"
    domain = "debugging"
    skill = "Testing"
    primitives = (
        "Delta debugging and test minimization",
        "Minimal reproducible example creation",
        "Fuzz testing",
        "Binary reverse engineering and decompilation",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("metric_threshold",)
    languages = ("any", "bash")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Failure:
        """Return the tool and inputs on which it fails."""
        rng = ctx.rng.fork("failure")
        steps = _steps(rng.fork("steps"), ctx.knob(2, 6))
        program = _program(steps, reset=rng.integer(1, VERBS))
        source, target = ctx.path("failing"), ctx.path("shrunk")
        tool = ctx.path("bin", ctx.skin.stem(rng).replace("_", "-"))
        inputs = []
        for number in range(1, ctx.knob(1, 5) + 1):
            rows, needed = _failing(rng.fork("input", number), steps, ctx.knob(24, 220), program)
            name = f"case{number}.txt"
            inputs.append(Input(f"{source}/{name}", f"{target}/{name}", rows, needed))
        return Failure(
            nodes=(
                Node(tool, data=executable(program), mode=0o755),
                *(text(one.path, "\n".join(one.rows) + "\n") for one in inputs),
            ),
            outputs=tuple(one.target for one in inputs),
            tool=tool,
            source=source,
            target=target,
            inputs=tuple(inputs),
            program=program,
        )

    def oracle(self, ctx: Context, world: Failure) -> tuple[str, ...]:
        """Return delta debugging, run on one input after the other."""
        return (
            f"wc -l {world.source}/*; {world.tool} < {world.inputs[0].path}",
            write_file("/tmp/ddmin.py", DDMIN),
            f"mkdir -p {world.target}",
            *(
                f"python3 /tmp/ddmin.py {world.tool} {one.path} {one.target}; "
                f"{world.tool} < {one.target}"
                for one in world.inputs
            ),
            f"cat {world.target}/*; rm /tmp/ddmin.py",
        )

    def checks(self, ctx: Context, world: Failure) -> tuple[Check | Gate, ...]:
        """Return how short each input has become."""
        return (
            unchanged("tool and inputs", world.nodes),
            *(
                metric_threshold(
                    f"case {number}",
                    lambda evidence, one=one: _brevity(evidence, world, one),  # type: ignore[misc]
                    base=-stable_log(len(one.rows)),
                    threshold=-stable_log(len(one.needed)),
                )
                for number, one in enumerate(world.inputs, start=1)
            ),
        )

    def say(self, ctx: Context, world: Failure) -> tuple[Obligation, ...]:
        """Return the symptom, what may be removed, and where the rest goes."""
        targets = [f"`{one.target}`" for one in world.inputs]
        names = targets[0] if len(targets) == 1 else f"{', '.join(targets[:-1])} and {targets[-1]}"
        return (
            Obligation(
                "goal",
                f"The program `{world.tool}` prints `fault` at the end of its output for every "
                f"input file in `{world.source}`, but these files are far too long to find the "
                f"cause. Shorten each of them as far as you can, so that the program still prints "
                f"`fault` for it.",
                "goal",
            ),
            Obligation(
                "tool",
                "The program is a stripped binary, and it reads its input from standard input.",
                "input",
                ("standard input", "stdin", "binary"),
            ),
            Obligation(
                "rule",
                "You may only delete whole lines. The lines that are left must have their old "
                "text and their old order.",
                "rule",
                ("whole lines", "delete lines", "remove lines", "order"),
            ),
            Obligation(
                "names",
                f"Save the shortened files under their old names in `{world.target}`: {names}.",
                "output",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.tool}` or the files in `{world.source}`.",
                "limit",
            ),
            Obligation(
                "score",
                "The fewer lines are left in a file, the better. Full marks are for files without "
                "any line that could be spared.",
                "grading",
                ("fewer", "fewest", "as few", "shorter", "minimal", "smallest"),
            ),
        )

    def mutants(self, ctx: Context, world: Failure) -> tuple[Attempt, ...]:
        """Return inputs with lines to spare, with a line too few, and with a cut end."""

        def written(name: str, kept: list[list[int]]) -> Attempt:
            files = [
                write_file(one.target, "\n".join(one.rows[i] for i in rows))
                for one, rows in zip(world.inputs, kept, strict=True)
            ]
            return Attempt(name, (f"mkdir -p {world.target}", *files))

        spare = [
            sorted({*one.needed, *(i for i in range(4) if i not in one.needed)})
            for one in world.inputs
        ]
        return (
            written("lines to spare", spare),
            written("one too few", [list(one.needed[1:]) for one in world.inputs]),
            written("cut off", [list(range(one.needed[-1] + 1)) for one in world.inputs]),
        )

    def exploits(self, ctx: Context, world: Failure) -> tuple[Attempt, ...]:
        """Return the inputs as they are, their last lines, and empty files."""
        make = f"mkdir -p {world.target}; for f in {world.source}/*; do "
        return (
            Attempt("as they are", (f"{make}cp $f {world.target}; done",)),
            Attempt("last lines", (f"{make}tail -n 1 $f > {world.target}/$(basename $f); done",)),
            Attempt("empty", (f"{make}: > {world.target}/$(basename $f); done",)),
        )


@dataclass(frozen=True, slots=True)
class Step:
    """The condition for a line to bring the fault one step nearer."""

    verb: int
    field: str
    """`slot` has to equal the bound, `amount` to reach it."""
    bound: int


def _steps(rng: Rng, count: int) -> tuple[Step, ...]:
    verbs = [rng.integer(1, VERBS) for _ in range(count)]
    steps = []
    for verb in verbs:
        if rng.chance(0.5):
            steps.append(Step(verb, "slot", rng.integer(1, SLOTS)))
        else:
            steps.append(Step(verb, "amount", rng.integer(TOP - 250, TOP - 60)))
    return tuple(steps)


def _program(steps: tuple[Step, ...], *, reset: int) -> ir.Program:
    """Return the tool: it follows the steps, and begins anew at a `reset` on slot 0."""
    state = Var("stage")
    chain: tuple[ir.Stmt, ...] = ()
    for number in reversed(range(len(steps))):
        step = steps[number]
        order: ir.Order = "==" if step.field == "slot" else ">="
        right = Logic(
            "and",
            Test("==", Var("verb"), Const(step.verb)),
            Test(order, Var(step.field), Const(step.bound)),
        )
        here = Logic("and", Test("==", state, Const(number)), right)
        chain = (If(here, (Set("stage", Const(number + 1)),), chain),)
    gone = Logic(
        "and",
        Logic("and", Test("==", Var("verb"), Const(reset)), Test("==", Var("slot"), Const(0))),
        Test("<", state, Const(len(steps))),
    )
    return ir.Program(
        kind="ledger",
        unit="record",
        registers=(Register("stage"), Register("entries"), Register("sum_of")),
        close=(
            Set("entries", Op("+", Var("entries"), Const(1))),
            Set("sum_of", Op("+", Var("sum_of"), Var("amount"))),
            If(gone, (Set("stage", Const(0)),), chain),
        ),
        finish=(
            Put("entries "),
            Emit(Var("entries")),
            Put("\nsum "),
            Emit(Var("sum_of")),
            Put("\n"),
            If(Test("==", state, Const(len(steps))), (Put("fault\n"),)),
        ),
        fields=(Field("verb", 1, VERBS), Field("slot", 0, SLOTS), Field("amount", 0, TOP)),
    )


def _failing(
    rng: Rng, steps: tuple[Step, ...], count: int, program: ir.Program
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the lines of a failing input, and the places of those that it needs."""
    rows = [
        [rng.integer(1, VERBS), rng.integer(0, SLOTS), rng.integer(0, TOP)] for _ in range(count)
    ]
    tail = count // 3
    for row in rows[tail:]:
        row[1] = row[1] or 1  # nothing is forgotten after the first third
    places = sorted(rng.sample(range(tail, count), len(steps)))
    for place, step in zip(places, steps, strict=True):
        rows[place][0] = step.verb
        index, value = (
            (1, step.bound) if step.field == "slot" else (2, rng.integer(step.bound, TOP))
        )
        rows[place][index] = value
    return tuple(" ".join(map(str, row)) for row in rows), tuple(places)


def _brevity(evidence: Evidence, world: Failure, one: Input) -> float:
    """Return minus the logarithm of the lines that are left of an input that still fails."""
    left = [row for row in exact.read_text(evidence, one.target).splitlines() if row.strip()]
    rest = iter(one.rows)
    if not left or not all(row in rest for row in left):
        raise BadOutput(f"{one.target} is not {one.path} with lines taken out")
    if b"fault" not in run(world.program, ("\n".join(left) + "\n").encode()):
        raise BadOutput(f"{world.tool} does not fail on {one.target}")
    return -stable_log(len(left))


FAMILY = ShrinkIt()
