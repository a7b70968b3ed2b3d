"""SWE-04 clone black box: write a stripped tool, whose source is lost, anew.

The clone is compared with the tool's own definition on hidden inputs.  It runs in a sandbox that
has the clone's source file and not the tool.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.software_engineering.clone_blackbox import tool as box
from tmax_gym.later import Later
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import draw
from tmax_gym.world.programs.languages import render
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.probes import sample_input

HIDDEN = (("small", 4), ("middle", 5), ("large", 3))
"""Number of hidden inputs by size class, besides the empty one."""


@dataclass(frozen=True, kw_only=True)
class BlackBox(World):
    """The decided facts."""

    tool: str
    samples: str
    note: str
    clones: sources.Sources
    program: ir.Program
    cases: Sequence[tuple[bytes, bytes]]


class CloneBlackbox(Family[BlackBox]):
    """Watch a binary, or take it apart; then write the same program."""

    id = "SWE-04"
    slug = "clone-blackbox"
    domain = "software_engineering"
    skill = "Multi-Language"
    primitives = (
        "Assembly-level analysis and minimal program construction",
        "Code translation between languages",
        "State machine and parser construction",
        "Property-based testing",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "cmp", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("clone", "A backlog of inputs has waited for a tool that runs again."),
        "command-wrapper": (
            "clone",
            "Our users want a command with options, as the old tool never had.",
        ),
        "make-target": ("clone", "The nightly build should run the new tool on its own."),
    }

    def world(self, ctx: Context) -> BlackBox:
        """Return the tool, a note, some inputs, and hidden inputs."""
        rng = ctx.rng.fork("tool")
        program = draw(rng, min(5, 1 + int(5 * ctx.level)))
        name = ctx.skin.stem(rng).replace("_", "-")
        tool, note = ctx.path("bin", name), ctx.path("NOTES.txt")
        samples = [
            Node(ctx.path("samples", f"{n}.txt"), data=sample_input(program, rng.fork("s", n)))
            for n in range(1, ctx.knob(4, 2) + 1)
        ]
        note_text = box.note(program.kind, name, skin=ctx.skin, rng=rng.fork("note"))
        clones = sources.sources(ctx, "clone")
        return BlackBox(
            nodes=(
                Node(tool, data=executable(program), mode=0o755),
                text(note, note_text),
                *samples,
            ),
            outputs=tuple(clone.path for clone in clones),
            tool=tool,
            samples=ctx.path("samples"),
            note=note,
            clones=clones,
            program=program,
            cases=Later(lambda: _cases(program, ctx.rng.fork("hidden"))),
        )

    def oracle(self, ctx: Context, world: BlackBox) -> tuple[str, ...]:
        """Write the program in the task's language, and compare both on the samples."""
        return (
            f"cat {world.note}; {world.tool} < {world.samples}/1.txt | head -n 4",
            *_written(world, lambda language: render(world.program, language)),
        )

    def alternative(self, ctx: Context, world: BlackBox) -> tuple[str, ...] | None:
        """Return a shell script that leaves the work to Python, where the language is Bash."""
        if ctx.language != "bash":
            return None
        script = f"python3 -c {quote(render(world.program, 'python'))}\n"
        return _written(world, lambda _: script)

    def checks(self, ctx: Context, world: BlackBox) -> tuple[Check | Gate, ...]:
        """Return checks on hidden inputs; the tool must stay, and the clone must not contain it."""
        return (
            unchanged("tool", world.nodes),
            *(
                box.own_work(clone.path, f"own work {n}" if n else "own work")
                for n, clone in enumerate(world.clones)
            ),
            *sources.equivalence("clone", world.clones, world.cases),
        )

    def products(self, ctx: Context, world: BlackBox) -> Mapping[str, Product]:
        """Return the first clone."""

        def case(rng: Rng) -> Case:
            size = rng.choice([size for size, _ in HIDDEN])
            stdin = sample_input(world.program, rng.fork("input"), size)
            return Case(stdin, run(world.program, stdin))

        clone = replace(world.clones[0], binary="{out}")
        build = " ".join(clone.build)
        return {"clone": Program(clone.path, clone.call, case, "inputs", build)}

    def say(self, ctx: Context, world: BlackBox) -> tuple[Obligation, ...]:
        """Return the given files, the goal, and how it is judged."""
        clone = world.clones[0]
        each = "each program" if world.clones[1:] else f"`{clone.path}`"
        return (
            Obligation(
                "goal",
                f"All that we have of a tool is the stripped binary `{world.tool}`. Its source is "
                f"lost. Find out what it does and write a {clone.name} program that does the same, "
                f"as `{clone.path}`.",
                "goal",
            ),
            Obligation(
                "interface",
                "Like the binary, the program takes no arguments, reads standard input and writes "
                f"to standard output. `{world.note}` says what is known about the binary, and "
                f"`{world.samples}` has some typical inputs.",
                "input",
            ),
            *sources.languages(world.clones),
            Obligation(
                "own",
                f"Only the source is taken over, so {each} must work without any other file: it "
                "may neither run the binary nor contain it. A source has at most 16000 bytes of "
                "ordinary text, without encoded machine code or other long encoded data.",
                "limit",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.tool}`, `{world.note}` or the files in `{world.samples}`.",
                "limit",
            ),
            Obligation(
                "judged",
                f"We will compare the output of {each} with that of the binary, byte for byte, on "
                "inputs that you have not seen. They are printable ASCII text of the same kind as "
                "the typical inputs, from the empty input to long ones, and some of them end "
                "without a newline. The exit status must be `0`.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: BlackBox) -> tuple[Attempt, ...]:
        """Return subtle mistakes, a wrong number base, and separators left out."""
        wrong = [*mutants(world.program, ctx.rng.fork("mutants"), 2)]
        wrong += [box.other_base(world.program), box.no_text(world.program)]
        caught = [w for w in wrong if any(run(w, i) != o for i, o in reversed(world.cases))]
        attempts = [
            Attempt(f"mistake {n}", _written(world, _wrong(world, w)))
            for n, w in enumerate(caught, start=1)
        ]
        sample = next(n.data or b"" for n in world.nodes if n.path.startswith(world.samples))
        printed = run(world.program, sample).decode().split("\n")[:1]
        only = _written(world, lambda language: tricks.prints(language, printed))
        return (*attempts, Attempt("samples only", only))

    def exploits(self, ctx: Context, world: BlackBox) -> tuple[Attempt, ...]:
        """Return wrappers of the tool: where it is, copied beside the clone, and embedded."""
        hidden = ctx.path(".tool")
        code = b64encode(executable(world.program)).decode()
        unpack = f"echo {code} | base64 -d > /tmp/t; chmod 755 /tmp/t; exec /tmp/t"
        return (
            Attempt("wrapper", _wrapped(world, f"exec {world.tool}")),
            Attempt(
                "copied tool", (f"cp {world.tool} {hidden}", *_wrapped(world, f"exec {hidden}"))
            ),
            Attempt("embedded tool", _wrapped(world, unpack)),
            Attempt("tool as source", tuple(f"cp {world.tool} {c.path}" for c in world.clones)),
        )


def _cases(program: ir.Program, rng: Rng) -> tuple[tuple[bytes, bytes], ...]:
    inputs = [b""]
    for size, count in HIDDEN:
        inputs += [sample_input(program, rng.fork(size, n), size) for n in range(count)]
    return tuple((case, run(program, case)) for case in inputs)


def _written(world: BlackBox, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write every clone and compare it with the tool."""
    commands: list[str] = []
    for clone in world.clones:
        compare = f"cmp <({world.tool} < $f) <({clone.call} < $f) && echo $f same"
        commands += sources.written((clone,), writer)
        commands.append(f"for f in {world.samples}/*.txt; do {compare}; done")
        commands += [f"rm {clone.binary}"] if clone.build else []
    return tuple(commands)


def _wrong(world: BlackBox, program: ir.Program) -> sources.Writer:
    return sources.last_wrong(
        world.clones,
        lambda language: render(world.program, language),
        lambda language: render(program, language),
    )


def _wrapped(world: BlackBox, command: str) -> tuple[str, ...]:
    """Return the commands that write clones which leave the work to a shell command."""
    return tuple(
        write_file(clone.path, tricks.starts(clone.language, command)) for clone in world.clones
    )


FAMILY = CloneBlackbox()
