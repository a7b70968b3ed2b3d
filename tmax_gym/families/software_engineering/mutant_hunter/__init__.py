"""SWE-11 mutant hunter: tests that pass on every right module and fail on every wrong one.

The verifier runs the tests against mutants, and against right modules that are written in another
way.  Tests of the module's text, and not of its behaviour, fail on those.
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
from tmax_gym.texts.clauses import Clause

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
        """Return the two-sided corpus of modules."""
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

    def say(self, ctx: Context, world: Hunt) -> tuple[Clause, ...]:
        """Return the module, the call of the tests, and their purpose."""
        return (_goal(world), _run(world), _judged())

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
    """Return a right module in another form: without words, and also behind a decorator."""
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
    """Return the modules in different sizes: Python takes equal ones for one and the same."""
    modules: list[Node] = []
    for source in sources:
        body = source + "\n"
        while any(len(body) == len((n.data or b"").decode()) for n in modules):
            body += "\n"
        modules.append(text(path, body))
    return tuple(modules)


def _goal(world: Hunt) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|Compose} tests for {module}: a script {tests} that tells {right|sound} "
            "versions of the module from {wrong|broken} ones.",
            "{module} has no tests{ at all|}. {Give it|Add} some, {as|in} {tests}, and make them "
            "{sharp|strict} enough to {notice|catch} any slip.",
            "Before anybody {touches|rewrites} {module} we want {tests}, a test script that "
            "{notices|detects} when one of its {promises|rules} is broken.",
            "{tests} {should|must} {guard|protect} {module} against {regressions|small mistakes}: "
            "{write|make} tests of everything that its docstrings {promise|say}.",
            "{We are going|Next month we have} to replace {module}. {Pin|Nail} its behaviour down "
            "{first|beforehand}, in a test script {tests}.",
            "{Somebody|A colleague} keeps breaking {module} in {subtle|small} ways. {Catch|Stop} "
            "that with {tests}, a script of tests.",
        ),
        facts={"module": world.module, "tests": world.tests},
        role="goal",
        brief="Write {tests}, tests of {module} that catch every slip.",
    )


def _run(world: Hunt) -> Clause:
    return Clause(
        "run",
        (
            "{It runs as|We start it by} {call}{, from any directory|}, and {ends|exits} with "
            "status 0 if the module keeps {every promise|all it promises}, with another status if "
            "{not|it does not}.",
            "{call} must {end|exit} with 0 for {a|any} module that does what the docstrings "
            "{say|state}, and with {something|anything} else for one that {fails|breaks} them.",
            "{A passing run|Success} is exit status 0 of {call}; {any|every} other status means "
            "that the module {is|was found} wrong.",
            "{Use|There is} no test framework: {call} {is all|alone} that {is run|runs}, and its "
            "exit status (0 or {not|not 0}) is the verdict on the module.",
            "The verdict is the exit status of {call}: 0 {accepts|passes} the module, {the rest|"
            "all others} {reject|fail} it.",
            "{Expect|Count on} {call} and nothing {more|installed}; status 0 {says|means} the "
            "module is right, {other ones|any other} that it is {wrong|not}.",
        ),
        facts={"call": f"`python3 {world.tests}`"},
        role="format",
        brief="{call} exits with 0 for a right module, otherwise with another status.",
    )


def _judged() -> Clause:
    return Clause(
        "judged",
        (
            "{We put|They meet} other modules in its place: {broken|wrong} ones, and right ones "
            "{written|worded} differently, {without|with no} docstrings. {Leave|Keep} the module "
            "{as it is|unchanged}.",
            "The module {itself|as such} stays. It is {swapped|exchanged} for {faulty|spoilt} "
            "copies, which must fail, {and|as well as} for rewritten ones, which must {pass|not}.",
            "{Test|Check} behaviour and not text: {rewritten|reworded} modules that keep {to|} the "
            "docstrings have to pass, {faulty|mutated} ones to fail. {Do not edit|Hands off} the "
            "{original|module}.",
            "{Mutants|Modules with one fault each} and {honest|correct} rewrites will take its "
            "place; {false alarms|an alarm at the latter} {count|weigh} as much as {misses|what "
            "was overlooked}. {The original|It} stays {as it is|untouched}.",
            "{Both|Two} things {count|are counted}: faults that {were|are} found, and right "
            "modules (other code, {same|the same} rules) that {pass|are let pass}. {Change "
            "nothing|No change} in the module.",
            "What is {promised|written} in docstrings {may|can} be {relied on|tested}, nothing "
            "{else|more}: a {rewrite|new version} that keeps them is right. The module "
            "{here|given} is {not edited|left alone}.",
        ),
        role="constraint",
        brief="Wrong modules must fail, rewritten right ones must pass; the module stays.",
    )


FAMILY = MutantHunter()
