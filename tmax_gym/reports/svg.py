"""Plots as SVG texts: bars, columns, a grid, lines, means with intervals.

They need no library and no script, and stand in files of their own or in pages.  All axes are
linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from pathlib import Path

WIDTH, LEFT, TOP, PAD = 760, 220, 44, 16
HEIGHT = 320
ROW = 22
LEGEND = 210  # pixels on the right of lines, for their names
# Okabe and Ito's palette, which the colour-blind can tell apart; the fifth is darkened for white.
BLUE, ORANGE, BROWN = "#0072b2", "#d55e00", "#8a6d00"
COLOURS = (BLUE, ORANGE, "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#6b4c9a", "#555555")
_NAMES, _LINES = 36, 27
"""Largest number of characters of the names of means and of lines."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()
    """(low, high) at every point; empty for none."""
    twin: bool = False
    """Whether it is dashed and has the colour of the line before, without a name in the legend."""

    def __post_init__(self) -> None:
        """Refuse a band of another length than the line."""
        if self.band and len(self.band) != len(self.points):
            raise ValueError(f"line {self.name!r}: a band needs one pair a point")

    def finite(self) -> Series:
        """Return the line without the points that cannot be drawn."""
        bands = self.band or ((0.0, 0.0),) * len(self.points)
        kept = [
            (point, band)
            for point, band in zip(self.points, bands, strict=True)
            if all(map(isfinite, (*point, *band)))
        ]
        band = tuple(band for _, band in kept) if self.band else ()
        return Series(self.name, tuple(point for point, _ in kept), band, self.twin)


@dataclass(frozen=True, slots=True)
class Mean:
    """One row of a plot of means."""

    name: str
    value: float | None
    """None if nothing was graded."""
    interval: tuple[float, float] | None = None
    """None for a published figure, which is drawn as a reference."""


def write(directory: Path, drawn: dict[str, str]) -> None:
    """Write plots by name into a directory, which is made."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, svg in sorted(drawn.items()):
        (directory / f"{name}.svg").write_text(svg, encoding="utf-8")


def bars(
    title: str,
    items: Sequence[tuple[str, float]],
    *,
    most: float = 0.0,
    marks: Sequence[float | None] = (),
) -> str:
    """Return horizontal bars; `marks` are goals drawn across them.

    The axis ends at `most`, or at the largest value if that is 0.
    """
    end = most or max((value for _, value in items), default=1.0) or 1.0
    scale = (WIDTH - LEFT - 70) / end
    out = []
    for row, (name, value) in enumerate(items):
        y = TOP + row * ROW
        out.append(_text(LEFT - 8, y + 13, name, anchor="end"))
        out.append(_box(LEFT, y, (value * scale, ROW - 6), BLUE))
        mark = marks[row] if row < len(marks) else None
        out.append(_text(LEFT + max(value, mark or 0.0) * scale + 6, y + 13, f"{value:.3g}"))
        if mark is not None:
            out.append(_line((LEFT + mark * scale, y - 2), (LEFT + mark * scale, y + ROW - 4)))
    return _svg(title, TOP + len(items) * ROW + PAD, out)


def columns(
    title: str,
    values: Sequence[float],
    *,
    ends: tuple[str, str],
    mark: float | None = None,
) -> str:
    """Return columns side by side.

    Args:
        title: What is shown.
        values: Heights.
        ends: What the first and the last column are.
        mark: A goal to be drawn across all.
    """
    most = max((*values, mark or 0.0, 1e-9))
    floor, left = HEIGHT - 30, 60
    wide = (WIDTH - left - PAD) / max(1, len(values))
    tall = (floor - TOP) / most
    out = [
        _box(left + i * wide, floor - v * tall, (max(wide - 1, 0.7), v * tall), BLUE)
        for i, v in enumerate(values)
    ]
    for share in (0, 0.5, 1):
        label = f"{most * share:.3g}"
        out.append(_text(left - 6, floor - most * share * tall + 4, label, anchor="end"))
    if mark is not None:
        y = floor - mark * tall
        out.append(_line((left, y), (WIDTH - PAD, y)))
    out.append(_text(left, floor + 18, ends[0]))
    out.append(_text(WIDTH - PAD, floor + 18, ends[1], anchor="end"))
    return _svg(title, HEIGHT, out)


def grid(title: str, names: Sequence[str], cells: dict[tuple[str, str], float]) -> str:
    """Return a table of shades: white is 0, full blue is 1; absent cells stay empty."""
    size = (WIDTH - LEFT - PAD) / max(1, len(names))
    out = []
    for row, first in enumerate(names):
        y = TOP + 20 + row * 34
        out.append(_text(LEFT - 8, y + 20, first, anchor="end"))
        out.append(_text(LEFT + (row + 0.5) * size, TOP + 12, first[:10], anchor="middle"))
        for column, second in enumerate(names):
            value = cells.get((first, second), cells.get((second, first)))
            if value is None:
                continue
            x = LEFT + column * size
            out.append(_box(x, y, (size - 2, 32), BLUE, opacity=min(1.0, max(0.0, value))))
            colour = "#fff" if value > 0.55 else "#333"
            label = f"{value:.2f}"
            out.append(_text(x + size / 2, y + 20, label, anchor="middle", colour=colour))
    return _svg(title, TOP + 20 + len(names) * 34 + PAD, out)


def lines(
    title: str,
    series: Sequence[Series],
    *,
    x: str,
    y: str,
    y_range: tuple[float, float] | None = None,
) -> str:
    """Return lines over common axes; points that are no finite numbers are left out.

    The vertical axis spans `y_range`, or from 0 or the least value to the largest one.
    """
    drawn = [line.finite() for line in series]
    points = [p for line in drawn for p in line.points]
    if not points:
        return _svg(title, HEIGHT, [_text(LEFT, HEIGHT / 2, "nothing to show")])
    ys = [p[1] for p in points] + [v for line in drawn for pair in line.band for v in pair]
    left, right, floor = 60, WIDTH - LEGEND, HEIGHT - 44
    low, high = _spread(min(p[0] for p in points), max(p[0] for p in points))
    least, most = _spread(*(y_range or (min(0.0, *ys), max(ys))))

    def place(point: tuple[float, float]) -> tuple[float, float]:
        across = (point[0] - low) / (high - low) * (right - left)
        return left + across, floor - (point[1] - least) / (most - least) * (floor - TOP)

    out = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        at, height = left + share * (right - left), floor - share * (floor - TOP)
        out.append(_line((left, height), (right, height), colour="#e1e5ea", dash=""))
        label = f"{least + share * (most - least):.3g}"
        out.append(_text(left - 6, height + 4, label, anchor="end"))
        out.append(_text(at, floor + 16, f"{low + share * (high - low):.3g}", anchor="middle"))
    number = -1
    for line in drawn:
        number += not line.twin
        colour = COLOURS[number % len(COLOURS)]
        out += _drawn(line, place, colour)
        if not line.twin:
            out.append(_box(right + 14, TOP + 20 * number, (12, 12), colour))
            out.append(_text(right + 32, TOP + 20 * number + 11, _cut(line.name, _LINES)))
    out.append(_text((left + right) / 2, HEIGHT - 8, x, anchor="middle"))
    out.append(_text(left - 40, TOP - 8, y))
    return _svg(title, HEIGHT, out)


def means(title: str, rows: Sequence[Mean]) -> str:
    """Return means of at most 1 in percent with their intervals; references cross all rows."""
    left, right, floor = 270, WIDTH - 64, TOP + 26 * len(rows)

    def x(value: float) -> float:
        return left + value * (right - left)

    out = []
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        out.append(_line((x(share), TOP), (x(share), floor), colour="#e1e5ea", dash=""))
        out.append(_text(x(share), floor + 18, f"{100 * share:.0f}", anchor="middle"))
    for row, mean in enumerate(rows):
        y = TOP + 26 * row + 13
        reference = mean.interval is None and mean.value is not None
        ink = BROWN if reference else "#333"
        out.append(_text(left - 10, y + 4, _cut(mean.name, _NAMES), anchor="end", colour=ink))
        if mean.value is None:
            out.append(_text(left + 6, y + 4, "nothing graded"))
            continue
        at, colour, after = x(mean.value), COLOURS[row % len(COLOURS)], x(mean.value) + 6
        if mean.interval is None:
            out.append(_line((at, TOP), (at, floor), colour=BROWN))
            shape = f"M{at:.2f} {y - 5} l5 5 l-5 5 l-5 -5 z"
            out.append(f'<path d="{shape}" fill="#fff" stroke="{BROWN}"/>')
        else:
            low, high = map(x, mean.interval)
            out.append(_line((low, y), (high, y), colour=colour, dash="", width=3))
            out.append(_dot((at, y), colour, radius=5.5))
            after = max(high, after)
        out.append(_text(after + 6, y + 4, f"{100 * mean.value:.1f}", colour="#57606a"))
    return _svg(title, floor + 30, out)


def _drawn(
    line: Series, place: Callable[[tuple[float, float]], tuple[float, float]], colour: str
) -> list[str]:
    """Return a line with its points and its band."""
    out = []
    if line.band:
        ends = list(zip([x for x, _ in line.points], line.band, strict=True))
        edge = [(x, high) for x, (_, high) in ends] + [(x, low) for x, (low, _) in reversed(ends)]
        area = " ".join("{:.2f},{:.2f}".format(*place(point)) for point in edge)
        out.append(f'<polygon points="{area}" fill="{colour}" fill-opacity="0.15"/>')
    path = " ".join("{:.2f},{:.2f}".format(*place(point)) for point in line.points)
    dash = ' stroke-dasharray="5 4"' if line.twin else ""
    out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
    return out + [_dot(place(point), colour) for point in line.points]


def _spread(low: float, high: float) -> tuple[float, float]:
    """Return an interval that is not empty."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img" '
            'font-family="sans-serif" font-size="12">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{height:g}" fill="#fff"/>',
            f'<text x="{PAD}" y="22" font-size="15" fill="#111">{escape(title)}</text>',
            *parts,
            "</svg>\n",
        )
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#333") -> str:
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" fill="{colour}">'
        f"{escape(text)}</text>"
    )


def _box(
    x: float, y: float, size: tuple[float, float], colour: str, *, opacity: float = 1.0
) -> str:
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{size[0]:.2f}" height="{size[1]:.2f}" '
        f'fill="{colour}" fill-opacity="{opacity:.3f}"/>'
    )


def _line(
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    colour: str = ORANGE,
    dash: str = "4 3",
    width: float = 1.5,
) -> str:
    return (
        f'<line x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{end[0]:.2f}" y2="{end[1]:.2f}" '
        f'stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"/>'
    )


def _dot(at: tuple[float, float], colour: str, *, radius: float = 2.5) -> str:
    return f'<circle cx="{at[0]:.2f}" cy="{at[1]:.2f}" r="{radius}" fill="{colour}"/>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
