"""Films of drifting tracers: straight tracks, their pixels, and a program that follows them.

A spot is a tent two pixels wide on each side, so that its centre of brightness is its place; all
arithmetic is in sixteenths of a pixel.  Does not cover tracers that meet, turn or leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.rng import Rng
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

WIDTH, HEIGHT = 64, 48
MARGIN, APART = 5, 8
"""Pixels that a track keeps from the edge and from every other one."""
DARK = 24
"""Brightness of the background, before noise."""


@dataclass(frozen=True, slots=True)
class Track:
    """Start and step a frame, in sixteenths of a pixel."""

    x: int
    y: int
    dx: int
    dy: int

    def at(self, frame: int) -> tuple[int, int]:
        """Return the place in a frame."""
        return self.x + self.dx * frame, self.y + self.dy * frame

    def row(self, fps: int) -> tuple[float, float, float, float]:
        """Return start in pixels and velocity in pixels a second."""
        return self.x / 16, self.y / 16, self.dx * fps / 16, self.dy * fps / 16


def drawn(rng: Rng, *, count: int, frames: int) -> tuple[Track, ...]:
    """Return tracks by their x at the start, one clearly the fastest."""
    made: list[Track] = []
    for _attempt in range(4000):
        reach = 280 // frames
        track = Track(
            16 * rng.integer(MARGIN, WIDTH - MARGIN - 1) + rng.integer(0, 15),
            16 * rng.integer(MARGIN, HEIGHT - MARGIN - 1) + rng.integer(0, 15),
            rng.integer(-reach, reach),
            rng.integer(-reach, reach),
        )
        if _fits(track, made, frames):
            made.append(track)
        if len(made) == count:
            speeds = sorted(t.dx**2 + t.dy**2 for t in made)
            starts = sorted(t.x for t in made)
            clear = len(made) == 1 or speeds[-1] > 1.3 * speeds[-2]
            if clear and all(b - a >= 20 for a, b in pairwise(starts)):
                return tuple(sorted(made, key=lambda t: t.x))
            made.pop(rng.integer(0, count - 1))
    raise ValueError(f"no {count} separate tracks in 4000 draws")


def _fits(track: Track, others: list[Track], frames: int) -> bool:
    if track.dx**2 + track.dy**2 < 9:
        return False
    for frame in range(0, frames, 2):
        x, y = track.at(frame)
        if not (16 * MARGIN <= x <= 16 * (WIDTH - MARGIN - 1)):
            return False
        if not (16 * MARGIN <= y <= 16 * (HEIGHT - MARGIN - 1)):
            return False
        for other in others:
            a, b = other.at(frame)
            if abs(a - x) < 16 * APART and abs(b - y) < 16 * APART:
                return False
    return True


def film(tracks: tuple[Track, ...], rng: Rng, *, frames: int, noise: int, fps: int) -> bytes:
    """Return the film; `noise` is the largest deviation of the background, below 9."""
    table = bytes(DARK + value % (noise + 1) for value in range(256))
    size = WIDTH * HEIGHT
    grain = (rng.bytes(1021) * (2 + size // 1021)).translate(table)
    pictures = []
    for frame in range(frames):
        raster = Raster(WIDTH, HEIGHT)
        offset = frame * 397 % 1021
        raster.pixels = bytearray(grain[offset : offset + size])
        for track in tracks:
            _spot(raster, *track.at(frame))
        pictures.append(raster)
    return avi(pictures, fps=fps)


def _spot(raster: Raster, x: int, y: int) -> None:
    for row in range(y // 16 - 1, y // 16 + 3):
        for column in range(x // 16 - 1, x // 16 + 3):
            across, down = 32 - abs(16 * column - x), 32 - abs(16 * row - y)
            if across > 0 and down > 0:
                at = row * WIDTH + column
                raster.pixels[at] = min(255, raster.pixels[at] + 200 * across * down // 1024)


FOLLOW = """\
import csv, json, struct
data = open(FILM, "rb").read()
at = data.index(b"strf") + 8
width, height = struct.unpack("<ii", data[at + 4:at + 12])
at, frames = data.index(b"movi") + 4, []
while data[at:at + 4] == b"00db":
    size = struct.unpack("<I", data[at + 4:at + 8])[0]
    body, stride = data[at + 8:at + 8 + size], (width + 3) // 4 * 4
    frames.append([body[(height - 1 - y) * stride:][:width] for y in range(height)])
    at += 8 + size + size % 2
def spots(rows):
    lit = {(x, y) for y in range(height) for x in range(width) if rows[y][x] > 48}
    found = []
    while lit:
        group, edge = set(), [lit.pop()]
        while edge:
            x, y = edge.pop()
            group.add((x, y))
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if (x + a, y + b) in lit:
                        lit.remove((x + a, y + b))
                        edge.append((x + a, y + b))
        if len(group) > 3:
            around = {(x + a, y + b) for x, y in group for a in (-1, 0, 1) for b in (-1, 0, 1)}
            w = {(x, y): rows[y][x] - BACK for x, y in around}
            total = sum(w.values())
            found.append((sum(x * v for (x, _), v in w.items()) / total,
                          sum(y * v for (_, y), v in w.items()) / total))
    return found
edges = sorted(v for row in frames[0] for v in row)
BACK = edges[len(edges) // 2]
paths = [[p] for p in sorted(spots(frames[0]))]
for rows in frames[1:]:
    now = spots(rows)
    for path in paths:
        x, y = path[-1]
        path.append(min(now, key=lambda p: (p[0] - x) ** 2 + (p[1] - y) ** 2))
def line(v):
    n, mean = len(v), sum(v) / len(v)
    mid = (n - 1) / 2
    step = sum((i - mid) * (y - mean) for i, y in enumerate(v)) / sum(
        (i - mid) ** 2 for i in range(n))
    return mean - step * mid, step * FPS
table = []
for path in paths:
    (x, vx), (y, vy) = (line([p[k] for p in path]) for k in (0, 1))
    table.append((x, y, vx, vy))
table.sort()
with open(TRACKS, "w") as file:
    out = csv.writer(file, lineterminator="\\n")
    out.writerow(("x", "y", "vx", "vy"))
    out.writerows([f"{v:.3f}" for v in row] for row in table)
speeds = [(r[2] ** 2 + r[3] ** 2) ** 0.5 for r in table]
found = {"tracers": len(table), "fastest": speeds.index(max(speeds)) + 1}
if DRIFT:
    found["drift"] = [round(sum(r[k] for r in table) / len(table), 4) for k in (2, 3)]
json.dump(found, open(SUMMARY, "w"))
"""
