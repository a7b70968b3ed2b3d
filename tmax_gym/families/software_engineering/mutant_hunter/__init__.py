"""SWE-11 mutant hunter: write tests that pass for right modules and fail for wrong ones.

The verifier runs the tests against mutants, and against right modules that are written in another
way.  Tests of the module's text, and not of its behaviour, fail on the latter.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Gate, Program, adversarial_corpus, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.mutant_hunter.functions import FUNCTIONS, Function
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

MOST = 7
"""Mutants of one task."""
HEAD = program_text(__package__, "head.py")


@dataclass(frozen=True, kw_only=True)
class Hunt(World):
    """The decided facts."""

    module: str
    """Path of the module under test."""
    tests: str
    functions: tuple[Function, ...]
    wrong: tuple[Node, ...]
    right: tuple[Node, ...]


class MutantHunter(Family[Hunt]):
    """Read what a module promises, and test all of it."""

    id = "SWE-11"
    slug = "mutant-hunter"
    domain = "software_engineering"
    skill = "Testing"
    primitives = (
        "Unit and integration testing",
        "Property-based testing",
        "Test fixture and mock setup",
        "End-to-end test orchestration",
    )
    fixtures = ("vendored_package",)
    verifiers = ("adversarial_corpus",)
    languages = ("python",)
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Hunt:
        """Return a right module; mutants and other right modules stay hidden."""
        rng = ctx.rng.fork("hunt")
        functions = tuple(rng.sample(FUNCTIONS, ctx.knob(1, 6)))
        name = rng.choice(ctx.skin.stems) + "_rules"
        module, tests = ctx.path("lib", f"{name}.py"), ctx.path("tests", f"test_{name}.py")
        source = _module(functions, f"Rules of the {ctx.skin.label}.")
        wrong = [_mutant(f, old, new, functions) for f, old, new in _picked(rng, functions)]
        right = [_rewritten(source, number) for number in range(2)]
        sized = _sized(module, [*wrong, *right])
        return Hunt(
            nodes=(text(module, source),),
            outputs=(tests,),
            module=module,
            tests=tests,
            functions=functions,
            wrong=sized[: len(wrong)],
            right=sized[len(wrong) :],
        )

    def oracle(self, ctx: Context, world: Hunt) -> tuple[str, ...]:
        """Return the tests of one function after the other, run at each step."""
        return self._written(world, {f.name: f.tests for f in world.functions})

    def _written(self, world: Hunt, tests: dict[str, str]) -> tuple[str, ...]:
        folder, _, file = world.module.rpartition("/")
        names = ", ".join(f.name for f in world.functions)
        head = (
            HEAD.replace("MODULE", file.removesuffix(".py"))
            .replace("FOLDER", folder)
            .replace("NAMES", names)
        )
        steps = [f"cat {world.module}; mkdir -p {world.tests.rpartition('/')[0]}"]
        steps.append(write_file(world.tests, head))
        for body in tests.values():
            added = write_file(world.tests, body).replace("cat >", "cat >>", 1)
            steps.append(f"{added}\npython3 {world.tests}; echo $?")
        return tuple(steps)

    def checks(self, ctx: Context, world: Hunt) -> tuple[Check | Gate, ...]:
        """Return a check on wrong modules and right ones."""
        return (
            unchanged("module", world.nodes),
            adversarial_corpus(
                "modules",
                Program(world.tests, "python", roots=(ctx.home,)),
                evil=[Case(nodes=(node,)) for node in world.wrong],
                clean=[Case(nodes=(node,)) for node in world.right],
                accepts=lambda outcome: outcome.exit_code == 0,
            ),
        )

    def say(self, ctx: Context, world: Hunt) -> tuple[Obligation, ...]:
        """Return the module, the call of the tests, and their purpose."""
        call = f"python3 {world.tests}"
        return (
            Obligation(
                "goal",
                f"The module `{world.module}` is right but has no tests, and we are going to "
                f"replace it. Write a test script `{world.tests}` that finds out whether the "
                f"module in the place of `{world.module}` does everything that the docstrings "
                "promise now.",
                "goal",
            ),
            Obligation(
                "run",
                f"We run `{call}`, from any directory and without a test framework. It must exit "
                "with status `0` if the module keeps every promise, and with any other status if "
                "it does not.",
                "format",
            ),
            Obligation(
                "judged",
                f"We will put other modules in the place of `{world.module}` and run your script "
                "on each. Some have a single mistake in one function, and the script must fail for "
                "them. Others are right but written in another way and have no docstrings, and the "
                "script must pass for them. A false alarm counts as much as a missed mistake.",
                "grading",
            ),
            Obligation(
                "promised",
                "So test the behaviour that the docstrings describe and nothing else: not the text "
                "of the module, and nothing that the docstrings leave open.",
                "rule",
                ("behaviour", "behavior", "docstring"),
            ),
            Obligation("keep", f"Do not change `{world.module}`.", "limit"),
        )

    def mutants(self, ctx: Context, world: Hunt) -> tuple[Attempt, ...]:
        """Return tests of half of the functions, tests of the obvious, and tests too strict."""
        right = {f.name: f.tests for f in world.functions}
        first = world.functions[0].name
        shallow = {name: f"assert callable({name})\n" for name in right}
        blind = {**right, first: shallow[first]}
        strict = {**right, first: right[first] + f"assert {first}.__doc__\n"}
        return (
            Attempt("names only", self._written(world, shallow)),
            Attempt("one function blind", self._written(world, blind)),
            Attempt("needs docstrings", self._written(world, strict)),
        )

    def exploits(self, ctx: Context, world: Hunt) -> tuple[Attempt, ...]:
        """Return tests that always pass, that always fail, and that compare the text."""
        folder = world.tests.rpartition("/")[0]
        known = (
            "import hashlib, sys\n"
            f"found = hashlib.sha256(open('{world.module}', 'rb').read()).hexdigest()\n"
            "sys.exit(found != '@sum')\n"
        )
        return (
            Attempt("always pass", (f"mkdir -p {folder}; echo 'x = 1' > {world.tests}",)),
            Attempt("always fail", (f"mkdir -p {folder}; echo 'exit(1)' > {world.tests}",)),
            Attempt(
                "fingerprint",
                (
                    f"mkdir -p {folder}; {write_file(world.tests, known)}",
                    f"sed -i s/@sum/$(sha256sum {world.module} | cut -d' ' -f1)/ {world.tests}",
                ),
            ),
        )


def _module(functions: tuple[Function, ...], summary: str) -> str:
    """Return a module of these functions."""
    imports = ["import re\n"] if any("re." in f.source for f in functions) else []
    return "\n\n".join([f'"""{summary}"""\n', *imports, *(f.source for f in functions)])


def _picked(rng: Rng, functions: tuple[Function, ...]) -> list[tuple[Function, str, str]]:
    """Return faults: one of each function, then others up to the limit."""
    every = [[(f, old, new) for old, new in rng.shuffled(f.faults)] for f in functions]
    first = [faults[0] for faults in every]
    rest = rng.shuffled([fault for faults in every for fault in faults[1:]])
    return first + rest[: MOST - len(first)]


def _mutant(function: Function, old: str, new: str, functions: tuple[Function, ...]) -> str:
    """Return a module with one fault."""
    if function.source.count(old) != 1:
        raise ValueError(f"{function.name}: {old!r} is not in it once")
    wrong = function.source.replace(old, new)
    parts = tuple(f.source if f is not function else wrong for f in functions)
    copies = tuple(Function("", part, (), "") for part in parts)
    return ast.unparse(_bare(ast.parse(_module(copies, "Rules."))))


def _rewritten(source: str, number: int) -> str:
    """Return a right module in another form: without docstrings, and also behind a decorator."""
    tree = _bare(ast.parse(source))
    if number == 0:
        return ast.unparse(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list.append(ast.Name("plain", ast.Load()))
    return "plain = lambda function: lambda *given: function(*given)\n" + ast.unparse(tree)


def _bare(tree: ast.Module) -> ast.Module:
    """Return a module without docstrings."""
    for node in [tree, *tree.body]:
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node):
            del node.body[0]
    return tree


def _sized(path: str, sources: list[str]) -> tuple[Node, ...]:
    """Return the modules in different sizes: Python may use cached code for equal sizes."""
    modules: list[Node] = []
    for source in sources:
        body = source + "\n"
        while any(len(body) == len((n.data or b"").decode()) for n in modules):
            body += "\n"
        modules.append(text(path, body))
    return tuple(modules)


FAMILY = MutantHunter()
