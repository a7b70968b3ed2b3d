"""Checks instructions: every clause is said once with its facts, and no hidden value is told.

It also checks that outputs are named, leftovers of the grammar, spacing, capitals and length.  It
does not judge style, and does not know whether the facts are true.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tmax_gym.nodes import Node
from tmax_gym.texts import grammar
from tmax_gym.texts.clauses import ABBREVIATION, Clause
from tmax_gym.texts.variants import varied

MAX_WORDS = 420
SHORT = 6
"""A hidden value with fewer characters leaks only as a whole word, because "12" is in "120"."""
_BEGIN, _END = "\x01", "\x02"
_COREFERENCE = "(?:that file)"
_WORDS = r"[^\n]{1,80}?"
_LEFTOVER = re.compile(r"\{[^{}\n]*\}|\{[a-z_]+\b|[\ue000\ue001]")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
_PREFIX = re.compile(
    r"^(?:\[\d\d:\d\d\] [^:\n]+: |[-*#]+ |\d+\. |\([a-z\d]+\) |(?:Part \w+|\w+ part)\. )+"
)
_SENTENCE_START = re.compile(r"(?<=[.!?])[ \n]+(?=(\w[^\s]*))")


def lint(
    text: str,
    clauses: Sequence[Clause],
    *,
    documents: Iterable[Node] = (),
    hidden: Sequence[str] = (),
    outputs: Sequence[str] = (),
    max_words: int = MAX_WORDS,
) -> tuple[str, ...]:
    """Return the problems of an instruction.

    Args:
        text: The instruction.
        clauses: The clauses that it must say.
        documents: Files that the text points to; a fact in them counts as said.
        hidden: Values that the agent must find out.
        outputs: Paths that the agent must make.
        max_words: Limit for the text, without the documents.
    """
    read = [(d.data or b"").decode("utf-8", "replace") for d in documents]
    seen = "\n\n".join([text, *read])
    problems = [*_facts(seen, clauses), *_realisations(seen, clauses)]
    problems += _leaks(seen, hidden, clauses)
    problems += [f"output {path} is not mentioned" for path in outputs if not _named(path, seen)]
    known = {value for clause in clauses for value in clause.facts.values()}
    for part in (text, *read):
        problems += _surface(part, known)
    count = len(text.split())
    if count > max_words:
        problems.append(f"{count} words, more than {max_words}")
    return tuple(problems)


def _facts(seen: str, clauses: Sequence[Clause]) -> Iterator[str]:
    for clause in clauses:
        for name, value in sorted(clause.facts.items()):
            is_said = _whole(value, seen) if value.startswith("/") else value in seen
            if not is_said:
                yield f"clause {clause.id}: the fact {name}={value!r} is not said"


def _realisations(seen: str, clauses: Sequence[Clause]) -> Iterator[str]:
    for clause in clauses:
        count = realisations(seen, clause)
        if count > 1:
            yield f"clause {clause.id} is said {count} times"
        elif not count and clause.role != "context":
            yield f"clause {clause.id} is not said"


def realisations(seen: str, clause: Clause) -> int:
    """Return how often a text says a clause: disjoint passages that match one of its frames."""
    templates = clause.templates
    values = sorted(clause.facts.items(), key=lambda item: (-len(item[1]), item[0]))
    numbered = seen.replace("`", "")
    for number, (_, value) in enumerate(values):
        token = f"{_BEGIN}{chr(0xE100 + number)}{_END}"
        numbered = numbered.replace(value.replace("`", ""), token)
    tokens = tuple((name, number) for number, (name, _) in enumerate(values))
    spans = [m.span() for t in templates for m in _pattern(t, tokens).finditer(numbered)]
    if not spans:  # a literal contains a value, so a token hides it: match the values
        plain = seen.replace("`", "")
        exact = [_exact(t, clause.facts) for t in templates]
        spans = [m.span() for pattern in exact for m in pattern.finditer(plain)]
    count, end = 0, -1
    for start, stop in sorted(spans):
        count += start >= end
        end = max(end, stop)
    return count


@lru_cache(maxsize=16384)
def _pattern(template: str, tokens: tuple[tuple[str, int], ...]) -> re.Pattern[str]:
    """Return a pattern of all expansions with tokens in place of facts."""
    forms = {name: f"{_BEGIN}{chr(0xE100 + number)}{_END}" for name, number in tokens}
    return _compiled(template, forms)


def _exact(template: str, facts: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern of all expansions with these facts."""
    return _compiled(template, {n: re.escape(v.replace("`", "")) for n, v in facts.items()})


def _compiled(template: str, forms: dict[str, str]) -> re.Pattern[str]:
    source = _source(varied(template), forms).strip()
    return re.compile(re.sub(r"(?:\\?\.|\s)+\Z", "", source) + r"(?![\w/])", re.I)


def _source(parts: tuple[grammar.Part, ...], forms: dict[str, str]) -> str:
    return "".join(_form(part, forms) for part in parts)


def _form(part: grammar.Part, forms: dict[str, str]) -> str:
    match part:
        case grammar.Literal(text):
            spaced = re.split(r"\s+", text.replace("`", ""))
            return r"\s*".join(re.escape(piece) for piece in spaced)
        case grammar.Slot(name):
            return f"(?:{forms[name]}|{_COREFERENCE})" if name in forms else _WORDS
        case grammar.Choice(options):
            return "(?:" + "|".join(_source(option, forms) for option in options) + ")"
        case grammar.Call():
            return _WORDS


def _leaks(seen: str, hidden: Sequence[str], clauses: Sequence[Clause]) -> Iterator[str]:
    facts = {value for clause in clauses for value in clause.facts.values()}
    folded = seen.lower()
    for value in hidden:
        if len(value) < SHORT:
            whole = rf"(?<![\w.]){re.escape(value)}(?!\w)"
            if value not in facts and not _ordinary(value) and re.search(whole, seen):
                yield f"the hidden value {value!r} is said"
            continue
        raw = value.encode()
        if value in seen:
            yield f"the hidden value {value!r} is said"
        if raw.hex() in folded:
            yield f"the hidden value {value!r} is said in hexadecimal"
        if any(core in seen for core in _base64(raw)):
            yield f"the hidden value {value!r} is said in base64"


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


def _surface(text: str, known: set[str]) -> Iterator[str]:
    bare = text
    for value in sorted(known, key=len, reverse=True):
        bare = bare.replace(value, "`0`") if len(value) > 1 else bare
    bare = _CODE.sub("`0`", bare)
    for left in _LEFTOVER.findall(bare):
        yield f"leftover of a template: {left!r}"
    for line in bare.splitlines():
        if "  " in line.strip() and not line.startswith("    "):
            yield f"double space in {line.strip()[:40]!r}"
        if re.search(r" [.,;:!?](?=\s|\Z)", line):
            yield f"space before punctuation in {line.strip()[:40]!r}"
        yield from _uncapitalised(line)


def _uncapitalised(line: str) -> Iterator[str]:
    if line.startswith(("    ", "\t", "|")):
        return
    text = _PREFIX.sub("", line.strip())
    if re.match(r"[a-z][a-z'’-]*(?=[\s,;:]|\Z)", text):
        yield f"no capital at the start of {text[:40]!r}"
    for match in _SENTENCE_START.finditer(text):
        lower = re.match(r"[a-z][a-z'’-]*[,;:]?\Z", match[1])
        if lower and not ABBREVIATION.search(text[: match.start()]):
            yield f"no capital at the start of {text[match.end() : match.end() + 40]!r}"
