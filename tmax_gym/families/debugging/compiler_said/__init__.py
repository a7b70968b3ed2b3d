"""DBG-06 compiler said: a vendored package whose tools no longer compile.

One slip in a shared file causes dozens of messages, which hide the slips in single stages.  The
checks compare the answers of each tool to unseen inputs, so they notice a step that was left out
to please the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from tmax_gym.checks.check import Case, Check, Gate, fuzz_equivalence, unchanged
from tmax_gym.families import products
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.debugging.compiler_said import packages
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world import toolchains

SIZES = (0, 3, 6, 9, 14, 18, 25, 32)
"""Lines of the hidden inputs."""
DISTINCT = 6
"""Smallest number of different answers of a tool to the hidden inputs."""
DRAWS = 60
"""Largest number of packages drawn until one has no idle step; every third draw has none."""


@dataclass(frozen=True, kw_only=True)
class Unbuilt(World):
    """The decided facts."""

    package: packages.Package
    broken: tuple[packages.Broken, ...]
    tools: sources.Sources
    sample: str
    answers: tuple[str, ...]
    """Paths of the right output for the sample, by tool."""
    inputs: tuple[tuple[packages.Row, ...], ...]


class CompilerSaid(Family[Unbuilt]):
    """Read what the compiler says, and repair the causes."""

    id = "DBG-06"
    slug = "compiler-said"
    domain = "debugging"
    skill = "Systems"
    primitives = (
        "Build failure diagnosis",
        "Compiler and linker error interpretation",
        "Existing codebase comprehension and reading",
    )
    fixtures = ("vendored_package",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c", "cpp", "go", "rust")
    tools = ("bash", "sed", "diff")
    followed_by = {  # noqa: RUF012
        "batch-run": ("tool", "Lists have piled up while the tool could not be built."),
        "make-target": ("tool", "From now on the results should be kept up to date by make."),
        "command-wrapper": ("tool", "Colleagues want to call the tool without knowing its path."),
        "patch-file": ("repair", "Whoever owns the package wants the repair as a patch."),
    }

    def world(self, ctx: Context) -> Unbuilt:
        """Return a package with slips in it, and a sample with the answers to it."""
        rng = ctx.rng.fork("package")
        names = _names(ctx, rng.fork("names"))
        inputs = tuple(_rows(rng.fork("hidden", n), names, size) for n, size in enumerate(SIZES))
        package = _package(ctx, rng, inputs)
        broken = packages.slips(rng.fork("slips"), package, ctx.knob(2, 7))
        shown = _rows(rng.fork("sample"), names, 12)
        sample = ctx.path("samples", "input.txt")
        answers = [ctx.path("samples", f"{tool.name}.out") for tool in package.tools]
        nodes = [text(ctx.path(p), body) for p, body in sorted(package.files(broken).items())]
        nodes.append(text(sample, _stdin(shown)))
        for path, tool in zip(answers, package.tools, strict=True):
            nodes.append(text(path, packages.answer(tool, shown)))
        suffix = toolchains.SUFFIX[ctx.language]
        tools = tuple(
            sources.Source(ctx.language, ctx.path(f"{tool.name}.{suffix}"), f"/tmp/{tool.name}")
            for tool in package.tools
        )
        return Unbuilt(
            nodes=tuple(nodes),
            outputs=tuple(tool.path for tool in tools),
            package=package,
            broken=broken,
            tools=tools,
            sample=sample,
            answers=tuple(answers),
            inputs=inputs,
        )

    def oracle(self, ctx: Context, world: Unbuilt) -> tuple[str, ...]:
        """Return a look at the messages, one edit for each file, and a trial of every tool."""
        spoilt, right = world.package.files(world.broken), world.package.files()
        first = world.tools[0]
        commands = [f"{first.build[0]} 2>&1 | head -n 20"]
        for path in sorted(right):
            if spoilt[path] != right[path]:
                commands.append(f"cat -n {ctx.path(path)}")
                commands.append(_edit(ctx.path(path), spoilt[path], right[path]))
        for tool, answers in zip(world.tools, world.answers, strict=True):
            commands += tool.build
            commands.append(f"{tool.call} < {world.sample} | diff - {answers} && echo same")
        return (*commands, f"rm {' '.join(tool.binary for tool in world.tools)}")

    def checks(self, ctx: Context, world: Unbuilt) -> tuple[Check | Gate, ...]:
        """Return one check for each tool, and the gate that the samples stay as they are."""
        keep = [node for node in world.nodes if node.path in (world.sample, *world.answers)]
        return (
            unchanged("samples", keep),
            *(
                fuzz_equivalence(
                    f"answers of {tool.name}",
                    source.program(ctx.home),
                    cases=[Case(stdin=_stdin(rows).encode()) for rows in world.inputs],
                    expected=[packages.answer(tool, rows).encode() for rows in world.inputs],
                )
                for source, tool in zip(world.tools, world.package.tools, strict=True)
            ),
        )

    def products(self, ctx: Context, world: Unbuilt) -> Mapping[str, products.Product]:
        """Return the first tool, and the repaired sources."""
        names = _names(ctx, ctx.rng.fork("package").fork("names"))
        tool, source = world.package.tools[0], world.tools[0]

        def case(rng: Rng) -> products.Case:
            rows = _rows(rng, names, rng.choice(SIZES))
            return products.Case(_stdin(rows).encode(), packages.answer(tool, rows).encode())

        build = " ".join(toolchains.build(ctx.language, source.path, "{out}"))
        spoilt = world.package.files(world.broken)
        return {
            "tool": products.Program(source.path, "{out}", case, "lists", build),
            "repair": products.Edits(
                ctx.home, {path: body.encode() for path, body in spoilt.items()}, "package"
            ),
        }

    def say(self, ctx: Context, world: Unbuilt) -> tuple[Obligation, ...]:
        """Return the symptom, how it is built, and what may not change."""
        paths = [f"`{tool.path}`" for tool in world.tools]
        answers = [f"`{path}`" for path in world.answers]
        several = len(paths) > 1
        return (
            Obligation(
                "goal",
                f"Our {world.tools[0].name} package in `{ctx.home}` does not compile any more, "
                f"because a careless merge damaged several places in it. Repair it, so that "
                f"{' and '.join(paths)} {'compile and work' if several else 'compiles and works'} "
                f"again.",
                "goal",
            ),
            Obligation(
                "interface",
                f"{'Each of these tools' if several else 'This tool'} reads lines of the form "
                f"`name value` from standard input, applies the steps that its main function calls "
                f"one after another, and prints the result to standard output.",
                "input",
            ),
            Obligation(
                "truth",
                "The merge damaged only code. The comment above each function is right and says "
                "what the function must do.",
                "rule",
                ("comment",),
            ),
            Obligation(
                "steps",
                "Keep every step that a main function calls, with its arguments and in its order. "
                "Do not remove a step to make the compiler happy.",
                "rule",
                ("every step", "all steps", "each step", "the steps", "no step"),
            ),
            Obligation(
                "built",
                f"We will compile {'each of them separately' if several else 'it'} with "
                f"`{toolchains.call(ctx.language)}`, offline and with no other "
                f"source file or option.",
                "limit",
            ),
            Obligation(
                "sample",
                f"For the input `{world.sample}` a repaired tool must print exactly what is in "
                f"{' and '.join(answers)}{', respectively' if several else ''}. Do not change "
                f"these sample files.",
                "limit",
            ),
            Obligation(
                "unseen",
                "We will also run the compiled programs on inputs that you have not seen.",
                "grading",
                ("not seen", "unseen", "hidden", "other input", "further input", "more input"),
            ),
        )

    def mutants(self, ctx: Context, world: Unbuilt) -> tuple[Attempt, ...]:
        """Return repairs that miss a slip, and tools that lack a step."""
        package = world.package
        attempts = [
            Attempt(f"leaves {number}: {one.section}", _written(ctx, world, package, (one,)))
            for number, one in enumerate(world.broken, start=1)
        ]
        last = package.tools[-1]
        for at, call in enumerate(last.calls[:3]):
            fewer = replace(last, calls=(*last.calls[:at], *last.calls[at + 1 :]))
            other = replace(package, tools=(*package.tools[:-1], fewer))
            attempts.append(Attempt(f"without {call.stage}", _written(ctx, world, other, ())))
        return tuple(attempts)

    def exploits(self, ctx: Context, world: Unbuilt) -> tuple[Attempt, ...]:
        """Return tools that print the sample's answer, read its file, or print their input."""

        def each(body: dict[str, str]) -> tuple[str, ...]:
            return tuple(write_file(path, source) for path, source in body.items())

        language, pairs = ctx.language, tuple(zip(world.tools, world.answers, strict=True))
        known = {node.path: (node.data or b"").decode() for node in world.nodes}
        return (
            Attempt(
                "by heart",
                each(
                    {
                        tool.path: tricks.prints(language, known[answers].splitlines())
                        for tool, answers in pairs
                    }
                ),
            ),
            Attempt(
                "reads the answer",
                each({t.path: tricks.starts(language, f"cat {a}") for t, a in pairs}),
            ),
            Attempt("input", each({t.path: tricks.copies(language) for t, _ in pairs})),
        )


def _package(ctx: Context, rng: Rng, inputs: Sequence[Sequence[packages.Row]]) -> packages.Package:
    """Return a package in which every step of every tool changes some answer."""
    for attempt in range(DRAWS):
        package = packages.drawn(
            rng.fork("draw", attempt),
            ctx.language,
            tools=1 + (ctx.level >= 0.4),
            stages=ctx.knob(3, 5),
        )
        if all(_shows(tool, inputs) for tool in package.tools):
            return package
    raise ValueError(f"{DRAWS} packages all had an idle step")


def _shows(tool: packages.Tool, inputs: Sequence[Sequence[packages.Row]]) -> bool:
    right = [packages.answer(tool, rows) for rows in inputs]
    if len(set(right)) < DISTINCT:
        return False
    for at in range(len(tool.calls)):
        fewer = replace(tool, calls=(*tool.calls[:at], *tool.calls[at + 1 :]))
        if right == [packages.answer(fewer, rows) for rows in inputs]:
            return False
    return True


def _names(ctx: Context, rng: Rng) -> list[str]:
    """Return names, some of which differ only in capital letters."""
    plain = sorted({slugged(place)[:20].strip("_") for place in ctx.skin.places})
    picked = rng.sample(plain, 4)
    return [*picked, picked[0].upper(), picked[1].title()]


def _rows(rng: Rng, names: Sequence[str], size: int) -> tuple[packages.Row, ...]:
    return tuple((rng.choice(names), rng.integer(-250, 900)) for _ in range(size))


def _stdin(rows: Sequence[packages.Row]) -> str:
    return "".join(f"{name} {value}\n" for name, value in rows)


def _edit(path: str, old: str, new: str) -> str:
    """Return a sed command that changes the lines which differ."""
    before, after = old.splitlines(), new.splitlines()
    steps = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lines = "\\\n".join(line.replace("\\", "\\\\") for line in after[c:d])
        if kind == "replace":
            steps.append(f"{a + 1},{b}c\\\n{lines}")
        elif kind == "delete":
            steps.append(f"{a + 1},{b}d")
        elif kind == "insert":
            steps.append(f"{a}a\\\n{lines}" if a else f"1i\\\n{lines}")
    return f"sed -i -f /dev/stdin {path} <<'END'\n" + "\n".join(steps) + "\nEND"


def _written(
    ctx: Context, world: Unbuilt, package: packages.Package, left: tuple[packages.Broken, ...]
) -> tuple[str, ...]:
    """Return the commands that write the files of a package that are different now."""
    files, wanted = world.package.files(world.broken), package.files(left)
    return tuple(
        write_file(ctx.path(path), body)
        for path, body in sorted(wanted.items())
        if body != files.get(path)
    )


FAMILY = CompilerSaid()
