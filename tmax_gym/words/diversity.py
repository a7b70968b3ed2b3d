"""Measures of how alike instructions are, and whether they repeat a known benchmark.

Covers words, distinct-n, nearest neighbours by TF-IDF, reuse of 13-grams and a contamination
check against hashed 13-grams, in plain Python. Does not cover the diversity of solutions.
Tokens are maximal runs of `[a-z0-9]` of the lower-cased text.
"""

from __future__ import annotations

import hashlib
import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

GRAM = 13
"""Words of a gram whose reuse counts as copying (tasks.md section 2.3)."""
BUDGET = 20_000
"""Tokens over which distinct-n is taken: the share falls with length, so length is fixed."""
_SPLIT = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Diversity:
    """The measures of one set of texts."""

    texts: int
    words: tuple[float, float, float]
    """10th, 50th and 90th percentile of the number of blank-separated words."""
    distinct: tuple[float, float, float]
    """Share of different 1-, 2- and 3-grams."""
    neighbour: float
    """Median over texts of the cosine with the most similar other text."""
    near_copies: float
    """Share of texts with a neighbour above 0.9."""
    reuse: float
    """Mean share of a text's 13-grams that another text has too."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a text.

    >>> tokens("Sort /app/A-1.csv")
    ['sort', 'app', 'a', '1', 'csv']
    """
    return [token for token in _SPLIT.split(text.lower()) if token]


def measure(texts: Sequence[str], *, sample: int = 1000, budget: int = BUDGET) -> Diversity:
    """Return the measures of `texts`.

    Args:
        texts: In an order that does not matter much: distinct-n and neighbours read evenly
            spaced texts.
        sample: Texts among which neighbours are sought, as the search is quadratic.
        budget: Tokens for distinct-n.

    Raises:
        ValueError: There are fewer than two texts.
    """
    if len(texts) < 2:
        raise ValueError(f"diversity needs two texts, got {len(texts)}")
    nearest = neighbours(_spread(texts, sample))
    return Diversity(
        texts=len(texts),
        words=percentiles([len(text.split()) for text in texts]),
        distinct=(
            distinct(texts, 1, budget=budget),
            distinct(texts, 2, budget=budget),
            distinct(texts, 3, budget=budget),
        ),
        neighbour=_quantile(sorted(nearest), 0.5),
        near_copies=sum(value > 0.9 for value in nearest) / len(nearest),
        reuse=reuse(texts),
    )


def _spread(texts: Sequence[str], count: int) -> list[str]:
    if len(texts) <= count:
        return list(texts)
    return [texts[index * len(texts) // count] for index in range(count)]


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the 10th, 50th and 90th percentile, linear between neighbours."""
    ranked = sorted(values)
    return _quantile(ranked, 0.1), _quantile(ranked, 0.5), _quantile(ranked, 0.9)


def _quantile(ranked: Sequence[float], share: float) -> float:
    at = share * (len(ranked) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (at - low) * (ranked[high] - ranked[low])


def distinct(texts: Sequence[str], n: int, *, budget: int = BUDGET) -> float:
    """Return the share of different n-grams within texts, over the first `budget` tokens.

    Where there are more tokens than that, whole texts are read at even spacing.
    """
    split = [tokens(text) for text in texts]
    total = sum(map(len, split))
    if total > budget:
        count = max(1, len(split) * budget // total)
        split = [split[index * len(split) // count] for index in range(count)]
    grams: list[tuple[str, ...]] = []
    left = budget
    for words in split:
        words, left = words[:left], left - len(words[:left])
        grams.extend(zip(*(words[k:] for k in range(n)), strict=False))
    return len(set(grams)) / len(grams) if grams else 0.0


def neighbours(texts: Sequence[str]) -> list[float]:
    """Return, for each text, its largest TF-IDF cosine with another one.

    Weights are raw counts times ln((1 + N) / (1 + df)) + 1.
    """
    counts = [Counter(tokens(text)) for text in texts]
    spread = Counter(word for count in counts for word in count)
    rare = {w: math.log((1 + len(texts)) / (1 + df)) + 1 for w, df in spread.items()}
    postings: dict[str, list[tuple[int, float]]] = {}
    best = [0.0] * len(texts)
    for index, count in enumerate(counts):
        raw = {word: times * rare[word] for word, times in sorted(count.items())}
        norm = math.sqrt(sum(value * value for value in raw.values())) or 1.0
        scores: dict[int, float] = {}
        for word, value in raw.items():
            weight = value / norm
            held = postings.setdefault(word, [])
            for other, theirs in held:
                scores[other] = scores.get(other, 0.0) + weight * theirs
            held.append((index, weight))
        for other, score in scores.items():
            best[other] = max(best[other], score)
            best[index] = max(best[index], score)
    return best


def grams(text: str) -> list[int]:
    """Return the hashes of a text's 13-grams: blake2b of 8 bytes, big-endian."""
    words = tokens(text)
    return [
        int.from_bytes(
            hashlib.blake2b(" ".join(words[at : at + GRAM]).encode(), digest_size=8).digest(), "big"
        )
        for at in range(len(words) - GRAM + 1)
    ]


def reuse(texts: Sequence[str]) -> float:
    """Return the mean share of a text's 13-grams that another text has too; short texts count 0."""
    hashed = [set(grams(text)) for text in texts]
    holders = Counter(gram for own in hashed for gram in own)
    shares = [sum(holders[gram] > 1 for gram in own) / len(own) if own else 0.0 for own in hashed]
    return sum(shares) / len(shares)


def benchmark_grams() -> array[int]:
    """Return the sorted hashes of the 13-grams of Terminal-Bench 1 and 2.0 instructions."""
    stored = array("Q")
    path = resources.files("tmax_gym.words").joinpath("terminal_bench_13grams.u64")
    stored.frombytes(path.read_bytes())
    if memoryview(b"\x01\x00").cast("H")[0] == 1:  # a little-endian machine
        stored.byteswap()
    return stored


def contaminated(texts: Sequence[str], known: Sequence[int]) -> list[int]:
    """Return the indexes of texts that share a 13-gram with the sorted hashes `known`."""

    def holds(gram: int) -> bool:
        at = bisect_left(known, gram)
        return at < len(known) and known[at] == gram

    return [i for i, text in enumerate(texts) if any(holds(gram) for gram in grams(text))]
