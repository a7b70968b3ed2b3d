"""SWE-22 wire frames: a decoder for sealed protobuf requests that travel in WebSocket frames.

Frames are masked, cut and interleaved with control frames; a checksum notices damage, or a code
undoes it; what is left is a gRPC request of a drawn schema.  Graded are reports on hidden
captures, with every fault that the description names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.software_engineering.wire_frames import draw, words
from tmax_gym.families.software_engineering.wire_frames.guards import KINDS, drawn
from tmax_gym.families.software_engineering.wire_frames.protocol import Wire, answers
from tmax_gym.families.software_engineering.wire_frames.rendering import program
from tmax_gym.families.software_engineering.wire_frames.sheet import sheet
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

HIDDEN = (
    ("sound", "sound"),
    ("damaged", "hit", "sound"),
    ("reserved", "opcode", "unmasked"),
    ("control", "interleaved", "continuation"),
    ("partial", "close", "sound"),
    ("malformed", "unimplemented", "compressed", "malformed"),
    ("sound", "hit", "close", "partial"),
    (*draw.BREAKS, *draw.ODD, "sound"),
)
"""Features of the captures of each hidden input, from plain to all at once."""
SHOWN = ("sound", "hit", "close", "damaged", "unmasked", "sound", "malformed")


@dataclass(frozen=True, kw_only=True)
class Frames(World):
    """The decided facts."""

    wire: Wire
    sheet: str
    schema: str
    captures: str
    report: str
    programs: sources.Sources
    shown: str
    cases: tuple[tuple[bytes, bytes], ...]


class WireFrames(Family[Frames]):
    """Decode messages layer by layer, as the document says."""

    id = "SWE-22"
    slug = "wire-frames"
    domain = "software_engineering"
    skill = "Web Security"
    primitives = (
        "gRPC and protobuf service design",
        "WebSocket communication",
        "Checksum and error-correcting codes",
        "Serialization and deserialization",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("c", "cpp", "go", "rust", "python", "multi")
    tools = ("bash", "diff", "xxd", "python3")

    def world(self, ctx: Context) -> Frames:
        """Return the documents, worked captures, and hidden ones."""
        rng = ctx.rng.fork("wire")
        wire = draw.drawn(ctx, rng.fork("protocol"))
        file = rng.fork("files")
        page = ctx.path("spec", file.choice(("protocol", "wire", "transport", "framing")) + ".txt")
        schema = ctx.path("spec", f"{wire.package}.proto")
        captures, report = ctx.path("samples", "captures.hex"), ctx.path("samples", "report.txt")
        stem = file.choice(("decode", "teardown", "unwrap", "dissect", "readout"))
        shown = draw.captures(wire, rng.fork("shown"), SHOWN)
        hidden = [draw.captures(wire, rng.fork("hidden", n), k) for n, k in enumerate(HIDDEN)]
        programs = sources.sources(ctx, stem, scripts=("python",))
        return Frames(
            nodes=(
                text(page, sheet(wire, rng.fork("sheet"))),
                text(schema, draw.schema(wire)),
                text(captures, shown),
                text(report, answers(wire, shown)),
            ),
            outputs=tuple(p.path for p in programs),
            wire=wire,
            sheet=page,
            schema=schema,
            captures=captures,
            report=report,
            programs=programs,
            shown=shown,
            cases=tuple((one.encode(), answers(wire, one).encode()) for one in hidden),
        )

    def oracle(self, ctx: Context, world: Frames) -> tuple[str, ...]:
        """Return a look at the documents and at one capture, and the decoder against the sample."""
        return (
            f"cat {world.sheet} {world.schema}",
            f"head -n 1 {world.captures} | xxd -r -p | xxd | head -n 8",
            *_built(world, lambda to: program(world.wire, to)),
        )

    def checks(self, ctx: Context, world: Frames) -> tuple[Check | Gate, ...]:
        """Return the hidden captures; documents and samples stay as they are."""
        return (
            unchanged("documents", world.nodes),
            *sources.equivalence("reports", world.programs, world.cases),
        )

    def say(self, ctx: Context, world: Frames) -> tuple[Clause, ...]:
        """Return where the protocol is told, how captures come, and how it is judged."""
        first = world.programs[0]
        return (
            words.goal(world.sheet, world.schema, first.path, language=first.name),
            words.interface(world.captures, world.report),
            words.judged(),
            *sources.say(world.programs),
        )

    def mutants(self, ctx: Context, world: Frames) -> tuple[Attempt, ...]:
        """Return decoders of a protocol that is not quite this one."""
        caught = [
            (name, wrong)
            for name, wrong in _misread(world.wire, ctx.rng.fork("mutants"))
            if any(answers(wrong, i.decode()) != o.decode() for i, o in world.cases)
        ]
        return tuple(
            Attempt(
                name,
                _built(
                    world,
                    sources.last_wrong(
                        world.programs,
                        lambda language: program(world.wire, language),
                        lambda language, wrong=wrong: program(wrong, language),  # type: ignore[misc]
                    ),
                ),
            )
            for name, wrong in caught[:4]
        )

    def exploits(self, ctx: Context, world: Frames) -> tuple[Attempt, ...]:
        """Return the sample by heart, the input as output, and a decoder that sees no message."""
        printed = answers(world.wire, world.shown).splitlines()
        return (
            Attempt(
                "by heart", sources.written(world.programs, lambda to: tricks.prints(to, printed))
            ),
            Attempt("echo", sources.written(world.programs, tricks.copies)),
            Attempt(
                "separators alone",
                sources.written(world.programs, lambda to: tricks.starts(to, "sed s/.*/--/")),
            ),
        )


def _built(world: Frames, writer: sources.Writer) -> tuple[str, ...]:
    return sources.tried(
        world.programs,
        writer,
        lambda call: f"diff <({call} < {world.captures}) {world.report} && echo same",
    )


def _misread(wire: Wire, rng: Rng) -> Iterator[tuple[str, Wire]]:
    """Yield protocols as a hasty reader would have them, the likeliest mistakes first."""
    other = drawn(rng, rng.choice([kind for kind in KINDS if kind != wire.guard.kind]))
    yield "fragments taken for messages", replace(wire, joins=False)
    for right in ("sint64", "int64", "bool"):
        methods = tuple(
            replace(
                m,
                fields=tuple(
                    replace(f, type="uint64" if f.type == right else f.type) for f in m.fields
                ),
            )
            for m in wire.methods
        )
        yield f"{right} read as uint64", replace(wire, methods=methods)
    yield "another guard", replace(wire, guard=other)
    turned = replace(wire.guard, little=not wire.guard.little, backward=not wire.guard.backward)
    yield "guard from the wrong end", replace(wire, guard=turned)
    yield "a method short", replace(wire, methods=wire.methods[:-1])


FAMILY = WireFrames()
