"""SCI-14 tracer video: bright spots in a film become places and velocities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Record
from tmax_gym.families.scientific_computing.tracer_video import tracers
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation

HEADER = ("x", "y", "vx", "vy")
START, SPEED = 0.3, 0.05
"""Errors that count as measured: pixels, and shares of a speed (with 0.3 pixels a second)."""
FAR = 3.0
"""A start that is this many pixels off scores 0."""


@dataclass(frozen=True, kw_only=True)
class Run(World):
    """The decided facts."""

    film: str
    tracks: str
    summary: str
    truth: tuple[tracers.Track, ...]
    fps: int
    drift: bool


class TracerVideo(Family[Run]):
    """Find spots in frames, link them and fit lines."""

    id = "SCI-14"
    slug = "tracer-video"
    domain = "scientific_computing"
    skill = "Data Processing"
    primitives = (
        "Multi-dimensional array manipulation",
        "Observational data reshaping",
        "Curve fitting and regression",
        "Reference dataset comparison",
    )
    fixtures = ("video",)
    verifiers = ("metric_threshold", "exact_text")
    languages = ("any", "python")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "metrics-file": ("summary", "We collect the figures of all recordings in one place."),
        "fill-notice": ("summary", "The people who made the film want a short note about it."),
        "apply-setting": (
            "summary",
            "The next run of the tracker is told these numbers by its configuration.",
        ),
    }

    def world(self, ctx: Context) -> Run:
        """Return a film."""
        rng = ctx.rng.fork("tracks")
        frames, fps = ctx.knob(12, 40), rng.choice((5, 8, 10, 20, 25))
        truth = tracers.drawn(rng.fork("draw"), count=ctx.knob(1, 7), frames=frames)
        noise = ctx.knob(0, 7)
        body = tracers.film(truth, rng.fork("noise"), frames=frames, noise=noise, fps=fps)
        film = ctx.path(f"{ctx.skin.stem(rng)}.avi")
        outputs = (ctx.path("tracks.csv"), ctx.path("summary.json"))
        return Run(
            nodes=(Node(film, data=body),),
            outputs=outputs,
            film=film,
            tracks=outputs[0],
            summary=outputs[1],
            truth=truth,
            fps=fps,
            drift=ctx.level >= 0.45,
        )

    def oracle(self, ctx: Context, world: Run) -> tuple[str, ...]:
        """Return a tracker in Python."""
        return (
            f"ls -l {world.film}; xxd -l 96 {world.film}",
            *_run(_program(world)),
            f"cat {world.tracks} {world.summary}",
        )

    def checks(self, ctx: Context, world: Run) -> tuple[Check | Gate, ...]:
        """Return checks of starts, velocities and drift by their errors, and of the summary."""
        wanted = _counted(world)
        heavy = ctx.verifier == "metric_threshold"
        checks: list[Check | Gate] = [
            unchanged("film", world.nodes),
            metric_threshold(
                "starts", lambda e: _starts(e, world), base=FAR, threshold=START, weight=1.0
            ),
            metric_threshold(
                "velocities",
                lambda e: _velocities(e, world),
                base=0.8,
                threshold=SPEED,
                weight=2.0 if heavy else 1.0,
            ),
            Check(
                "summary", "exact_text", lambda e: _summary(e, world, wanted), 1.0 if heavy else 2.5
            ),
        ]
        if world.drift:
            checks.append(
                metric_threshold("drift", lambda e: _drift(e, world), base=0.5, threshold=SPEED)
            )
        return tuple(checks)

    def products(self, ctx: Context, world: Run) -> Mapping[str, Product]:
        """Return the whole numbers of the summary."""
        return {"summary": Record(world.summary, _counted(world), "recording")}

    def say(self, ctx: Context, world: Run) -> tuple[Obligation, ...]:
        """Return the film, how tracers move, and the forms of the results."""
        fields = (
            "`tracers` is the number of tracers, and `fastest` is the number of the row with the "
            "fastest tracer, where the first row below the header is 1."
        )
        if world.drift:
            fields += " `drift` is a list of two numbers, the mean of `vx` and the mean of `vy`."
        also = ", and `drift` at most 5 % of the mean speed" if world.drift else ""
        return (
            Obligation(
                "goal",
                f"The film `{world.film}` shows bright tracers that drift in a slow flow. Measure "
                f"where each of them starts and how fast it moves. Write one row for each tracer "
                f"to `{world.tracks}` and a summary to `{world.summary}`.",
                "goal",
            ),
            Obligation(
                "motion",
                "Each tracer moves in a straight line at its own constant velocity. All tracers "
                "are visible from the first frame to the last, and no two of them touch.",
                "input",
                keys=("constant velocity", "constant speed", "straight line", "same velocity"),
            ),
            Obligation(
                "frame",
                f"The film is an uncompressed AVI with {world.fps} frames per second. Coordinates "
                f"are in pixels: x grows to the right, y grows downwards, and the centre of the "
                f"upper left pixel is (0, 0). The place of a tracer is the centre of its "
                f"brightness.",
                "input",
            ),
            Obligation(
                "table",
                f"`{world.tracks}` is a CSV file with the header `{','.join(HEADER)}`, sorted by "
                f"`x` from left to right. `x` and `y` are the place in the first frame, `vx` and "
                f"`vy` the velocity in pixels per second.",
                "format",
            ),
            Obligation(
                "summary",
                f"`{world.summary}` is a JSON object. {fields}",
                "format",
            ),
            Obligation(
                "near",
                f"A place may be off by at most 0.3 pixels, the velocities by at most 5 % of the "
                f"speed on average{also}.",
                "grading",
            ),
            Obligation("keep", f"Do not change `{world.film}`.", "limit"),
        )

    def mutants(self, ctx: Context, world: Run) -> tuple[Attempt, ...]:
        """Return flipped pictures, speeds per frame, no signs, too few pixels, shifted places."""
        right = _program(world)
        wrong = {
            "from below": right.replace("(height - 1 - y) * stride", "y * stride"),
            "per frame": right.replace("step * FPS", "step"),
            "without sign": right.replace("table.append((x, y, vx, vy))", _UNSIGNED),
            "brightest pixels": right.replace("rows[y][x] - BACK for", "rows[y][x] > 160 for"),
        }
        wrong["half a pixel"] = right.replace("(x, y, vx, vy))", "(x + 1.5, y + 1.5, vx, vy))")
        return tuple(Attempt(name, _run(body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Run) -> tuple[Attempt, ...]:
        """Return tracers in the middle that stand still, and numbers that are none."""
        head = ",".join(HEADER)
        still = "".join("32,24,0,0\n" for _ in world.truth)
        return (
            Attempt("still", (write_file(world.tracks, f"{head}\n{still}"),)),
            Attempt("nan", (f"printf '{head}\\nnan,nan,1e999,0\\n' > {world.tracks}",)),
            Attempt("one", (f'echo \'{{"tracers": 1, "fastest": 1}}\' > {world.summary}',)),
        )


def _counted(world: Run) -> dict[str, int]:
    """Return the exact part of the summary."""
    speeds = [math.hypot(track.dx, track.dy) for track in world.truth]
    return {"tracers": len(speeds), "fastest": speeds.index(max(speeds)) + 1}


_UNSIGNED = "table.append((x, y, abs(vx) + 1, abs(vy) + 1))"


def _program(world: Run) -> str:
    names: dict[str, object] = {
        "FILM": world.film,
        "TRACKS": world.tracks,
        "SUMMARY": world.summary,
        "FPS": world.fps,
        "DRIFT": world.drift,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + tracers.FOLLOW


def _run(program: str) -> tuple[str, ...]:
    return (write_file("/tmp/track.py", program), "python3 /tmp/track.py; rm /tmp/track.py")


def _rows(evidence: Evidence, world: Run) -> list[tuple[float, ...]]:
    """Return the reported rows.  Raises `BadOutput`."""
    table = exact.read_table(evidence, world.tracks, HEADER)
    if len(table) != len(world.truth) or any(len(row) != 4 for row in table):
        raise BadOutput(f"{world.tracks} has {len(table)} rows, or some of other than 4 cells")
    rows = [tuple(map(tolerance.number, row)) for row in table]
    if not all(abs(v) < 1e9 for row in rows for v in row):
        raise BadOutput(f"{world.tracks} holds a number that is not finite")
    return rows


def _starts(evidence: Evidence, world: Run) -> float:
    """Return the largest distance of a reported start from the true one."""
    pairs = zip(_rows(evidence, world), world.truth, strict=True)
    return max(math.hypot(a[0] - t.x / 16, a[1] - t.y / 16) for a, t in pairs)


def _velocities(evidence: Evidence, world: Run) -> float:
    """Return the mean error of the velocities as a share of the speed, if the starts are right."""
    if _starts(evidence, world) > FAR:
        raise BadOutput("velocities of tracers that were not found")
    total = 0.0
    for row, track in zip(_rows(evidence, world), world.truth, strict=True):
        _, _, vx, vy = track.row(world.fps)
        off = math.hypot(row[2] - vx, row[3] - vy)
        total += max(0.0, off - 0.3 * SPEED) / math.hypot(vx, vy)
    return total / len(world.truth)


def _summary(evidence: Evidence, world: Run, wanted: dict[str, int]) -> float:
    """Return the share of right keys, if the tracers were found at all."""
    report = exact.read_json(evidence, world.summary)
    if not isinstance(report, dict) or _starts(evidence, world) > FAR:
        raise BadOutput(f"{world.summary} is no object, or stands without tracks")
    hits = sum(tolerance.same(report.get(k), v) for k, v in wanted.items())
    return hits / len(wanted)


def _drift(evidence: Evidence, world: Run) -> float:
    """Return the error of the mean velocity as a share of the mean speed."""
    report = exact.read_json(evidence, world.summary)
    drift = report.get("drift") if isinstance(report, dict) else None
    if not isinstance(drift, list) or len(drift) != 2 or _starts(evidence, world) > FAR:
        raise BadOutput(f"{world.summary} has no pair `drift`, or stands without tracks")
    if not all(map(tolerance.is_number, drift)):
        raise BadOutput("`drift` holds what is no finite number")
    rows = [track.row(world.fps) for track in world.truth]
    mean = [sum(row[k] for row in rows) / len(rows) for k in (2, 3)]
    speed = sum(math.hypot(row[2], row[3]) for row in rows) / len(rows)
    off: float = math.hypot(drift[0] - mean[0], drift[1] - mean[1])
    return off / speed


FAMILY = TracerVideo()
