"""Find clusters of similar solutions.

Two fingerprints are alike if their Jaccard index is at least `ALIKE`.  A *cluster* is one
fingerprint and all that are alike to it; clusters may overlap, and only the largest counts.
A *chain* is a connected component of alike fingerprints.  Chains partition a set, but in a large
set they merge although their ends are not alike, so they have no goal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ALIKE = 0.6
"""Smallest Jaccard index of two fingerprints that are alike."""
BLOCK = 512
"""Fingerprints that are compared with all others in one step."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The largest cluster and the chains of a set of fingerprints."""

    total: int
    members: tuple[int, ...]
    """Indexes of the members of the largest cluster."""
    chains: tuple[int, ...]
    """Sizes of the chains, largest first."""

    @property
    def largest(self) -> float:
        """Return the largest cluster's share of all fingerprints."""
        return len(self.members) / self.total if self.total else 0.0


def clusters(prints: Sequence[frozenset[Hashable]], *, alike: float = ALIKE) -> Clusters:
    """Return the clusters and chains of fingerprints; empty ones are alike."""
    times = Counter(prints)
    different = list(times)
    weight = np.array([times[print_] for print_ in different], dtype=np.int64)
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
    centre = {print_ for print_, is_in in zip(different, inside, strict=True) if is_in}
    chains = np.bincount(group, weight).astype(int)
    return Clusters(
        total=len(prints),
        members=tuple(i for i, print_ in enumerate(prints) if print_ in centre),
        chains=tuple(sorted(chains[chains > 0].tolist(), reverse=True)),
    )


class _Links:
    """Computes which fingerprints are alike, a block of rows at a time."""

    def __init__(self, prints: Sequence[frozenset[Hashable]], alike: float) -> None:
        self._alike = alike
        self._matrix = _matrix(prints)
        self._sizes = self._matrix.sum(axis=1)

    def near(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return a row for each of `rows`: which fingerprints are alike to it."""
        both = self._matrix[rows] @ self._matrix.T
        either = self._sizes[rows, None] + self._sizes - both
        # Integers in floats are exact; the slack is for the product with `alike`.
        return np.asarray(both >= self._alike * either - 1e-6)


def _matrix(prints: Sequence[frozenset[Hashable]]) -> npt.NDArray[np.float32]:
    """Return a matrix with a row per fingerprint and a column per element."""
    number: dict[Hashable, int] = {}
    for print_ in prints:
        for element in print_:
            number.setdefault(element, len(number))
    matrix = np.zeros((len(prints), max(1, len(number))), dtype=np.float32)
    for row, print_ in enumerate(prints):
        matrix[row, [number[element] for element in print_]] = 1
    return matrix
