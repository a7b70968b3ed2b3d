"""FIL-16 unknown packer: a stripped packer made these files, and nobody has the unpacker.

The packer turns every line into hexadecimal digits through a few layers, each of which can be
undone.  A more difficult task has more layers.  The unpacker is run on hidden packed files,
without the packer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.file_operations.unknown_packer.layers import Layers, layers, unpacker
from tmax_gym.families.products import Case as Sample
from tmax_gym.families.products import Files, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.shared.marks import answers
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs.evaluate import run

SHOWN = 9
"""Lines of so many characters and fewer may be seen by chance."""


@dataclass(frozen=True, kw_only=True)
class Packed(World):
    """The decided facts."""

    packer: str
    unpacker: sources.Source
    how: Layers
    jobs: tuple[tuple[str, str], ...]
    """Packed files of the world and where their content is to go."""
    plain: tuple[str, ...]
    hidden_lines: tuple[tuple[str, ...], ...]


class UnknownPacker(Family[Packed]):
    """Feed the packer chosen lines, see what changes, undo the layers."""

    id = "FIL-16"
    slug = "unknown-packer"
    domain = "file_operations"
    skill = "Archives"
    primitives = (
        "Custom compression and decompression",
        "Domain-specific format parsing (GCode, ELF, WAL)",
        "Text and binary file reading/writing",
        "Format conversion between file types",
        "Standard stream redirection and piping",
    )
    fixtures = ("stripped_binary",)
    verifiers = ("fuzz_equivalence", "exact_text")
    languages = ("python", "c", "cpp", "go", "rust")
    tools = ("bash", "python3", "objdump", "xxd")
    followed_by = {  # noqa: RUF012
        "batch-run": ("unpacker", "More packed files have turned up on an old disk."),
        "command-wrapper": ("unpacker", "Colleagues want to unpack files without knowing how."),
        "make-target": ("unpacker", "New packed files keep coming in and should be unpacked."),
        "pack-bundle": ("texts", "The archive wants all unpacked texts in one file."),
        "file-manifest": (
            "texts",
            "The archive wants to check the unpacked texts from time to time.",
        ),
    }

    def world(self, ctx: Context) -> Packed:
        """Return the packer, packed files, and hidden ones."""
        rng = ctx.rng.fork("packer")
        bodies = [
            "\n".join(_lines(ctx, rng.fork("file", number), 6)) + "\n"
            for number in range(ctx.knob(1, 8))
        ]
        how = _opaque(rng, bodies, ctx.knob(1, 5))
        name = ctx.skin.stem(rng).replace("_", "")
        packer = ctx.path("bin", f"{name}pack")
        nodes = [Node(packer, data=executable(how.program), mode=0o755)]
        jobs = []
        for number, body in enumerate(bodies):
            path = ctx.path("packed", f"{number + 1:02d}.pk")
            nodes.append(text(path, run(how.program, body.encode()).decode()))
            jobs.append((path, ctx.path("plain", f"{number + 1:02d}.txt")))
        (source,) = sources.sources(ctx, "unpack")
        return Packed(
            nodes=tuple(nodes),
            outputs=(source.path, ctx.path("plain")),
            hidden=tuple(line for body in bodies for line in body.split("\n") if len(line) > SHOWN),
            packer=packer,
            unpacker=source,
            how=how,
            jobs=tuple(jobs),
            plain=tuple(bodies),
            hidden_lines=tuple(tuple(_lines(ctx, rng.fork("hidden", n), 12)) for n in range(3)),
        )

    def oracle(self, ctx: Context, world: Packed) -> tuple[str, ...]:
        """Return probes of the packer, the unpacker, and one run a file."""
        tries = [
            f"printf '{probe}\\n' | {world.packer}"
            for probe in ("a", "aaaaaaaa", "b", "ab", "A", "\\n\\na")[: ctx.knob(2, 6)]
        ]
        return (*tries, *self._built(ctx, world, unpacker(world.how, ctx.language)))

    def checks(self, ctx: Context, world: Packed) -> tuple[Check | Gate, ...]:
        """Return the hidden files line by line, and the files of the world."""
        fuzz = ctx.verifier == "fuzz_equivalence"
        hidden = ["\n".join(lines).encode() + b"\n" for lines in world.hidden_lines]
        tool = answers(
            "unpacker",
            world.unpacker.program(),
            [Case(stdin=run(world.how.program, body)) for body in hidden],
            expected=world.hidden_lines,
            weight=3.0 if fuzz else 1.0,
        )
        share = (1.0 if fuzz else 3.0) / len(world.jobs)
        files = [
            exact.lines(f"file {n}", target, body.rstrip("\n").split("\n"), weight=share)
            for n, ((_, target), body) in enumerate(zip(world.jobs, world.plain, strict=True))
        ]
        return (unchanged("packer", world.nodes), tool, *files)

    def products(self, ctx: Context, world: Packed) -> Mapping[str, Product]:
        """Return the unpacked files and the unpacker."""
        source = world.unpacker
        build = " ".join(toolchains.build(source.language, source.path, "{out}"))
        names = (target.rpartition("/")[2] for _, target in world.jobs)
        contents = {n: body.encode() for n, body in zip(names, world.plain, strict=True)}

        def case(rng: Rng) -> Sample:
            body = "\n".join(_lines(ctx, rng, 12)).encode() + b"\n"
            return Sample(run(world.how.program, body), body)

        return {
            "texts": Files(ctx.path("plain"), contents, "texts"),
            "unpacker": Program(
                source.path,
                " ".join(toolchains.start(source.language, source.path, "{out}")),
                case,
                "packed files",
                build,
            ),
        }

    def say(self, ctx: Context, world: Packed) -> tuple[Obligation, ...]:
        """Return the given files, the goal, and how the unpacker is tried."""
        unpacker = world.unpacker
        obligations = [
            Obligation(
                "situation",
                f"Our files were packed with the tool `{world.packer}`. All that we have left of "
                f"it is this stripped binary: its source code and the matching unpacker are lost.",
                "situation",
            ),
            Obligation(
                "goal",
                f"Write a new unpacker in {unpacker.name}, `{unpacker.path}`, which turns packed "
                f"files back into the original text.",
                "goal",
            ),
            Obligation(
                "interface",
                "Both the packer and the unpacker are filters without arguments, from standard "
                "input to standard output. The packer turns every line of text into one line of "
                "hexadecimal digits, and the unpacker turns such lines back into the lines of "
                "text.",
                "input",
                keys=("standard input", "stdin", "filter"),
            ),
            Obligation(
                "files",
                f"Also unpack every file in `{ctx.path('packed')}` into the directory "
                f"`{ctx.path('plain')}`, under the same name but with the suffix `.txt` in place "
                f"of `.pk`.",
                "output",
            ),
        ]
        if unpacker.build:
            obligations.append(
                Obligation(
                    "built",
                    f"The unpacker is compiled with `{unpacker.build[0]}`, without a network, so "
                    f"use nothing but the standard library.",
                    "limit",
                )
            )
        return (
            *obligations,
            Obligation(
                "keep",
                "Do not change the packer or the packed files.",
                "limit",
                keys=("not change", "n't change", "unchanged", "as they are", "untouched"),
            ),
            Obligation(
                "judged",
                "We will also run the unpacker on packed files that you have not seen. It will "
                "then be alone, without the packer and without any other file from here.",
                "grading",
                keys=("unseen", "not seen", "n't seen", "hidden", "other packed", "alone"),
            ),
        )

    def mutants(self, ctx: Context, world: Packed) -> tuple[Attempt, ...]:
        """Return unpackers with a layer left out, and half of the work."""
        full = unpacker(world.how, ctx.language)
        attempts = [
            Attempt(
                f"without {name}",
                self._built(ctx, world, unpacker(world.how, ctx.language, skip=name)),
            )
            for name in world.how.names[-2:]
        ]
        return (
            *attempts,
            Attempt("unpacker only", (write_file(world.unpacker.path, full),)),
            Attempt("upper case", self._built(ctx, world, full, after=" | tr a-z A-Z")),
            Attempt("files only", (*self._built(ctx, world, full), f": > {world.unpacker.path}")),
        )

    def exploits(self, ctx: Context, world: Packed) -> tuple[Attempt, ...]:
        """Return the packed text as it is, and empty files."""
        return (
            Attempt("copied", self._built(ctx, world, tricks.copies(ctx.language))),
            Attempt(
                "empty",
                (f"mkdir {ctx.path('plain')}; touch " + " ".join(t for _, t in world.jobs),),
            ),
        )

    def _built(
        self, ctx: Context, world: Packed, source: str, *, after: str = ""
    ) -> tuple[str, ...]:
        """Return the commands that write an unpacker and run it on every file."""
        call = world.unpacker.call
        return (
            write_file(world.unpacker.path, source),
            *world.unpacker.build,
            f"mkdir -p {ctx.path('plain')}",
            *(f"{call} < {packed}{after} > {target}" for packed, target in world.jobs),
        )


def _opaque(rng: Rng, bodies: list[str], depth: int) -> Layers:
    """Return layers that leave no line of the files as its mere bytes in hexadecimal."""
    how, attempt = layers(rng.fork("layers"), depth), 0
    while any(
        line.encode().hex() in run(how.program, body.encode()).decode().lower()
        for body in bodies
        for line in body.split("\n")
        if len(line) > SHOWN
    ):
        attempt += 1
        how = layers(rng.fork("layers", attempt), depth)
    return how


def _lines(ctx: Context, rng: Rng, count: int) -> list[str]:
    lines = []
    for number in range(count):
        r = rng.fork(number)
        lines.append(f"{ctx.skin.code(r)} {ctx.skin.event(r)}, {r.integer(2, 9999)}")
    return ["".join(c if " " <= c <= "~" else "-" for c in line) for line in lines]


FAMILY = UnknownPacker()
