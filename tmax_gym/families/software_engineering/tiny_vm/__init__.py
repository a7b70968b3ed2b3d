"""SWE-07 tiny vm: an emulator for a small machine that is known from one data sheet.

The sheet is a scan or a text, and the opcodes differ from task to task.  The emulator is graded on
hidden programs, some of which trap or do not end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.tiny_vm import machine
from tmax_gym.families.software_engineering.tiny_vm.emulators import emulator
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains
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
    followed_by = {  # noqa: RUF012
        "batch-run": ("emulator", "There is an inbox of old programs whose output we need."),
        "command-wrapper": ("emulator", "The people at the bench want a command with options."),
        "make-target": ("emulator", "The old programs change now and then and must be run again."),
    }

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

    def products(self, ctx: Context, world: Vm) -> Mapping[str, Product]:
        """Return the emulator, which is a filter."""

        def case(rng: Rng) -> Case:
            data = machine.program(world.codes, rng.fork("program"), rng.choice(KINDS))
            return Case(_hex(data).encode(), machine.run(world.codes, data).encode())

        source = world.emulator
        build = toolchains.build(source.language, source.path, "{out}")
        run = toolchains.start(source.language, source.path, "{out}")
        return {
            "emulator": Program(
                source.path, " ".join(run), case, "programs of the machine", " ".join(build)
            )
        }

    def say(self, ctx: Context, world: Vm) -> tuple[Obligation, ...]:
        """Return the sheet, the interface of the emulator, and the batch."""
        emulator, samples = world.emulator, world.samples
        scanned = "scanned " if ctx.fixture == "image" else ""
        obligations = [
            Obligation(
                "goal",
                f"The {scanned}data sheet `{world.sheet}` describes a small machine. Write an "
                f"emulator of this machine in {emulator.name} and save it as `{emulator.path}`.",
                "goal",
            ),
            Obligation(
                "interface",
                "The emulator reads a program from standard input, as bytes of two hex digits that "
                "are separated by white space. It writes everything that the program prints to "
                "standard output, one value per line, and also the `trap` and `limit` lines that "
                "the data sheet asks for. It always exits with status 0.",
                "format",
            ),
            Obligation(
                "width",
                "Registers have 16 bits, so a larger or a negative result wraps around.",
            ),
            _examples(world),
        ]
        if world.listing:
            obligations.append(
                Obligation(
                    "batch",
                    f"Also run all programs `{samples}/*.hex` and write their outputs to "
                    f"`{world.listing}`, one after the other in the order of their numbers, with "
                    f"nothing in between.",
                    "output",
                )
            )
        obligations.append(
            Obligation(
                "keep",
                f"Do not change `{world.sheet}` or the files in `{samples}`.",
                "limit",
            )
        )
        return (*obligations, _judged(world))

    def mutants(self, ctx: Context, world: Vm) -> tuple[Attempt, ...]:
        """Return emulators without traps or limit, or with two opcodes exchanged."""
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


def _examples(world: Vm) -> Obligation:
    """Return which programs have their output beside them."""
    samples = world.samples
    if world.listing:
        sentence = (
            f"Example programs are in `{samples}`, numbered from `1.hex`. The right output is "
            f"there only for the first one, as `{samples}/1.out`."
        )
    else:
        sentence = (
            f"Example programs are in `{samples}`, numbered from `1.hex`, and the right output of "
            f"each is in the `.out` file with the same number, as in `1.out`."
        )
    return Obligation("samples", sentence, "input")


def _judged(world: Vm) -> Obligation:
    """Return how the emulator is built and tried."""
    source = world.emulator
    if source.build:
        call = toolchains.call(source.language)
        how = f"compile `{source.path}` with `{call}`, without any other file and without a network"
    else:
        how = f"run `{source.path}` with `python3`, without any other file or package"
    return Obligation(
        "judged",
        f"We will {how}, and try it on programs that you have not seen. Some of them trap or reach "
        f"the limit.",
        "grading",
    )


FAMILY = TinyVm()
