"""Films of drifting tracers: straight tracks, their pixels, and a program that follows them.

A spot is a tent two pixels wide on each side, so that its centre of brightness is its place; all
arithmetic is in sixteenths of a pixel.  Does not cover tracers that meet, turn or leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.families.shared.programs import program_text
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
    tracks: list[Track] = []
    for _attempt in range(4000):
        reach = 280 // frames
        track = Track(
            16 * rng.integer(MARGIN, WIDTH - MARGIN - 1) + rng.integer(0, 15),
            16 * rng.integer(MARGIN, HEIGHT - MARGIN - 1) + rng.integer(0, 15),
            rng.integer(-reach, reach),
            rng.integer(-reach, reach),
        )
        if _fits(track, tracks, frames):
            tracks.append(track)
        if len(tracks) == count:
            speeds = sorted(t.dx**2 + t.dy**2 for t in tracks)
            starts = sorted(t.x for t in tracks)
            clear = len(tracks) == 1 or speeds[-1] > 1.3 * speeds[-2]
            if clear and all(b - a >= 20 for a, b in pairwise(starts)):
                return tuple(sorted(tracks, key=lambda t: t.x))
            tracks.pop(rng.integer(0, count - 1))
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


FOLLOW = program_text(__package__, "follow.py")
