"""SWE-04 clone black box: a stripped tool without source, to be written anew.

The clone is compared with the tool's own definition on hidden inputs, in a sandbox without the
tool: only the one source file is taken there.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from shlex import quote

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.software_engineering.clone_blackbox import tool as box
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs import program as ir
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import draw
from tmax_gym.world.programs.languages import render
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.probes import sample_input

HIDDEN = (("small", 4), ("middle", 5), ("large", 3))
"""Hidden inputs by size class, beside the empty one."""


@dataclass(frozen=True, kw_only=True)
class BlackBox(World):
    """The decided facts."""

    tool: str
    samples: str
    note: str
    clones: sources.Sources
    program: ir.Program
    cases: tuple[tuple[bytes, bytes], ...]


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
            cases=_cases(program, ctx.rng.fork("hidden")),
        )

    def oracle(self, ctx: Context, world: BlackBox) -> tuple[str, ...]:
        """Return the tool's definition in the task's language, compared on the samples."""
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
        """Return the hidden inputs; the tool stays, and the clone is a source of its own."""
        return (
            unchanged("tool", world.nodes),
            *(
                box.own_work(clone.path, f"own work {n}" if n else "own work")
                for n, clone in enumerate(world.clones)
            ),
            *sources.equivalence("clone", world.clones, world.cases),
        )

    def say(self, ctx: Context, world: BlackBox) -> tuple[Clause, ...]:
        """Return the given files, the goal, and how it is judged."""
        return (*_say(world), *sources.say(world.clones))

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
    """Return the commands that write clones which are none: a shell command does their work."""
    return tuple(
        write_file(clone.path, tricks.starts(clone.language, command)) for clone in world.clones
    )


def _say(world: BlackBox) -> tuple[Clause, ...]:
    clone = world.clones[0]
    return (
        Clause(
            "goal",
            (
                "{Reimplement|Rewrite} the stripped tool {tool} as {language} source "
                "{in|at} {clone}.",
                "{Nobody has|There is no} source for {tool}. Write a {language} program "
                "that does the same {and save it as|and put it at} {clone}.",
                "We have to {replace|retire} {tool}, a binary without source: {clone} "
                "should be {an equivalent|a drop-in} {language} program.",
                "{clone} is to become a {language} program that {behaves like|replaces} "
                "{tool}{, whose source is lost|, a tool without source}.",
                "{Work out|Find out} what the {stripped|} binary {tool} does and "
                "{write|make} {clone}, a {language} program, do {it too|the same}.",
                "{tool} is {all|everything} that {is left|survives} of a program; "
                "{rebuild|recreate} {its source|it} in {language} as {clone}.",
            ),
            facts={"tool": world.tool, "language": clone.name, "clone": clone.path},
            role="goal",
            brief="Reimplement the binary {tool} as a {language} program {clone}.",
        ),
        Clause(
            "interface",
            (
                "{It reads|The program reads} standard input, {writes|prints to} "
                "standard output and takes no arguments; {a note|what is known} is in "
                "{note} and {sample|typical} inputs are in {samples}.",
                "Standard input goes in, standard output comes out, {without "
                "options|with no arguments}. {See|There is} {note} {for|with} what is "
                "known, and {samples} for {sample|typical} inputs.",
                "{From|Between} standard input {to|and} standard output{, nothing "
                "else,|,} and no arguments: {note} {tells|says} {the rest|what is "
                "known}, {samples} {has|holds} {sample|typical} inputs.",
                "{There are|It takes} no arguments, just standard input and "
                "{standard|then standard} output; {start|begin} with {note} and the "
                "{inputs|sample inputs} {in|below} {samples}.",
                "{What we know|All we know} is in {note}, {some|a few} inputs in "
                "{samples}; {the tool|the program} {filters|turns} standard input "
                "{to|into} standard output and {takes|knows} no arguments.",
                "{note} {sums up|tells} what is known and {samples} {has|offers} inputs "
                "to {try|play with}; input {comes|is read} from standard input, output "
                "goes to standard output, {and there are no arguments|without any "
                "arguments}.",
            ),
            facts={"note": world.note, "samples": world.samples},
            role="input",
            brief="Standard input to standard output; see {note} and {samples}.",
        ),
        Clause(
            "judged",
            (
                "Both will be compared on other inputs of {that|the same} kind, "
                "{from|including} {empty} ones {to|and} long ones, {with or without|also "
                "without} a newline at the end.",
                "Outputs must agree on {unseen|further} inputs of {that|the same} kind, "
                "{empty} and long ones included, {some|also} without a final newline.",
                "{Other|Unseen} inputs {will|are to} {decide|tell}: {short|some short}, "
                "long and {empty}, {ending|and ending} in a newline or {not|without one}.",
                "{We|Others} will {compare|hold together} {the outputs|what both print} "
                "for {many|other} inputs{, {empty} or long| between {empty} and long}, "
                "{even|also} {where the last line lacks its newline|those without a "
                "final newline}.",
                "{It must match|A match is needed} on {inputs|input} {not among|beyond} "
                "the samples too, {empty}, {long|very long} and {unterminated|without a "
                "final newline} {ones included|as well}.",
            ),
            facts={"empty": "empty"},
            brief="It is compared on unseen inputs, {empty} ones included.",
        ),
        Clause(
            "own",
            (
                "{clone} must stand {alone|on its own}: {it may|it must} neither run nor "
                "{contain|embed} the binary, which stays {as it is|untouched}.",
                "Only {clone} is taken over, so it {may not|cannot} call the {old "
                "tool|binary} or carry {it|a copy of it} inside; {leave|keep} the binary "
                "as it is.",
                "{Calling|Running} or {embedding|carrying} the binary {is out|will not "
                "do}: {clone} {has to|must} work {without it|where it is gone}. "
                "{Leave|Keep} the {old|} binary {alone|as it is}.",
                "{The binary|The old binary} {stays|is to stay} as it is and {will not "
                "be|is not} {around|there} {later|when it counts}: {clone} {must|has to} "
                "do {without|everything itself}, {no copy inside|nor contain a copy}.",
                "{Whatever|All that} {clone} does {must be|is} its own {work|doing}, {neither "
                "calling the binary nor|without calling the binary or} containing it; the binary "
                "stays {unchanged|as it is}.",
            ),
            facts={"clone": clone.path},
            role="constraint",
            brief="{clone} neither runs nor contains the binary, which stays.",
        ),
    )


FAMILY = CloneBlackbox()
