"""Plans of the nearest shelf: prescribed methods, drawn by level, and their likely misreadings.

Covers choices and their numbers.  Does not cover what they mean: see `evaluator`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tmax_gym.rng import Rng

ASKS = ("vectors", "covariance", "axes", "nearest")
HASHES = {
    "fnv": (2_166_136_261, 16_777_619),
    "djb": (5_381, 33),
    "poly": (7, 131),
}
"""Start and factor of each hash, modulo 2^32; the first one mixes before it multiplies (FNV-1a)."""
Measure = Literal["cosine", "euclid", "manhattan", "dot", "signs"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The method that a task prescribes."""

    hash: Literal["fnv", "djb", "poly"]
    features: Literal["words", "pairs", "trigrams"]
    digits: bool
    """Whether digits are parts of words."""
    shortest: int
    """Words of fewer characters are left out."""
    axes: int
    high: bool
    """Whether the axis comes from the upper 16 bits of the hash."""
    signed: int
    """Bit of the hash that makes a feature count down; -1 where all count up."""
    weight: Literal["count", "once", "rarity"]
    removed: bool
    """Whether the common direction is taken out."""
    rounds: int
    """Steps of the power iteration that finds it."""
    reduce: Literal["variance", "decorrelate"]
    kept: int
    """Axes that are kept by variance."""
    limit: tuple[int, int]
    """Squared correlation, as a fraction, above which an axis is dropped."""
    measure: Measure
    late: bool
    """Whether the later one of equally near items comes first."""
    liked: bool
    """Whether a request names items that somebody liked, not words."""


def drawn(rng: Rng, level: float) -> Plan:
    """Return a plan; the higher the level, the more steps it has."""
    some, most = level >= 0.3, level >= 0.6
    axes = rng.integer(5, 6) + some + 2 * most
    measures: tuple[Measure, ...] = ("cosine", "euclid", "manhattan", "dot", "signs")
    return Plan(
        hash=rng.choice(("fnv", "djb", "poly")),
        features=rng.choice(("pairs", "trigrams") if some else ("words", "trigrams")),
        digits=rng.chance(0.5),
        shortest=rng.integer(2, 4),
        axes=axes,
        high=rng.chance(0.5),
        signed=rng.integer(5, 15) if some or rng.chance(0.5) else -1,
        weight=rng.choice(("rarity", "once", "count") if some else ("count", "once")),
        removed=most or (some and rng.chance(0.5)),
        rounds=rng.integer(3, 6),
        reduce=rng.choice(("variance", "decorrelate")),
        kept=axes - rng.integer(2, 3),
        limit=rng.choice(((1, 9), (1, 16), (1, 5), (1, 4))),
        measure=rng.choice(measures if some else measures[1:]),
        late=rng.chance(0.5),
        liked=rng.chance(0.5),
    )


def mistakes(plan: Plan) -> Iterator[tuple[str, str, Plan]]:
    """Yield what a hasty reader would build, and the question in which it shows."""
    yield "every word", "vectors", replace(plan, shortest=1)
    signed = -1 if plan.signed >= 0 else 7
    yield "signs", "vectors", replace(plan, signed=signed)
    yield "weights", "vectors", replace(plan, weight="count" if plan.weight == "once" else "once")
    if plan.removed:
        yield "direction left in", "nearest", replace(plan, removed=False)
    yield "all axes", "nearest", replace(plan, reduce="variance", kept=plan.axes)
    usual: Measure = "cosine" if plan.measure != "cosine" else "dot"
    yield "measure", "nearest", replace(plan, measure=usual)
    yield "ties", "nearest", replace(plan, late=not plan.late)
