"""Two small samples compared by a plan: its evaluator.

Covers a density estimate over cells, a distance of two of them, a permutation test, a bootstrap
interval and a Metropolis chain, all in whole numbers and reduced fractions.  Does not cover
which plans there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan

M32 = 0xFFFFFFFF
Reading = tuple[str, int]
"""Group and value."""


def answer(plan: Plan, order: tuple[str, int, int], readings: Sequence[Reading]) -> str:
    """Return the line for one analysis; `order` is its name, the seed and the rounds."""
    name, seed, rounds = order
    first, second = ([v for g, v in readings if g == group] for group in plan.groups)
    draw = _below(plan, seed)
    if name == "density":
        return " | ".join(" ".join(map(str, density(plan, group))) for group in (first, second))
    if name == "gap":
        return _gap(plan, density(plan, first), density(plan, second))
    if name == "test":
        return _test(plan, draw, first=first, second=second, rounds=rounds)
    if name == "interval":
        return _interval(plan, draw, first=first, second=second, rounds=rounds)
    return _posterior(plan, draw, first=first, second=second, rounds=rounds)


def _below(plan: Plan, seed: int) -> Callable[[int], int]:
    """Return a source of whole numbers below a bound."""
    x, (multiplier, increment) = seed, plan.lcg

    def draw(n: int) -> int:
        nonlocal x
        if multiplier:
            x = (multiplier * x + increment) & M32
        else:
            x ^= (x << 13) & M32
            x ^= x >> 17
            x ^= (x << 5) & M32
        return (x >> 16) * n >> 16 if plan.scaled else (x >> 16) % n

    return draw


def _weight(plan: Plan, away: int) -> int:
    """Return the weight of a reading in a cell at this distance."""
    if plan.kernel == "box":
        return 1
    if plan.kernel == "triangle":
        return plan.reach + 1 - abs(away)
    return int((plan.reach + 1) ** 2 - away**2)


def density(plan: Plan, values: Sequence[int]) -> list[int]:
    """Return the weight of every cell."""
    cells = [0] * plan.cells
    for value in values:
        for away in range(-plan.reach, plan.reach + 1):
            cell = value // plan.width + away
            if plan.edge == "clamp":
                cell = min(max(cell, 0), plan.cells - 1)
            elif plan.edge == "mirror":
                cell = -1 - cell if cell < 0 else cell
                cell = 2 * plan.cells - 1 - cell if cell >= plan.cells else cell
            if 0 <= cell < plan.cells:
                cells[cell] += _weight(plan, away)
    return cells


def _reduced(top: int, bottom: int) -> str:
    common = gcd(top, bottom)
    return f"{top // common}/{bottom // common}"


def _gap(plan: Plan, first: Sequence[int], second: Sequence[int]) -> str:
    """Return the distance of two densities as a reduced fraction."""
    m, n = sum(first), sum(second)
    left, right = [w * n for w in first], [w * m for w in second]
    apart = [abs(a - b) for a, b in zip(left, right, strict=True)]
    ahead = [abs(sum(left[: k + 1]) - sum(right[: k + 1])) for k in range(plan.cells)]
    if plan.distance == "variation":
        return _reduced(sum(apart), 2 * m * n)
    if plan.distance == "kolmogorov":
        return _reduced(max(ahead), m * n)
    if plan.distance == "wasserstein":
        return _reduced(plan.width * sum(ahead), m * n)
    if plan.distance == "cramer":
        return _reduced(sum(a * a for a in ahead), (m * n) ** 2)
    return _reduced(sum(apart), sum(map(max, left, right)))


def _statistic(plan: Plan, pooled: Sequence[int], m: int) -> int:
    """Return how far the values from place m on lie above those before it."""
    first, second = pooled[:m], pooled[m:]
    n = len(second)
    if plan.statistic == "mean":
        statistic = sum(second) * m - sum(first) * n
    elif plan.statistic == "median":
        statistic = sorted(second)[(n - 1) // 2] - sorted(first)[(m - 1) // 2]
    elif plan.statistic == "pairs":
        statistic = sum((b > a) - (b < a) for a in first for b in second)
    else:
        steps = [
            sum(a <= v for a in first) * n - sum(b <= v for b in second) * m
            for v in sorted(set(pooled))
        ]
        return max(steps) if plan.signed else max(map(abs, steps))
    return statistic if plan.signed else abs(statistic)


def _test(
    plan: Plan, draw: Callable[[int], int], *, first: list[int], second: list[int], rounds: int
) -> str:
    """Return the statistic and its share among shuffles."""
    pooled, m = first + second, len(first)
    size, seen, over, same = len(pooled), _statistic(plan, pooled, m), 0, 0
    mixed = list(pooled)
    for _ in range(rounds):
        if plan.fresh:
            mixed = list(pooled)
        if plan.upward:
            for i in range(size - 1):
                j = i + draw(size - i)
                mixed[i], mixed[j] = mixed[j], mixed[i]
        else:
            for i in range(size - 1, 0, -1):
                j = draw(i + 1)
                mixed[i], mixed[j] = mixed[j], mixed[i]
        statistic = _statistic(plan, mixed, m)
        over, same = over + (statistic > seen), same + (statistic == seen)
    if plan.share == "plain":
        return f"{seen} {_reduced(over + same, rounds)}"
    if plan.share == "plus":
        return f"{seen} {_reduced(over + same + 1, rounds + 1)}"
    return f"{seen} {_reduced(2 * over + same + 1, 2 * (rounds + 1))}"


def _estimate(plan: Plan, first: Sequence[int], second: Sequence[int]) -> int:
    """Return how much the second sample lies above the first."""
    first, second = sorted(first), sorted(second)
    m, n = len(first), len(second)
    if plan.estimate == "median":
        return second[(n - 1) // 2] - first[(m - 1) // 2]
    if plan.estimate == "quartile":
        return second[3 * n // 4] - first[3 * m // 4]
    if plan.estimate == "trimmed":
        first, second = first[m // 5 : m - m // 5], second[n // 5 : n - n // 5]
    return sum(second) * len(first) - sum(first) * len(second)


def _interval(
    plan: Plan, draw: Callable[[int], int], *, first: list[int], second: list[int], rounds: int
) -> str:
    """Return the lower bound, the observed value and the upper bound."""
    estimates = []
    for _ in range(rounds):
        groups = (second, first) if plan.swapped else (first, second)
        groups_ = [[group[draw(len(group))] for _ in group] for group in groups]
        estimates.append(_estimate(plan, *(groups_[::-1] if plan.swapped else groups_)))
    estimates.sort()
    seen, cut = _estimate(plan, first, second), rounds * plan.tail // 1000
    low, high = estimates[cut], estimates[rounds - 1 - cut]
    if plan.turned:
        low, high = 2 * seen - high, 2 * seen - low
    return f"{low} {seen} {high}"


def _loss(plan: Plan, off: int) -> int:
    """Return the energy of a reading that lies `off` above the parameter."""
    size = abs(off)
    if plan.loss == "square":
        return size * size
    if plan.loss == "capped":
        return min(size, plan.bend)
    if plan.loss == "huber":
        return size * size if size <= plan.bend else (2 * size - plan.bend) * plan.bend
    if plan.loss == "tilted":
        return off * plan.bend if off > 0 else size
    return size


def _prior(plan: Plan, theta: int, centre: int) -> int:
    """Return the energy that the prior adds."""
    away = abs(theta - centre)
    if plan.prior == "linear":
        return plan.pull * away
    if plan.prior == "square":
        return plan.pull * away * away
    if plan.prior == "band":
        return 0 if away <= plan.width else plan.pull * plan.scale
    return 0


def _proposed(plan: Plan, draw: Callable[[int], int], theta: int) -> int:
    """Return where a step would go, the parameter itself where it may not."""
    if plan.proposal == "jump" and draw(8) == 0:
        return draw(plan.top + 1)
    if plan.proposal == "walk":
        size = 1 + draw(plan.stride)
        proposal = theta + (size if draw(2) else -size)
    else:
        proposal = theta + draw(2 * plan.stride + 1) - plan.stride
    if plan.wall == "wrap":
        return proposal % (plan.top + 1)
    if plan.wall == "reflect":
        return 2 * plan.top - proposal if proposal > plan.top else abs(proposal)
    return proposal if 0 <= proposal <= plan.top else -1


def threshold(plan: Plan, rise: int) -> int:
    """Return below which 16-bit number a step that costs so much is taken."""
    step = rise // plan.scale
    if plan.ladder:
        return plan.ladder[step] if step < len(plan.ladder) else 0
    return 65_536 >> step


def _posterior(
    plan: Plan, draw: Callable[[int], int], *, first: list[int], second: list[int], rounds: int
) -> str:
    """Return accepted steps, the mean in hundredths and two quantiles of what is kept."""
    centre = sorted(first)[(len(first) - 1) // 2]
    energy = [
        sum(_loss(plan, value - theta) for value in second) + _prior(plan, theta, centre)
        for theta in range(plan.top + 1)
    ]
    theta = {"first": second[0], "middle": plan.top // 2, "centre": centre}[plan.start]
    accepted, kept = 0, []
    for step in range(1, rounds + 1):
        proposal = _proposed(plan, draw, theta)
        if proposal >= 0:
            rise = energy[proposal] - energy[theta]
            mark = draw(65_536) if rise > 0 or plan.always else 0
            if rise <= 0 or mark < threshold(plan, rise):
                accepted, theta = accepted + 1, proposal
        if step > plan.burn and (step - plan.burn) % plan.thin == 0:
            kept.append(theta)
    kept.sort()
    cut = len(kept) * plan.tail // 1000
    return f"{accepted} {100 * sum(kept) // len(kept)} {kept[cut]} {kept[-1 - cut]}"
