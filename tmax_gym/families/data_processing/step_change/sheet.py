"""The method sheet of the step-change family, as it lies in the world."""

from __future__ import annotations

from tmax_gym.families.data_processing.step_change import rules


def sheet(plan: rules.Plan, example: tuple[str, str]) -> str:
    """Return the method sheet, with an example that was worked through."""
    source, result = ("\n".join(f"    {line}" for line in part.splitlines()) for part in example)
    sections = {
        "@scale": _scale(plan),
        "@odd": _odd(plan),
        "@mend": _MENDED if plan.mend else _KEPT,
        "@change": _change(plan),
        "@distance": _distance(plan),
        "@deal": _deal(plan),
        "@source": source,
        "@result": result,
    }
    body = _SHEET
    for name, part in sections.items():
        body = body.replace(name, part)
    return body


_MENDED = """
Once all are known, every anomaly, from the left, is replaced by the point before it (as that is by
then); an anomaly at the first point stays. All that follows goes by the points so mended.
"""
_KEPT = """
Anomalies are only reported. All that follows goes by the points as they are.
"""
_SHEET = """\
# Method

All points are whole numbers, all series of an input have as many points, n. A quotient is always
rounded down, towards minus infinity: -7/2 is -4. Positions count from 1.

## 1. Scale

@scale

## 2. Anomalies

@odd
@mend
## 3. Changes of level

@change

## 4. Neighbours

@distance
The neighbour of a series is the other series with the least distance, the earliest in the input
where several have it.

## 5. Workers

@deal

## 6. Report

A line a series, in the order of the input, with single blanks: name, positions of anomalies,
positions of changes, name of the neighbour, distance to it, number of the worker. Positions are
ascending with commas between them; `-` stands for none. Then a line a worker, from the first to
the last: `worker 2: 5 3 4` for five series with three anomalies and four changes among them.

Input

@source

gives

@result
"""


def _scale(plan: rules.Plan) -> str:
    whole = (
        "all points of all series of the input together, whichever worker has them"
        if plan.whole
        else "the points of the series itself"
    )
    formula = {
        "range": "m is the least of them, and d the largest less the least. A point x becomes "
        "1000*(x - m)/d.",
        "mean": "m is their sum divided by their number, d the sum of |x - m| over them divided by "
        "their number. A point x becomes 100*(x - m)/d.",
        "median": "m is the middle one in ascending order: the one at N/2, counted from 0, of N. d "
        "is the middle one of all |x - m|, taken in the same way. A point x becomes 100*(x - m)/d.",
    }[plan.scale]
    return f"Take {whole}.\n{formula}\nIf d is 0, use 1. From here on, points are the scaled ones."


def _odd(plan: rules.Plan) -> str:
    w, limit = plan.window, plan.limit
    return {
        "far": f"A point is an anomaly if it is more than {limit} away from the middle of its "
        "series' scaled points (in\nascending order, the one at n/2, counted from 0).",
        "bend": "A point y with a neighbour x before and z after it is an anomaly if "
        f"|2*y - x - z| > {limit}. The first and\nthe last point never are.",
        "window": f"A point y is an anomaly if |{w}*y - s| > {limit * w}, s being the sum of the "
        f"{w} points before it. The first {w}\nnever are.",
    }[plan.odd]


def _change(plan: rules.Plan) -> str:
    w, bound = plan.window, plan.bound
    cut = (
        "For a stretch of N points with sum T, and every k from 1 to N-1, let H be the sum of its "
        "first k points.\nThe k with the largest |N*H - k*T| (the first of several) is where it "
        f"is cut, if that value is more\nthan {bound}*N: the level changes at the first point "
        "after the k."
    )
    return {
        "single": f"{cut}\nThe only stretch is the whole series, so there is one change at most.",
        "split": f"{cut}\nBegin with the whole series; every part of a stretch that is cut is a "
        "stretch again.",
        "pairs": f"For every point with at least {w} points before it and at least {w - 1} after "
        f"it, D is how far the sum of the\n{w} points from it on and the sum of the {w} before it "
        "are apart. Take the point with the largest D, the\nfirst of several; if D is more than "
        f"{bound * w}, the level changes there. Then leave out that point and those\nless than {w} "
        "away from it, and go on with the rest, until the largest D is not more.",
    }[plan.change]


def _distance(plan: rules.Plan) -> str:
    return {
        "sum": "The distance of two series is the sum of |a - b| over their points, position by "
        "position.",
        "largest": "The distance of two series is the largest |a - b| over their points, position "
        "by position.",
        "square": "The distance of two series is the sum of (a - b)^2 over their points, position "
        "by position, divided\nby n.",
        "warped": "A path leads through pairs (i, j) of positions in one series and the other: it "
        "begins at (1, 1), ends\nat (n, n), and in every step i, j or both grow by 1. |i - j| is "
        f"at most {plan.band} all along. It costs the sum of\n|a_i - b_j| over its pairs. The "
        "distance is the cost of the cheapest path.",
    }[plan.distance]


def _deal(plan: rules.Plan) -> str:
    return {
        "turns": "Series are dealt in turns: the first to worker 1, the next to worker 2, and so "
        "on; after the last\nworker comes worker 1 again.",
        "blocks": "With S series and W workers, every worker gets S/W of them, rounded up, in one "
        "block: worker 1 the\nfirst block, and so on. The last ones may get fewer, or none.",
        "snake": "Series are dealt there and back: to workers 1, 2, up to the last, then to the "
        "last, the last but one,\nback to worker 1, then to worker 1, 2 and so on.",
    }[plan.deal]
