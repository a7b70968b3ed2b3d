"""Passages of the passage-board family: from a feed with repeats, or from a film of a belt.

Covers drawing the passages, the records and pages of the feed, the frames of the film, and the
figures that a board has to give.  Does not cover the board or its contract: see `board`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.rng import Rng
from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster

WIDTH, LANE = 48, 8
"""Pixels of the film across, and of one lane down."""
DARK, NOISE = 20, 6
"""Gray value of the empty belt, and the largest deviation from it."""
LEVELS = (90, 120, 150, 180, 210)
LIVE = 0.7
"""Share of the records that the feed serves from the start, if more come later."""

Passage = tuple[int, str]
"""Tick and class."""
Record = tuple[int, int, str | None]
"""Number, tick, and class; None withdraws."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Records in their order; the first `ready` of them are there from the start."""

    records: tuple[Record, ...]
    ready: int

    def passages(self, *, all_: bool) -> tuple[Passage, ...]:
        """Return the passages that count, of the first `ready` records or of all."""
        known: dict[int, Passage | None] = {}
        for number, tick, kind in self.records if all_ else self.records[: self.ready]:
            if kind is None:
                known[number] = None
            else:
                known.setdefault(number, (tick, kind))
        return tuple(sorted(p for p in known.values() if p is not None))


def feed(rng: Rng, kinds: Sequence[str], *, count: int, parts: Sequence[str]) -> Feed:
    """Return records of `count` passages, some twice, late or withdrawn as the parts ask for."""
    tick, numbers = rng.integer(0, 40), rng.sample(range(1000, 9999), count)
    records: list[Record] = []
    for number in numbers:
        tick += rng.integer(0, 9)
        records.append((number, tick, rng.choice(kinds)))
    for kind, share in (("twice", 5), ("withdrawn", 7)):
        for number in rng.sample(range(count), count // share) if kind in parts else ():
            old = next(at for at, r in enumerate(records) if r[0] == numbers[number])
            late = rng.integer(old + 1, min(old + 30, len(records)))
            again = records[old] if kind == "twice" else (*records[old][:2], None)
            records.insert(late, again)
    if "twice" in parts and "withdrawn" in parts:
        records = _settled(records)
    ready = round(LIVE * len(records)) if "live" in parts else len(records)
    return Feed(tuple(records), ready)


def _settled(records: list[Record]) -> list[Record]:
    """Leave out records that come again after their withdrawal: their meaning is undefined."""
    gone: set[int] = set()
    kept = []
    for record in records:
        if record[0] not in gone:
            kept.append(record)
        if record[2] is None:
            gone.add(record[0])
    return kept


def film(
    rng: Rng, levels: dict[str, int], *, frames: int, lanes: int
) -> tuple[bytes, tuple[Passage, ...], int]:
    """Return the film of a belt, its passages, and the column that they pass."""
    line = rng.integer(12, WIDTH - 12)
    grain = bytes(DARK + rng.integer(-NOISE, NOISE) for _ in range(509))
    size = WIDTH * LANE * lanes
    grain = grain * (2 + size // len(grain))
    pictures = [Raster(WIDTH, LANE * lanes) for _ in range(frames)]
    for frame, picture in enumerate(pictures):
        start = frame * 131 % 509
        picture.pixels = bytearray(grain[start : start + size])
    passages: list[Passage] = []
    for lane in range(lanes):
        passages += _lane(rng.fork("lane", lane), levels, pictures, top=lane * LANE, line=line)
    return avi(pictures, fps=rng.choice((5, 10, 25))), tuple(sorted(passages)), line


def _lane(
    rng: Rng, levels: dict[str, int], pictures: list[Raster], *, top: int, line: int
) -> list[Passage]:
    """Draw what one lane carries; return when each item first covers the line."""
    moved, way = [0], 0
    while len(moved) < len(pictures):
        speed = rng.choice((0, 1, 2, 2, 3, 3))
        for _ in range(rng.integer(2, 8)):
            way += speed
            moved.append(way)
    passages: list[Passage] = []
    behind = rng.integer(0, 6)
    while behind <= way + WIDTH:
        kind, width = rng.choice(sorted(levels)), rng.integer(5, 9)
        level, height = levels[kind] + rng.integer(-NOISE, NOISE), rng.integer(3, 5)
        seen = False
        for tick, picture in enumerate(pictures):
            front = moved[tick] - behind
            if 0 <= front < WIDTH + width:
                left = max(0, front - width + 1)
                size = (min(front, WIDTH - 1) - left + 1, height)
                picture.rect(left, top + 1, size=size, colour=level)
            if front >= line and not seen:
                passages.append((tick, kind))
                seen = True
        behind += width + rng.integer(5, 14)
    return passages


def counts(
    passages: Sequence[Passage], kinds: Sequence[str], *, start: int, end: int
) -> dict[str, object]:
    """Return the body of a count."""
    inside = [kind for tick, kind in passages if start <= tick < end]
    return {"counts": {kind: inside.count(kind) for kind in kinds}, "total": len(inside)}


def busiest(passages: Sequence[Passage], width: int) -> dict[str, object]:
    """Return the body for the fullest window."""
    ticks = [tick for tick, _ in passages]
    sums = {start: sum(start <= tick < start + width for tick in ticks) for start in ticks}
    best = max(sums.values())
    return {"from": min(start for start, total in sums.items() if total == best), "total": best}


def series(passages: Sequence[Passage], size: int) -> dict[str, object]:
    """Return the body of a series."""
    numbers = [tick // size for tick, _ in passages]
    return {"series": [numbers.count(n) for n in range(max(numbers) + 1)]}
