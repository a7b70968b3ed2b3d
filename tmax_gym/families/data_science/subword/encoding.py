"""Byte-pair encoding of the subword family: rules, evaluator, and corpora to learn from.

Covers learning and encoding by drawn rules, in whole counts and byte order only.  Does not cover
text beyond printable ASCII; the programs in five languages are in `rendering.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin

TIES = ("smallest", "largest", "earliest", "shortest", "longest")
"""Which pair wins among equally frequent ones; the last two fall back on the smallest."""
MARKS = ("none", "before", "after")
BREAK = "%"
"""The line between the text to learn from and the text to encode."""
_TRIPLE = re.compile(r"(.+)\1\1")
"""A text three times in a row: no word has one, since its pairs could be counted in two ways."""
Pair = tuple[str, str]
Word = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a task prescribes."""

    fold: bool
    """A to Z become a to z first."""
    mark: str
    tie: str
    least: int
    """Count below which nothing is merged any more."""
    types: bool
    """Each different word counts once, however often it occurs."""
    digits: bool
    """Tokens of digits and others never merge."""
    limit: int
    """Most characters of a token; 0 without."""
    greedy: bool
    """Encode by longest tokens; else by merges in the order of learning."""
    numbers: bool
    """Encodings are numbers of tokens; else the tokens."""

    def flags(self) -> dict[str, int]:
        """Return every rule as a whole number, by name."""
        return {
            "fold": int(self.fold),
            "mark": MARKS.index(self.mark),
            "tie": TIES.index(self.tie),
            "least": self.least,
            "types": int(self.types),
            "digits": int(self.digits),
            "limit": self.limit or 999,
            "greedy": int(self.greedy),
            "numbers": int(self.numbers),
        }


def drawn(rng: Rng, level: float) -> Rules:
    """Return rules; more of them differ from the textbook at a higher level."""
    return Rules(
        fold=rng.chance(0.5),
        mark=rng.choice(MARKS),
        tie=rng.choice(TIES if level >= 0.3 else TIES[:3]),
        least=rng.integer(2, 3),
        types=rng.chance(0.5),
        digits=level >= 0.45 and rng.chance(0.7),
        limit=rng.integer(4, 7) if level >= 0.6 and rng.chance(0.7) else 0,
        greedy=rng.chance(0.5),
        numbers=level >= 0.25 and rng.chance(0.6),
    )


def answer(rules: Rules, merges: int, *, corpus: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return the lines that a program prints."""
    learned, characters = learn(rules, merges, corpus)
    lines = [f"{left} {right}" for left, right in learned]
    known = list(dict.fromkeys([*sorted(characters), *(a + b for a, b in learned)]))
    number = {token: str(n) for n, token in enumerate(known)}
    tokens_: list[str] = []
    for line in texts:
        tokens = [t for w in _words(rules, line) for t in _encoded(rules, w, learned, number)]
        tokens_ += tokens
        lines.append(" ".join(number.get(t, "-1") if rules.numbers else t for t in tokens))
    total = sum(len(line.split()) for line in texts)
    unknown = sum(token not in number for token in tokens_)
    return [*lines, f"words {total} tokens {len(tokens_)} unknown {unknown}"]


def learn(rules: Rules, merges: int, corpus: Sequence[str]) -> tuple[list[Pair], set[str]]:
    """Return the merges in order, and the characters that were seen."""
    counted: dict[Word, int] = {}
    for line in corpus:
        for spelled in _words(rules, line):
            counted[tuple(spelled)] = counted.get(tuple(spelled), 0) + 1
    words = [(word, 1 if rules.types else count) for word, count in counted.items()]
    characters = {character for word in counted for character in word}
    learned: list[Pair] = []
    while len(learned) < merges:
        counts: dict[Pair, int] = {}
        for word, times in words:
            for pair in pairwise(word):
                counts[pair] = counts.get(pair, 0) + times
        counts = {pair: count for pair, count in counts.items() if _allowed(rules, pair)}
        most = max(counts.values(), default=0)
        if most < rules.least:
            break
        best = _winner(rules, [pair for pair, count in counts.items() if count == most])
        learned.append(best)
        words = [(_joined(word, best), times) for word, times in words]
    return learned, characters


def _words(rules: Rules, line: str) -> list[str]:
    before, after = ("_", "") if rules.mark == "before" else ("", "_")
    if rules.mark == "none":
        after = ""
    return [before + w + after for w in (line.lower() if rules.fold else line).split()]


def _allowed(rules: Rules, pair: Pair) -> bool:
    left, right = pair
    if rules.digits and left[0].isdigit() != right[0].isdigit():
        return False
    return not rules.limit or len(left + right) <= rules.limit


def _winner(rules: Rules, pairs: Sequence[Pair]) -> Pair:
    """Return the pair that a tie goes to; `pairs` are in the order of the training text."""
    if rules.tie == "earliest":
        return pairs[0]
    if rules.tie == "largest":
        return max(pairs)
    sign = {"smallest": 0, "shortest": 1, "longest": -1}[rules.tie]
    return min(pairs, key=lambda pair: (sign * len(pair[0] + pair[1]), pair))


def _joined(word: Word, pair: Pair) -> Word:
    if pair[0] not in word or pair[1] not in word:
        return word  # nearly all words, and much quicker than the loop
    joined: list[str] = []
    at = 0
    while at < len(word):
        step = 2 if word[at : at + 2] == pair else 1
        joined.append("".join(word[at : at + step]))
        at += step
    return tuple(joined)


def _encoded(
    rules: Rules, word: str, learned: Sequence[Pair], number: dict[str, str]
) -> Sequence[str]:
    if not rules.greedy:
        tokens = tuple(word)
        for pair in learned:
            tokens = _joined(tokens, pair)
        return tokens
    pieces, at = [], 0
    while at < len(word):
        size = next((n for n in range(len(word) - at, 1, -1) if word[at : at + n] in number), 1)
        pieces.append(word[at : at + size])
        at += size
    return pieces


def vocabulary(skin: Skin) -> list[str]:
    """Return words of a trade, without what only some alphabets have."""
    phrases = [*(t.plural for t in skin.things), *(t.singular for t in skin.things), *skin.events]
    phrases += [m.name for m in skin.measures] + list(skin.places)
    words = re.findall(r"[A-Za-z]{2,14}", " ".join(phrases))
    return [word for word in dict.fromkeys(words) if not _TRIPLE.search(word)]


def lines(rng: Rng, words: Sequence[str], count: int) -> list[str]:
    """Return lines of words, some with capitals, digits or punctuation."""
    lines = []
    for _ in range(count):
        line = []
        for _ in range(rng.integer(2, 7)):
            word = rng.choice(words)
            shape = rng.weighted(("plain", "title", "capitals", "number", "stop"), (8, 2, 1, 2, 1))
            if shape == "number":
                tail = str(rng.integer(1, 320))
                tail = "7" if _TRIPLE.search(tail) else tail
                word = rng.choice((tail, word[:4] + tail, f"{word[:3]}-{tail}"))
            line.append(
                {"title": word.title(), "capitals": word.upper(), "stop": word + ","}.get(
                    shape, word
                )
            )
        lines.append(" ".join(line))
    return lines
