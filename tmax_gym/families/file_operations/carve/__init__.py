"""FIL-05 carve: pictures or recordings in a raw dump, found by signature and checked by length.

Below `SHORT` one file lies at a stated place.  Above, damaged look-alikes lie between the
sound ones, and what is found is listed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Files, Product, Table
from tmax_gym.families.shared.programs import program_sections
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media import png, wav
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
SUFFIX = {"image": "png", "audio": "wav"}
HEADERS = {
    "png": ("offset", "size", "width", "height"),
    "wav": ("offset", "size", "rate", "samples"),
}
SCAN = program_sections(__package__, "scan.py")
NOUN = {"png": "PNG picture", "wav": "WAV recording"}
SOUND = {
    "png": "A picture is intact if every chunk from the signature up to and including `IEND` has "
    "a correct CRC. It ends with the `IEND` chunk. Leave out all pictures that are cut off or "
    "have a chunk with a wrong CRC.",
    "wav": "A recording is intact if its `data` chunk starts at byte 36 and the two lengths "
    "agree: by its own length, the `data` chunk ends exactly where the file ends by the length "
    "after `RIFF`. Leave out all recordings for which this is not so.",
}
COLUMNS = {
    "png": "`width` and `height` are the size of the picture in pixels",
    "wav": "`rate` is the sample rate, and `samples` is the number of samples",
}


@dataclass(frozen=True, kw_only=True)
class Dump(World):
    """The decided facts."""

    dump: str
    target: str
    """The one file of a short task, else the folder."""
    index: str = ""
    found: tuple[tuple[int, bytes], ...] = ()
    """(offset, content) of every sound file."""


class Carve(Family[Dump]):
    """Scan for signatures, follow the lengths, keep only files that are intact."""

    id = "FIL-05"
    slug = "carve"
    domain = "file_operations"
    skill = "Data Parsing"
    primitives = (
        "Binary format and header extraction",
        "Domain-specific format parsing (GCode, ELF, WAL)",
        "File splitting, merging, and chunking",
        "Streaming and memory-mapped I/O",
    )
    fixtures = ("image", "audio")
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "python3", "dd", "head", "tail")
    followed_by = {  # noqa: RUF012
        "sqlite-load": ("list", "The list of recovered files goes into our database of cases."),
        "export-diff": ("list", "An earlier tool made such a list, and we want to compare."),
        "pack-bundle": ("files", "The owner of the card gets all recovered files as one bundle."),
        "file-manifest": ("files", "The owner of the card wants to check what he gets."),
    }

    def world(self, ctx: Context) -> Dump:
        """Return a dump with sound files, damaged ones and noise."""
        rng = ctx.rng.fork("dump")
        short = ctx.level < SHORT
        kind, dump = SUFFIX[ctx.fixture], ctx.path(f"{ctx.skin.stem(rng)}.img")
        data, items = bytearray(rng.bytes(rng.integer(90, 400))), []
        count = 1 if short else ctx.knob(3, 11)
        for number in range(count):
            r = rng.fork("file", number)
            body = _picture(ctx, r) if kind == "png" else _recording(r)
            if not short and number % 3 != 2:
                data += _damaged(r, body, kind=kind, way=(number // 3 + number) % 3)
                data += r.bytes(r.integer(60, 300))
            items.append((len(data), body))
            data += body + r.fork("gap").bytes(r.integer(50, 600))
        target = ctx.path(f"restored.{kind}" if short else "carved")
        index = "" if short else ctx.path("carved.csv")
        return Dump(
            nodes=(Node(dump, data=bytes(data)),),
            outputs=(target,) if short else (target, index),
            dump=dump,
            target=target,
            index=index,
            found=tuple(items),
        )

    def oracle(self, ctx: Context, world: Dump) -> tuple[str, ...]:
        """Return a cut, or a scan, a cut for every file and the list."""
        if ctx.level < SHORT:
            ((offset, body),) = world.found
            cut = _cut(world.dump, offset, len(body))
            return (f"ls -l {world.dump}", f"{cut} > {world.target}", f"file {world.target}")
        kind = SUFFIX[ctx.fixture]
        cuts = [
            f"{_cut(world.dump, o, len(b))} > {world.target}/{o:08x}.{kind}" for o, b in world.found
        ]
        rows = [f"grep ^{o}, /tmp/found >> {world.index}" for o, _ in world.found]
        return (
            write_file("/tmp/scan.py", _program(ctx, world)),
            f"python3 /tmp/scan.py > /tmp/found; cat /tmp/found; mkdir -p {world.target}",
            *cuts,
            f"echo {','.join(HEADERS[kind])} > {world.index}",
            *rows,
            "rm /tmp/scan.py /tmp/found",
        )

    def alternative(self, ctx: Context, world: Dump) -> tuple[str, ...] | None:
        """Return dd for the one file, or a program that writes what it finds."""
        if ctx.level < SHORT:
            ((offset, body),) = world.found
            size = len(body)
            return (
                f"dd if={world.dump} of={world.target} bs=1 skip={offset} count={size} status=none",
            )
        return self._whole(ctx, world, _program(ctx, world))

    def checks(self, ctx: Context, world: Dump) -> tuple[Check | Gate, ...]:
        """Return checks of the carved files (names and content, or content alone) and the list."""
        keep = unchanged("dump", world.nodes)
        kind = SUFFIX[ctx.fixture]
        if ctx.level < SHORT:
            wanted = world.found[0][1]
            return (keep, Check("file", ctx.verifier, lambda e: float(_has(e, world, wanted))))
        nodes = [Node(f"{world.target}/{o:08x}.{kind}", data=b) for o, b in world.found]
        rows = [_row(o, b) for o, b in world.found]
        index = exact.rows("index", world.index, rows, header=HEADERS[kind])
        if ctx.verifier == "exact_text":
            return (keep, exact.tree("files", world.target, nodes, weight=2.0), index)
        bodies = {n.data for n in nodes}

        def measure(evidence: Evidence) -> float:
            tree = evidence.tree(world.target)
            links = [n for n in tree if n.kind == "link"]
            files = [n for n in tree if n.kind == "file"]
            files += [exact.reached(evidence, n) for n in links[: len(bodies)]]
            seen = [n.data for n in files if n.kind == "file"]
            return fraction(2 * len(bodies & set(seen)), len(bodies) + len(seen))

        share = metric_threshold("files", measure, base=0.0, threshold=1.0, weight=2.0)
        return (keep, share, index)

    def products(self, ctx: Context, world: Dump) -> Mapping[str, Product]:
        """Return the list of files, and the files themselves if their names count."""
        if ctx.level < SHORT:
            return {}
        kind = SUFFIX[ctx.fixture]
        rows = tuple(tuple(str(cell) for cell in _row(o, b)) for o, b in world.found)
        products: dict[str, Product] = {
            "list": Table(world.index, HEADERS[kind], rows, "recovered files")
        }
        if ctx.verifier == "exact_text":
            contents = {f"{offset:08x}.{kind}": body for offset, body in world.found}
            products["files"] = Files(world.target, contents, "recovered files")
        return products

    def say(self, ctx: Context, world: Dump) -> tuple[Obligation, ...]:
        """Return where to look, what is intact, and how files and list are written."""
        kind = SUFFIX[ctx.fixture]
        keep = Obligation("keep", f"Do not change `{world.dump}`.", "limit")
        if ctx.level < SHORT:
            ((offset, body),) = world.found
            return (
                Obligation(
                    "goal",
                    f"The raw dump `{world.dump}` contains a {NOUN[kind]} of {len(body)} bytes. "
                    f"It starts at offset {offset}, counted from 0. Copy exactly these bytes to "
                    f"`{world.target}`.",
                    "goal",
                ),
                keep,
            )
        return (
            Obligation(
                "goal",
                f"`{world.dump}` is a raw dump of a memory card whose file system is lost. "
                f"Recover every intact {NOUN[kind]} from it, byte for byte, into the directory "
                f"`{world.target}`. The dump also contains damaged ones and other data.",
                "goal",
            ),
            Obligation("sound", SOUND[kind]),
            Obligation(
                "names",
                f"Name each file `<offset>.{kind}`, where the offset is the position of its first "
                f"byte in the dump, counted from 0 and written with eight lower-case hexadecimal "
                f"digits. Put nothing else into `{world.target}`.",
                "format",
            ),
            Obligation(
                "list",
                f"Also list the files in `{world.index}`, a CSV file with the header "
                f"`{','.join(HEADERS[kind])}` and one row for each file, sorted by offset. "
                f"`offset` is the same position in decimal, `size` is the length in bytes, "
                f"{COLUMNS[kind]}.",
                "output",
            ),
            keep,
        )

    def mutants(self, ctx: Context, world: Dump) -> tuple[Attempt, ...]:
        """Return cuts in the wrong place, or scans with one mistake each."""
        if ctx.level < SHORT:
            ((offset, body),) = world.found
            places = {
                "one byte early": (offset - 1, len(body)),
                "one byte late": (offset + 1, len(body)),
                "one byte more": (offset, len(body) + 1),
            }
            return tuple(
                Attempt(name, (f"{_cut(world.dump, *place)} > {world.target}",))
                for name, place in places.items()
            )
        program = _program(ctx, world)
        wrong = {
            "damaged too": program.replace("if sound(", "if True or sound("),
            "first left out": program.replace("at = 0", f"at = {world.found[0][0] + 9}"),
            "a byte short": program.replace("body = data[at:end]", "body = data[at:end - 1]"),
            "no list": program.replace("print(", "str("),
        }
        return tuple(Attempt(n, self._whole(ctx, world, body)) for n, body in wrong.items())

    def exploits(self, ctx: Context, world: Dump) -> tuple[Attempt, ...]:
        """Return the dump as the answer, and an empty list."""
        header = ",".join(HEADERS[SUFFIX[ctx.fixture]])
        return (
            Attempt("the dump", (f"mkdir -p {world.target}; cp {world.dump} {world.target}/a",)),
            Attempt("bare list", (f"echo {header} > {world.index or world.target}",)),
        )

    def _whole(self, ctx: Context, world: Dump, program: str) -> tuple[str, ...]:
        write = f"open(f'{world.target}/{{at:08x}}.{SUFFIX[ctx.fixture]}', 'wb').write(body)\n"
        header = ",".join(HEADERS[SUFFIX[ctx.fixture]])
        return (
            f"mkdir -p {world.target}",
            write_file("/tmp/scan.py", program.replace("# found\n", write)),
            f"echo {header} > {world.index}; python3 /tmp/scan.py >> {world.index}",
        )


def _has(evidence: Evidence, world: Dump, wanted: bytes) -> bool:
    return evidence.read(world.target) == wanted


def _cut(dump: str, offset: int, size: int) -> str:
    return f"tail -c +{offset + 1} {dump} | head -c {size}"


def _program(ctx: Context, world: Dump) -> str:
    return f"DUMP = {world.dump!r}\n{SCAN[SUFFIX[ctx.fixture]]}{SCAN['loop']}"


def _row(offset: int, body: bytes) -> tuple[object, ...]:
    if body[:4] == b"RIFF":
        return (offset, len(body), struct.unpack_from("<I", body, 24)[0], (len(body) - 44) // 2)
    return (offset, len(body), *struct.unpack_from(">II", body, 16))


def _picture(ctx: Context, rng: Rng) -> bytes:
    card = Raster(rng.integer(40, 90), rng.integer(14, 30), mode="1")
    card.text(3, 3, ctx.skin.code(rng))
    card.frame(0, 0, size=(card.width, card.height))
    return png.encode(card, texts={"Title": ctx.skin.event(rng)} if rng.chance(0.5) else None)


def _recording(rng: Rng) -> bytes:
    voice = wav.Voice(rate=rng.choice((4000, 8000, 11025)))
    return wav.wav(voice, wav.tone(voice, (rng.integer(300, 1500),), rng.integer(20, 60)))


def _damaged(rng: Rng, body: bytes, *, kind: str, way: int) -> bytes:
    """Return a file that was cut off, has a flipped byte, or states a wrong length."""
    if way == 0:
        return body[: len(body) * 2 // 3] if kind == "png" else body.replace(b"data", b"dat\0")
    if kind == "png":
        at = len(body) - rng.integer(14, 20) if way == 1 else rng.integer(17, 23)
        return body[:at] + bytes([body[at] ^ 0x10]) + body[at + 1 :]
    at = 4 if way == 1 else 40
    wrong = struct.unpack_from("<I", body, at)[0] + rng.integer(2, 60) * 2
    return body[:at] + struct.pack("<I", wrong) + body[at + 4 :]


FAMILY = Carve()
