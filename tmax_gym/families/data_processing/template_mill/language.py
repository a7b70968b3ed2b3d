"""The template language of the template-mill family: its variants, and what they print.

Covers slots, phrases with plural forms, conditions on topics, loops, and columns of a display
width.  Does not cover what templates say: see `content.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.families.data_processing.template_mill.content import PLURALS
from tmax_gym.rng import Rng

FEATURES = ("each", "plural", "width", "else", "fallback", "not")
"""Features of templates beyond slots, phrases and conditions."""
BRACKETS = (("{", "}"), ("<<", ">>"), ("[[", "]]"), ("${", "}"))
WIDE = ((0x1100, 0x115F), (0x2E80, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFF00, 0xFF60))
"""Ranges of characters that take two columns, after East Asian Width of Unicode, coarsely."""
NARROW = (0x0300, 0x036F)
"""Combining marks, which take no column."""
ALWAYS = " .,;:!?()、。"
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """The variant of the language in one task."""

    features: tuple[str, ...]
    open: str
    close: str
    control: str
    """How a line of control begins."""
    over: str
    """Treatment of text too wide for its columns: `keep`, `cut` or `dots`."""
    splits: str
    """Characters at which a note is split into tokens."""
    between: str
    """The line between two letters."""


@dataclass(frozen=True, slots=True)
class Mill:
    """One folder."""

    template: tuple[str, ...]
    phrases: Mapping[tuple[str, str], str]
    """By key and language."""
    topics: Mapping[str, tuple[int, tuple[str, ...]]]
    """Number of phrases that a note must have, and the phrases."""
    rows: tuple[Row, ...]
    """Composed."""
    folds: Mapping[int, str]
    """By code point."""


def plan(rng: Rng, *, features: int) -> Plan:
    """Return a variant of the language."""
    opening, closing = rng.choice(BRACKETS)
    return Plan(
        features=tuple(sorted(rng.sample(FEATURES, features))),
        open=opening,
        close=closing,
        control=rng.choice(("%", "@", "..", "//", "~")),
        over=rng.choice(("keep", "cut", "dots")),
        splits=ALWAYS + rng.choice(("", "'", "-", "'-")),
        between=rng.choice(("-----", "=====", "* * *", "#####")),
    )


def letters(plan: Plan, mill: Mill) -> list[str]:
    """Return all letters."""
    printed: list[str] = []
    cut = {
        topic: (least, [tokenised(plan, mill, phrase) for phrase in phrases])
        for topic, (least, phrases) in mill.topics.items()
    }
    for number, row in enumerate(mill.rows):
        if number:
            printed.append(plan.between)
        tokens = tokenised(plan, mill, row["note"])
        applying = {
            topic
            for topic, (least, phrases) in cut.items()
            if sum(_occurs(phrase, tokens) for phrase in phrases) >= least
        }
        _block(plan, mill, 0, row, applying, printed)
    return printed


def tokenised(plan: Plan, mill: Mill, text: str) -> list[str]:
    """Return the tokens of a text."""
    folded = unicodedata.normalize("NFC", text).translate(mill.folds)
    for mark in plan.splits:
        folded = folded.replace(mark, " ")
    return folded.lower().split()


def _occurs(phrase: Sequence[str], tokens: Sequence[str]) -> bool:
    first, *others = phrase
    for at in range(len(tokens) - len(others)):
        if _same(first, tokens[at]):
            after = tokens[at + 1 : at + 1 + len(others)]
            if all(_same(p, t) for p, t in zip(others, after, strict=True)):
                return True
    return False


def _same(pattern: str, token: str) -> bool:
    return token.startswith(pattern[:-1]) if pattern.endswith("*") else token == pattern


def _block(
    plan: Plan,
    mill: Mill,
    at: int,
    row: Row,
    topics: set[str] | None,
    printed: list[str],
) -> int:
    """Print the lines from `at` to the end of their block; return where it ends.

    Nothing is printed, and no condition looked at, where `topics` is None.
    """
    while at < len(mill.template):
        line = mill.template[at]
        at += 1
        if not line.startswith(plan.control):
            if topics is not None:
                printed.append(_filled(plan, mill, line, row))
            continue
        command, _, argument = line[len(plan.control) :].strip().partition(" ")
        if command in ("else", "end"):
            return at - 1
        if command == "if":
            yes = topics is not None and _holds(argument, row, topics)
            at = _block(plan, mill, at, row, topics if yes else None, printed)
            if mill.template[at] == f"{plan.control} else":
                no = topics if not yes else None
                at = _block(plan, mill, at + 1, row, no, printed)
        else:
            start = at
            items = [i for i in row[argument].split(";") if i] if topics is not None else []
            for number, item in enumerate(items, start=1):
                label, _, count = item.partition("*")
                inner = {**row, "it": label, "qty": count, "no": str(number)}
                _block(plan, mill, start, inner, topics, printed)
            at = _block(plan, mill, start, row, None, printed)
        at += 1
    return at


def _holds(condition: str, row: Row, topics: set[str]) -> bool:
    bare = condition.removeprefix("!")
    is_set = bare[1:] in topics if bare.startswith("#") else bool(row[bare])
    return is_set != condition.startswith("!")


def _filled(plan: Plan, mill: Mill, line: str, row: Row) -> str:
    head, *parts = line.split(plan.open)
    for part in parts:
        slot, _, tail = part.partition(plan.close)
        head += _slot(plan, mill, slot, row) + tail
    return head


def _slot(plan: Plan, mill: Mill, slot: str, row: Row) -> str:
    if slot.startswith("="):
        key, _, field = slot[1:].partition(" ")
        lang = row["lang"]
        phrase = mill.phrases.get((key, lang))
        if phrase is None:
            phrase, lang = mill.phrases[key, "en"], "en"
        if field:
            forms = phrase.split("|")
            phrase = forms[form(lang, int(row[field]), forms=len(forms)) - 1]
        return _filled(plan, mill, phrase, row)
    name, _, columns = slot.partition(":")
    if not columns:
        return row[name]
    return aligned(plan, row[name], columns)


def form(lang: str, number: int, *, forms: int) -> int:
    """Return which plural form a number takes, from 1."""
    for rule in PLURALS[lang]:
        which, modulus, low, high, excepted = rule.split()
        rest = number % int(modulus) if int(modulus) else number
        first, _, last = excepted.partition("-")
        out = bool(first) and int(first) <= number % 100 <= int(last)
        if int(low) <= rest <= int(high) and not out:
            return int(which)
    return forms


def aligned(plan: Plan, text: str, columns: str) -> str:
    """Return a text in so many columns; `>` puts it at their right end."""
    size = int(columns.removeprefix(">"))
    if width(text) > size and plan.over != "keep":
        room = size - (plan.over == "dots")
        kept, taken = "", 0
        for one in text:
            taken += _columns(ord(one))
            if taken > room:
                break
            kept += one
        text = kept + ("…" if plan.over == "dots" else "")
    padding = " " * (size - width(text))
    return padding + text if columns.startswith(">") else text + padding


def width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(_columns(ord(one)) for one in text)


def _columns(code: int) -> int:
    if code < NARROW[0]:
        return 1
    if code <= NARROW[1]:
        return 0
    return 2 if any(low <= code <= high for low, high in WIDE) else 1
