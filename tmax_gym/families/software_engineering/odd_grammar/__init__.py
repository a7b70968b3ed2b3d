"""SWE-08 odd grammar: an evaluator for an expression language with unusual rules.

A sheet says how the operators bind, in which bases literals are, what brackets compute, and how an
error is reported with its column.  Symbols, rows, ties, range and the form of errors are drawn anew
for every task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.software_engineering.odd_grammar.calculator import answers
from tmax_gym.families.software_engineering.odd_grammar.language import Tongue, drawn
from tmax_gym.families.software_engineering.odd_grammar.rendering import program
from tmax_gym.families.software_engineering.odd_grammar.sheet import lines, sheet
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

KINDS = (("literals", 4), ("rows", 5), ("rows", 8), ("brackets", 6), ("brackets", 9),
         ("errors", 6), ("errors", 9), ("mixed", 10), ("mixed", 14))  # fmt: skip
"""Kind of each hidden input and the number of its lines."""
SAMPLE = 12
"""Lines that are shown with their values."""


@dataclass(frozen=True, kw_only=True)
class Grammar(World):
    """The decided facts."""

    sheet: str
    samples: str
    programs: sources.Sources
    tongue: Tongue
    shown: str
    cases: Sequence[tuple[bytes, bytes]]


class OddGrammar(Family[Grammar]):
    """Read a sheet of rules closely, and parse by them."""

    id = "SWE-08"
    slug = "odd-grammar"
    domain = "software_engineering"
    skill = "Mathematical"
    primitives = (
        "Expression parsing and evaluation",
        "State machine and parser construction",
        "Interpreter and emulator implementation",
        "Numerical algorithm implementation",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c", "cpp", "go", "rust", "multi")
    tools = ("bash", "diff", "python3")
    followed_by = {  # noqa: RUF012
        "batch-run": ("calculator", "Many formula files are waiting to be evaluated."),
        "command-wrapper": (
            "calculator",
            "Our editors want to evaluate formulas with one command.",
        ),
        "make-target": (
            "calculator",
            "After a change of some formulas only those should be evaluated again.",
        ),
    }

    def world(self, ctx: Context) -> Grammar:
        """Return the sheet, a worked sample, and hidden inputs."""
        rng = ctx.rng.fork("grammar")
        tongue = drawn(ctx, rng.fork("language"))
        file = rng.fork("files")
        page = ctx.path(file.choice(("language", "sheet", "formulas", "rules", "grammar")) + ".txt")
        samples = ctx.path(file.choice(("samples", "examples", "worked")))
        stem = file.choice(("calc", "evaluate", "formula", "calculator", "reckon"))
        shown = lines(tongue, rng.fork("shown"), "mixed", count=SAMPLE)
        programs = sources.sources(ctx, stem, scripts=("python",))
        return Grammar(
            nodes=(
                prose(page, sheet(tongue)),
                text(f"{samples}/lines.txt", shown),
                text(f"{samples}/values.txt", answers(tongue, shown)),
            ),
            outputs=tuple(p.path for p in programs),
            sheet=page,
            samples=samples,
            programs=programs,
            tongue=tongue,
            shown=shown,
            cases=Later(lambda: _cases(tongue, rng.fork("hidden"))),
        )

    def oracle(self, ctx: Context, world: Grammar) -> tuple[str, ...]:
        """Write the calculator, and compare its output with the sample."""
        return (f"cat {world.sheet}", *_built(world, lambda to: program(world.tongue, to)))

    def checks(self, ctx: Context, world: Grammar) -> tuple[Check | Gate, ...]:
        """Return checks on hidden inputs; sheet and sample must stay as they are."""
        return (
            unchanged("sheet", world.nodes),
            *sources.equivalence("lines", world.programs, world.cases),
        )

    def products(self, ctx: Context, world: Grammar) -> Mapping[str, Product]:
        """Return the first calculator."""

        def case(rng: Rng) -> Case:
            kind, size = rng.choice(KINDS)
            stdin = lines(world.tongue, rng.fork("lines"), kind, count=size)
            return Case(stdin.encode(), answers(world.tongue, stdin).encode())

        first = replace(world.programs[0], binary="{out}")
        build = " ".join(first.build)
        return {"calculator": Program(first.path, first.call, case, "formula files", build)}

    def say(self, ctx: Context, world: Grammar) -> tuple[Obligation, ...]:
        """Return where the rules are, how lines come and go, and how it is judged."""
        first = world.programs[0]
        return (
            Obligation(
                "goal",
                "The formulas in our settings files follow rules of their own, which the sheet "
                f"`{world.sheet}` describes. Write a calculator for this language in {first.name}, "
                f"as `{first.path}`.",
                "goal",
            ),
            Obligation(
                "interface",
                "The calculator takes no arguments. It reads expressions from standard input, one "
                "per line, and for each it prints one line to standard output: the value as a "
                "decimal number, or the error in the form that the sheet gives. A line that is "
                "empty or has only blanks prints nothing. The exit status is always `0`.",
                "format",
            ),
            Obligation(
                "samples",
                f"As an example, `{world.samples}/values.txt` is the right output for the input "
                f"`{world.samples}/lines.txt`.",
                "input",
            ),
            *_languages(world),
            Obligation(
                "keep",
                f"Do not change `{world.sheet}` or the files in `{world.samples}`.",
                "limit",
            ),
            Obligation(
                "judged",
                "We will test it on inputs that you have not seen, in which every rule of the "
                "sheet matters. They have wrong lines among the good ones. An input counts only if "
                "its whole output is right, with all values, errors and columns.",
                "grading",
                ("not seen", "unseen", "hidden", "other inputs", "further inputs", "new inputs"),
            ),
        )

    def mutants(self, ctx: Context, world: Grammar) -> tuple[Attempt, ...]:
        """Return calculators of a language that is not quite this one."""
        caught = [
            (name, wrong)
            for name, wrong in _misread(world.tongue)
            if any(answers(wrong, i.decode()) != o.decode() for i, o in world.cases)
        ]
        return tuple(
            Attempt(
                name,
                _built(
                    world,
                    sources.last_wrong(
                        world.programs,
                        lambda language: program(world.tongue, language),
                        lambda language, wrong=wrong: program(wrong, language),  # type: ignore[misc]
                    ),
                ),
            )
            for name, wrong in caught[:4]
        )

    def exploits(self, ctx: Context, world: Grammar) -> tuple[Attempt, ...]:
        """Return the sample by heart, the input as output, and the arithmetic of the shell."""
        printed = answers(world.tongue, world.shown).splitlines()
        shell = "while read -r l; do echo $((l)); done"
        return (
            Attempt(
                "by heart", sources.written(world.programs, lambda to: tricks.prints(to, printed))
            ),
            Attempt("echo", sources.written(world.programs, tricks.copies)),
            Attempt(
                "arithmetic of the shell",
                sources.written(world.programs, lambda to: tricks.starts(to, shell)),
            ),
        )


def _cases(tongue: Tongue, rng: Rng) -> tuple[tuple[bytes, bytes], ...]:
    """Return hidden inputs and their values."""
    inputs = [lines(tongue, rng.fork(n), kind, count=size) for n, (kind, size) in enumerate(KINDS)]
    return tuple((case.encode(), answers(tongue, case).encode()) for case in inputs)


def _built(world: Grammar, writer: sources.Writer) -> tuple[str, ...]:
    given, values = f"{world.samples}/lines.txt", f"{world.samples}/values.txt"
    return sources.tried(
        world.programs, writer, lambda call: f"diff <({call} < {given}) {values} && echo same"
    )


def _languages(world: Grammar) -> Iterator[Obligation]:
    """Yield how the first calculator is compiled, and that a second one is wanted."""
    first, *others = world.programs
    for other in others:
        yield Obligation(
            "twin",
            f"Write the same calculator a second time in {other.name}, as `{other.path}`. The same "
            "rules hold for it, and both are tested.",
            "output",
        )
    compiler = toolchains.call(first.language)
    yield Obligation(
        "built",
        f"`{first.path}` must compile with `{compiler}` on its own, using only the standard "
        "library and no network.",
        "limit",
    )


def _misread(tongue: Tongue) -> Iterator[tuple[str, Tongue]]:
    """Yield languages as a hasty reader would understand the sheet, likely mistakes first."""
    left = tuple(replace(row, ties="left") for row in tongue.rows)
    yield "all from the left", replace(tongue, rows=left)
    yield "rows upside down", replace(tongue, rows=tongue.rows[::-1])
    yield "other first column", replace(tongue, first=1 - tongue.first)
    if tongue.reach == "limit":
        yield "limit too far", replace(tongue, bound=tongue.bound * 1000)
    else:
        yield "no bound", replace(tongue, reach="limit", bound=10**15)
    flat = tuple((o, c, "") for o, c, _ in tongue.brackets)
    yield "brackets only group", replace(tongue, brackets=flat)
    yield (
        "letters count nothing",
        replace(tongue, suffixes=tuple((s, 1) for s, _ in tongue.suffixes)),
    )


FAMILY = OddGrammar()
