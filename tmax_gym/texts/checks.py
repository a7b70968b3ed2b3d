"""Checks one text against the obligations of its task: nothing is missing and nothing is told.

It does not judge style, and does not know whether the obligations are true.  What only shows
between texts (reuse, closeness) is checked in `authoring.corpus`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

from tmax_gym.texts.obligations import Obligation

MOST_WORDS = 1_200
"""Longest text: the plain text of three stages has up to 1,130 words."""
SHORT = 6
"""A hidden value with fewer characters leaks only as a whole word, because "12" is in "120"."""
_NAMES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_SPOKEN = {str(number): word for number, word in enumerate(_NAMES.split())}
_FREE = ("0", "1", "2")
"""Numbers that people say in too many ways: none, first, once, both, a pair."""
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)


def problems(
    text: str,
    obligations: Sequence[Obligation],
    *,
    hidden: Sequence[str] = (),
    outputs: Sequence[str] = (),
    document: str = "",
) -> tuple[str, ...]:
    """Return what is wrong with a text; empty if nothing is.

    Args:
        text: The instruction.
        obligations: What it must say.
        hidden: Values that the agent must find out.
        outputs: Paths that the agent must make.
        document: The content of the document that the text points to, if there is one.
    """
    read = f"{text}\n{document}"
    return (
        *_uncovered(text, obligations),
        *_leaks(read, hidden, obligations),
        *(f"the output {path} is not named" for path in outputs if not _named(path, read)),
        *_surface(text),
    )


def _uncovered(text: str, obligations: Sequence[Obligation]) -> Iterator[str]:
    folded = text.lower()
    for one in obligations:
        for literal in one.literals:
            if not (_whole if literal.startswith("/") else _alone)(literal, text):
                yield f"{one.id}: the literal {literal!r} is missing"
        for number in one.numbers:
            if number not in _FREE and not _has_number(number, folded):
                yield f"{one.id}: the number {number} is missing"
        if one.keys and not any(key.lower() in folded for key in one.keys):
            yield f"{one.id}: none of these words is there: {', '.join(one.keys)}"


def _has_number(number: str, folded: str) -> bool:
    """Return whether a number is there, as digits (with or without commas) or as a word."""
    forms = [re.escape(number)]
    if number.isdecimal():
        forms += [f"{int(number):,}", _SPOKEN.get(number, r"(?!)")]
    return re.search(rf"(?<![\w.])(?:{'|'.join(forms)})(?!\w|[.,]\d)", folded) is not None


def _leaks(seen: str, hidden: Sequence[str], obligations: Sequence[Obligation]) -> Iterator[str]:
    stated = {value for one in obligations for value in (*one.literals, *one.numbers)}
    folded = seen.lower()
    for value in hidden:
        if len(value) < SHORT:
            whole = rf"(?<![\w.]){re.escape(value)}(?!\w)"
            if value not in stated and not _ordinary(value) and re.search(whole, seen):
                yield f"the hidden value {value!r} is told"
            continue
        raw = value.encode()
        if value in seen:
            yield f"the hidden value {value!r} is told"
        if raw.hex() in folded:
            yield f"the hidden value {value!r} is told in hexadecimal"
        if any(core in seen for core in _base64(raw)):
            yield f"the hidden value {value!r} is told in base64"


def _ordinary(value: str) -> bool:
    """Return whether a value is too plain to be noticed: "", "7", "214", "ok"."""
    return len(value) < 3 or (value.isdigit() and len(value) < 4)


def _base64(raw: bytes) -> tuple[str, ...]:
    """Return the characters that `raw` determines in base64, at each of the three alignments."""
    codes = [base64.b64encode(b"\0" * shift + raw).decode().rstrip("=") for shift in range(3)]
    ends = [(8 * (shift + len(raw))) // 6 for shift in range(3)]
    return tuple(code[first:end] for code, first, end in zip(codes, (0, 2, 3), ends, strict=True))


def _named(path: str, seen: str) -> bool:
    """Return whether a path is mentioned, whole or as a name and its directory."""
    if _whole(path, seen):
        return True
    folder, _, name = path.rstrip("/").rpartition("/")
    both = folder and re.search(rf"{re.escape(folder)}(?!/?[\w-])", seen)
    return bool(both and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w)", seen))


def _whole(path: str, seen: str) -> bool:
    """Return whether a path is in the text, and not only as the start of a longer one."""
    return re.search(rf"{re.escape(path)}(?![\w-]|\.\w)", seen) is not None


def _alone(literal: str, seen: str) -> bool:
    """Return whether a literal is in the text, and not only inside a longer word.

    The option `-s` is not in `run-steps`.
    """
    begins = r"(?<![\w-])" if re.match(r"[\w-]", literal) else ""
    ends = r"(?![\w-])" if literal[-1:].isalnum() else ""
    return re.search(begins + re.escape(literal) + ends, seen) is not None


def _surface(text: str) -> Iterator[str]:
    if not text.strip() or text != text.strip():
        yield "the text is empty, or begins or ends with blanks"
    count = len(text.split())
    if count > MOST_WORDS:
        yield f"{count} words, more than {MOST_WORDS}"
    if text.count("`") % 2:
        yield "a backtick has no partner"
    for line in _CODE.sub("`0`", text).splitlines():
        if "  " in line.strip() and not line.startswith(("    ", "|")):
            yield f"double space in {line.strip()[:40]!r}"
        if re.search(r" [.,;:!?](?=\s|\Z)", line):
            yield f"space before punctuation in {line.strip()[:40]!r}"
