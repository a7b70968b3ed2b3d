"""SWE-03 port module: working tools in one language, wanted in another, output for output.

The old source is there to be read.  A port that starts the old language's interpreter or
compiler is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS
from tmax_gym.world.programs.languages import render
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.probes import sample_input
from tmax_gym.world.programs.simplify import simplify
from tmax_gym.world.toolchains import NAMES, SUFFIX

OLD: dict[Language, Language] = {
    "bash": "python",
    "c": "python",
    "cpp": "python",
    "go": "python",
    "multi": "c",
    "python": "c",
    "rust": "c",
}
FOREIGN = re.compile(
    rb"\b(?:python3?|perl|gcc|cc1?|awk|gawk|popen|system|subprocess|exec[lv]p?e?)\b"
    rb"|\bos/exec\b|\bsyscall\b|\bimport \"C\"|\bprocess::(?:Command|\{)"
)
"""Programs that a port may not use: other interpreters, compilers, and ways to start them."""
SIZES = ("small", "middle", "small", "middle")
DRAWS = 20
"""Programs until one prints something else for nearly every input."""


Cases = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Module:
    """One tool."""

    old: sources.Source
    new: sources.Source
    program: ir.Program
    cases: Cases


@dataclass(frozen=True, kw_only=True)
class Port(World):
    """The decided facts."""

    source: str
    target: str
    samples: str
    modules: tuple[Module, ...]


class PortModule(Family[Port]):
    """Rewrite tools in another language, edge cases included."""

    id = "SWE-03"
    slug = "port-module"
    domain = "software_engineering"
    skill = "Data Processing"
    primitives = (
        "Code translation between languages",
        "Character and data encoding",
        "Numerical algorithm implementation",
        "Test fixture and mock setup",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "bash", "cpp", "go", "rust", "multi")
    tools = ("bash", "cmp", "python3")

    def world(self, ctx: Context) -> Port:
        """Return one to three old tools with some inputs each."""
        rng = ctx.rng.fork("port")
        source, target, samples = ctx.path("legacy"), ctx.path("ported"), ctx.path("samples")
        count = 1 + (ctx.level >= 0.4 or ctx.language == "multi") + (ctx.level >= 0.75)
        names = rng.sample(sorted(set(ctx.skin.stems)), count)
        kinds = rng.sample(sorted(GRAMMARS), len(names))
        old, new = OLD[ctx.language], _languages(ctx, count)
        nodes: list[Node] = []
        modules = []
        for name, kind, language in zip(names, kinds, new, strict=True):
            program, cases = _drawn(rng.fork(name), min(5, 1 + int(4.9 * ctx.level)), kind)
            before = sources.Source(old, f"{source}/{name}.{SUFFIX[old]}", "/tmp/old")
            port = sources.Source(language, f"{target}/{name}.{SUFFIX[language]}", "/tmp/port")
            modules.append(Module(before, port, program, cases))
            nodes.append(text(before.path, render(program, old)))
            nodes += [
                Node(
                    f"{samples}/{name}.{n}.txt", data=sample_input(program, rng.fork(name, "s", n))
                )
                for n in (1, 2)
            ]
        return Port(
            nodes=tuple(nodes),
            outputs=tuple(m.new.path for m in modules),
            source=source,
            target=target,
            samples=samples,
            modules=tuple(modules),
        )

    def oracle(self, ctx: Context, world: Port) -> tuple[str, ...]:
        """Return each tool in the task's language, compared with the old one on its samples."""
        commands = [f"cat {world.source}/*"]
        for module in world.modules:
            commands += _ported(world, module, module.program)
        return (*commands, "rm -f /tmp/port /tmp/old")

    def checks(self, ctx: Context, world: Port) -> tuple[Check | Gate, ...]:
        """Return hidden inputs for each tool; the old ones stay, and no other language runs."""
        checks: list[Check | Gate] = [unchanged("legacy", world.nodes), _pure(world)]
        for number, module in enumerate(world.modules):
            checks += sources.equivalence(f"port {number + 1}", (module.new,), module.cases)
        return tuple(checks)

    def say(self, ctx: Context, world: Port) -> tuple[Clause, ...]:
        """Return the modules to port, the meaning of equal, and the limits of a port."""
        return (*_say(world), *sources.say_build([m.new for m in world.modules]))

    def mutants(self, ctx: Context, world: Port) -> tuple[Attempt, ...]:
        """Return ports with a slip, and a port of nothing but the samples."""
        first = world.modules[0]
        wrong = mutants(first.program, ctx.rng.fork("mutants"), 4)
        caught = [w for w in wrong if any(run(w, i) != o for i, o in first.cases)]
        rest = [
            command
            for module in world.modules[1:]
            for command in _ported(world, module, module.program)
        ]
        return tuple(
            Attempt(f"slip {n}", (*_ported(world, first, w), *rest))
            for n, w in enumerate(caught, start=1)
        )

    def exploits(self, ctx: Context, world: Port) -> tuple[Attempt, ...]:
        """Return wrappers of the old tools, beside them and with them inside, and an echo."""
        return (
            Attempt("wrapper", _left_to(world, _called)),
            Attempt("embedded", _left_to(world, _carried)),
            Attempt("copies", tuple(f"cp {m.old.path} {m.new.path}" for m in world.modules)),
        )


def _languages(ctx: Context, count: int) -> tuple[Language, ...]:
    """Return the language of each port; for `multi` no two neighbours have the same."""
    if ctx.language != "multi":
        return (ctx.language,) * count
    order = ctx.rng.fork("languages").shuffled((*sources.COMPILED, "python"))
    return tuple(order[:count])


def _drawn(rng: Rng, depth: int, kind: str) -> tuple[ir.Program, Cases]:
    """Return a program and hidden inputs with what it prints for them."""
    for attempt in range(DRAWS):
        program = simplify(GRAMMARS[kind](rng.fork("attempt", attempt), depth))
        drawn = [(size, rng.fork("hidden", attempt, n)) for n, size in enumerate(SIZES)]
        stdin = [b"", *(sample_input(program, r, size) for size, r in drawn)]
        cases = tuple((one, run(program, one)) for one in stdin)
        if len({out for _, out in cases}) >= len(cases) - 1:
            return program, cases
    raise ValueError(f"{kind} at depth {depth}: {DRAWS} draws print too little")


def _ported(world: Port, module: Module, program: ir.Program) -> tuple[str, ...]:
    """Return the commands that write a port and compare it with the old tool."""
    old, new = module.old, module.new
    name = new.path.rsplit("/", 1)[1].partition(".")[0]
    compare = f"cmp <({old.call} < $f) <({new.call} < $f) && echo $f same"
    return (
        f"mkdir -p {world.target}; {write_file(new.path, render(program, new.language))}",
        *old.build,
        *new.build,
        f"for f in {world.samples}/{name}.*; do {compare}; done",
    )


def _pure(world: Port) -> Gate:
    """Return a gate: no port, where there is one, starts another language."""

    def holds(evidence: Evidence) -> bool:
        for module in world.modules:
            try:
                source = evidence.read(module.new.path, limit=1 << 16)
            except BadOutput:
                continue
            if FOREIGN.search(source) or b"\0" in source:
                return False
        return True

    return Gate("pure", holds)


def _called(module: Module) -> str:
    """Return a command that leaves the work to the old tool."""
    old = module.old
    return f"gcc -o /tmp/o {old.path} && /tmp/o" if old.language == "c" else f"python3 {old.path}"


def _carried(module: Module) -> str:
    """Return a command that unpacks the old tool and leaves the work to it."""
    source = render(module.program, module.old.language)
    unpacked = f"/tmp/o.{SUFFIX[module.old.language]}"
    run = "gcc -o /tmp/o /tmp/o.c && /tmp/o" if unpacked == "/tmp/o.c" else f"python3 {unpacked}"
    return f"{write_file(unpacked, source)}\n{run}"


def _left_to(world: Port, how: Callable[[Module], str]) -> tuple[str, ...]:
    return (
        f"mkdir -p {world.target}",
        *(write_file(m.new.path, tricks.starts(m.new.language, how(m))) for m in world.modules),
    )


def _say(world: Port) -> tuple[Clause, ...]:
    new = dict.fromkeys(NAMES[m.new.language] for m in world.modules)
    facts = {"old": NAMES[world.modules[0].old.language], "new": " and ".join(new)}
    ports = ", ".join(m.new.path for m in world.modules)
    return (
        Clause(
            "goal",
            (
                "{Port|Translate} the {old} {source|code} in {source} to {new}: {ports}.",
                "We are {leaving|moving away from} {old}. {Rewrite|Port} what is in {source} as "
                "{new} {under the same name|name for name}: {ports}.",
                "{source} {works|does its job}, but it is {old} and {we need|this team maintains} "
                "{new}. {Deliver|Write} {ports}.",
                "{Turn|Make} the {old} {of|below} {source} into {new} that does {exactly|just} the "
                "same, as {ports}.",
                "{Nobody here reads|The build loses} {old} any more, so {source} has to become "
                "{new}, {namely|that is} {ports}.",
                "{Every|Each} file of {source} ({old}) {needs|gets} a twin in {new}. {Put|Place} "
                "{it|them} here: {ports}.",
            ),
            facts={**facts, "source": world.source, "ports": ports},
            role="goal",
            brief="Port {source} from {old} to {new}: {ports}.",
        ),
        Clause(
            "same",
            (
                "{Both|Old and new} read standard input and {must|have to} print the same, byte "
                "for byte, {on inputs that you have not seen|for any input}; {samples} has "
                "{typical|a few} ones{| to try}.",
                "{Same input|Given one input}, same output{, to the byte|}: that holds for {empty|"
                "no} input and missing final newlines too. {Try|Start with} those in {samples}.",
                "Outputs on standard output are {compared|checked} {byte by byte|exactly}, with "
                "other {standard input|input on standard input} than what {samples} "
                "{holds|offers}, {empty|no} input included.",
                "{samples} {has|gives} inputs of the {kind|sort} they read from standard input. We "
                "{compare|diff} what is printed{ there|} on {others|more}, also on an empty one.",
                "{Numbers|Arithmetic}, line ends, empty input: {nothing|no output} may differ from "
                "the old one. {Standard input samples|Samples} are in {samples}.",
                "{The only|One} measure is what comes out {for|from} standard input, {and|which} "
                "it must equal the old {one|output} everywhere; see {samples} {for|to get} inputs.",
            ),
            facts={"samples": world.samples},
            brief="Outputs must equal the old ones on any standard input; samples in {samples}.",
        ),
        Clause(
            "pure",
            (
                "{Each|Every} port {stands|works} alone: it starts no {program|interpreter or "
                "compiler} of another language, and {source} stays {as it is|unchanged}.",
                "{Do not|Never} call {an interpreter|a compiler or interpreter} from a port, and "
                "{leave|keep} {source} as it is.",
                "{Nothing|No file} in {source} {changes|may change}; a port that {runs|starts} "
                "another language's {tools|interpreter} does not count.",
                "Ports that {wrap|hide} the old code are {refused|worth nothing}: no other "
                "{language|interpreter} may {be started|run}. {source} is {read-only|not touched}.",
                "{Use|Rely on} the new language alone, without {starting|the help of} awk, Perl or "
                "any compiler, and {do not edit|keep your hands off} {source}.",
                "{It|A port} must be {genuine|real} code {with|that has} no {trace|sign} of "
                "another interpreter or compiler in it; {source} {remains|is kept} for "
                "{reference|later}.",
            ),
            facts={"source": world.source},
            role="constraint",
            brief="Start no other language from a port; {source} stays.",
        ),
    )


FAMILY = PortModule()
