"""The ranking of the ranked-search family: documents, scores and the reference programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng


@dataclass(frozen=True, slots=True)
class Formula:
    """The rules by which documents are scored."""

    title: int
    """How many times a word of the title counts."""
    rare: bool
    """Whether rare words count more."""
    phrase: int
    """Points for two words of the query side by side; 0 without."""
    minus: bool
    """Whether `-word` excludes documents."""
    limit: int


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its number, its first line, the others."""

    number: int
    title: str
    body: str


def words(text: str) -> list[str]:
    """Return the words: runs of ASCII letters and digits in lower case."""
    return re.findall(r"[a-z0-9]+", text.lower())


def ranked(documents: Sequence[Document], formula: Formula, query: str) -> str:
    """Return `number:score` of the best documents with spaces between, or `none`."""
    terms = list(dict.fromkeys(words(" ".join(w for w in query.split() if not w.startswith("-")))))
    banned = {t for w in query.split() if w.startswith("-") for t in words(w)}
    split = [(words(d.title), words(d.body)) for d in documents]
    scored = []
    for document, (title, body) in zip(documents, split, strict=True):
        if formula.minus and banned & {*title, *body}:
            continue
        score = 0
        for term in terms:
            count = formula.title * title.count(term) + body.count(term)
            holders = sum(term in one or term in two for one, two in split)
            score += count * (1 + len(documents) // holders if formula.rare and holders else 1)
        if score and formula.phrase:
            pairs = [*pairwise(title), *pairwise(body)]
            near = sum(pair in pairs for pair in pairwise(terms))
            score += formula.phrase * near
        if score:
            scored.append((-score, document.number))
    best = sorted(scored)[: formula.limit]
    return " ".join(f"{number}:{-score}" for score, number in best) or "none"


def corpus(rng: Rng, nouns: Sequence[str], count: int) -> tuple[Document, ...]:
    """Return documents whose words are unevenly frequent."""
    vocabulary = list(dict.fromkeys(w for noun in nouns for w in words(noun) if len(w) > 2))
    weights = [1.0 / (n + 2) for n in range(len(vocabulary))]
    documents = []
    for number in range(1, count + 1):
        title = [rng.weighted(vocabulary, weights) for _ in range(rng.integer(2, 4))]
        lines = []
        for _ in range(rng.integer(2, 5)):
            line = [rng.weighted(vocabulary, weights) for _ in range(rng.integer(4, 9))]
            lines.append(_dressed(line, rng))
        documents.append(Document(number, _dressed(title, rng).rstrip("."), "\n".join(lines)))
    return tuple(documents)


def _dressed(line: list[str], rng: Rng) -> str:
    """Return words as a line with capitals and punctuation."""
    line = [w.upper() if rng.chance(0.06) else w for w in line]
    at = rng.integer(0, len(line) - 1)
    line[at] += rng.choice((",", ";", ""))
    sentence = " ".join(line)
    return sentence[0].upper() + sentence[1:] + "."


def queries(rng: Rng, documents: Sequence[Document], formula: Formula, *, count: int) -> list[str]:
    """Return queries of one to three words; nothing matches some of them."""
    queries: list[str] = []
    while len(queries) < count:
        source = words(rng.choice(documents).body)
        at = rng.integer(0, len(source) - 2)
        terms = source[at : at + 2] if rng.chance(0.6) else [rng.choice(source)]
        if rng.chance(0.4):
            terms.append(rng.choice(words(rng.choice(documents).title)))
        if rng.chance(0.1):
            terms = ["zymurgy"]
        if formula.minus and rng.chance(0.5):
            terms.append("-" + rng.choice(words(rng.choice(documents).body)))
        query = " ".join(t.capitalize() if rng.chance(0.15) else t for t in terms)
        if query not in queries:
            queries.append(query)
    return queries


PYTHON = program_text(__package__, "main.py")
BASH = program_text(__package__, "main.sh")
