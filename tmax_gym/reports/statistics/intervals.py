"""Compute confidence intervals of means and shares.

Covers the percentile bootstrap over independent values (tasks, not trials) and Wilson's interval.
Does not cover corrections for few values: below about 20 tasks a bootstrap interval is too
narrow (`tests/reports/test_statistics_coverage.py` measures by how much).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

RESAMPLES = 10_000
"""Bootstrap samples: with other random numbers the ends move by about 1 % of the width."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float
    count: int
    """Number of values."""

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """Return the mean and its percentile-bootstrap 95 % interval, fixed by the seed.

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("no values: nothing was graded")
    data = np.asarray(values, dtype=np.float64)
    rng = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(RESAMPLES)
    # In slices, so that many values need only a few megabytes.
    step = max(1, (1 << 20) // len(data))
    for start in range(0, RESAMPLES, step):
        stop = min(start + step, RESAMPLES)
        draws = rng.integers(len(data), size=(stop - start, len(data)))
        means[start:stop] = data[draws].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(data.mean()), float(low), float(high), len(data))


def normal_quantile(share: float) -> float:
    """Return the quantile of the standard normal distribution.

    >>> round(normal_quantile(0.975), 3)
    1.96
    """
    return NormalDist().inv_cdf(share)


def wilson(share: float, count: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share in `count` independent trials.

    Unlike share ± 1.96 SE it stays in [0, 1] and is not empty at 0 of n.  `count` need not be an
    integer: an effective number of trials will do.

    >>> [round(end, 3) for end in wilson(0.0, 10)]
    [0.0, 0.278]
    """
    if not 0.0 <= share <= 1.0 or count <= 0:
        raise ValueError(f"a share of {share} in {count} trials is not defined")
    z2 = normal_quantile((1 + level) / 2) ** 2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    spread = share * (1 - share) / count + z2 / (4 * count * count)
    half = sqrt(z2 * spread) / (1 + z2 / count)
    # At a share of 0 or 1 one end is exact, apart from rounding.
    low = 0.0 if share == 0.0 else max(0.0, centre - half)
    return low, 1.0 if share == 1.0 else min(1.0, centre + half)
