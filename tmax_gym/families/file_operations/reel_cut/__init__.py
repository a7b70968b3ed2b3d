"""FIL-14 reel cut: cut a film into its scenes at the slates and keep the right take of each.

Below `SHORT` one frame is wanted.  Above, every take begins with a slate that says in black and
white cells which scene it is; of several takes the last one that was not spoilt counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Files, Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import FILM
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
HEADER = ("scene", "first", "last")
BITS = 5
KEPT = ("not change", "n't change", "unchanged", "as it is", "untouched", "not modify", "intact")
WIDTH, HEIGHT = 32, 20

SLATES = program_text(__package__, "slates.py")
LIST = (
    "for number, (first, last) in sorted(best.items()):\n    print(number, first, last, sep=',')\n"
)
CUT = "import sys\nsys.stdout.buffer.write(cut(int(sys.argv[1]), int(sys.argv[2])))\n"


@dataclass(frozen=True, kw_only=True)
class Reel(World):
    """The decided facts."""

    reel: str
    target: str
    cells: int
    """Row of pixels in which the cells of a slate lie."""
    frame: int = 0
    index: str = ""
    scenes: tuple[tuple[int, int, int], ...] = ()
    """(number, first frame, last frame) of the takes that count."""
    bodies: tuple[bytes, ...] = ()


class ReelCut(Family[Reel]):
    """Read slates, choose takes, write the frames as they are."""

    id = "FIL-14"
    slug = "reel-cut"
    domain = "file_operations"
    skill = "Transformation"
    primitives = (
        "File splitting, merging, and chunking",
        "Binary format and header extraction",
        "Format conversion between file types",
        "Streaming and memory-mapped I/O",
    )
    fixtures = ("video",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "pack-bundle": ("scenes", "The editor wants all scenes in one archive."),
        "file-manifest": ("scenes", "The editor must be able to check that no scene is damaged."),
        "publish-release": ("scenes", "The players take the scenes from a versioned directory."),
        "lookup-join": ("cuts", "Each scene has a title, which the cutting list should show."),
        "export-diff": ("cuts", "We want to know what changed since the last rough cut."),
    }

    def world(self, ctx: Context) -> Reel:
        """Return a film."""
        rng = ctx.rng.fork("reel")
        reel = ctx.path(f"{ctx.skin.stem(rng)}.avi")
        if ctx.level < SHORT:
            frames = [_frame(rng.fork(n), n) for n in range(12)]
            chosen, target = rng.integer(2, 9), ctx.path("still.raw")
            body = bytes(frames[chosen].pixels)
            return Reel(
                nodes=(Node(reel, data=avi(frames)),),
                outputs=(target,),
                reel=reel,
                target=target,
                cells=0,
                frame=chosen,
                bodies=(body,),
            )
        cells, takes = rng.integer(8, HEIGHT - 3), _takes(ctx, rng)
        frames, kept = [], dict[int, tuple[int, int]]()
        for place, (number, void, length) in enumerate(takes):
            frames.append(_slate(number, cells=cells, void=void))
            first = len(frames)
            frames += [_frame(rng.fork("take", place, n), first + n) for n in range(length)]
            if not void:
                kept[number] = (first, len(frames) - 1)
        target, index = ctx.path("scenes"), ctx.path("scenes.csv")
        scenes = tuple((number, *kept[number]) for number in sorted(kept))
        return Reel(
            nodes=(Node(reel, data=avi(frames)),),
            outputs=(target, index),
            reel=reel,
            target=target,
            cells=cells,
            index=index,
            scenes=scenes,
            bodies=tuple(
                b"".join(bytes(f.pixels) for f in frames[a : b + 1]) for _, a, b in scenes
            ),
        )

    def oracle(self, ctx: Context, world: Reel) -> tuple[str, ...]:
        """Return a reader, a list of takes, and one cut a scene."""
        cut = write_file("/tmp/cut.py", _program(world) + CUT)
        if ctx.level < SHORT:
            run = f"python3 /tmp/cut.py {world.frame} {world.frame} > {world.target}"
            return (f"xxd {world.reel} | head -n 20", cut, f"{run}; ls -l {world.target}")
        return (
            write_file("/tmp/list.py", _program(world) + LIST),
            "python3 /tmp/list.py > /tmp/takes; cat /tmp/takes",
            f"{cut}\nmkdir -p {world.target}",
            *(
                f"python3 /tmp/cut.py {first} {last} > {_scene(world, number)}"
                for number, first, last in world.scenes
            ),
            f"echo {','.join(HEADER)} > {world.index}",
            *(f"grep ^{number}, /tmp/takes >> {world.index}" for number, _, _ in world.scenes),
        )

    def checks(self, ctx: Context, world: Reel) -> tuple[Check | Gate, ...]:
        """Return the frames of every scene, whole or as a share, and the list."""
        keep = unchanged("reel", world.nodes)
        if ctx.level < SHORT:
            ((body,), target) = world.bodies, world.target
            return (keep, Check("still", ctx.verifier, lambda e: float(e.read(target) == body)))
        index = exact.rows("index", world.index, world.scenes, header=HEADER)
        paths = [_scene(world, number) for number, _, _ in world.scenes]
        if ctx.verifier == "exact_text":
            nodes = [Node(p, data=b) for p, b in zip(paths, world.bodies, strict=True)]
            return (keep, exact.tree("scenes", world.target, nodes, weight=2.0), index)

        def agreement(evidence: Evidence) -> float:
            shares = [_agreement(evidence, p, b) for p, b in zip(paths, world.bodies, strict=True)]
            return sum(shares) / len(shares)

        return (
            keep,
            metric_threshold("frames", agreement, base=0.0, threshold=1.0, weight=2.0),
            index,
        )

    def products(self, ctx: Context, world: Reel) -> Mapping[str, Product]:
        """Return the scenes and the list of cuts; a single frame is no product."""
        if ctx.level < SHORT:
            return {}
        names = [f"{number:02d}.raw" for number, _, _ in world.scenes]
        rows = tuple(tuple(str(cell) for cell in scene) for scene in world.scenes)
        return {
            "scenes": Files(
                world.target, dict(zip(names, world.bodies, strict=True)), "scene files"
            ),
            "cuts": Table(world.index, HEADER, rows, "scenes"),
        }

    def say(self, ctx: Context, world: Reel) -> tuple[Obligation, ...]:
        """Return the form of slates, which take counts, and how frames are written."""
        keep = Obligation("keep", "Do not change the film itself.", "limit", keys=KEPT)
        return (*(_frame_wanted(world) if ctx.level < SHORT else _scenes_wanted(world)), keep)

    def mutants(self, ctx: Context, world: Reel) -> tuple[Attempt, ...]:
        """Return cuts that are off, and takes that do not count."""
        if ctx.level < SHORT:
            cut = _program(world) + CUT
            runs = {
                "next frame": (cut, f"{world.frame + 1} {world.frame + 1}"),
                "upside down": (
                    cut.replace("range(height)", "range(height)[::-1]"),
                    f"{world.frame} {world.frame}",
                ),
                "two frames": (cut, f"{world.frame} {world.frame + 1}"),
            }
            return tuple(
                Attempt(
                    name,
                    (
                        write_file("/tmp/cut.py", body),
                        f"python3 /tmp/cut.py {args} > {world.target}",
                    ),
                )
                for name, (body, args) in runs.items()
            )
        program = _program(world)
        wrong = {
            "slates kept": program.replace("(n + 1, after - 1)", "(n, after - 1)"),
            "last frame lost": program.replace("after - 1)", "after - 2)"),
            "spoilt takes too": program.replace("if not void", "if True"),
            "upside down": program.replace("range(height)]", "range(height)[::-1]]"),
        }
        return tuple(Attempt(name, _whole(world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Reel) -> tuple[Attempt, ...]:
        """Return the film as the answer, and an empty list."""
        index = world.index or world.target
        return (
            Attempt("film", (f"mkdir -p {world.target}; cp {world.reel} {world.target}/1.raw",)),
            Attempt("bare list", (f"echo {','.join(HEADER)} > {index}",)),
        )

    def alternative(self, ctx: Context, world: Reel) -> tuple[str, ...] | None:
        """Return one program for everything."""
        return None if ctx.level < SHORT else _whole(world, _program(world))


def _whole(world: Reel, program: str) -> tuple[str, ...]:
    body = (
        f"{program}import os\nos.makedirs({world.target!r}, exist_ok=True)\n"
        f"print({','.join(HEADER)!r}, file=(out := open({world.index!r}, 'w')))\n"
        "for number, (first, last) in sorted(best.items()):\n"
        "    print(number, first, last, sep=',', file=out)\n"
        f"    open(f'{world.target}/{{number:02d}}.raw', 'wb').write(cut(first, last))\n"
    )
    return (write_file("/tmp/all.py", body), "python3 /tmp/all.py")


def _program(world: Reel) -> str:
    return f"REEL, CELLS, BITS = {world.reel!r}, {world.cells}, {BITS}\n{FILM}{SLATES}"


def _scene(world: Reel, number: int) -> str:
    return f"{world.target}/{number:02d}.raw"


def _agreement(evidence: Evidence, path: str, body: bytes) -> float:
    try:
        content = evidence.read(path)
    except BadOutput:
        return 0.0
    size = WIDTH * HEIGHT
    starts = range(0, max(len(content), len(body)), size)
    return sum(content[i : i + size] == body[i : i + size] for i in starts) / len(starts)


def _takes(ctx: Context, rng: Rng) -> list[tuple[int, bool, int]]:
    """Return (scene, spoilt, frames) of every take in the order of the film."""
    numbers = rng.sample(range(1, 1 << BITS), ctx.knob(2, 9))
    takes: list[tuple[int, bool, int]] = []
    for place, number in enumerate(numbers):
        r = rng.fork("scene", place)
        takes.append((number, False, r.integer(2, 4)))
        if place % 3 == 0:
            takes.append((number, True, r.integer(2, 4)))
        elif place % 3 == 1:
            takes.append((number, False, r.integer(2, 4)))
    return takes


def _frame(rng: Rng, number: int) -> Raster:
    """Return a picture whose corner is dark, so that it is no slate."""
    frame = Raster(WIDTH, HEIGHT, background=30 + rng.integer(0, 40))
    frame.rect(rng.integer(4, 20), rng.integer(4, 12), size=(7, 5), colour=rng.integer(90, 255))
    frame.rect(number % WIDTH, HEIGHT - 1, size=(1, 1), colour=200)
    frame.rect(0, 0, size=(3, 3), colour=12)
    return frame


def _slate(number: int, *, cells: int, void: bool) -> Raster:
    slate = Raster(WIDTH, HEIGHT, background=70)
    slate.rect(0, 0, size=(3, 3), colour=255)
    slate.rect(WIDTH - 3, 0, size=(3, 3), colour=255 if void else 0)
    for place in range(BITS):
        lit = number >> (BITS - 1 - place) & 1
        slate.rect(2 + 5 * place, cells - 1, size=(3, 3), colour=255 if lit else 0)
    return slate


def _frame_wanted(world: Reel) -> tuple[Obligation, ...]:
    """Return the easy form: one frame."""
    return (
        Obligation(
            "goal",
            f"Save frame {world.frame} of the film `{world.reel}`, an uncompressed 8-bit gray AVI, "
            f"as `{world.target}`. Frames are counted from 0.",
            "goal",
        ),
        Obligation(
            "files",
            "The file holds only the gray values of that frame, one byte per pixel, row by row "
            "from the top row down, without a header and without padding.",
            "format",
            keys=("byte per pixel", "bytes", "raw", "top row", "header"),
        ),
    )


def _scenes_wanted(world: Reel) -> tuple[Obligation, ...]:
    """Return what a slate is, which takes count, the files and the list."""
    return (
        Obligation(
            "goal",
            f"The film `{world.reel}`, an uncompressed 8-bit gray AVI, contains several takes of "
            f"several scenes. Write the right take of each scene to a file of its own in the "
            f"directory `{world.target}`, and list the cuts in `{world.index}`.",
            "goal",
        ),
        Obligation(
            "slate",
            "Every take begins with a slate, which is a frame whose pixel at x=1, y=1 is brighter "
            "than 200 (x and y are counted from 0, from the upper left corner). The take consists "
            "of the frames after the slate, up to the next slate or the end of the film. The slate "
            "is not part of it.",
        ),
        Obligation(
            "number",
            f"The number of the scene is written on the slate in binary, in five cells whose "
            f"centres are at x=3, 8, 13, 18 and 23 in the row y={world.cells}. A white cell is a "
            f"1, a black cell is a 0, and the leftmost cell is worth 16.",
        ),
        Obligation(
            "takes",
            "A take is spoilt and does not count if the pixel at x=30, y=1 of its slate is also "
            "brighter than 200. If a scene has several takes that are not spoilt, use the last "
            "one.",
        ),
        Obligation(
            "files",
            "Each file is named after the number of its scene in two digits, as in `07.raw`. It "
            "holds only the gray values of all frames of the take in order, one byte per pixel, "
            "each frame row by row from the top row down, without headers and without padding. "
            "Put nothing else into the directory.",
            "format",
        ),
        Obligation(
            "index",
            f"`{world.index}` is a CSV file with the header `{','.join(HEADER)}` and one line per "
            f"scene, sorted by scene number. `first` and `last` are the numbers of the first and "
            f"the last frame of the take in the whole film, counted from 0. The numbers in this "
            f"file have no leading zeros.",
            "output",
        ),
    )


FAMILY = ReelCut()
