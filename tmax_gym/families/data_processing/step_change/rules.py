"""The method of the step-change family: its variants, in whole numbers, and what they report.

Covers scaling, anomalies, mending, changes of level, distances, and the dealing of series to
workers.  Every quotient is rounded down.  Does not cover programs: see `rendering.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.rng import Rng

SCALES = ("range", "mean", "median")
ODD = ("far", "bend", "window")
CHANGES = ("single", "pairs", "split")
DISTANCES = ("sum", "largest", "square", "warped")
DEALS = ("turns", "blocks", "snake")
LIMITS = {
    (True, False): (240, 300, 350, 420),
    (True, True): (300, 400, 500),
    (False, False): (300, 350, 420),
    (False, True): (550, 700, 850),
}
BOUNDS = {
    (True, False): (120, 180, 240),
    (True, True): (60, 80, 110),
    (False, False): (250, 350, 500),
    (False, True): (150, 200, 260),
}
"""Bounds by kind of scale and rule, so that a few points are anomalies and a few levels change."""
Series = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The method that a task prescribes."""

    scale: str
    whole: bool
    """Whether the scale is taken from the points of all series together."""
    odd: str
    """The rule by which a point is an anomaly."""
    limit: int
    """An anomaly is further off than this."""
    mend: bool
    """Whether an anomaly is replaced by the point before it."""
    change: str
    bound: int
    """A change of level is larger than this."""
    window: int
    """Width of the window, for both rules that have one."""
    distance: str
    band: int
    """How far the warped distance may lead or lag."""
    deal: str


@dataclass(frozen=True, slots=True)
class Found:
    """The results for one series."""

    name: str
    odd: tuple[int, ...]
    """Positions of anomalies, from 1."""
    steps: tuple[int, ...]
    """Positions at which a new level begins, from 1."""
    points: tuple[int, ...]
    """Scaled and mended."""


def plan(rng: Rng, *, hard: bool) -> Plan:
    """Return a method; the two most laborious rules only if it is to be hard."""
    scale, odd = rng.choice(SCALES), rng.choice(ODD)
    change = rng.choice(CHANGES if hard else CHANGES[:2])
    range_like = scale == "range"
    return Plan(
        scale=scale,
        whole=rng.chance(0.5),
        odd=odd,
        limit=rng.choice(LIMITS[range_like, odd == "bend"]),
        mend=rng.chance(0.7),
        change=change,
        bound=rng.choice(BOUNDS[range_like, change == "pairs"]),
        window=rng.choice((3, 4, 5)),
        distance=rng.choice(DISTANCES if hard else DISTANCES[:3]),
        band=rng.choice((1, 2, 3)),
        deal=rng.choice(DEALS),
    )


def report(plan: Plan, workers: int, rows: Sequence[Series]) -> list[str]:
    """Return a line a series, in their order, and a line a worker."""
    screened = [_looked(plan, row) for row in _scaled(plan, rows)]
    dealt = [dealt_to(plan, number, workers, count=len(rows)) for number in range(len(rows))]
    lines = []
    for number, one in enumerate(screened):
        others = [(distance(plan, one.points, o.points), n) for n, o in enumerate(screened)]
        least, at = min(pair for pair in others if pair[1] != number)
        cells = (one.name, _listed(one.odd), _listed(one.steps), screened[at].name, least)
        lines.append(" ".join(str(cell) for cell in (*cells, dealt[number])))
    for worker in range(1, workers + 1):
        own = [one for one, to in zip(screened, dealt, strict=True) if to == worker]
        odd, steps = sum(len(one.odd) for one in own), sum(len(one.steps) for one in own)
        lines.append(f"worker {worker}: {len(own)} {odd} {steps}")
    return lines


def _listed(positions: Sequence[int]) -> str:
    return ",".join(str(one) for one in positions) or "-"


def dealt_to(plan: Plan, number: int, workers: int, *, count: int) -> int:
    """Return the worker, from 1, that gets a series, from 0."""
    if plan.deal == "blocks":
        return number // -(-count // workers) + 1
    turn, place = divmod(number, workers)
    return workers - place if plan.deal == "snake" and turn % 2 else place + 1


def _scaled(plan: Plan, rows: Sequence[Series]) -> list[Series]:
    together = sorted(value for _, values in rows for value in values)
    return [
        (name, tuple(_scale(plan, together if plan.whole else sorted(values), values)))
        for name, values in rows
    ]


def _scale(plan: Plan, known: Sequence[int], values: Sequence[int]) -> list[int]:
    """Return values by the scale that sorted ones give."""
    count = len(known)
    if plan.scale == "range":
        middle, size, unit = known[0], known[-1] - known[0], 1000
    elif plan.scale == "mean":
        middle = sum(known) // count
        size, unit = sum(abs(v - middle) for v in known) // count, 100
    else:
        middle = known[count // 2]
        size, unit = sorted(abs(v - middle) for v in known)[count // 2], 100
    return [unit * (v - middle) // (size or 1) for v in values]


def _looked(plan: Plan, row: Series) -> Found:
    name, points = row
    odd = [n for n in range(len(points)) if _is_odd(plan, points, n)]
    mended = list(points)
    if plan.mend:
        for n in odd:
            mended[n] = mended[n - 1] if n else mended[n]
    steps = sorted(_steps(plan, mended))
    return Found(name, tuple(n + 1 for n in odd), tuple(n + 1 for n in steps), tuple(mended))


def _is_odd(plan: Plan, points: Sequence[int], n: int) -> bool:
    if plan.odd == "far":
        return abs(points[n] - sorted(points)[len(points) // 2]) > plan.limit
    if plan.odd == "bend":
        inner = 0 < n < len(points) - 1
        return inner and abs(2 * points[n] - points[n - 1] - points[n + 1]) > plan.limit
    before = points[max(0, n - plan.window) : n]
    off = abs(plan.window * points[n] - sum(before))
    return len(before) == plan.window and off > plan.limit * plan.window


def _steps(plan: Plan, points: Sequence[int]) -> list[int]:
    """Return where new levels begin, from 0."""
    if plan.change == "pairs":
        return _pairs(plan, points)
    return _splits(plan, points, 0, len(points))


def _splits(plan: Plan, points: Sequence[int], low: int, high: int) -> list[int]:
    """Return the best place to cut a stretch in two, and those of its halves where they count."""
    count, total = high - low, sum(points[low:high])
    best, place, head = 0, 0, 0
    for k in range(1, count):
        head += points[low + k - 1]
        size = abs(count * head - k * total)
        if size > best:
            best, place = size, k
    if best <= plan.bound * count:
        return []
    cut = low + place
    if plan.change == "single":
        return [cut]
    return [*_splits(plan, points, low, cut), cut, *_splits(plan, points, cut, high)]


def _pairs(plan: Plan, points: Sequence[int]) -> list[int]:
    w = plan.window
    sizes = {
        k: abs(sum(points[k : k + w]) - sum(points[k - w : k]))
        for k in range(w, len(points) - w + 1)
    }
    taken: list[int] = []
    while sizes:
        place = max(sizes, key=lambda k: (sizes[k], -k))
        if sizes[place] <= plan.bound * w:
            break
        taken.append(place)
        sizes = {k: size for k, size in sizes.items() if abs(k - place) >= w}
    return taken


def distance(plan: Plan, one: Sequence[int], other: Sequence[int]) -> int:
    """Return how far two series of the same length are apart."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    if plan.distance == "sum":
        return sum(apart)
    if plan.distance == "largest":
        return max(apart)
    if plan.distance == "square":
        return sum(a * a for a in apart) // len(apart)
    return _warped(one, other, band=plan.band)


def _warped(one: Sequence[int], other: Sequence[int], *, band: int) -> int:
    """Return the cost of the cheapest path from both first points to both last ones."""
    far = 1 << 60
    above = [far] * len(other)
    for i, a in enumerate(one):
        row = [far] * len(other)
        for j in range(max(0, i - band), min(len(other), i + band + 1)):
            before = min(above[j], row[j - 1] if j else far, above[j - 1] if j else far)
            row[j] = abs(a - other[j]) + (0 if i == j == 0 else before)
        above = row
    return above[-1]
