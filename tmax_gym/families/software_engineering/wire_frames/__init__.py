"""SWE-22 wire frames: a decoder for sealed protobuf requests that travel in WebSocket frames.

Frames are masked, cut and interleaved with control frames.  A checksum notices damage, or a code
repairs it.  The content is a gRPC request of a drawn schema.  The decoder is graded on reports on
hidden captures, with every fault that the description names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Case, Product, Program
from tmax_gym.families.shared import sources, tricks
from tmax_gym.families.software_engineering.wire_frames import draw
from tmax_gym.families.software_engineering.wire_frames.guards import KINDS, drawn
from tmax_gym.families.software_engineering.wire_frames.protocol import Wire, answers
from tmax_gym.families.software_engineering.wire_frames.rendering import program
from tmax_gym.families.software_engineering.wire_frames.sheet import sheet
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

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
"""What the captures of each hidden input are like; the last input has everything."""
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
    cases: Sequence[tuple[bytes, bytes]]


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
    followed_by = {  # noqa: RUF012
        "batch-run": ("decoder", "Captures from all our sites are waiting to be decoded."),
        "command-wrapper": ("decoder", "Support wants a command that decodes one capture file."),
        "make-target": ("decoder", "New captures arrive daily and need a report each."),
    }

    def world(self, ctx: Context) -> Frames:
        """Return the documents, example captures with their report, and hidden captures."""
        rng = ctx.rng.fork("wire")
        wire = draw.drawn(ctx, rng.fork("protocol"))
        file = rng.fork("files")
        page = ctx.path("spec", file.choice(("protocol", "wire", "transport", "framing")) + ".txt")
        schema = ctx.path("spec", f"{wire.package}.proto")
        captures, report = ctx.path("samples", "captures.hex"), ctx.path("samples", "report.txt")
        stem = file.choice(("decode", "teardown", "unwrap", "dissect", "readout"))
        shown = draw.captures(wire, rng.fork("shown"), SHOWN)
        programs = sources.sources(ctx, stem, scripts=("python",))
        return Frames(
            nodes=(
                prose(page, sheet(wire)),
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
            cases=Later(lambda: _cases(wire, rng.fork("hidden"))),
        )

    def oracle(self, ctx: Context, world: Frames) -> tuple[str, ...]:
        """Return a look at the documents and one capture, and the decoder with a trial."""
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

    def products(self, ctx: Context, world: Frames) -> Mapping[str, Product]:
        """Return the first decoder, which is a filter."""

        def case(rng: Rng) -> Case:
            captures = draw.captures(world.wire, rng.fork("captures"), rng.choice(HIDDEN))
            return Case(captures.encode(), answers(world.wire, captures).encode())

        first = world.programs[0]
        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        return {
            "decoder": Program(
                first.path, " ".join(run), case, "files of captures", " ".join(build)
            )
        }

    def say(self, ctx: Context, world: Frames) -> tuple[Obligation, ...]:
        """Return where the protocol is described, how captures come, and how it is judged."""
        first, *others = world.programs
        both = "Both programs are" if others else "It is"
        obligations = [
            Obligation(
                "goal",
                f"We record what our clients send over WebSocket and need a decoder for it. "
                f"`{world.sheet}` describes the protocol and the report that the decoder prints, "
                f"and `{world.schema}` is the schema of the requests. Write the decoder in "
                f"{first.name} and save it as `{first.path}`.",
                "goal",
            ),
            Obligation(
                "interface",
                f"The decoder reads captures from standard input, each as one line of hexadecimal "
                f"digits, and writes the report to standard output. `{world.captures}` is an "
                f"example of the input, and `{world.report}` is exactly what must be printed for "
                f"it.",
                "format",
            ),
        ]
        obligations += [
            Obligation(
                f"twin {one.language}",
                f"Write the same program a second time in {one.name}, as `{one.path}`. The same "
                f"rules hold for it, and it counts as much as the first one.",
                "output",
            )
            for one in others
        ]
        return (
            *obligations,
            Obligation(
                "keep",
                f"Do not change `{world.sheet}`, `{world.schema}` or the two example files.",
                "limit",
            ),
            *(_built_by(one) for one in world.programs),
            Obligation(
                "judged",
                f"{both} graded on captures that you have not seen, including damaged, refused and "
                f"cut-off ones. Every fault that the description names occurs in them, and the "
                f"whole report must be right.",
                "grading",
                keys=("not seen", "unseen", "other captures", "hidden", "new captures"),
            ),
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
        """Return programs that print the sample's report, their input, or only separators."""
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


def _built_by(source: sources.Source) -> Obligation:
    """Return how a program is compiled or started."""
    if source.build:
        call = toolchains.call(source.language)
        sentence = (
            f"We compile `{source.path}` with `{call}`, without any other file and without a "
            f"network."
        )
    else:
        sentence = f"We run `{source.path}` with `python3`, without any other file or package."
    return Obligation(f"built {source.language}", sentence, "grading")


def _cases(wire: Wire, rng: Rng) -> tuple[tuple[bytes, bytes], ...]:
    """Return hidden captures and their reports."""
    inputs = [draw.captures(wire, rng.fork(n), kinds) for n, kinds in enumerate(HIDDEN)]
    return tuple((one.encode(), answers(wire, one).encode()) for one in inputs)


def _built(world: Frames, writer: sources.Writer) -> tuple[str, ...]:
    return sources.tried(
        world.programs,
        writer,
        lambda call: f"diff <({call} < {world.captures}) {world.report} && echo same",
    )


def _misread(wire: Wire, rng: Rng) -> Iterator[tuple[str, Wire]]:
    """Yield misread protocols, the likeliest mistakes first."""
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
