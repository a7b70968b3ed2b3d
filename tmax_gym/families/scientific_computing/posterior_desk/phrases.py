"""The posterior-desk family's rules in a few words each, chosen by the plan.

Covers phrases that are put into sentences.  Does not cover the sentences: see `method`.
"""

from __future__ import annotations

from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan


def facts(plan: Plan, marks: str) -> dict[str, str]:
    """Return every phrase that a plan needs; `marks` is the file of the ladder, if any."""
    first, second = (f"`{name}`" for name in plan.groups)
    return {
        "first": first,
        "second": second,
        "top": str(plan.top),
        "step": _step(plan),
        "pick": "`(r * n) >> 16`" if plan.scaled else "`r % n`",
        "cells": str(plan.cells),
        "width": str(plan.width),
        "last": str(plan.cells - 1),
        "kernel": _kernel(plan),
        "edge": _edge(plan),
        "distance": _distance(plan),
        "statistic": _statistic(plan, first, second),
        "shuffle": _shuffle(plan),
        "again": "the pooled order" if plan.fresh else "what the round before left",
        "share": _SHARE[plan.share],
        "estimate": _estimate(plan),
        "draws": _draws(plan, first, second),
        "cut": f"`rounds * {plan.tail} // 1000`",
        "bounds": "`2 * observed - high` and `2 * observed - low`"
        if plan.turned
        else "`low` and `high`",
        "loss": _loss(plan),
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
        else f"the threshold of step `d // {plan.scale}` in {marks} (0 past its last line)",
        "when": "for each proposal within the range, needed or not"
        if plan.always
        else "only where `d > 0`",
        "kept": f"{plan.burn + plan.thin}, {plan.burn + 2 * plan.thin}, "
        f"{plan.burn + 3 * plan.thin} and so on",
        "tail": f"`kept * {plan.tail} // 1000`",
    }


def _step(plan: Plan) -> str:
    if plan.lcg[0]:
        return f"`x = ({plan.lcg[0]} * x + {plan.lcg[1]}) mod 2^32`"
    return "`x ^= x << 13`, `x ^= x >> 17`, `x ^= x << 5` on 32 bits without sign"


def _kernel(plan: Plan) -> str:
    reach = plan.reach
    if plan.kernel == "box":
        near = f"each of the {reach} nearest" if reach > 1 else "the next one"
        return f"1 to its own cell and to {near} on either side"
    form = f"{reach + 1} - j" if plan.kernel == "triangle" else f"{(reach + 1) ** 2} - j * j"
    return f"`{form}` to cells that lie j = 0 to {reach} away from its own, on either side"


def _edge(plan: Plan) -> str:
    return {
        "drop": "weight for cells that do not exist is lost",
        "clamp": "weight for cells that do not exist goes to the end cell of that side",
        "mirror": "weight for cells that do not exist is folded back: "
        f"-1 is cell 0, -2 is 1, {plan.cells} is {plan.cells - 1}",
    }[plan.edge]


def _distance(plan: Plan) -> str:
    return {
        "variation": "half the sum of `|p - q|` over the cells",
        "kolmogorov": "the largest `|P - Q|` over the cells",
        "wasserstein": f"{plan.width} times the sum of `|P - Q|` over the cells",
        "cramer": "the sum of `(P - Q)^2` over the cells",
        "ruzicka": "1 minus the sum of `min(p, q)` divided by the sum of `max(p, q)`",
    }[plan.distance]


def _statistic(plan: Plan, first: str, second: str) -> str:
    if plan.statistic == "ecdf":
        size = "`n * F - m * G`" if plan.signed else "`|n * F - m * G|`"
        return (
            f"the largest {size} over all readings v of both groups, F and G being how many of "
            f"{first} and of {second} are at most v"
        )
    parts = {
        "mean": (f"m times the sum of {second}", f"n times the sum of {first}"),
        "median": (f"the lower median of {second}", f"that of {first}"),
        "pairs": (
            f"the number of pairs (one reading of each group) in which {second} is larger",
            f"the number in which {first} is",
        ),
    }[plan.statistic]
    return " minus ".join(parts) if plan.signed else "how far apart " + " and ".join(parts) + " are"


def _shuffle(plan: Plan) -> str:
    if plan.upward:
        return (
            "for i = 0 up to m + n - 2 the contents of places i and `i + below(m + n - i)` change "
            "places"
        )
    return "for i = m + n - 1 down to 1 the contents of places i and `below(i + 1)` change places"


_SHARE = {
    "plus": "`(u + e + 1) / (rounds + 1)`",
    "plain": "`(u + e) / rounds`",
    "mid": "`(2 * u + e + 1) / (2 * rounds + 2)`",
}


def _estimate(plan: Plan) -> str:
    second, first = (f"`{name}`" for name in reversed(plan.groups))
    return {
        "mean": f"m times the sum of {second} minus n times the sum of {first}",
        "median": f"the lower median of {second} minus that of {first}",
        "quartile": f"the reading at place `3 * n // 4` of {second} sorted (places count from 0), "
        f"minus the one at `3 * m // 4` of {first} sorted",
        "trimmed": f"a times the sum of {second} minus b times the sum of {first} when the "
        f"`m // 5` smallest and `m // 5` largest readings of {first} and the `n // 5` at either "
        f"end of {second} are left out, a and b being how many {first} and {second} keep",
    }[plan.estimate]


def _draws(plan: Plan, first: str, second: str) -> str:
    one, other = f"m draws `below(m)` for {first}", f"n draws `below(n)` for {second}"
    return f"{other}, then {one}" if plan.swapped else f"{one}, then {other}"


def _loss(plan: Plan) -> str:
    bend = plan.bend
    return {
        "absolute": "`|y - t|`",
        "square": "`(y - t)^2`",
        "capped": f"`min(|y - t|, {bend})`",
        "huber": f"`z^2` while z = `|y - t|` is at most {bend}, else `{bend} * (2 * z - {bend})`",
        "tilted": f"`{bend} * (y - t)` where y is above t, else `t - y`",
    }[plan.loss]


def _prior(plan: Plan) -> str:
    return {
        "flat": "nothing, the prior being flat",
        "linear": f"`{plan.pull} * |t - c|`",
        "square": f"`{plan.pull} * (t - c)^2`",
        "band": f"{plan.pull * plan.scale} where `|t - c|` is more than {plan.width}",
    }[plan.prior]


def _proposal(plan: Plan) -> str:
    span = f"`t + below({2 * plan.stride + 1}) - {plan.stride}`"
    return {
        "span": span,
        "walk": f"t moved by `1 + below({plan.stride})`, drawn first, downwards if a `below(2)` "
        "drawn next is 0, else upwards",
        "jump": f"`below({plan.top + 1})` if a `below(8)` drawn first is 0, else {span}",
    }[plan.proposal]


def _wall(plan: Plan) -> str:
    return {
        "reflect": f"is reflected: -1 is 1, -2 is 2, {plan.top + 1} is {plan.top - 1}",
        "wrap": f"comes in at the other end: -1 is {plan.top}, {plan.top + 1} is 0",
        "stay": "is refused at once, with no further draw in that step",
    }[plan.wall]
