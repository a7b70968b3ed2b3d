"""Bands: the planned difficulty of a task, by its family and number.

The label `complexity` is not planned: expansion counts the commands of a solution.
"""

from __future__ import annotations

from tmax_gym.axes import Complexity

Band = tuple[Complexity, float, float]
"""(planned complexity, lowest level, highest level)"""
_SHORT: Band = ("short", 0.0, 0.18)
_MODERATE: Band = ("moderate", 0.25, 0.6)
_COMPLEX: Band = ("complex", 0.5, 0.85)
_INTRICATE: Band = ("intricate", 0.7, 1.0)
BANDS: tuple[Band, ...] = (
    *(_SHORT, _COMPLEX, _SHORT, _INTRICATE, _SHORT),
    *(_MODERATE, _SHORT, _COMPLEX, _SHORT, _INTRICATE),
)
"""The first `EARLY` tasks of a family take these in turn.  Half are short, because solutions take
more commands than planned."""
EARLY = 54
BRIEF = frozenset({
    "bad-gateway", "beat-note", "blink-codes", "bulk-rename", "business-questions", "carve",
    "cross-service-trail", "drop-folder", "edge-parser", "exact-monte-carlo", "form-batch",
    "hardlink-dedup", "intake-gate", "ledger-clean", "matryoshka", "quality-gate",
    "reel-cut", "resample", "rule-set", "safe-extract", "schema-etl", "space-crisis",
    "tone-telemetry", "traversal-guard",
})  # fmt: skip
"""Families that can make short tasks: their lowest level took at most five commands in the first
3,350 tasks.  A fixed list, so that a new family changes no plan."""
BRIEF_BANDS: tuple[Band, ...] = (
    *(_SHORT, _COMPLEX, _SHORT, _SHORT, _MODERATE),
    *(_SHORT, _SHORT, _INTRICATE, _SHORT, _SHORT),
)
LONG_BANDS: tuple[Band, ...] = (_COMPLEX, _SHORT, _INTRICATE, _COMPLEX, _MODERATE)
"""Later tasks take these in turn, so that each of the four complexities gets a quarter."""


def band_of(slug: str, number: int) -> Band:
    """Return the band of a task of a family."""
    late = BRIEF_BANDS if slug in BRIEF else LONG_BANDS
    cycle = BANDS if number < EARLY else late
    return cycle[number % len(cycle)]
