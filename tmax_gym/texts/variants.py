"""Replaces words of a template by others of the same meaning ("stdin" for "standard input").

Text between backticks or double quotes does not change, and no substitution needs the grammar of
the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from tmax_gym.texts.grammar import Call, Choice, Literal, Part, Slot, capital, parse

SWAPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(?<!not )every(?= (?!one\b|other|few|two|three|four|time|single)[a-z])", ("each",)),
    (r"lower case", ("lowercase",)),
    (r"upper case", ("uppercase",)),
    (r"white space", ("whitespace",)),
    (r"for example", ("for instance",)),
    (r"greater than", ("larger than", "more than")),
    (r"larger than", ("greater than",)),
    (r"(?<!will )(?<!may )(?<!not )(?<!would )(?<!to )(?<!might )have to(?= [a-z])", ("must",)),
    (r"has to(?= [a-z])", ("must",)),
    (r"in this order", ("in that order", "in exactly this order")),
    (r"one a line", ("one per line", "one to a line")),
    (r"one per line", ("one a line", "one on each line")),
    (r"starting with", ("beginning with",)),
    (r"starts with", ("begins with",)),
    (r"leave out", ("omit",)),
    (r"left out", ("omitted",)),
    (r"because", ("since", "as")),
    (r"such as", ("like",)),
    (r"(?<=file )called|(?<=script )called|(?<=program )called|(?<=table )called", ("named",)),
    (r"(?<=file )named|(?<=script )named|(?<=program )named|(?<=table )named", ("called",)),
    (r"contains", ("holds",)),
    (r"appears", ("occurs",)),
    (r"ignore(?= )", ("disregard", "pay no attention to")),
    (r"separated by", ("delimited by",)),
    (r"sorted by", ("ordered by",)),
    (
        r"(?<=the )directory|(?<=this )directory|(?<=that )directory|(?<=same )directory",
        ("folder",),
    ),
    (r"standard input", ("stdin",)),
    (r"standard output", ("stdout",)),
    (r"standard error", ("stderr",)),
    (r"exit status", ("exit code",)),
    (r"exit code", ("exit status",)),
    (r"whole number", ("integer",)),
    (r"decimal places", ("decimals",)),
    (r"trailing newline", ("final newline",)),
    (r"at most", ("no more than",)),
    (r"no more than", ("at most",)),
    (r"the rest", ("everything else",)),
    (r"only if", ("only when",)),
    (r"do not change", ("leave alone", "don't change")),
    (r"do not touch", ("leave alone", "don't touch")),
    (r"must not", ("may not",)),
    (r"do not(?= [a-z])", ("don't",)),
    (r"does not(?= [a-z])", ("doesn't",)),
    (r"is not(?= [a-z])", ("isn't",)),
    (r"are not(?= [a-z])", ("aren't",)),
    (r"was not(?= [a-z])", ("wasn't",)),
    (r"were not(?= [a-z])", ("weren't",)),
    (r"(?<=[a-z] )cannot(?= [a-z])", ("can't",)),
    (r"will not(?= [a-z])", ("won't",)),
    (r"exactly", ("precisely",)),
    (r"(?<!not )(?<!so )as well(?=[,.;:)])", ("too",)),
    (r"at the start of", ("at the beginning of",)),
    (r"at the beginning of", ("at the start of",)),
    (r"in front of", ("before",)),
    (r"(?<=[a-z]s )that(?= (?:are|were|have)\b)", ("which",)),
    (r"(?<=[a-z]s )which(?= (?:are|were|have)\b)", ("that",)),
    (r"holds(?= (?:a|an|one|two|three|its|every|all|no)\b)", ("contains", "has")),
    (r"(?<=everything )below|(?<=anything )below|(?<=files )below|(?<=nothing )below", ("under",)),
    (r"(?<=everything )under|(?<=anything )under|(?<=files )under|(?<=nothing )under", ("below",)),
    (r"inside(?= (?:the|each|every|one of)\b)", ("within",)),
    (r"together with", ("along with",)),
    (r"along with", ("together with",)),
    (r"upper left", ("top left",)),
    (r"lower right", ("bottom right",)),
    (r"gray", ("grey",)),
    (r"byte for byte", ("to the byte", "down to the byte")),
    (r"in byte order", ("in bytewise order", "by byte value")),
    (r"ends in(?= (?:a|an|the)\b)", ("ends with",)),
    (r"without an?(?= [a-z])", ("with no",)),
    (r"several(?= [a-z]+s\b)", ("multiple", "two or more")),
    (r"prints", ("outputs", "writes out")),
    (r"to standard output", ("on standard output", "to stdout", "on stdout")),
    (r"afterwards", ("after that", "later on")),
    (r"although", ("though",)),
    (r"is equal to", ("equals",)),
    (r"no longer exists", ("is gone",)),
    (r"as they are(?=[,.;:)])", ("unchanged", "untouched")),
    (r"as it is(?=[,.;:)])", ("unchanged", "untouched")),
    (r"whole line", ("entire line", "complete line")),
    (r"in total", ("altogether", "all in all")),
    (r"keep in mind", ("bear in mind",)),
    (r"(?<=the )number(?= of)", ("count",)),
    (r"largest", ("biggest",)),
    (r"(?<=[a-z] )must be(?= [a-z])", ("should be",)),
    (r"should be(?= [a-z])", ("must be",)),
    (r"from first to last", ("first to last", "from the first to the last")),
    (r"one after the other", ("one after another", "in succession")),
    (r"(?<=[a-z] )the following(?= [a-z]+s?:)", ("these",)),
)
"""Patterns of lower-case text, and their substitutes."""

_WORD = re.compile(r"[A-Za-z]+")
_FIRST = re.compile(r"(?:\A|\|)([a-z]+)")
_LOOK = re.compile(r"\(\?<[=!][^)]*\)")
_FIXED = re.compile(r"`[^`]*(?:`|\Z)|\"[^\"]*(?:\"|\Z)")


@cache
def _swaps() -> dict[str, re.Pattern[str]]:
    """Return the patterns by their first word, so that most words of a text need no search.

    The name of a group is the place of its swap in `SWAPS`.
    """
    patterns: dict[str, dict[str, None]] = {}
    for place, (pattern, _) in enumerate(SWAPS):
        for word in _FIRST.findall(_LOOK.sub("", pattern)):
            patterns.setdefault(word, {})[f"(?P<s{place}>{pattern})"] = None
    return {word: re.compile(rf"\b(?:{'|'.join(p)})\b", re.I) for word, p in patterns.items()}


@lru_cache(maxsize=65536)
def varied(template: str) -> tuple[Part, ...]:
    """Return the parts of a template, with a choice wherever a substitution applies.

    The first option is always the text as written.
    """
    return _vary(parse(template))[0]


def _vary(parts: tuple[Part, ...], fixed: bool = False) -> tuple[tuple[Part, ...], bool]:
    """Vary parts; `fixed`, like the second result, tells whether a backtick is open."""
    out: list[Part] = []
    for part in parts:
        match part:
            case Literal(text):
                if fixed or text.count("`") % 2:
                    fixed ^= bool(text.count("`") % 2)
                    out.append(part)
                else:
                    out.extend(_swapped(text))
            case Choice(options):
                out.append(Choice(tuple(_vary(option, fixed)[0] for option in options)))
            case Slot() | Call():
                out.append(part)
    return tuple(out), fixed


def _swapped(text: str) -> list[Part]:
    kept = [match.span() for match in _FIXED.finditer(text)]
    out: list[Part] = []
    at = 0
    for match in _matches(text):
        written = match[0]
        inside = any(start <= match.start() < end for start, end in kept)
        if inside or not (written.islower() or written == capital(written.lower())):
            continue
        others = SWAPS[int((match.lastgroup or "s0")[1:])][1]
        if written[0].isupper():
            others = tuple(capital(other) for other in others)
        out.append(Literal(text[at : match.start()]))
        out.append(Choice(tuple((Literal(option),) for option in (written, *others))))
        at = match.end()
    out.append(Literal(text[at:]))
    return [part for part in out if part != Literal("")]


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of swaps from left to right, without overlaps."""
    at, swaps = 0, _swaps()
    for word in _WORD.finditer(text):
        pattern = swaps.get(word[0].lower())
        match = pattern.match(text, word.start()) if pattern and word.start() >= at else None
        if match:
            at = match.end()
            yield match
