"""SWE-03 port module: rewrite working tools in another language, with the same outputs.

The old source can be read.  A port must not start the interpreter or compiler of another language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tmax_gym.axes import Language
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS
from tmax_gym.world.programs.languages import render
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.probes import sample_input
from tmax_gym.world.programs.simplify import simplify
from tmax_gym.world.toolchains import COMPILER, SUFFIX, call

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
"""Words that a port may not contain: interpreters, compilers, and ways to start them."""
BANNED = (
    "python", "python3", "perl", "gcc", "cc", "cc1", "awk", "gawk", "popen", "system",
    "subprocess", "syscall",
)  # fmt: skip
EXECS = ("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe")
BANNED_IN: Mapping[Language, tuple[str, ...]] = {
    "c": EXECS,
    "cpp": EXECS,
    "go": ("os/exec", 'import "C"'),
    "python": EXECS,
    "rust": ("process::Command", "process::{"),
}
"""The words of `FOREIGN` as the text names them: in all languages, and in some."""
SIZES = ("small", "middle", "small", "middle")
DRAWS = 20
"""Most draws until a program prints different outputs for nearly all inputs."""


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
    followed_by = {  # noqa: RUF012
        "batch-run": ("port", "We want to process the inputs of last month with the port."),
        "command-wrapper": (
            "port",
            "Our users call the tool by a short command and not by its source.",
        ),
        "make-target": ("port", "The nightly job should process only the inputs that are new."),
    }

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
        """Write each tool in the task's language, and compare it with the old one."""
        commands = [f"cat {world.source}/*"]
        for module in world.modules:
            commands += _ported(world, module, module.program)
        return (*commands, "rm -f /tmp/port /tmp/old")

    def checks(self, ctx: Context, world: Port) -> tuple[Check | Gate, ...]:
        """Return checks on hidden inputs; old tools must stay, and no other language may run."""
        checks: list[Check | Gate] = [unchanged("legacy", world.nodes), _pure(world)]
        for number, module in enumerate(world.modules):
            checks += sources.equivalence(f"port {number + 1}", (module.new,), module.cases)
        return tuple(checks)

    def products(self, ctx: Context, world: Port) -> Mapping[str, Product]:
        """Return the first port."""
        module = world.modules[0]

        def case(rng: Rng) -> Case:
            stdin = sample_input(module.program, rng.fork("input"), rng.choice(SIZES))
            return Case(stdin, run(module.program, stdin))

        port = replace(module.new, binary="{out}")
        return {"port": Program(port.path, port.call, case, "inputs", " ".join(port.build))}

    def say(self, ctx: Context, world: Port) -> tuple[Obligation, ...]:
        """Return the modules to port, the meaning of equal, and the limits of a port."""
        new = {module.new.name for module in world.modules}
        to = f"to {min(new)}" if len(new) == 1 else "to the languages that are given here"
        *most, last = (
            f"`{module.old.path}` as `{module.new.path}`"
            + (f" in {module.new.name}" if len(new) > 1 else "")
            for module in world.modules
        )
        ports = f"{', '.join(most)} and {last}" if most else last
        return (
            Obligation(
                "goal",
                f"We no longer want to maintain {world.modules[0].old.name}. Port the "
                f"program{'s' * bool(most)} in `{world.source}` {to}: rewrite {ports}.",
                "goal",
            ),
            Obligation(
                "same",
                "A port takes no arguments, reads standard input and writes to standard output. "
                "For every input it must print exactly what the old program prints, byte for byte, "
                "and exit with status `0`.",
            ),
            Obligation(
                "samples",
                f"`{world.samples}` has two inputs to try for each program, `NAME.1.txt` and "
                "`NAME.2.txt`, where `NAME` is the name of the program without its suffix.",
                "input",
            ),
            Obligation(
                "pure",
                "A port is a single file that works alone and does everything itself. It must not "
                "start a program of another language, such as an interpreter or a compiler. We "
                "search the source for words that could do so, and refuse a port that contains "
                "any of these as a whole word, even in a comment or in a `#!` line: "
                f"{_banned(world)}.",
                "limit",
            ),
            *_compiled(world),
            Obligation(
                "keep",
                f"Do not change the files in `{world.source}` and `{world.samples}`.",
                "limit",
            ),
            Obligation(
                "judged",
                "We will compare old and new outputs on inputs that you have not seen, among them "
                "the empty input and inputs without a newline at the end.",
                "grading",
                ("not seen", "unseen", "hidden", "other inputs", "further inputs", "new inputs"),
            ),
        )

    def mutants(self, ctx: Context, world: Port) -> tuple[Attempt, ...]:
        """Return ports with one mistake."""
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
        """Return wrappers that call the old tools or contain them, and copies of the old tools."""
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
    """Return a gate: no port starts a program of another language."""

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


def _banned(world: Port) -> str:
    """Return the words that `FOREIGN` finds, as a text has them."""
    words = BANNED + tuple(
        word
        for language in dict.fromkeys(module.new.language for module in world.modules)
        for word in BANNED_IN.get(language, ())
    )
    return ", ".join(f"`{word}`" for word in words)


def _compiled(world: Port) -> Iterator[Obligation]:
    """Yield which command compiles the ports of each compiled language."""
    ports: dict[Language, list[str]] = {}
    for module in world.modules:
        if module.new.build:
            ports.setdefault(module.new.language, []).append(f"`{module.new.path}`")
    for language, paths in ports.items():
        compiler = call(language)
        *most, last = paths
        each = f"{', '.join(most)} and {last} must each" if most else f"{last} must"
        yield Obligation(
            f"built by {COMPILER[language][0]}",
            f"{each} compile with `{compiler}` on its own, using only the standard library and no "
            "network.",
            "limit",
        )


FAMILY = PortModule()
