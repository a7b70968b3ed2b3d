"""The results of a survey as frozen data, and their goals."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.analysis.measures.balance import ENOUGH, Spread, Tally
from tmax_gym.analysis.measures.difficulty import Features
from tmax_gym.analysis.measures.dropout import Dropped, Rate
from tmax_gym.analysis.measures.structure import Clusters
from tmax_gym.analysis.targets import Target
from tmax_gym.tasks.curriculum.blind_trials import Tried

LARGEST_CLUSTER = 0.04
"""Largest share of one cluster of solutions (the catalogue's goal)."""
NEAR = 0.9
"""Cosine above which two texts are near copies."""
ENTROPY = 20
"""Smallest information of a task's hidden values, in bits."""
BALANCES = {
    "domain": 0.999,
    "skill": 0.80,
    "verifier": 0.90,
    "fixture": 0.75,
    "language": 0.85,
    "complexity": 0.99,
}
"""Least balance of the axes that have a goal."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """The cosines of texts with their nearest other text."""

    texts: int
    median: float
    near: float
    """Share of texts with a neighbour above `NEAR`."""
    mean: float
    """Mean cosine of all pairs."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Measures of the instructions."""

    words: tuple[float, float, float]
    """10th, 50th and 90th percentile of the number of blank-separated words."""
    distinct: tuple[float, float, float]
    """Share of different 1-, 2- and 3-grams in a fixed number of tokens."""
    sampled: Closeness
    whole: Closeness
    cosines: tuple[float, ...]
    reuse: float
    across: float
    """Mean share of 13-grams that are also in a task of another family."""
    growth: tuple[tuple[int, float], ...]
    """(texts, reuse) of a quarter, half and all of the texts: how reuse grows."""
    by_family: tuple[tuple[str, float, float, float], ...]
    """(family, median cosine, reuse, reuse across families)."""
    by_voice: tuple[tuple[str, float, float, float], ...]
    """The same by voice."""
    repeated: tuple[tuple[int, str], ...]
    contaminated: tuple[str, ...]
    """Tasks that share a 13-gram with Terminal-Bench."""
    locked: float
    """Share of texts that mention a password, a passphrase or `openssl`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Measures of the plans."""

    families: tuple[tuple[str, int], ...]
    """Number of tasks by the family that names them, largest first."""
    family_skin: int
    """Largest number of tasks with the same family and skin."""
    graphs: int
    """Different sequences of families."""
    graph: int
    """Largest number of tasks with the same sequence."""
    pairs: int
    """Different pairs of an earlier part and a part that needs it."""
    firsts: tuple[tuple[str, int], ...]
    """Number of tasks by the family that is an earlier part of them, largest first."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """Measures that need expanded tasks."""

    names: tuple[str, ...]
    complexities: tuple[str, ...]
    features: tuple[Features, ...]
    clusters: Clusters
    fingerprints: int
    """Number of different fingerprints."""
    cluster_families: tuple[tuple[str, int], ...]
    """Families in the largest cluster."""
    programs: tuple[tuple[str, int], ...]
    """Number of tasks by program, largest first."""
    worlds: int
    """Number of different digests of files."""
    same_worlds: tuple[tuple[str, ...], ...]
    """Tasks that have the same files."""
    bits: tuple[float, ...]
    """Information in the hidden values of the tasks that have any, sorted."""


@dataclass(frozen=True, slots=True)
class Survey:
    """All measures of one catalogue."""

    tally: Tally
    wording: Wording
    shape: Shape
    solutions: Solutions | None
    """None if no task was expanded."""
    dropped: tuple[Dropped, ...] = ()
    written: float = 0.0
    """Share of the texts that an author has written."""
    rates: tuple[Rate, ...] = ()
    """Of the dropout agent, and of a run if one was given."""
    blind: tuple[tuple[str, Tried], ...] = ()
    """Blind trials of the whole catalogue by complexity, then by domain."""

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """Return the balance of every axis."""
        return tuple(self.tally.spread(*axes) for axes in self.tally.cells if len(axes) == 1)


def goals(taken: Survey) -> dict[str, Target]:
    """Return the catalogue's goals with the measured values."""
    tally, wording, solved = taken.tally, taken.wording, taken.solutions

    def least(value: float, goal: float) -> Target:
        return Target(value, goal, at_most=False)

    most_earlier = max((count for _, count in taken.shape.firsts), default=0)
    reached = {"tasks": least(tally.tasks, 14600)}
    for axis, goal in BALANCES.items():
        reached[f"balance_of_{axis}"] = least(tally.spread(axis).balance, goal)
    reached |= {
        f"primitive_skills_with_{ENOUGH}_tasks": least(tally.covered(), 240),
        "share_of_largest_family": Target(taken.shape.families[0][1] / tally.tasks, 0.025),
        "distinct_2": least(wording.distinct[1], 0.60),
        "nearest_neighbour_median": Target(wording.sampled.median, 0.40),
        "share_of_near_copies": Target(wording.sampled.near, 0.002),
        "reuse_of_13_grams": Target(wording.reuse, 0.15),
        "share_contaminated": Target(len(wording.contaminated) / tally.tasks, 0.0),
        "share_with_passwords": Target(wording.locked, 0.04),
        "share_written_by_authors": least(taken.written, 1.0),
        "pairs_of_parts": least(taken.shape.pairs, 150),
        "families_as_earlier_parts": least(len(taken.shape.firsts), 70),
        "share_of_most_frequent_earlier_part": Target(most_earlier / tally.tasks, 0.04),
    }
    if solved:
        low = sum(bits < ENTROPY for bits in solved.bits)
        reached |= {
            "programs_in_solutions": least(len(solved.programs), 100),
            "share_of_largest_cluster": Target(solved.clusters.largest, LARGEST_CLUSTER),
            "share_of_distinct_worlds": least(solved.worlds / len(solved.names), 1.0),
            f"share_guessed_in_{ENTROPY}_bits": Target(low / max(1, len(solved.bits)), 0.0),
        }
    return reached
