"""Advantages of a group of episodes over their own mean.

Covers centred (TMax), standardised (GRPO) and raw rewards.  Does not cover missing rewards:
only graded episodes belong to a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Literal

AdvantageKind = Literal["centred", "std", "none"]


def group_advantages(rewards: Sequence[float], kind: AdvantageKind = "centred") -> list[float]:
    """Return one advantage per reward.

    >>> group_advantages([1.0, 0.0, 0.0, 0.0])
    [0.75, -0.25, -0.25, -0.25]

    Args:
        rewards: Of the graded episodes of one task under one policy.
        kind: `centred` subtracts the mean; `std` also divides by the population's standard
            deviation (0 where all are equal); `none` returns the rewards.
    """
    if kind == "none":
        return list(rewards)
    if not rewards:
        return []
    mean = fmean(rewards)
    centred = [r - mean for r in rewards]
    if kind == "centred":
        return centred
    spread = pstdev(rewards)
    return [c / spread for c in centred] if spread > 0 else [0.0] * len(centred)
