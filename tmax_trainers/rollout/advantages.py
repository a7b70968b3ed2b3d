"""Advantages of the episodes of a group: centred (TMax), standardised (GRPO), MaxRL or RLOO."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Literal

AdvantageKind = Literal["centred", "std", "maxrl", "rloo", "none"]


def group_advantages(rewards: Sequence[float], kind: AdvantageKind = "centred") -> list[float]:
    """Return one advantage per reward.

    >>> group_advantages([1.0, 0.0, 0.0, 0.0])
    [0.75, -0.25, -0.25, -0.25]

    Args:
        rewards: Rewards of graded episodes of one task under one policy.
        kind: `centred` subtracts the mean; `std` also divides by the population standard
            deviation, and is 0 if all rewards are equal; `maxrl` divides by the mean instead, and
            is 0 if it is 0 (arXiv 2602.02710); `rloo` subtracts the mean of the other rewards
            (arXiv 2402.14740); `none` returns the rewards.
    """
    if kind == "none":
        return list(rewards)
    if not rewards:
        return []
    mean = fmean(rewards)
    centred = [r - mean for r in rewards]
    if kind == "centred":
        return centred
    if kind == "rloo":
        return [c * len(rewards) / (len(rewards) - 1) for c in centred] if rewards[1:] else [0.0]
    if kind == "maxrl":
        return [c / mean for c in centred] if mean > 0 else [0.0] * len(centred)
    spread = pstdev(rewards)
    return [c / spread for c in centred] if spread > 0 else [0.0] * len(centred)
