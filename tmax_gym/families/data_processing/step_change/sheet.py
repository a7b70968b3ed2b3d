"""The method sheet of the step-change family, as it lies in the world."""

from __future__ import annotations

from tmax_gym.families.data_processing.step_change import rules
from tmax_gym.families.shared.sheets import flowed


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
    return flowed(body)


_MENDED = """
When all anomalies are known, go through them from left to right, and replace each one by the point
before it, which may have been replaced itself. An anomaly at the first point stays. All following
steps use these points.
"""
_KEPT = """
Anomalies are only reported. All following steps use the points as they are.
"""
_SHEET = """\
# Method

All points are whole numbers. All series of an input have the same number of points, n. All
quotients are rounded down, towards minus infinity, so -7/2 is -4. Positions are counted from 1.

## 1. Scale

@scale

## 2. Anomalies

@odd
@mend
## 3. Changes of level

@change

## 4. Neighbours

@distance
The neighbour of a series is the other series with the least distance. If there are several, it is
the one that comes first in the input.

## 5. Workers

@deal

## 6. Report

Print one line for each series, in the order of the input, with single blanks between the fields:
its name, the positions of its anomalies, the positions of its changes, the name of its neighbour,
the distance to it, and the number of its worker. Positions are in ascending order with commas
between them, and `-` means that there are none. After that, print one line for each worker, from
the first to the last. For example, `worker 2: 5 3 4` means that worker 2 has five series with
three anomalies and four changes in all.

The input

@source

gives

@result
"""


def _scale(plan: rules.Plan) -> str:
    whole = (
        "all points of all series of the input together, no matter which worker has them"
        if plan.whole
        else "all points of the series"
    )
    formula = {
        "range": "Let m be the least of them, and let d be the largest of them minus the least. "
        "Replace every point x by 1000*(x - m)/d.",
        "mean": "Let m be their sum divided by their number, and let d be the sum of |x - m| over "
        "all of them, divided by their number. Replace every point x by 100*(x - m)/d.",
        "median": "Let m be the middle one of them in ascending order. This is the one at N/2, "
        "counted from 0, where N is their number. Let d be the middle one of all |x - m|, found in "
        "the same way. Replace every point x by 100*(x - m)/d.",
    }[plan.scale]
    return (
        f"Take {whole}. {formula} If d is 0, use 1 instead. From here on, points are scaled points."
    )


def _odd(plan: rules.Plan) -> str:
    w, limit = plan.window, plan.limit
    return {
        "far": "The middle of a series is its middle point in ascending order, the one at n/2, "
        f"counted from 0. A point is an anomaly if it is more than {limit} away from the middle of "
        "its series.",
        "bend": "A point y with the point x before it and the point z after it is an anomaly if "
        f"|2*y - x - z| > {limit}. The first and the last point are never anomalies.",
        "window": f"A point y is an anomaly if |{w}*y - s| > {limit * w}, where s is the sum of "
        f"the {w} points before it. The first {w} points are never anomalies.",
    }[plan.odd]


def _change(plan: rules.Plan) -> str:
    w, bound = plan.window, plan.bound
    cut = (
        "Take a stretch of N points with the sum T. For every k from 1 to N-1, let H be the sum of "
        "its first k points. Find the k with the largest |N*H - k*T|, or the first one if there "
        f"are several. If this value is more than {bound}*N, the stretch is cut there: the level "
        "changes at the first point after these k points."
    )
    return {
        "single": f"{cut} The only stretch is the whole series, so it has at most one change.",
        "split": f"{cut} Begin with the whole series. When a stretch is cut, each of the two parts "
        "is a stretch again.",
        "pairs": f"Consider every point that has at least {w} points before it and at least "
        f"{w - 1} points after it. Let D be the absolute difference between the sum of the {w} "
        f"points from this point on and the sum of the {w} points before it. Take the point with "
        f"the largest D, or the first one if there are several. If D is more than {bound * w}, the "
        f"level changes there. Then leave out this point and all points that are less than {w} "
        "away from it, and go on with the others, until the largest D is not more than that.",
    }[plan.change]


def _distance(plan: rules.Plan) -> str:
    return {
        "sum": "The distance of two series is the sum of |a - b| over their points, position by "
        "position.",
        "largest": "The distance of two series is the largest |a - b| over their points, position "
        "by position.",
        "square": "The distance of two series is the sum of (a - b)^2 over their points, position "
        "by position, divided by n.",
        "warped": "A path goes through pairs (i, j), where i is a position in one series and j is "
        "a position in the other one. It begins at (1, 1) and ends at (n, n), and in every step i "
        f"or j or both increase by 1. |i - j| must never be more than {plan.band}. The cost of a "
        "path is the sum of |a_i - b_j| over all its pairs. The distance of the two series is the "
        "cost of the cheapest path.",
    }[plan.distance]


def _deal(plan: rules.Plan) -> str:
    return {
        "turns": "Series are given out in turns: the first one to worker 1, the next one to worker "
        "2, and so on. After the last worker comes worker 1 again.",
        "blocks": "With S series and W workers, every worker gets a block of S/W series, rounded "
        "up. Worker 1 gets the first block, and so on. The last workers may get fewer series or "
        "none.",
        "snake": "Series are given out back and forth: to worker 1, 2 and so on up to the last "
        "worker, then to the last one again, the last but one and so on back to worker 1, then to "
        "worker 1 again, 2 and so on.",
    }[plan.deal]
