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
before it, which may have been replaced itself. An anomaly at the first point is not replaced. All
following steps use the resulting points.
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
The neighbour of a series is the other series at the smallest distance. If there are several, it is
the one that comes first in the input.

## 5. Workers

@deal

## 6. Report

Print one line for each series, in the order of the input, with single blanks between the fields:
its name, the positions of its anomalies, the positions of its changes, the name of its neighbour,
the distance to it, and the number of its worker. Positions are in ascending order, separated by
commas, and `-` means that there are none. After that, print one line for each worker, from the
first to the last, even if it has no series. For example, `worker 2: 5 3 4` means that worker 2 has
five series with three anomalies and four changes in all.

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
        "range": "Let m be the smallest of them, and let d be the largest minus the smallest.",
        "mean": "Let m be their sum divided by their number, and let d be the sum of |x - m| over "
        "all of them, divided by their number.",
        "median": "Let m be the one at index N/2 (counted from 0) in ascending order, where N is "
        "their number. Find d among all values |x - m| in the same way.",
    }[plan.scale]
    unit = 1000 if plan.scale == "range" else 100
    return (
        f"Take {whole}. {formula} If d is 0, use 1 instead. Replace every point x by "
        f"{unit}*(x - m)/d. From here on, points are scaled points."
    )


def _odd(plan: rules.Plan) -> str:
    w, limit = plan.window, plan.limit
    return {
        "far": "The middle of a series is its point at index n/2 (counted from 0) in ascending "
        f"order. A point is an anomaly if it is more than {limit} away from the "
        "middle of its series.",
        "bend": "A point y with the point x before it and the point z after it is an anomaly if "
        f"|2*y - x - z| is more than {limit}. The first and the last point are never anomalies.",
        "window": f"A point y is an anomaly if |{w}*y - s| is more than {limit * w}, where s is "
        f"the sum of the {w} points before it. The first {w} points are never anomalies.",
    }[plan.odd]


def _change(plan: rules.Plan) -> str:
    w, bound = plan.window, plan.bound
    cut = (
        "Take a stretch of N points with the sum T. For every k from 1 to N-1, let H be the sum of "
        "its first k points. Find the k with the largest |N*H - k*T|, and the smallest such k if "
        f"there are several. If this largest value is more than {bound}*N, the stretch is cut "
        "there: the level changes at the first point after these k points."
    )
    return {
        "single": f"{cut} The whole series is the only stretch, so a series has at most one "
        "change.",
        "split": f"{cut} Begin with the whole series as a stretch. When a stretch is cut, treat "
        "each of its two parts as a stretch in the same way.",
        "pairs": f"The candidates are all points that have at least {w} points before them and at "
        f"least {w - 1} points after them. For each candidate, let D be the absolute difference "
        f"between the sum of the {w} points from this point on and the sum of the {w} points "
        "before it. Take the candidate with the largest D, or the first one if there are several. "
        f"If its D is more than {bound * w}, the level changes there, and all points that are less "
        f"than {w} positions away from it, itself included, are no longer candidates. Repeat this "
        "with the other candidates, whose D stays the same, until the largest D is not more than "
        f"{bound * w} or no candidates are left.",
    }[plan.change]


def _distance(plan: rules.Plan) -> str:
    return {
        "sum": "The distance between two series is the sum of |a - b|, where a and b are their "
        "points at the same position.",
        "largest": "The distance between two series is the largest |a - b|, where a and b are "
        "their points at the same position.",
        "square": "The distance between two series is the sum of (a - b)^2 divided by n, where a "
        "and b are their points at the same position.",
        "warped": "A path goes through pairs (i, j), where i is a position in one series and j is "
        "a position in the other one. It begins at (1, 1) and ends at (n, n), and every step adds "
        f"1 to i, to j or to both. |i - j| must never be more than {plan.band}. The cost of a path "
        "is the sum of |a_i - b_j| over all its pairs, including the first and the last one. The "
        "distance between the two series is the cost of the cheapest path.",
    }[plan.distance]


def _deal(plan: rules.Plan) -> str:
    return {
        "turns": "Series are given out in turns: the first one to worker 1, the next one to worker "
        "2, and so on. After the last worker comes worker 1 again.",
        "blocks": "With S series and W workers, every worker gets a block of S/W consecutive "
        "series, where S/W is rounded up. Worker 1 gets the first block, and so on. The last "
        "workers may get fewer series or none.",
        "snake": "Series are given out back and forth: to worker 1, worker 2 and so on up to the "
        "last worker, then from the last worker back to worker 1, then from worker 1 up again, and "
        "so on. At each turn, the same worker gets two series in a row.",
    }[plan.deal]
