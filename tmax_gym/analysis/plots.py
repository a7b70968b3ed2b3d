"""Plots as SVG texts: bars, columns, a grid, lines.  No library, no script, no style sheet.

Covers what the report shows.  Does not cover axes other than linear ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

WIDTH, LEFT, TOP, PAD = 760, 220, 44, 16
HEIGHT = 320
ROW = 22
# Okabe and Ito's palette, which the colour-blind can tell apart.
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
COLOURS = (BLUE, ORANGE, GREEN, PINK, "#e69f00", "#56b4e9")


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
    """Return horizontal bars.

    Args:
        title: What is shown.
        items: (name, value).
        most: Where the axis ends; at the largest value if 0.
        marks: By item, a goal to be drawn across the bar.
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
    title: str, series: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, x: str, y: str
) -> str:
    """Return one line a series over common axes that begin where the data does."""
    points = [p for _, own in series for p in own]
    if not points:
        return _svg(title, HEIGHT, [_text(LEFT, HEIGHT / 2, "nothing to show")])
    left, floor = 60, HEIGHT - 44
    low, high = min(p[0] for p in points), max(p[0] for p in points)
    most = max(max(p[1] for p in points), 1e-9)
    across = (WIDTH - left - 170) / ((high - low) or 1.0)
    up = (floor - TOP) / most

    def place(point: tuple[float, float]) -> str:
        return f"{left + (point[0] - low) * across:.2f},{floor - point[1] * up:.2f}"

    out = [_line((left, floor), (WIDTH - 170, floor), colour="#999", dash="")]
    for number, (name, own) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(place(p) for p in own)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(_box(WIDTH - 155, TOP + 20 * number, (12, 12), colour))
        out.append(_text(WIDTH - 137, TOP + 20 * number + 11, name))
    for value in (low, (low + high) / 2, high):
        out.append(
            _text(left + (value - low) * across, floor + 16, f"{value:.3g}", anchor="middle")
        )
    for share in (0, 0.5, 1):
        out.append(
            _text(left - 6, floor - most * share * up + 4, f"{most * share:.2g}", anchor="end")
        )
    out.append(_text((left + WIDTH - 170) / 2, HEIGHT - 8, x, anchor="middle"))
    out.append(_text(left - 40, TOP - 8, y))
    return _svg(title, HEIGHT, out)


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" font-family="sans-serif" font-size="12">',
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
) -> str:
    return (
        f'<line x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{end[0]:.2f}" y2="{end[1]:.2f}" '
        f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>'
    )
