"""SWE-07 tiny vm: an emulator for a small machine that is known from one data sheet.

The sheet is a scan or a text; opcodes differ from task to task.  Graded are hidden programs, some
with traps and endless loops.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.tiny_vm import machine
from tmax_gym.families.software_engineering.tiny_vm.emulators import emulator
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media.png import encode
from tmax_gym.world.media.raster import Raster

KINDS = ("plain", "plain", "trap", "plain", "limit", "plain", "trap")
SCALE = 1
LINE = 10
DUMP = program_text(__package__, "dump.py")


@dataclass(frozen=True, kw_only=True)
class Vm(World):
    """The decided facts."""

    sheet: str
    samples: str
    emulator: sources.Source
    listing: str
    """"" below the level from which on the output of a batch is asked for."""
    codes: dict[str, int]
    batch: tuple[list[int], ...]
    cases: tuple[tuple[bytes, bytes], ...]


class TinyVm(Family[Vm]):
    """Read a data sheet and build the machine."""

    id = "SWE-07"
    slug = "tiny-vm"
    domain = "software_engineering"
    skill = "Algorithmic"
    primitives = (
        "Interpreter and emulator implementation",
        "State machine and parser construction",
        "Custom data structure design",
        "Character and data encoding",
    )
    fixtures = ("image", "text_only")
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "c", "cpp", "go", "rust")
    tools = ("bash", "diff", "python3")

    def world(self, ctx: Context) -> Vm:
        """Return the data sheet, samples with their output, and hidden programs."""
        rng = ctx.rng.fork("vm")
        names = list(machine.OPERATIONS)[: ctx.knob(5, len(machine.OPERATIONS))]
        codes = dict(zip(names, rng.sample(range(1, 255), len(names)), strict=True))
        lines = [f"{ctx.skin.code(rng)} DATA SHEET", "", *machine.sheet(codes)]
        file = rng.fork("files")
        stem = file.choice(("datasheet", "machine", "isa", "reference", "page_1"))
        sheet = ctx.path(stem + (".png" if ctx.fixture == "image" else ".txt"))
        samples = ctx.path(file.choice(("samples", "programs", "images", "roms")))
        listing = ctx.level >= 0.3
        drawn = [machine.program(codes, rng.fork("sample", n), k)
                 for n, k in enumerate(KINDS[: ctx.knob(2, 5)])]  # fmt: skip
        nodes = [_scan(sheet, lines) if ctx.fixture == "image" else text(sheet, _joined(lines))]
        for number, data in enumerate(drawn, start=1):
            nodes.append(text(f"{samples}/{number}.hex", _hex(data)))
            if number == 1 or not listing:
                nodes.append(text(f"{samples}/{number}.out", machine.run(codes, data)))
        (wanted,) = sources.sources(ctx, file.choice(("vm", "emulator", "machine", "run")))
        target = ctx.path(file.choice(("outputs", "printed", "listing")) + ".txt")
        target = target if listing else ""
        return Vm(
            nodes=tuple(nodes),
            outputs=(wanted.path, target) if target else (wanted.path,),
            sheet=sheet,
            samples=samples,
            emulator=wanted,
            listing=target,
            codes=codes,
            batch=tuple(drawn),
            cases=_cases(codes, rng.fork("hidden")),
        )

    def oracle(self, ctx: Context, world: Vm) -> tuple[str, ...]:
        """Return the emulator, compared with the sample, and the samples' output."""
        look = f"cat {world.sheet}"
        if ctx.fixture == "image":
            look = f"{write_file('/tmp/dump.py', DUMP)}\npython3 /tmp/dump.py {world.sheet}"
        source = emulator(world.codes, ctx.language)
        return (look, *self._built(world, source), f"rm -f /tmp/dump.py {world.emulator.binary}")

    def _built(self, world: Vm, source: str) -> tuple[str, ...]:
        call = world.emulator.call
        steps = [
            write_file(world.emulator.path, source),
            *world.emulator.build,
            f"diff <({call} < {world.samples}/1.hex) {world.samples}/1.out && echo same",
        ]
        if world.listing:
            steps.append(f": > {world.listing}")
            for number in range(1, len(world.batch) + 1):
                steps.append(f"{call} < {world.samples}/{number}.hex >> {world.listing}")
        return tuple(steps)

    def checks(self, ctx: Context, world: Vm) -> tuple[Check | Gate, ...]:
        """Return the hidden programs, and the samples' output."""
        checks: list[Check | Gate] = [
            unchanged("sheet", world.nodes),
            *sources.equivalence("programs", (world.emulator,), world.cases, weight=2.0),
        ]
        if world.listing:
            printed = "".join(machine.run(world.codes, data) for data in world.batch)
            shown = machine.run(world.codes, world.batch[0]).splitlines()
            checks.append(
                exact.lines("outputs", world.listing, printed.splitlines(), initial=shown)
            )
        return tuple(checks)

    def say(self, ctx: Context, world: Vm) -> tuple[Clause, ...]:
        """Return the sheet, the interface of the emulator, and the batch."""
        clauses = (_goal(world), _interface(world), *sources.say((world.emulator,)))
        return (*clauses, _batch(world)) if world.listing else clauses

    def mutants(self, ctx: Context, world: Vm) -> tuple[Attempt, ...]:
        """Return 15 bits, traps that are overlooked, two opcodes exchanged."""
        right = emulator(world.codes, ctx.language)
        codes = {**world.codes, "ADD": world.codes["OUT"], "OUT": world.codes["ADD"]}
        wrong = {
            "silent traps": right.replace("trap", "stop"),
            "silent limit": right.replace('"limit"', '"stopped"'),
            "exchanged": emulator(codes, ctx.language),
        }
        return tuple(Attempt(name, self._built(world, source)) for name, source in wrong.items())

    def exploits(self, ctx: Context, world: Vm) -> tuple[Attempt, ...]:
        """Return an emulator with the output of the sample, and one that prints its input."""
        shown = machine.run(world.codes, world.batch[0]).splitlines()
        known = tricks.prints(ctx.language, shown)
        return (
            Attempt("by heart", (write_file(world.emulator.path, known),)),
            Attempt("echo", (write_file(world.emulator.path, tricks.copies(ctx.language)),)),
        )


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _scan(path: str, lines: list[str]) -> Node:
    """Return the sheet as a picture."""
    width = 6 * SCALE * max(map(len, lines)) + 16
    raster = Raster(width, LINE * SCALE * len(lines) + 16, mode="1")
    for number, line in enumerate(lines):
        raster.text(8, 8 + LINE * SCALE * number, line, scale=SCALE)
    return Node(path, data=encode(raster))


def _hex(data: list[int]) -> str:
    rows = [data[i : i + 3] for i in range(0, len(data), 3)]
    return "".join(" ".join(f"{byte:02x}" for byte in row) + "\n" for row in rows)


def _cases(codes: dict[str, int], rng: Rng) -> tuple[tuple[bytes, bytes], ...]:
    """Return hidden programs and their output."""
    drawn = [machine.program(codes, rng.fork(n), kind) for n, kind in enumerate(KINDS)]
    return tuple((_hex(data).encode(), machine.run(codes, data).encode()) for data in drawn)


def _goal(world: Vm) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|Build} an emulator in {language} for the machine of {sheet}: {emulator}.",
            "The {controller|machine} whose data sheet is {sheet} {is|will be} gone soon. {Keep|"
            "Save} its programs alive with {emulator}, {an|its} emulator in {language}.",
            "{sheet} is all that is left of a {small|tiny} machine. {Recreate|Rebuild} it in "
            "software, as {language} source {emulator}.",
            "{emulator} {should|has to} run programs of the machine that {sheet} {describes|"
            "documents}; {the language is|use} {language}.",
            "{Implement|Code} the instruction set {from|on} {sheet} as an emulator ({language}, "
            "{emulator}).",
            "{Before|Until} the new {board|hardware} {comes|is there} we need {emulator}, "
            "{language} code that behaves like the machine {on|in} {sheet}.",
        ),
        facts={
            "sheet": world.sheet,
            "emulator": world.emulator.path,
            "language": world.emulator.name,
        },
        role="goal",
        brief="Write {emulator} ({language}), an emulator of the machine in {sheet}.",
    )


def _interface(world: Vm) -> Clause:
    return Clause(
        "interface",
        (
            "A program {comes|arrives} on standard input, as {pairs of hex digits|hexadecimal "
            "bytes} {between|apart by} white space; what it prints, {a|one} line {each|a value}, "
            "goes to standard output. {samples} has {examples|an example}.",
            "{It reads|Give it} hexadecimal bytes from standard input and {prints|lets it print} "
            "line by line; {compare|check} with {samples}. {Other|Unseen} programs will be run.",
            "Standard input {holds|is} the program in hex ({see|as in} {samples}), standard output "
            "{takes|gets} one line per printed {value|number}, {trap or limit|also for trap and "
            "limit}.",
            "{Bytes|The bytes} in hex {from|on} standard input, {printed|all printed} values on "
            "lines of standard output: {samples} shows {how|a pair}. It is {tested|tried} with "
            "further programs.",
            "{samples} {shows|has} what {goes|is fed} in (hex bytes, standard input) and what "
            "{has to|must} come out {of it|} on standard output; {hidden|more} programs "
            "{follow|are run}.",
            "{Feed|Hand} it a program {as|in} hex text on standard input, {and|then} lines come "
            "out {on|through} standard output. {samples} {is|serves} for a trial, {the rest|what "
            "is graded} is kept {back|from you}.",
        ),
        facts={"samples": world.samples},
        role="input",
        brief="Program as hex bytes on standard input, printed lines on standard output; see "
        "{samples}.",
    )


def _batch(world: Vm) -> Clause:
    return Clause(
        "batch",
        (
            "{Run|Then run} all programs in {samples} by {ascending|rising} number and {save|"
            "collect} their output, one after the other, in {listing}.",
            "{listing} {should|is to} hold what the programs of {samples} print, {joined|"
            "appended} in the order of their numbers.",
            "{Put|Append} the outputs of {samples}, 1 first, {together|all} {in|into} {listing}.",
            "{For|As} a proof, {listing} {has|gets} the output of {every|each} program in "
            "{samples}, in numerical order{ and without gaps|}.",
            "{Also|In addition} {leave|keep} {listing}: the lines that 1, 2 {and so on|and the "
            "rest} from {samples} print, {in this|in that} order.",
            "{What|All that} the programs in {samples} print {goes|belongs} into {listing}, {from "
            "the first to the last|number by number}.",
        ),
        facts={"samples": f"{world.samples}/*.hex", "listing": world.listing},
        role="output",
        brief="Write the outputs of {samples}, in order, to {listing}.",
    )


FAMILY = TinyVm()
