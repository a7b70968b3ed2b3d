"""The posterior-desk family's rules in words, chosen by the plan.

Covers what fills the method sheet.  Does not cover the sheet itself: see `method`.
"""

from __future__ import annotations

from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan


def facts(plan: Plan, marks: str) -> dict[str, str]:
    """Return every phrase that a plan needs; `marks` is the file of thresholds, if any."""
    first, second = (f"`{name}`" for name in plan.groups)
    return {
        "first": first,
        "second": second,
        "top": str(plan.top),
        "step": _step(plan),
        "pick": "`(r * n) >> 16`" if plan.scaled else "`r % n`",
        "cells": str(plan.cells),
        "width": str(plan.width),
        "kernel": _kernel(plan),
        "edge": _edge(plan),
        "running": "P and Q are the running sums of p and q from cell 0 on. "
        * (plan.distance in ("kolmogorov", "wasserstein", "cramer")),
        "distance": _distance(plan),
        "statistic": _statistic(plan, first, second),
        "shuffle": _shuffle(plan),
        "again": "the row, starting from its original order"
        if plan.fresh
        else "the row as the previous round left it",
        "share": _SHARE[plan.share],
        "estimate": _estimate(plan, first, second),
        "draws": _draws(plan, first, second),
        "cut": f"`rounds * {plan.tail} // 1000`",
        "bounds": "`2 * observed - high`, the observed value and `2 * observed - low`"
        if plan.turned
        else "`low`, the observed value and `high`",
        "loss": _loss(plan),
        "centre": f"Let c be the lower median of {first}. "
        * (plan.prior != "flat" or plan.start == "centre"),
        "prior": _prior(plan),
        "begin": {
            "first": f"the first reading of {second}",
            "middle": str(plan.top // 2),
            "centre": "c",
        }[plan.start],
        "proposal": _proposal(plan),
        "wall": _wall(plan),
        "mark": f"`65536 >> (d // {plan.scale})`"
        if not plan.ladder
        else f"the threshold for step `d // {plan.scale}`. The thresholds are in `{marks}`; "
        "steps that are not in this file have the threshold 0",
        "when": _when(plan),
        "kept": f"{plan.burn + plan.thin}, {plan.burn + 2 * plan.thin}, "
        f"{plan.burn + 3 * plan.thin} and so on",
        "tail": f"`kept * {plan.tail} // 1000`",
    }


def _step(plan: Plan) -> str:
    if plan.lcg[0]:
        return f"`x = ({plan.lcg[0]} * x + {plan.lcg[1]}) mod 2^32`"
    return (
        "`x ^= x << 13`, `x ^= x >> 17` and `x ^= x << 5`, one after the other and in unsigned "
        "32-bit arithmetic"
    )


def _kernel(plan: Plan) -> str:
    reach = plan.reach
    if plan.kernel == "box":
        near = f"to each of the {reach} nearest cells" if reach > 1 else "to the next cell"
        return f"Each reading adds 1 to its own cell and {near} on either side."
    form = f"{reach + 1} - j" if plan.kernel == "triangle" else f"{(reach + 1) ** 2} - j * j"
    return (
        f"For j from 0 to {reach}, each reading adds `{form}` to every cell that is j cells away "
        "from its own cell, on either side."
    )


def _edge(plan: Plan) -> str:
    last = plan.cells - 1
    return {
        "drop": "The weight of a cell that does not exist is lost.",
        "clamp": "The weight of a cell that does not exist goes to the last existing cell on that "
        "side instead.",
        "mirror": "The weight of a cell that does not exist is folded back into the range: cell -1 "
        f"means cell 0, cell -2 means cell 1, cell {plan.cells} means cell {last}, and so on.",
    }[plan.edge]


def _distance(plan: Plan) -> str:
    return {
        "variation": "half the sum of `|p - q|` over all cells",
        "kolmogorov": "the largest `|P - Q|` over all cells",
        "wasserstein": f"{plan.width} times the sum of `|P - Q|` over all cells",
        "cramer": "the sum of `(P - Q)^2` over all cells",
        "ruzicka": "`1 - a / b`, where a is the sum of `min(p, q)` over all cells, and b is the "
        "sum of `max(p, q)` over all cells",
    }[plan.distance]


def _statistic(plan: Plan, first: str, second: str) -> str:
    if plan.statistic == "ecdf":
        size = "`n * F - m * G`" if plan.signed else "`|n * F - m * G|`"
        return (
            f"the largest {size} over all readings v of both groups, where F is the number of "
            f"readings of {first} that are at most v, and G is the number of readings of {second} "
            "that are at most v"
        )
    second_, first_ = {
        "mean": (f"m times the sum of {second}", f"n times the sum of {first}"),
        "median": (f"the lower median of {second}", f"the lower median of {first}"),
        "pairs": (
            f"the number of pairs (one reading from each group) in which the reading of {second} "
            "is larger",
            f"the number of pairs in which the reading of {first} is larger",
        ),
    }[plan.statistic]
    if plan.signed:
        return f"{second_} minus {first_}"
    return f"the absolute difference between {second_} and {first_}"


def _shuffle(plan: Plan) -> str:
    if plan.upward:
        return (
            "for i from 0 up to m + n - 2, it swaps the readings at the positions i and "
            "`i + below(m + n - i)`"
        )
    return (
        "for i from m + n - 1 down to 1, it swaps the readings at the positions i and "
        "`below(i + 1)`"
    )


_SHARE = {
    "plus": "`(u + e + 1) / (rounds + 1)`",
    "plain": "`(u + e) / rounds`",
    "mid": "`(2 * u + e + 1) / (2 * rounds + 2)`",
}


def _estimate(plan: Plan, first: str, second: str) -> str:
    return {
        "mean": f"m times the sum of {second} minus n times the sum of {first}",
        "median": f"the lower median of {second} minus the lower median of {first}",
        "quartile": f"the reading at position `3 * n // 4` of {second} minus the reading at "
        f"position `3 * m // 4` of {first}, with both sorted",
        "trimmed": f"a times the sum of {second} minus b times the sum of {first}. Before that, "
        f"the `m // 5` smallest and the `m // 5` largest readings of {first} are left out, and so "
        f"are the `n // 5` smallest and the `n // 5` largest readings of {second}; a is then the "
        f"number of readings left of {first}, and b is that of {second}",
    }[plan.estimate]


def _draws(plan: Plan, first: str, second: str) -> str:
    one, other = f"m draws of `below(m)` for {first}", f"n draws of `below(n)` for {second}"
    return f"{other}, then {one}" if plan.swapped else f"{one}, then {other}"


def _loss(plan: Plan) -> str:
    bend = plan.bend
    return {
        "absolute": "`|y - t|`",
        "square": "`(y - t)^2`",
        "capped": f"`min(|y - t|, {bend})`",
        "huber": f"`z^2` if z is at most {bend}, and `{bend} * (2 * z - {bend})` otherwise, where "
        "z is `|y - t|`",
        "tilted": f"`{bend} * (y - t)` if y is above t, and `t - y` otherwise",
    }[plan.loss]


def _prior(plan: Plan) -> str:
    times = f"{plan.pull} * " if plan.pull > 1 else ""
    return {
        "flat": "",
        "linear": f", plus `{times}|t - c|`",
        "square": f", plus `{times}(t - c)^2`",
        "band": f", plus {plan.pull * plan.scale} if `|t - c|` is more than {plan.width}",
    }[plan.prior]


def _proposal(plan: Plan) -> str:
    span = f"`t + below({2 * plan.stride + 1}) - {plan.stride}`"
    return {
        "span": f"Each round proposes {span}.",
        "walk": f"Each round first draws the size of a step, `1 + below({plan.stride})`, and then "
        "`below(2)`. If the second number is 0, the proposal is t minus the step, otherwise it is "
        "t plus the step.",
        "jump": f"Each round first draws `below(8)`. If this is 0, the proposal is "
        f"`below({plan.top + 1})`, otherwise it is {span}.",
    }[plan.proposal]


def _wall(plan: Plan) -> str:
    return {
        "reflect": "A proposal outside the range is reflected at the end of the range: -1 becomes "
        f"1, -2 becomes 2, {plan.top + 1} becomes {plan.top - 1}, and so on.",
        "wrap": "A proposal outside the range comes in again at the other end: -1 becomes "
        f"{plan.top}, {plan.top + 1} becomes 0, and so on.",
        "stay": "A proposal outside the range is rejected at once, without another draw in this "
        "round.",
    }[plan.wall]


def _when(plan: Plan) -> str:
    if not plan.always:
        return "This draw is made only if d is more than 0."
    inside = " inside the range" if plan.wall == "stay" else ""
    return f"This draw is made for every proposal{inside}, even if d is 0 or less."
