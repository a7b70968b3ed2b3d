"""Figures of a report, as inline SVG: means with intervals, pass@k over k.

Covers plain SVG that scales with the page.  Does not load fonts, scripts or anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from tmax_gym.bench.reports.published import Reference
from tmax_gym.reports.statistics import RunSummary

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#6b4c9a", "#555555")
"""Okabe and Ito's palette, darkened where white is behind it."""
WIDTH, ROW, TOP, BOTTOM, RIGHT = 860, 26, 12, 44, 64
_LETTER = 7.1
"""Pixels of a character of a label, at most."""
_LABEL = 300


def means(
    names: Sequence[str], found: Sequence[RunSummary], *, references: Sequence[Reference] = ()
) -> str:
    """Return means with their 95 % intervals, and published figures as dashed lines."""
    labels = [*names, *(f"{r.name} (published)" for r in references)]
    left = min(_LABEL, 40 + _LETTER * max((len(label) for label in labels), default=0))
    height = TOP + ROW * len(labels) + BOTTOM
    floor = TOP + ROW * len(labels)

    def x(percent: float) -> float:
        return round(left + percent / 100 * (WIDTH - left - RIGHT), 2)

    out = [_open(height, "Mean reward of each run with its 95 % interval")]
    out += _percent_axis(x, floor)
    for row, reference in enumerate(references, len(names)):
        at, y = x(reference.percent), TOP + ROW * row + ROW / 2
        out.append(
            f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{floor}" class="reference"/>'
            f'<path d="M{at} {y - 5} l5 5 l-5 5 l-5 -5 z" class="diamond"/>'
            + _label(left, y, labels[row], "published")
            + f'<text x="{at + 9}" y="{y + 4}" class="value">{reference.percent:.1f}</text>'
        )
    for row, s in enumerate(found):
        y = TOP + ROW * row + ROW / 2
        out.append(_label(left, y, labels[row], ""))
        if s.reward is None:
            out.append(f'<text x="{left + 6}" y="{y + 4}" class="value">nothing graded</text>')
            continue
        colour = COLOURS[row % len(COLOURS)]
        low, high, at = (
            x(100 * v) for v in (s.reward.interval.low, s.reward.interval.high, s.reward.value)
        )
        out.append(
            f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
            f'<circle cx="{at}" cy="{y}" r="5.5" fill="{colour}"/>'
            f'<text x="{max(high, at + 6) + 6}" y="{y + 4}" class="value">'
            f"{100 * s.reward.value:.1f}</text>"
        )
    return "\n".join((*out, "</svg>"))


def passes(names: Sequence[str], found: Sequence[RunSummary]) -> str:
    """Return pass@k (solid) and pass^k (dashed) over k; "" where every k is 1."""
    ks = sorted({p.k for s in found for p in s.passing})
    if len(ks) < 2:
        return ""
    left, height, floor = 52.0, 300, 250

    def x(k: int) -> float:
        return round(left + ks.index(k) / (len(ks) - 1) * (WIDTH - left - 210), 2)

    def y(rate: float) -> float:
        return round(floor - rate * (floor - TOP), 2)

    out = [_open(height, "pass@k and pass^k of each run")]
    for step in range(6):
        at = y(step / 5)
        out.append(
            f'<line x1="{left}" x2="{x(ks[-1])}" y1="{at}" y2="{at}" class="grid"/>'
            f'<text x="{left - 8}" y="{at + 4}" text-anchor="end">{20 * step}</text>'
        )
    out += [f'<text x="{x(k)}" y="{floor + 20}" text-anchor="middle">{k}</text>' for k in ks]
    middle = (left + x(ks[-1])) / 2
    out.append(
        f'<text x="{middle}" y="{height - 6}" text-anchor="middle">'
        "attempts k: any solves the task (solid), all of them do (dashed); % of tasks</text>"
    )
    for row, (name, s) in enumerate(zip(names, found, strict=True)):
        colour = COLOURS[row % len(COLOURS)]
        for every in (False, True):
            points = [(x(p.k), y(p.rate.mean)) for p in s.passing if p.every == every]
            line = " ".join(f"{a},{b}" for a, b in points)
            dash = ' stroke-dasharray="5 4"' if every else ""
            out.append(
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
            )
            out += [f'<circle cx="{a}" cy="{b}" r="3" fill="{colour}"/>' for a, b in points]
        top = TOP + 20 * row
        out.append(
            f'<rect x="{x(ks[-1]) + 20}" y="{top}" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x(ks[-1]) + 38}" y="{top + 11}">{escape(_cut(name, 24))}</text>'
        )
    return "\n".join((*out, "</svg>"))


def _open(height: int, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">'
        f"<title>{escape(title)}</title>"
    )


def _percent_axis(x: Callable[[float], float], floor: int) -> list[str]:
    out = []
    for percent in range(0, 101, 20):
        at = x(percent)
        out.append(
            f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{floor}" class="grid"/>'
            f'<text x="{at}" y="{floor + 18}" text-anchor="middle">{percent}</text>'
        )
    out.append(
        f'<text x="{x(50)}" y="{floor + 38}" text-anchor="middle">'
        "mean reward, %, with its 95 % interval over tasks</text>"
    )
    return out


def _label(left: float, y: float, text: str, kind: str) -> str:
    shown = escape(_cut(text, round((_LABEL - 20) / _LETTER)))
    return f'<text x="{left - 10}" y="{y + 4}" text-anchor="end" class="{kind}">{shown}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
