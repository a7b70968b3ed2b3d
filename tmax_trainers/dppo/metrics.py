"""Reduce what a step has measured in its parts to one number for a log line.

Covers rates, sums, maxima and means; the name of a metric says which it is.
"""

from __future__ import annotations

import math

Metric = float | tuple[float, float]
"""A number, or a pair of sums whose quotient is a rate."""


def reduce_metric(key: str, values: list[Metric]) -> float:
    """Reduce the values of a metric to one number for a log line.

    Pairs are a rate, Σ first / Σ second.  Keys with the word `total` are summed, those with `max`
    take the maximum, all others the mean.  TRL's workers use the same convention.
    """
    pairs = [v for v in values if isinstance(v, tuple)]
    if pairs:
        denominator = sum(p[1] for p in pairs)
        return sum(p[0] for p in pairs) / denominator if denominator else math.nan
    numbers = [v for v in values if not isinstance(v, tuple) and not math.isnan(v)]
    words = key.split("/")[-1].split("_")
    if not numbers:
        return math.nan
    if "total" in words:
        return sum(numbers)
    return max(numbers) if "max" in words else sum(numbers) / len(numbers)
