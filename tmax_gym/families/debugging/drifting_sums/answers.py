"""Tools of the drifting-sums family: answers of a routine with a slip, and inputs that show it.

Covers the source of routines, their answers as IEEE doubles, and the draw of requests.  Does not
cover languages (`rendering.py`) nor true values (`exact.py`).
"""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.axes import Language
from tmax_gym.families.debugging.drifting_sums import rendering
from tmax_gym.families.debugging.drifting_sums.exact import exact
from tmax_gym.families.debugging.drifting_sums.faults import KINDS, SLIPS, Slip, request
from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

TOLERANCE = 1e-9
"""Largest relative error that counts as right."""
CLEAR = 10.0
"""Factor by which a right answer is better, and a wrong one worse, than the tolerance.  So neither
the compiler nor another sound way of computing decides a case."""
TRIES = 24
"""Draws for a request that a slip spoils; the rarest slip shows in one of three."""
SPARES = 8
"""Draws for a request that the slip does not affect: most slips affect few other inputs, or all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, its right answer, and whether the tool as given gets it wrong."""

    line: str
    value: float
    spoilt: bool

    @property
    def figure(self) -> str:
        """Return the routine that answers it."""
        return self.line.partition(" ")[0]

    def met(self, answer: str) -> bool:
        """Return whether a printed number is close enough."""
        try:
            return abs(float(answer) - self.value) <= TOLERANCE * abs(self.value)
        except ValueError:
            return False


@cache
def _routines() -> dict[str, str]:
    text = program_text(__package__, "routines.py")
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {node.name: ast.get_source_segment(text, node) or "" for node in functions}


@cache
def source(figure: str, slip: Slip | None = None) -> str:
    """Return a routine in Python, with a slip in it or without."""
    right = _routines()[figure]
    if slip is None or slip.figure != figure:
        return right
    if right.count(slip.right) != 1:
        raise ValueError(f"{slip.right!r} stands {right.count(slip.right)} times in {figure}")
    return right.replace(slip.right, slip.wrong)


def program(
    language: Language, figures: Sequence[str], slips: Sequence[Slip], *, about: str
) -> str:
    """Return a tool with these slips in it."""
    by_figure = {slip.figure: slip for slip in slips}
    routines = {name: source(name, by_figure.get(name)) for name in figures}
    return rendering.tool(language, routines, about)


def _single(value: float) -> float:
    narrow: float = struct.unpack("f", struct.pack("f", value))[0]
    return narrow


def _short(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


@cache
def _compiled(figure: str, slip: Slip | None) -> Callable[[Sequence[float]], float]:
    namespace: dict[str, Any] = {"math": math, "NONE": math.nan, "single": _single, "short": _short}
    body = source(figure, slip).replace("Sequence[float]", "list")
    exec(compile(body, f"{figure}.py", "exec"), namespace)  # our own module
    routine: Callable[[Sequence[float]], float] = namespace[figure]
    return routine


def answer(line: str, slip: Slip | None = None) -> float:
    """Return the answer of a routine to a request; NaN if it has none."""
    figure, *words = line.split()
    try:
        return _compiled(figure, slip)([float(word) for word in words])
    except (ArithmeticError, ValueError):
        return math.nan


def _off(value: float, wanted: float) -> float:
    """Return a relative error, or infinity if there is no value."""
    return abs(value - wanted) / abs(wanted) if math.isfinite(value) else math.inf


def judged(line: str, slip: Slip | None, *, spoilt: bool) -> Asked | None:
    """Return a request with its value, or None where a slip does not clearly spoil or spare it."""
    right = answer(line)
    off = _off(answer(line, slip), right) if right else math.nan
    if not (off >= TOLERANCE * CLEAR if spoilt else off <= TOLERANCE / CLEAR):
        return None  # before the true value is asked for: that is a hundred times as much work
    wanted = float(exact(line))
    sound = _off(right, wanted) * CLEAR <= TOLERANCE
    return Asked(line, wanted, spoilt) if sound else None


def asked(rng: Rng, figure: str, slip: Slip | None, *, spoilt: bool) -> Asked | None:
    """Return a request that a slip spoils, or one that it spares; None where there is none."""
    for attempt in range(TRIES if spoilt else SPARES):
        stream = rng.fork(attempt)
        hard = slip.hard == spoilt if slip else stream.chance(0.5)
        if request_ := judged(request(figure, stream, hard=hard), slip, spoilt=spoilt):
            return request_
    return None


def picked(rng: Rng, language: Language, count: int) -> tuple[Slip, ...]:
    """Return `count` slips, each in another routine, of the kinds in turn."""
    pool = [s for s in SLIPS if not s.compiled or language != "python"]
    slips: list[Slip] = []
    for number in range(count):
        taken = {slip.figure for slip in slips}
        left = [s for s in pool if s.kind == KINDS[number % 4] and s.figure not in taken]
        figure = rng.choice(sorted({slip.figure for slip in left}))
        slips.append(rng.choice([slip for slip in left if slip.figure == figure]))
    return tuple(slips)
