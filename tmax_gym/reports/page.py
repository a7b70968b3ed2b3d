"""A report as one HTML file that needs nothing else.

Covers text, tables, curves (as inline SVG) and episodes that fold out.  Does not cover scripts:
the page has none, and loads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from pathlib import Path

from tmax_gym.trajectory import Trajectory

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _PAD = 720, 300, 56, 40, 14
# Okabe and Ito's palette, which the colour-blind can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_SHOWN = 20_000
"""Characters of one observation on a page."""

_STYLE = """
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24;
  font: 16px/1.5 system-ui, sans-serif; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #d8dee4; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #d8dee4; text-align: right; }
th:first-child, td:first-child { text-align: left; }
pre { background: #f6f8fa; padding: .7rem; overflow-x: auto; white-space: pre-wrap;
  word-break: break-word; margin: .4rem 0; font-size: .85rem; }
pre.command { border-left: 4px solid #0072b2; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.figure { overflow-x: auto; } svg text { font: 12px system-ui, sans-serif; fill: #444; }
.reward { font-variant-numeric: tabular-nums; color: #57606a; }
"""


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs, separated by empty lines."""

    body: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text below a head; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse rows of another width than the head's."""
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"every row must have {len(self.head)} cells, as the head has")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a curve."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()
    """(low, high) at every point; empty for none."""

    def __post_init__(self) -> None:
        """Refuse a band of another length than the line."""
        if self.band and len(self.band) != len(self.points):
            raise ValueError(f"line {self.name!r}: a band needs one pair a point")


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines over one axis."""

    lines: tuple[Line, ...]
    title: str = ""
    x: str = ""
    y: str = ""
    y_range: tuple[float, float] | None = None
    """What the y axis spans; by the data if None."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Episodes:
    """Trajectories that fold out."""

    trajectories: tuple[Trajectory, ...]
    title: str = ""
    instructions: tuple[tuple[str, str], ...] = ()
    """(task, instruction), shown above an episode of that task."""


Section = Text | Table | Curve | Episodes


def write_html(path: str | Path, title: str, sections: Sequence[Section]) -> None:
    """Write a page; directories are made."""
    parts = [_section(section) for section in sections]
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    # Output of terminals may hold halves of surrogate pairs, which UTF-8 has no bytes for.
    file.write_bytes(page.encode("utf-8", "replace"))


def _section(section: Section) -> str:
    heading = f"<h2>{escape(section.title)}</h2>\n" if section.title else ""
    match section:
        case Text():
            paragraphs = section.body.strip().split("\n\n")
            return heading + "\n".join(f"<p>{escape(p)}</p>" for p in paragraphs)
        case Table():
            return heading + _table(section) + _note(section.note)
        case Curve():
            return heading + _curve(section) + _note(section.note)
        case Episodes():
            told = dict(section.instructions)
            return heading + "\n".join(_episode(t, told) for t in section.trajectories)


def _note(note: str) -> str:
    return f"\n<p>{escape(note)}</p>" if note else ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _episode(trajectory: Trajectory, told: dict[str, str]) -> str:
    reward = "not graded" if trajectory.reward is None else f"reward {trajectory.reward:.3f}"
    head = (
        f"{escape(trajectory.task)} · {escape(trajectory.agent)} · seed {trajectory.seed} · "
        f"{len(trajectory.steps)} steps · {trajectory.ending} · "
        f'<span class="reward">{reward}</span>'
    )
    body = []
    if trajectory.task in told:
        body.append(f"<pre>{escape(told[trajectory.task])}</pre>")
    for step in trajectory.steps:
        said = step.action or step.reply
        seen = step.observation[:_SHOWN]
        body.append(f'<pre class="command">{escape(said)}</pre>\n<pre>{escape(seen)}</pre>')
    if trajectory.parts:
        rows = tuple((name, f"{score:.3f}") for name, score in trajectory.parts)
        body.append(_table(Table(("check", "score"), rows)))
    if trajectory.message:
        body.append(f"<p>{escape(trajectory.message)}</p>")
    return f"<details><summary>{head}</summary>\n" + "\n".join(body) + "\n</details>"


def _curve(curve: Curve) -> str:
    lines = [_finite(line) for line in curve.lines]
    points = [p for line in lines for p in line.points]
    if not points:
        return "<p>No points yet.</p>"
    xs = [x for x, _ in points]
    ys = [y for _, y in points] + [y for line in lines for pair in line.band for y in pair]
    x_low, x_high = _spread(min(xs), max(xs))
    y_low, y_high = _spread(*(curve.y_range or (min(ys), max(ys))))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _PAD)
        up = (y - y_low) / (y_high - y_low) * (_HEIGHT - _BOTTOM - _PAD)
        return round(_LEFT + across, 2), round(_HEIGHT - _BOTTOM - up, 2)

    out = _axes(curve, (x_low, x_high), (y_low, y_high))
    for index, line in enumerate(lines):
        colour = _COLOURS[index % len(_COLOURS)]
        if line.band:
            ends = list(zip([x for x, _ in line.points], line.band, strict=True))
            above = [place(x, high) for x, (_, high) in ends]
            below = [place(x, low) for x, (low, _) in ends]
            area = " ".join(f"{x},{y}" for x, y in (*above, *reversed(below)))
            out.append(f'<polygon points="{area}" fill="{colour}" fill-opacity="0.15"/>')
        path = " ".join(f"{x},{y}" for x, y in (place(*p) for p in line.points))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [
            f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>'
            for x, y in (place(*p) for p in line.points)
        ]
        top = _PAD + 4 + 18 * index
        out.append(
            f'<rect x="{_LEFT + 10}" y="{top}" width="12" height="12" fill="{colour}"/>'
            f'<text x="{_LEFT + 28}" y="{top + 11}">{escape(line.name)}</text>'
        )
    return '<div class="figure">\n' + "\n".join((*out, "</svg>", "</div>"))


def _axes(curve: Curve, xs: tuple[float, float], ys: tuple[float, float]) -> list[str]:
    floor = _HEIGHT - _BOTTOM
    out = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img">']
    for step in range(5):
        part = step / 4
        x = _LEFT + part * (_WIDTH - _LEFT - _PAD)
        y = floor - part * (floor - _PAD)
        x_text = f"{xs[0] + part * (xs[1] - xs[0]):g}"
        y_text = f"{ys[0] + part * (ys[1] - ys[0]):.3g}"
        out.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _PAD}" y1="{y:g}" y2="{y:g}" stroke="#e1e5ea"/>'
            f'<text x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{y_text}</text>'
            f'<text x="{x:g}" y="{floor + 18}" text-anchor="middle">{x_text}</text>'
        )
    middle = (_LEFT + _WIDTH - _PAD) / 2
    out.append(
        f'<text x="{middle:g}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(curve.x)}</text>'
        f'<text transform="translate(14 {floor / 2:g}) rotate(-90)" text-anchor="middle">'
        f"{escape(curve.y)}</text>"
    )
    return out


def _finite(line: Line) -> Line:
    """Return the line without the points that cannot be drawn."""
    kept = [i for i, (x, y) in enumerate(line.points) if isfinite(x) and isfinite(y)]
    if line.band:
        kept = [i for i in kept if all(map(isfinite, line.band[i]))]
    return Line(
        line.name,
        tuple(line.points[i] for i in kept),
        tuple(line.band[i] for i in kept) if line.band else (),
    )


def _spread(low: float, high: float) -> tuple[float, float]:
    """Return an interval that is not empty."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)
