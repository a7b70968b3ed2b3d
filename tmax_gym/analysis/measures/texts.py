"""Measure how much texts repeat each other, or a known benchmark.

Tokens are maximal runs of `[a-z0-9]` of the lower-cased text.  The hash of a gram is the
blake2b digest of 8 bytes, read big-endian, of its tokens joined by one blank: anybody can
recompute `terminal_bench_13grams.u64`, which holds those of the 244 Terminal-Bench 1 and the
89 Terminal-Bench 2.0 instructions, sorted and as big-endian 64-bit numbers, without the texts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Hashes = npt.NDArray[np.uint64]

GRAM = 13
"""Reuse of so many consecutive words counts as copying."""
BUDGET = 20_000
"""Tokens for distinct-n: the share falls with length, so length is fixed."""
_SPLIT = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Reuse:
    """How many 13-grams of each text are in other texts."""

    shares: tuple[float, ...]
    """For every text, the share of its 13-grams that are also in another text."""
    across: tuple[float, ...]
    """The same for 13-grams that are also in a text of another group."""

    @property
    def mean(self) -> float:
        """Return the mean share; texts without a 13-gram count 0."""
        return sum(self.shares) / len(self.shares)

    @property
    def mean_across(self) -> float:
        """Return the mean share across groups."""
        return sum(self.across) / len(self.across)


def tokens(text: str) -> list[str]:
    """Return the tokens of a text.

    >>> tokens("Sort /app/A-1.csv")
    ['sort', 'app', 'a', '1', 'csv']
    """
    return [token for token in _SPLIT.split(text.lower()) if token]


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return at most `count` items at even spacing, beginning with the first."""
    if len(items) <= count:
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the 10th, 50th and 90th percentile, linear between neighbours."""
    low, middle, high = np.percentile(np.asarray(values, dtype=float), (10, 50, 90))
    return float(low), float(middle), float(high)


def distinct(texts: Sequence[str], n: int, *, budget: int = BUDGET) -> float:
    """Return the share of different n-grams within texts, over the first `budget` tokens.

    If there are more tokens, texts at even spacing are read as a whole.
    """
    split = [tokens(text) for text in texts]
    if (total := sum(map(len, split))) > budget:
        split = spread(split, max(1, len(split) * budget // total))
    grams: list[tuple[str, ...]] = []
    left = budget
    for words in split:
        words, left = words[:left], left - len(words[:left])
        grams.extend(zip(*(words[k:] for k in range(n)), strict=False))
    return len(set(grams)) / len(grams) if grams else 0.0


def grams(text: str, n: int = GRAM) -> Hashes:
    """Return the hashes of a text's n-grams, in their order."""
    words = tokens(text)
    digests = b"".join(
        hashlib.blake2b(" ".join(words[at : at + n]).encode(), digest_size=8).digest()
        for at in range(len(words) - n + 1)
    )
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def reuse(hashed: Sequence[Hashes], groups: Sequence[Hashable] = ()) -> Reuse:
    """Return how much of each text is in another one, given the grams of every text.

    Without `groups`, the group of every text, all texts are in one group.
    """
    own = [np.unique(hashes) for hashes in hashed]
    sizes = [len(hashes) for hashes in own]
    if not sum(sizes):
        return Reuse((0.0,) * len(own), (0.0,) * len(own))
    _, place, holders = np.unique(np.concatenate(own), return_inverse=True, return_counts=True)
    shared = holders[place] > 1
    kinds = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    group_of = np.repeat([kinds[g] for g in groups] or [0] * len(own), sizes)
    least, most = np.full(len(holders), len(own)), np.full(len(holders), -1)
    np.minimum.at(least, place, group_of)
    np.maximum.at(most, place, group_of)
    return Reuse(_shares(shared, sizes), _shares((most > least)[place], sizes))


def _shares(flags: npt.NDArray[np.bool_], sizes: Sequence[int]) -> tuple[float, ...]:
    """Return the share of true flags in consecutive ranges of these sizes."""
    ends = np.cumsum([0, *sizes])
    true = np.concatenate(([0], np.cumsum(flags)))
    return tuple(
        float(true[end] - true[end - size]) / size if size else 0.0
        for end, size in zip(ends[1:], sizes, strict=True)
    )


def repeated(texts: Sequence[str], hashed: Sequence[Hashes], *, top: int) -> list[tuple[int, str]]:
    """Return (number of texts, passage) for the most frequent 13-grams, without overlaps."""
    sets = [np.unique(hashes) for hashes in hashed]
    if not sum(map(len, sets)):
        return []
    values, counts = np.unique(np.concatenate(sets), return_counts=True)
    many = np.argsort(-counts, kind="stable")[: 60 * top]
    wanted = dict(zip(values[many].tolist(), counts[many].tolist(), strict=True))
    words = _passages(texts, hashed, wanted)
    passages: list[tuple[int, str]] = []
    used: set[tuple[str, ...]] = set()
    for value, count in wanted.items():
        parts = {tuple(words[value][k : k + 5]) for k in range(GRAM - 4)}
        if count > 1 and not parts & used and len(passages) < top:
            passages.append((count, " ".join(words[value])))
        if count > 1:
            used |= parts
    return passages


def _passages(
    texts: Sequence[str], hashed: Sequence[Hashes], wanted: Iterable[int]
) -> dict[int, list[str]]:
    left = np.array(sorted(wanted), dtype=np.uint64)
    words: dict[int, list[str]] = {}
    for text, own in zip(texts, hashed, strict=True):
        places = np.flatnonzero(np.isin(own, left))
        split = tokens(text) if len(places) else []
        for at in places.tolist():
            words.setdefault(int(own[at]), split[at : at + GRAM])
    return words


def benchmark_grams() -> Hashes:
    """Return the sorted hashes of the 13-grams of Terminal-Bench 1 and 2.0 instructions."""
    path = resources.files("tmax_gym.analysis").joinpath("terminal_bench_13grams.u64")
    return np.frombuffer(path.read_bytes(), dtype=">u8").astype(np.uint64)


def contaminated(hashed: Sequence[Hashes], known: Hashes) -> list[int]:
    """Return the indexes of texts that share a 13-gram with the hashes `known`."""
    return [i for i, own in enumerate(hashed) if np.isin(own, known).any()]
