"""Bands: how hard a task is aimed at, by its family and number.

Covers the cycles in which bands take turns.  Does not cover what a task comes to: its label
`complexity` is counted in the commands of its solution, when it is expanded.
"""

from __future__ import annotations

from tmax_gym.axes import Complexity

Band = tuple[Complexity, float, float, int]
"""(aimed-at complexity, lowest level, highest level, stages)"""
_SHORT: Band = ("short", 0.0, 0.18, 1)
_MODERATE: Band = ("moderate", 0.25, 0.6, 1)
_COMPLEX: Band = ("complex", 0.5, 0.85, 2)
_INTRICATE: Band = ("intricate", 0.7, 1.0, 3)
BANDS: tuple[Band, ...] = (
    *(_SHORT, _COMPLEX, _SHORT, _INTRICATE, _SHORT),
    *(_MODERATE, _SHORT, _COMPLEX, _SHORT, _INTRICATE),
)
"""Taken in turn by the first `EARLY` tasks of a family.  Half aim low: what solutions come to is
more than what is aimed at."""
EARLY = 54
BRIEF = frozenset({
    "bad-gateway", "beat-note", "blink-codes", "bulk-rename", "business-questions", "carve",
    "cross-service-trail", "drop-folder", "edge-parser", "exact-monte-carlo", "form-batch",
    "hardlink-dedup", "intake-gate", "ledger-clean", "matryoshka", "quality-gate",
    "reel-cut", "resample", "rule-set", "safe-extract", "schema-etl", "space-crisis",
    "tone-telemetry", "traversal-guard",
})  # fmt: skip
"""Families whose lowest level takes at most five commands, by what the first 3,350 tasks came to:
only they can make short tasks.  A list, as `SOURCES` is one."""
BRIEF_BANDS: tuple[Band, ...] = (
    *(_SHORT, _COMPLEX, _SHORT, _SHORT, _MODERATE),
    *(_SHORT, _SHORT, _INTRICATE, _SHORT, _SHORT),
)
LONG_BANDS: tuple[Band, ...] = (_COMPLEX, _SHORT, _INTRICATE, _COMPLEX, _MODERATE)
"""Taken in turn by later tasks, so that the four complexities end up with a quarter each."""


def band_of(slug: str, number: int) -> Band:
    """Return the band of a task of a family."""
    late = BRIEF_BANDS if slug in BRIEF else LONG_BANDS
    cycle = BANDS if number < EARLY else late
    return cycle[number % len(cycle)]
