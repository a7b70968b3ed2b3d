"""FIL-14 reel cut: scenes of a film between slates, the right take of each, without a loss.

Below `SHORT` one frame is wanted.  Above, every take begins with a slate that says in black and
white cells which scene it is; of several takes the last one that was not spoilt counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.file_operations.reel_cut import words
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import FILM
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
HEADER = ("scene", "first", "last")
BITS = 5
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

    def say(self, ctx: Context, world: Reel) -> tuple[Clause, ...]:
        """Return the form of slates, which take counts, and how frames are written."""
        if ctx.level < SHORT:
            return words.short(world.reel, world.target, frame=world.frame)
        return words.whole(world.reel, world.target, index=world.index, cells=world.cells)

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


FAMILY = ReelCut()
