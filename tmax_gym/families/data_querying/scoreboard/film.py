"""A filmed board with two counters: its readings, the film, and the program that reads it.

A reading holds until a frame shows another one.  Dark frames and lamp tests (each digit shows an
8) show no reading.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

LEFT, TOP, STEP, HEIGHT = 3, 2, 6, 15
"""Place of the first digit, distance between digits, height of the film, in pixels."""
GAP = 4
LIMIT = 128
"""Gray value above which a segment is lit."""
HIGHEST = 400
"""Largest value of the right-hand counter: below 888, so never a lamp test."""

READ = program_text(__package__, "read.py")


@dataclass(frozen=True, slots=True)
class Board:
    """The readings of the filmed board."""

    rows: tuple[tuple[int, int, int], ...]
    """The first frame, the left value and the right value of every reading."""
    frames: int
    digits: int
    """Digits of each counter."""
    film: bytes

    @property
    def spans(self) -> tuple[int, ...]:
        """Return the number of frames of every reading."""
        edges = [*(row[0] for row in self.rows), self.frames]
        return tuple(b - a for a, b in pairwise(edges))

    @property
    def width(self) -> int:
        """Return the width of the film, a multiple of 4 so that rows need no padding."""
        return (2 * LEFT + GAP + 2 * STEP * self.digits + 3) // 4 * 4

    @property
    def starts(self) -> tuple[int, ...]:
        """Return the left edge of every digit."""
        return starts(self.digits)


def starts(digits: int) -> tuple[int, ...]:
    """Return the left edge of every digit, those of the left counter first."""
    right = LEFT + STEP * digits + GAP
    return tuple(x + STEP * n for x in (LEFT, right) for n in range(digits))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a film shows."""

    frames: int
    events: int
    final: int
    """Last value of the left counter."""
    dark: int
    """Dark frames."""
    tests: int
    """Lamp tests."""
    drift: int
    """The largest change of brightness from frame to frame, in gray values."""


def filmed(plan: Plan, rng: Rng) -> Board:
    """Return a film and its readings."""
    last = rng.integer(60, HIGHEST - 1)
    right_end = last if last != plan.final else last + 1
    at = sorted(rng.sample(range(1, plan.frames - 1), plan.events))
    cut = rng.integer(2, plan.events - 2)
    mine = set(rng.sample(at, cut))
    left = dict(zip(sorted(mine), _climb(plan.final, cut, rng), strict=True))
    other = [f for f in at if f not in mine]
    right = dict(zip(other, _climb(right_end, len(other), rng), strict=True))
    now = (plan.final // 2, right_end // 2)
    spare = [f for f in range(1, plan.frames - 1) if f not in at]
    odd = rng.sample(spare, plan.dark + plan.tests)
    dark, tests = set(odd[: plan.dark]), set(odd[plan.dark :])
    digits = max(3, len(str(plan.final)))
    rows: list[tuple[int, int, int]] = []
    pictures: list[Raster] = []
    for frame in range(plan.frames):
        now = (left.get(frame, now[0]), right.get(frame, now[1]))
        shown = "".join(str(v).zfill(digits) for v in now)
        if frame in tests:
            shown = "8" * (2 * digits)
        pictures.append(_picture("" if frame in dark else shown, digits, rng, drift=plan.drift))
        if frame not in dark and frame not in tests and (not rows or rows[-1][1:] != now):
            rows.append((frame, *now))
    return Board(tuple(rows), plan.frames, digits, avi(pictures, fps=5))


def _climb(end: int, count: int, rng: Rng) -> list[int]:
    """Return `count` rising values up to `end`, all above half of it, the first value."""
    return [*sorted(rng.sample(range(end // 2 + 1, end), count - 1)), end]


def _picture(shown: str, digits: int, rng: Rng, *, drift: int) -> Raster:
    dim, bright = 20 + rng.integer(0, drift), 235 - rng.integer(0, drift)
    width = (2 * LEFT + GAP + 2 * STEP * digits + 3) // 4 * 4
    picture = Raster(width, HEIGHT)
    picture.pixels = bytearray(
        _lit(shown, digits, width).translate(bytes((dim,)) * LIMIT + bytes((bright,)) * LIMIT)
    )
    return picture


@functools.lru_cache(maxsize=64)
def _lit(shown: str, digits: int, width: int) -> bytes:
    """Return the pixels of a reading, 255 where a segment is lit; many frames share them."""
    picture = Raster(width, HEIGHT, background=0)
    for left, character in zip(starts(digits), shown, strict=False):
        picture.segments(left, TOP, character, unit=1, colour=255)
    return bytes(picture.pixels)
