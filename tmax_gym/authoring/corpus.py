"""Checks between texts: nothing is reused, no text is nearly another one, all of it reads well.

Runs of words are read between literals (code, paths), which belong to the task and not to its
author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from tmax_gym.analysis.measures import texts as measures
from tmax_gym.analysis.measures.neighbours import nearest

RUN = measures.GRAM
MOST_TASKS = 5
"""A run of 13 words outside literals may be in so many texts."""
NEAREST = 0.75
"""Largest cosine of damped TF-IDF between two texts of a family.  Texts of a family say the same
things in the same terms, so words that all of them have must not count."""
ENOUGH = 60
"""Words of a text that can be compared.  Requests of three sentences for the same thing have few
words in which they could differ, whoever wrote them."""
LITERAL = re.compile(r"```.*?```|`[^`\n]*`|(?<![\w.])/[\w./*-]+", re.S)


@dataclass(frozen=True, slots=True)
class Finding:
    """A text that is too much like others."""

    name: str
    what: str


def runs(text: str) -> frozenset[str]:
    """Return the runs of 13 words that a text has between its literals.

    >>> sorted(runs("a b c d e f g h i j k l m `x` n o"))
    ['a b c d e f g h i j k l m']
    """
    found: set[str] = set()
    for part in LITERAL.split(text):
        words = measures.tokens(part)
        found.update(" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
    return frozenset(found)


def repeated(texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return the texts with a run of 13 words that is in more than five of them."""
    own = {name: runs(text) for name, text in texts.items()}
    counts = Counter(run for some in own.values() for run in some)
    return tuple(
        Finding(name, f"{counts[worst]} texts say: {worst}")
        for name, some in sorted(own.items())
        if some and counts[worst := max(sorted(some), key=counts.__getitem__)] > MOST_TASKS
    )


def reuse(texts: Mapping[str, str]) -> float:
    """Return the share of runs of 13 words that are in more than one text; the mean over texts."""
    own = [runs(text) for text in texts.values()]
    counts = Counter(run for some in own for run in some)
    shares = [sum(counts[r] > 1 for r in some) / len(some) if some else 0.0 for some in own]
    return sum(shares) / len(shares) if shares else 0.0


def close(texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return the texts that are nearer than 0.75 to another one of their family.

    Texts of fewer than 60 words are left out.
    """
    found: list[Finding] = []
    long = sorted(name for name, text in texts.items() if len(text.split()) >= ENOUGH)
    for _, some in groupby(long, key=lambda name: name.partition(".")[0]):
        names = list(some)
        if len(names) < 2:
            continue
        near = nearest([measures.tokens(texts[name]) for name in names], damped=True)
        found += [
            Finding(name, f"is {cosine:.2f} near {names[other]}")
            for name, cosine, other in zip(names, near.cosine, near.other, strict=True)
            if cosine > NEAREST
        ]
    return tuple(found)
