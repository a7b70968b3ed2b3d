"""The analysis desk as a program: one source of whole numbers, printed in five languages.

Covers every plan.  Does not cover expected answers: those are the evaluator's, in `evaluator`.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan
from tmax_gym.families.shared.programs import program_sections, program_text
from tmax_gym.world.programs import portable


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    return portable.render(_source(plan), language)


def _source(plan: Plan) -> str:
    numbers = {
        "CELLS": plan.cells,
        "WIDTH": plan.width,
        "REACH": plan.reach,
        "TOP": plan.top,
        "TAIL": plan.tail,
        "BEND": plan.bend,
        "PULL": plan.pull,
        "SCALE": plan.scale,
        "STRIDE": plan.stride,
        "BURN": plan.burn,
        "THIN": plan.thin,
        "SECOND": ord(plan.groups[1][0]),
    }
    return portable.filled(_SOURCE, _pieces(plan), numbers)


def _pieces(plan: Plan) -> dict[str, str]:
    """Return the replacement of each mark."""
    multiplier, increment = plan.lcg
    step = f"s[0] = ({multiplier} * s[0] + {increment}) % 4294967296"
    statistic = "found" if plan.signed else "abs(found)"
    return {
        "step": step if multiplier else _PIECES["xorshift"],
        "below": "(s[0] >> 16) * n >> 16" if plan.scaled else "(s[0] >> 16) % n",
        "edge": _EDGE[plan.edge],
        "kernel": _KERNEL[plan.kernel],
        "distance": _DISTANCE[plan.distance],
        "bottom": _BOTTOM[plan.distance],
        "statistic": _PIECES[f"statistic_{plan.statistic}"].replace("@found", statistic),
        "again": "for i in range(0, m + n):\n    w[i] = v[i]" if plan.fresh else "",
        "shuffle": _PIECES["upward" if plan.upward else "downward"],
        "share": _SHARE[plan.share],
        "estimate": _ESTIMATE[plan.estimate],
        "resample": "resample(s, b, n, y)\nresample(s, a, m, x)"
        if plan.swapped
        else "resample(s, a, m, x)\nresample(s, b, n, y)",
        "turn": "k = low\nlow = 2 * seen - high\nhigh = 2 * seen - k" if plan.turned else "",
        "loss": _LOSS[plan.loss],
        "prior": _PRIOR[plan.prior],
        "proposal": _PROPOSAL[plan.proposal].replace("@wall", _WALL[plan.wall]),
        "ladder": _ladder(plan),
        "taken": _PIECES["always" if plan.always else "needed"],
        "start": {"first": "b[0]", "middle": "TOP // 2", "centre": "centre"}[plan.start],
    }


def _ladder(plan: Plan) -> str:
    if not plan.ladder:
        return "return 65536 >> min(rise // SCALE, 20)"
    marks = ", ".join(map(str, plan.ladder))
    return (
        f"marks = [{marks}]\nif rise // SCALE < {len(plan.ladder)}:\n"
        "    return marks[rise // SCALE]\nreturn 0"
    )


_SOURCE = program_text(__package__, "main.py")
_PIECES = program_sections(__package__, "pieces.py")
_EDGE = {
    "drop": "",
    "clamp": "cell = min(max(cell, 0), CELLS - 1)",
    "mirror": "if cell < 0:\n    cell = -1 - cell\n"
    "if cell >= CELLS:\n    cell = 2 * CELLS - 1 - cell",
}
_KERNEL = {
    "box": "1",
    "triangle": "REACH + 1 - abs(k)",
    "parabola": "(REACH + 1) * (REACH + 1) - k * k",
}
_DISTANCE = {
    "variation": "top += abs(x - y)",
    "kolmogorov": "top = max(top, abs(ahead))",
    "wasserstein": "top += WIDTH * abs(ahead)",
    "cramer": "top += ahead * ahead",
    "ruzicka": "top += abs(x - y)\nbottom += max(x, y)",
}
_BOTTOM = {
    "variation": "bottom = 2 * left * right",
    "kolmogorov": "bottom = left * right",
    "wasserstein": "bottom = left * right",
    "cramer": "bottom = left * right * left * right",
    "ruzicka": "",
}
_SHARE = {
    "plus": "fraction(over + same + 1, rounds + 1)",
    "plain": "fraction(over + same, rounds)",
    "mid": "fraction(2 * over + same + 1, 2 * (rounds + 1))",
}
_ESTIMATE = {
    "median": "return b[(n - 1) // 2] - a[(m - 1) // 2]",
    "quartile": "return b[3 * n // 4] - a[3 * m // 4]",
    "mean": _PIECES["sums"].replace("@m", "0").replace("@n", "0"),
    "trimmed": _PIECES["sums"].replace("@m", "m // 5").replace("@n", "n // 5"),
}
_LOSS = {
    "absolute": "total += size",
    "square": "total += size * size",
    "capped": "total += min(size, BEND)",
    "huber": "if size <= BEND:\n    total += size * size\nelse:\n"
    "    total += BEND * (2 * size - BEND)",
    "tilted": "if off > 0:\n    total += BEND * size\nelse:\n    total += size",
}
_PRIOR = {
    "flat": "0 * away",
    "linear": "PULL * away",
    "square": "PULL * away * away",
    "band": "PULL * SCALE * min(max(away - WIDTH, 0), 1)",
}
_PROPOSAL = {
    "span": "made = theta + below(s, 2 * STRIDE + 1) - STRIDE\n@wall",
    "walk": _PIECES["walk"],
    "jump": "if below(s, 8) == 0:\n    return below(s, TOP + 1)\n"
    "made = theta + below(s, 2 * STRIDE + 1) - STRIDE\n@wall",
}
_WALL = {
    "reflect": "made = abs(made)\nif made > TOP:\n    made = 2 * TOP - made\nreturn made",
    "wrap": "return (made + TOP + 1) % (TOP + 1)",
    "stay": "if made > TOP:\n    made = -1\nreturn max(made, -1)",
}
