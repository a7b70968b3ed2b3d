"""The prescribed bootstrap of the seeded-bootstrap family: evaluator and six programs.

Everything is a whole number: statistics are thousandths, cut off.  Multipliers are small enough
that a product stays exact even where numbers are doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_text

CONSTANTS = ((1_664_525, 1_013_904_223), (69_069, 1), (214_013, 2_531_011))
"""Multiplier and increment of generators modulo 2^32."""
Sample = Sequence[tuple[str, int]]
"""(stratum, value) of every observation, in order."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The method that a task prescribes."""

    multiplier: int
    increment: int
    strata: int
    """1 if every stratum is drawn from by itself."""
    trim: int
    """Per cent of a resample that is dropped at each end."""
    tail: int
    """Per mille below the lower and above the upper bound."""


def bounds(plan: Plan, seed: int, *, replicates: int, sample: Sample) -> str:
    """Return `low middle high`."""
    groups: dict[str, list[int]] = {}
    for stratum, value in sample:
        groups.setdefault(stratum if plan.strata else "", []).append(value)
    state, size = seed % 2**32, len(sample)
    drop = size * plan.trim // 100
    ordered = [groups[name] for name in sorted(groups)]
    estimates = []
    for _ in range(replicates):
        picked = []
        for values in ordered:
            count = len(values)
            for _ in range(count):
                state = (plan.multiplier * state + plan.increment) & 0xFFFFFFFF
                picked.append(values[(state >> 16) % count])
        picked.sort()
        kept = picked[drop : size - drop]
        estimates.append(1000 * sum(kept) // len(kept))
    estimates.sort()
    places = (plan.tail, 500, 1000 - plan.tail)
    return " ".join(str(estimates[replicates * place // 1000]) for place in places)


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    body = _PROGRAMS[language]
    for name, value in asdict(plan).items():
        body = body.replace(f"@{name}", str(value))
    return body


_PROGRAMS = {
    "python": program_text(__package__, "main.py"),
    "c": program_text(__package__, "main.c"),
    "cpp": program_text(__package__, "main.cpp"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
    "bash": program_text(__package__, "main.sh"),
}
