"""Measure how evenly tasks are spread over axes, pairs of axes, and primitive skills.

Balance is exp(H) / N: the number of values of a uniform axis with the same entropy, divided by
the number of possible values.  1 is uniform; 1 / N is a single value.
A pair of axes counts only the cells that the taxonomy allows: a skill type belongs to domains.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import get_args

from tmax_gym.analysis.measures.taxonomy import skills
from tmax_gym.axes import DOMAINS, FIXTURES, LANGUAGES, VERIFIERS, CommandComplexity, Complexity
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts.personas import personas

AXES = ("domain", "skill", "primitives", "persona", "language", "complexity", "commands",
        "fixture", "verifier")  # fmt: skip
ENOUGH = 15
"""A primitive skill with so many tasks counts as covered (the catalogue's goal)."""
Cells = Counter[tuple[Hashable, ...]]


@dataclass(frozen=True, slots=True)
class Spread:
    """The balance of tasks over one axis, or over a pair of axes."""

    axes: tuple[str, ...]
    possible: int
    """Number of values, or of pairs of values, that the taxonomy allows."""
    used: int
    balance: float


@dataclass(slots=True)
class Tally:
    """Counts of tasks by the values of their axes."""

    tasks: int = 0
    cells: dict[tuple[str, ...], Cells] = field(default_factory=dict)

    def add(self, spec: TaskSpec) -> None:
        """Count a task; it counts for each of its primitive skills."""
        self.tasks += 1
        own = {axis: _values(spec, axis) for axis in AXES}
        for axes in (*((axis,) for axis in AXES), *combinations(AXES, 2)):
            self.cells.setdefault(axes, Counter()).update(product(*(own[a] for a in axes)))

    def of(self, axis: str) -> dict[str, int]:
        """Return the number of tasks for every value of an axis, largest first."""
        counts = self.cells.get((axis,), Counter())
        ranked = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
        return {str(value[0]): count for value, count in ranked}

    def spread(self, *axes: str) -> Spread:
        """Return the balance of an axis, or of a pair of axes in the order of `AXES`."""
        counts = self.cells.get(axes, Counter())
        n = possible(*axes)
        return Spread(axes, n, len(counts), balance(counts, n))

    def pairs(self) -> tuple[Spread, ...]:
        """Return the balance of every pair of axes."""
        return tuple(self.spread(*axes) for axes in combinations(AXES, 2))

    def covered(self, *, enough: int = ENOUGH) -> int:
        """Return how many primitive skills have at least `enough` tasks."""
        return sum(count >= enough for count in self.of("primitives").values())


def balance(counts: Mapping[Hashable, int] | Mapping[tuple[Hashable, ...], int], n: int) -> float:
    """Return exp(H) / n of counts over n possible values; 0 if nothing was counted.

    >>> balance({"a": 1, "b": 1}, 4)
    0.5
    """
    total = sum(counts.values())
    if not total:
        return 0.0
    entropy = -sum(c / total * math.log(c / total) for c in counts.values() if c)
    return math.exp(entropy) / n


def possible(*axes: str) -> int:
    """Return the number of possible values of an axis, or of a pair of axes."""
    if len(axes) == 1:
        return len(_all(axes[0]))
    first, second = axes
    bound = {"skill", "primitives", "persona"} & set(axes)
    if len(bound) == 2 or (bound and "domain" in axes):
        return sum(len(_in(first, d)) * len(_in(second, d)) for d in DOMAINS)
    return len(_all(first)) * len(_all(second))


def _all(axis: str) -> set[str]:
    return {value for domain in DOMAINS for value in _in(axis, domain)}


def _in(axis: str, domain: str) -> Sequence[str]:
    """Return the values that an axis may have in a domain."""
    match axis:
        case "domain":
            return (domain,)
        case "skill":
            return tuple(skills()[domain])
        case "primitives":
            return tuple(s for own in skills()[domain].values() for s in own)
        case "persona":
            return tuple(f"{domain}/{p.name}" for p in personas(domain))
    fixed: dict[str, tuple[str, ...]] = {
        "language": LANGUAGES,
        "complexity": get_args(Complexity),
        "commands": get_args(CommandComplexity),
        "fixture": FIXTURES,
        "verifier": VERIFIERS,
    }
    return fixed[axis]


def _values(spec: TaskSpec, axis: str) -> tuple[str, ...]:
    if axis == "primitives":
        return spec.primitives
    if axis == "persona":
        return (f"{spec.domain}/{spec.persona}",)
    return (str(getattr(spec, axis)),)
