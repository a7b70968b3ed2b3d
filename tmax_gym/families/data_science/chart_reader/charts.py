"""Bar charts as pictures for the chart-reader family: the values, the pixels, and a reader.

A chart has grouped bars in shades of gray over a linear axis with two labelled ticks, and may have
faint grid lines and specks.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.media.png import encode
from tmax_gym.world.media.raster import Raster

SHADES = (40, 110, 170)
"""Gray values of the series, first to last."""
GRID, PAPER = 225, 255
LEFT, TOP, PLOT = 34, 14, 96
"""Pixels left of the axis, above the upper tick, and between the two ticks."""
WIDE = 5
"""Pixels of a bar."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The drawn chart."""

    lo: int
    hi: int
    """The values at the lower tick, where bars begin, and at the upper tick."""
    values: tuple[tuple[float, ...], ...]
    """The values by group and then by series."""
    grid: bool
    specks: int

    @property
    def spread(self) -> int:
        """Return the length of the axis in values."""
        return self.hi - self.lo

    def height(self, value: float) -> int:
        """Return the pixels of a bar."""
        return round((value - self.lo) * PLOT / self.spread)

    def picture(self, rng: Rng) -> bytes:
        """Return the chart as PNG."""
        series = len(self.values[0])
        step = series * WIDE + 4
        width, bottom = LEFT + 8 + step * len(self.values), TOP + PLOT
        raster = Raster(width, bottom + 10, background=PAPER)
        if self.grid:
            for part in range(1, 4):
                raster.rect(LEFT, TOP + PLOT * part // 4, size=(width, 1), colour=GRID)
        for _ in range(self.specks):
            at = (rng.integer(LEFT + 3, width - 1), rng.integer(0, bottom - 12))
            raster.set(*at, rng.choice(SHADES))
        for group, values in enumerate(self.values):
            for number, value in enumerate(values):
                x, high = LEFT + 6 + group * step + number * WIDE, self.height(value)
                size = (WIDE, high)
                raster.rect(x, bottom - high, size=size, colour=SHADES[number])
        raster.rect(LEFT, TOP - 6, size=(1, PLOT + 12), colour=0)
        raster.rect(LEFT, bottom, size=(width, 1), colour=0)
        for y, value in ((TOP, self.hi), (bottom, self.lo)):
            raster.rect(LEFT - 4, y, size=(4, 1), colour=0)
            raster.text(2, y - 3, str(value))
        return encode(raster)

    def slope(self, number: int) -> float:
        """Return the slope of the least-squares line through a series, per group."""
        return slope([values[number] for values in self.values])


def slope(values: list[float]) -> float:
    """Return the slope of the least-squares line through values at 0, 1, 2, ..."""
    count = len(values)
    middle, mean = (count - 1) / 2, sum(values) / count
    above = sum((x - middle) * (y - mean) for x, y in enumerate(values))
    return above / sum((x - middle) ** 2 for x in range(count))


def drawn(rng: Rng, *, groups: int, series: int, zero: bool, clutter: int) -> Chart:
    """Return a chart whose tallest and shortest bars differ from all others by two pixels."""
    for attempt in range(100):
        r = rng.fork("attempt", attempt)
        lo = 0 if zero else r.integer(2, 40) * 5
        hi = lo + r.integer(8, 90) * 5
        heights = [[r.integer(8, PLOT) for _ in range(series)] for _ in range(groups)]
        flat = sorted(h for group in heights for h in group)
        if flat[1] - flat[0] < 2 or flat[-1] - flat[-2] < 2:
            continue
        values = tuple(
            tuple(round(lo + (hi - lo) * (10 * h + r.integer(-4, 4)) / (10 * PLOT), 2) for h in g)
            for g in heights
        )
        return Chart(lo, hi, values, clutter > 0, max(0, clutter - 1) * 6)
    raise ValueError(f"no clear chart of {groups} groups in 100 draws")


READ = program_text(__package__, "read.py")
