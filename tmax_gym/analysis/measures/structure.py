"""Clusters of solutions that look alike, and the largest shares of anything.

Two fingerprints are alike if their Jaccard index is at least `ALIKE`.  A *cluster* is one
fingerprint and all that are alike to it; clusters may overlap, and only the largest counts.
A *chain* is all that can be reached from one to the next; chains partition a set, but in a large
and varied one they grow into each other without any two ends being alike, so no goal is set on
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ALIKE = 0.6
"""Jaccard index from which two fingerprints are alike (task design 2.2)."""
BLOCK = 512
"""Fingerprints that are compared with all others at a time."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """How a set of fingerprints hangs together."""

    total: int
    members: tuple[int, ...]
    """Places of the members of the largest cluster."""
    chains: tuple[int, ...]
    """Members of every chain, largest first."""

    @property
    def largest(self) -> float:
        """Return the share of the largest cluster."""
        return len(self.members) / self.total if self.total else 0.0


def clusters(prints: Sequence[frozenset[Hashable]], *, alike: float = ALIKE) -> Clusters:
    """Return how fingerprints hang together; empty ones are alike."""
    times = Counter(prints)
    different = list(times)
    weight = np.array([times[one] for one in different], dtype=np.int64)
    linked = _Links(different, alike)
    group = np.full(len(different), -1)
    around = np.zeros(len(different), dtype=np.int64)
    for start in range(len(different)):
        if group[start] >= 0:
            continue
        group[start] = start
        edge = np.array([start])
        while len(edge):
            near = linked.near(edge[:BLOCK])
            around[edge[:BLOCK]] = near @ weight
            new = np.flatnonzero(near.any(axis=0) & (group < 0))
            group[new] = start
            edge = np.concatenate((edge[BLOCK:], new))
    if not different:
        return Clusters(0, (), ())
    inside = linked.near(np.array([around.argmax()]))[0]
    centre = {one for one, is_in in zip(different, inside, strict=True) if is_in}
    chains = np.bincount(group, weight).astype(int)
    return Clusters(
        total=len(prints),
        members=tuple(i for i, one in enumerate(prints) if one in centre),
        chains=tuple(sorted(chains[chains > 0].tolist(), reverse=True)),
    )


class _Links:
    """Which fingerprints are alike, a block of rows at a time."""

    def __init__(self, prints: Sequence[frozenset[Hashable]], alike: float) -> None:
        self._alike = alike
        self._matrix = _matrix(prints)
        self._sizes = self._matrix.sum(axis=1)

    def near(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which fingerprints are alike to those in `rows`."""
        both = self._matrix[rows] @ self._matrix.T
        either = self._sizes[rows, None] + self._sizes - both
        # Integers in floats are exact; the slack is for the product with `alike`.
        return np.asarray(both >= self._alike * either - 1e-6)


def _matrix(prints: Sequence[frozenset[Hashable]]) -> npt.NDArray[np.float32]:
    """Return which fingerprint has which element."""
    number: dict[Hashable, int] = {}
    for one in prints:
        for element in one:
            number.setdefault(element, len(number))
    matrix = np.zeros((len(prints), max(1, len(number))), dtype=np.float32)
    for row, one in enumerate(prints):
        matrix[row, [number[element] for element in one]] = 1
    return matrix


def largest(values: Iterable[Hashable]) -> tuple[Hashable, int]:
    """Return the most frequent value and how often it occurs, the first of equals.

    Raises:
        ValueError: There is no value.
    """
    counts = Counter(values)
    if not counts:
        raise ValueError("nothing was counted")
    return counts.most_common(1)[0]
