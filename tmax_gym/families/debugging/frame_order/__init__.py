"""DBG-15 frame order: a muxer loses, repeats and reorders frames that carry a counter.

Lamps in a corner of each frame show its number, in binary or in Gray code.  The task is to tell
which numbers are missing, which come twice, which come late, and which frames are damaged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, prose
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

WIDTH, HEIGHT, LAMP, LEFT, TOP = 64, 20, 5, 3, 4
BITS = 8
HEADER = ("frame", "counter")
SHEETS = ("lamps", "counter", "camera", "how_to_read", "stamp")
TABLES = ("counters", "frames", "readings", "seen")
REPORTS = ("order", "faults", "muxer", "verdict", "sequence")
FROM = {"missing": 0.0, "repeated": 0.0, "late": 0.3, "damaged": 0.65}
"""Questions, each with the level from which it is asked."""
QUESTIONS = {
    "missing": "the numbers that the camera gave and no frame shows",
    "repeated": "the counters that more than one frame shows",
    "late": "the counters that come after a higher counter",
    "damaged": "the damaged frames, by their number in `frame`",
}
READ = program_text(__package__, "read.py")
FOUND = {
    "missing": "comm -13 <(tail -n +2 {csv} | cut -d, -f2 | grep . | sort -u) "
    "<(seq 0 {last} | sort) | sort -n",
    "repeated": "tail -n +2 {csv} | cut -d, -f2 | grep . | sort -n | uniq -d",
    "late": "tail -n +2 {csv} | cut -d, -f2 | grep . | "
    "awk '$1 < m {{ print }} $1 > m {{ m = $1 }}' | sort -n",
    "damaged": "grep ',$' {csv} | cut -d, -f1",
}


@dataclass(frozen=True, kw_only=True)
class Film(World):
    """The decided facts."""

    film: str
    sheet: str
    table: str
    report: str
    gray: bool
    parity: bool
    last: int
    shown: tuple[int | None, ...]
    """Counter of every frame; None where it is damaged."""
    answers: dict[str, list[int]]


class FrameOrder(Family[Film]):
    """Read the counter of every frame, and compare it with the right order."""

    id = "DBG-15"
    slug = "frame-order"
    domain = "debugging"
    skill = "Data Processing"
    primitives = (
        "Corrupted input handling and recovery",
        "Encoding and serialization troubleshooting",
        "Assertion-based intermediate validation",
        "Data transformation diff analysis",
    )
    fixtures = ("video",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "awk", "comm", "jq", "python3")
    followed_by = {  # noqa: RUF012
        "sqlite-load": ("counters", "We want to compare the frames of several films with SQL."),
        "export-diff": ("counters", "We want to know what the last change of the muxer altered."),
        "json-feed": ("counters", "The player reads the numbers of frames as JSON."),
    }

    def world(self, ctx: Context) -> Film:
        """Return the film and a sheet on its lamps."""
        rng = ctx.rng.fork("film")
        last, gray, parity = ctx.knob(14, 70), ctx.level >= 0.4, ctx.level >= 0.65
        shown = _sequence(rng.fork("faults"), last, ctx.knob(1, 4), damaged=2 * parity)
        frames = [_frame(value, rng.fork("frame", n), gray=gray, parity=parity)
                  for n, value in enumerate(shown)]  # fmt: skip
        seen = tuple(None if value < 0 else value for value in shown)
        answers = {name: answer for name, answer in _answers(seen, last).items()
                   if FROM[name] <= ctx.level}  # fmt: skip
        name = ctx.skin.stem(rng)
        file = rng.fork("files")
        film, sheet = ctx.path(f"{name}.avi"), ctx.path(file.choice(SHEETS) + ".md")
        table = ctx.path(file.choice(TABLES) + ".csv")
        report = ctx.path(file.choice(REPORTS) + ".json")
        manual = _manual(gray=gray, parity=parity, last=last, place=(LEFT, TOP, LAMP))
        return Film(
            nodes=(Node(film, data=avi(frames)), prose(sheet, manual)),
            outputs=(table, report),
            film=film,
            sheet=sheet,
            table=table,
            report=report,
            gray=gray,
            parity=parity,
            last=last,
            shown=seen,
            answers=answers,
        )

    def oracle(self, ctx: Context, world: Film) -> tuple[str, ...]:
        """Return a reader of the lamps, and a pipeline for each question."""
        names: dict[str, object] = {
            "FILM": world.film,
            "WIDTH": WIDTH,
            "HEIGHT": HEIGHT,
            "TOP": TOP,
            "LEFT": LEFT,
            "LAMPS": BITS + world.parity,
            "GRAY": world.gray,
        }
        head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
        steps = [
            f"cat {world.sheet}; xxd {world.film} | head -n 3",
            write_file("/tmp/lamps.py", head + READ),
            f"python3 /tmp/lamps.py > {world.table}; head -n 5 {world.table}",
            f"echo '{{}}' > {world.report}",
        ]
        for name in world.answers:
            command = FOUND[name].format(csv=world.table, last=world.last)
            steps += [
                f"{command} > /tmp/{name}.txt",
                f"jq --slurpfile v /tmp/{name}.txt '.{name} = $v' {world.report} > /tmp/o.json; "
                f"mv /tmp/o.json {world.report}; rm /tmp/{name}.txt",
            ]
        return (*steps, "rm /tmp/lamps.py")

    def checks(self, ctx: Context, world: Film) -> tuple[Check | Gate, ...]:
        """Return the table of counters, and the answers."""
        rows = [(n, "" if v is None else v) for n, v in enumerate(world.shown)]
        return (
            unchanged("film", world.nodes),
            exact.rows("counters", world.table, rows, header=HEADER),
            exact.fields("order", world.report, dict(world.answers), weight=2.0),
        )

    def products(self, ctx: Context, world: Film) -> Mapping[str, Product]:
        """Return the table of counters."""
        rows = tuple((str(n), "" if v is None else str(v)) for n, v in enumerate(world.shown))
        return {"counters": Table(world.table, HEADER, rows, "frames")}

    def say(self, ctx: Context, world: Film) -> tuple[Obligation, ...]:
        """Return the film, the table and the report."""
        asked = "; ".join(f"`{name}` lists {QUESTIONS[name]}" for name in world.answers)
        empty = ", or is empty if the frame is damaged" if world.parity else ""
        return (
            Obligation(
                "goal",
                f"A faulty muxer mixed up the frames of the film `{world.film}`. Read the counter "
                f"of every frame and find out what the muxer did.",
                "goal",
            ),
            Obligation(
                "sheet",
                f"The counter is shown by lamps in the picture. `{world.sheet}` describes the "
                f"lamps and says with which numbers the camera began and ended.",
                "input",
            ),
            Obligation(
                "table",
                f"Write what you read to `{world.table}`, a CSV file with the header "
                f"`{','.join(HEADER)}` and one line for each frame, in the order of the file. "
                f"`frame` is the number of the frame in the file, counted from 0, and `counter` is "
                f"the counter that it shows{empty}.",
                "output",
            ),
            Obligation(
                "report",
                f"Also write `{world.report}`, a JSON object of lists of integers in ascending "
                f"order, which may be empty: {asked}.",
                "output",
            ),
            Obligation("keep", f"Do not change `{world.film}` or `{world.sheet}`.", "limit"),
        )

    def mutants(self, ctx: Context, world: Film) -> tuple[Attempt, ...]:
        """Return counters read from the wrong end, frames shifted by one, and nothing missing."""
        turned = [None if v is None else int(f"{v:08b}"[::-1], 2) for v in world.shown]
        late = [*world.shown[1:], world.shown[-1]]
        wrong = {
            "wrong end": (turned, _answers(tuple(turned), world.last)),
            "one frame off": (late, world.answers),
            "nothing missing": (list(world.shown), {**world.answers, "missing": []}),
        }
        return tuple(
            Attempt(
                name,
                (
                    write_file(world.table, _table(shown)),
                    write_file(world.report, json.dumps({k: answers[k] for k in world.answers})),
                ),
            )
            for name, (shown, answers) in wrong.items()
        )

    def exploits(self, ctx: Context, world: Film) -> tuple[Attempt, ...]:
        """Return empty outputs, and lists of all numbers."""
        every = list(range(world.last + 1))
        header = f"echo frame,counter > {world.table}"
        return (
            Attempt("header", (header, f"echo '{{}}' > {world.report}")),
            Attempt(
                "all suspected",
                (write_file(world.report, json.dumps(dict.fromkeys(world.answers, every))),),
            ),
        )


def _manual(*, gray: bool, parity: bool, last: int, place: tuple[int, int, int]) -> str:
    """Return the sheet that describes the lamps."""
    left, top, size = place
    code = "in Gray code (a number n is shown as n XOR (n >> 1))" if gray else "in plain binary"
    text = (
        "# Counter lamps\n\n"
        "The film is an uncompressed AVI with 8-bit gray frames, 64 pixels wide and 20 pixels "
        f"high. In each\nframe, eight lamps of {size} by {size} pixels show the counter. The top "
        f"left pixel of the first lamp is\nat x = {left}, y = {top}, where the top left pixel of "
        "the picture is at x = 0, y = 0. Each further lamp is\n6 pixels to the right of the one "
        "before it. A lamp is lit if its pixels have a level above 127. The\nfirst lamp is the "
        f"highest bit, and the counter is shown\n{code}.\n"
        f"The camera numbered its frames from 0 to {last}.\n"
    )
    if parity:
        text += (
            "A ninth lamp follows the eight others. It is set so that the number of lit lamps "
            "among all nine\nis even. If this number is odd, the frame is damaged. The counter of "
            "a damaged frame is left empty\nand is ignored otherwise.\n"
        )
    return text


def _sequence(rng: Rng, last: int, faults: int, *, damaged: int) -> list[int]:
    """Return the counters after a faulty muxer; for a damaged frame it is -1 minus its counter."""
    spots = rng.sample(range(2, last - 2, 2), min(3 * faults + damaged, (last - 4) // 2))
    kinds = (["missing", "repeated", "late"] * faults)[: len(spots) - damaged]
    doing = dict(zip(spots, kinds + ["damaged"] * damaged, strict=False))
    out: list[int] = []
    for value in range(last + 1):
        kind = doing.get(value)
        if doing.get(value - 1) == "late":
            out.insert(len(out) - 1, value)
        elif kind == "repeated":
            out += [value, value]
        elif kind == "damaged":
            out += [value, -1 - value]
        elif kind != "missing":
            out.append(value)
    return out


def _answers(shown: tuple[int | None, ...], last: int) -> dict[str, list[int]]:
    seen = [value for value in shown if value is not None]
    late = [v for n, v in enumerate(seen) if n and v < max(seen[:n])]
    return {
        "missing": sorted(set(range(last + 1)) - set(seen)),
        "repeated": sorted({v for v in seen if seen.count(v) > 1}),
        "late": sorted(late),
        "damaged": [n for n, value in enumerate(shown) if value is None],
    }


def _frame(value: int, rng: Rng, *, gray: bool, parity: bool) -> Raster:
    """Return one frame; a negative value is a damaged one."""
    number = value if value >= 0 else -1 - value
    raster = Raster(WIDTH, HEIGHT, background=rng.integer(70, 100))
    for _ in range(3):  # something moves behind the lamps' strip
        raster.rect(
            rng.integer(0, WIDTH - 6), rng.integer(12, 16), size=(5, 3), colour=rng.integer(0, 255)
        )
    code = number ^ number >> 1 if gray else number
    lit = [code >> (BITS - 1 - i) & 1 for i in range(BITS)]
    if parity:
        lit.append(sum(lit) % 2)
    if value < 0:
        lit[rng.integer(0, BITS - 1)] ^= 1
    for i, bit in enumerate(lit):
        colour = rng.integer(190, 255) if bit else rng.integer(0, 50)
        raster.rect(LEFT + 6 * i, TOP, size=(LAMP, LAMP), colour=colour)
    return raster


def _table(shown: list[int | None]) -> str:
    rows = "".join(f"{n},{'' if v is None else v}\n" for n, v in enumerate(shown))
    return f"frame,counter\n{rows}"


FAMILY = FrameOrder()
