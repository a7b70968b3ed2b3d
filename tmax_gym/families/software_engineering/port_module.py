"""SWE-03 port module: working tools in one language, wanted in another, output for output.

The old source is there to be read.  A port that starts the old language's interpreter or
compiler is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tmax_gym.algebra import Attempt, Context, Family, World, write_file
from tmax_gym.checks import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fuzz_equivalence,
    unchanged,
)
from tmax_gym.files import Node, text
from tmax_gym.spec import Language
from tmax_gym.words.clauses import Clause
from tmax_gym.world import program as ir
from tmax_gym.world.evaluate import run
from tmax_gym.world.grammars import GRAMMARS
from tmax_gym.world.languages import SUFFIX, render
from tmax_gym.world.mutants import mutants
from tmax_gym.world.probes import sample_input
from tmax_gym.world.rng import Rng
from tmax_gym.world.simplify import simplify

OLD: dict[Language, Language] = {"c": "python", "bash": "python", "python": "c"}
NAMED = {"python": "Python", "c": "C", "bash": "Bash"}
FOREIGN = re.compile(
    rb"\b(?:python3?|perl|gcc|cc1?|awk|gawk|popen|system|subprocess|exec[lv]p?e?)\b"
)
"""What a port has no use for: other interpreters, compilers, and ways to start them."""
SIZES = ("small", "middle", "small", "middle")
DRAWS = 20
"""Programs until one prints something else for nearly every input."""
CALLS = {"python": "python3 {0}", "bash": "bash {0}", "c": "/tmp/port"}


Cases = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Module:
    """One tool."""

    old: str
    new: str
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
    """Say the same in another language, edge cases and all."""

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
    languages = ("python", "c", "bash")
    tools = ("bash", "cmp", "python3")

    def world(self, ctx: Context) -> Port:
        """Return one to three old tools with some inputs each."""
        rng = ctx.rng.fork("port")
        source, target, samples = ctx.path("legacy"), ctx.path("ported"), ctx.path("samples")
        names = rng.sample(
            sorted(set(ctx.skin.stems)), 1 + (ctx.level >= 0.4) + (ctx.level >= 0.75)
        )
        kinds = rng.sample(sorted(GRAMMARS), len(names))
        old, new = SUFFIX[OLD[ctx.language]], SUFFIX[ctx.language]
        nodes: list[Node] = []
        modules = []
        for name, kind in zip(names, kinds, strict=True):
            made, cases = _drawn(rng.fork(name), min(5, 1 + int(4.9 * ctx.level)), kind)
            modules.append(Module(f"{source}/{name}.{old}", f"{target}/{name}.{new}", made, cases))
            nodes.append(text(modules[-1].old, render(made, OLD[ctx.language])))
            nodes += [
                Node(f"{samples}/{name}.{n}.txt", data=sample_input(made, rng.fork(name, "s", n)))
                for n in (1, 2)
            ]
        return Port(
            nodes=tuple(nodes),
            outputs=tuple(m.new for m in modules),
            source=source,
            target=target,
            samples=samples,
            modules=tuple(modules),
        )

    def oracle(self, ctx: Context, world: Port) -> tuple[str, ...]:
        """Return each tool in the task's language, compared with the old one on its samples."""
        commands = [f"cat {world.source}/*"]
        for module in world.modules:
            commands += _ported(ctx, world, module, render(module.program, ctx.language))
        return (*commands, "rm -f /tmp/port /tmp/old")

    def checks(self, ctx: Context, world: Port) -> tuple[Check | Gate, ...]:
        """Return hidden inputs for each tool; the old ones stay, and no other language runs."""
        made: list[Check | Gate] = [unchanged("legacy", world.nodes), _pure(world)]
        for number, module in enumerate(world.modules):
            made.append(
                fuzz_equivalence(
                    f"port {number + 1}",
                    Program(module.new, ctx.language, roots=(module.new,)),
                    cases=[Case(stdin=stdin) for stdin, _ in module.cases],
                    expected=[out for _, out in module.cases],
                )
            )
        return tuple(made)

    def say(self, ctx: Context, world: Port) -> tuple[Clause, ...]:
        """Return what is ported where, what counts as equal, and what a port may not do."""
        return _say(ctx, world)

    def mutants(self, ctx: Context, world: Port) -> tuple[Attempt, ...]:
        """Return ports with a slip, and a port of nothing but the samples."""
        first = world.modules[0]
        wrong = mutants(first.program, ctx.rng.fork("mutants"), 4)
        caught = [w for w in wrong if any(run(w, i) != o for i, o in first.cases)]
        rest = [
            command
            for module in world.modules[1:]
            for command in _ported(ctx, world, module, render(module.program, ctx.language))
        ]
        return tuple(
            Attempt(f"slip {n}", (*_ported(ctx, world, first, render(w, ctx.language)), *rest))
            for n, w in enumerate(caught, start=1)
        )

    def exploits(self, ctx: Context, world: Port) -> tuple[Attempt, ...]:
        """Return wrappers of the old tools, beside them and with them inside, and an echo."""
        return (
            Attempt(
                "wrapper", tuple(write_file(m.new, _wrapper(ctx, m.old)) for m in world.modules)
            ),
            Attempt(
                "embedded",
                tuple(write_file(m.new, _embedded(ctx, m)) for m in world.modules),
            ),
            Attempt("copies", tuple(f"cp {m.old} {m.new}" for m in world.modules)),
        )


def _drawn(rng: Rng, depth: int, kind: str) -> tuple[ir.Program, Cases]:
    """Return a program and hidden inputs with what it prints for them."""
    for attempt in range(DRAWS):
        made = simplify(GRAMMARS[kind](rng.fork("attempt", attempt), depth))
        drawn = [(size, rng.fork("hidden", attempt, n)) for n, size in enumerate(SIZES)]
        stdin = [b"", *(sample_input(made, r, size) for size, r in drawn)]
        cases = tuple((one, run(made, one)) for one in stdin)
        if len({out for _, out in cases}) >= len(cases) - 1:
            return made, cases
    raise ValueError(f"{kind} at depth {depth}: {DRAWS} draws print too little")


def _ported(ctx: Context, world: Port, module: Module, source: str) -> tuple[str, ...]:
    """Return the commands that write a port and compare it with the old tool."""
    build = (f"gcc -O2 -o /tmp/port {module.new}",) if ctx.language == "c" else ()
    old = f"python3 {module.old}"
    if OLD[ctx.language] == "c":
        build, old = (f"gcc -O2 -o /tmp/old {module.old}",), "/tmp/old"
    call = CALLS[ctx.language].format(module.new)
    name = module.new.rsplit("/", 1)[1].partition(".")[0]
    compare = f"cmp <({old} < $f) <({call} < $f) && echo $f same"
    return (
        f"mkdir -p {world.target}; {write_file(module.new, source)}",
        *build,
        f"for f in {world.samples}/{name}.*; do {compare}; done",
    )


def _pure(world: Port) -> Gate:
    """Return a gate: no port, where there is one, starts another language."""

    def holds(evidence: Evidence) -> bool:
        for module in world.modules:
            try:
                source = evidence.read(module.new, limit=1 << 16)
            except BadOutput:
                continue
            if FOREIGN.search(source) or b"\0" in source:
                return False
        return True

    return Gate("pure", holds)


def _wrapper(ctx: Context, old: str) -> str:
    call = f"python3 {old}" if OLD[ctx.language] == "python" else f"gcc -o /tmp/o {old} && /tmp/o"
    return {
        "python": f"import os\nos.system({call!r})\n",
        "bash": f"{call}\n",
        "c": f'#include <stdlib.h>\nint main(void) {{ return system("{call}"); }}\n',
    }[ctx.language]


def _embedded(ctx: Context, module: Module) -> str:
    source = render(module.program, OLD[ctx.language])
    if ctx.language == "python":
        return (
            f"import os\nopen('/tmp/o.c', 'w').write({source!r})\n"
            "os.system('gcc -o /tmp/o /tmp/o.c && /tmp/o')\n"
        )
    if ctx.language == "bash":
        return f"cat > /tmp/o.py <<'EOS'\n{source}\nEOS\npython3 /tmp/o.py\n"
    lines = "".join(
        '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n'
        for line in source.splitlines()
    )
    return (
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n"
        f'FILE *f = fopen("/tmp/o.py", "w"); fputs({lines}, f); fclose(f);\n'
        'return system("python3 /tmp/o.py"); }\n'
    )


def _say(ctx: Context, world: Port) -> tuple[Clause, ...]:
    facts = {"old": NAMED[OLD[ctx.language]], "new": NAMED[ctx.language]}
    ports = ", ".join(m.new for m in world.modules)
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
