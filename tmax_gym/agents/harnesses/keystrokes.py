r"""Reading the replies of `terminus2`: which JSON object counts, and what it asks to type.

Reasoning in tags is left out, then the first complete JSON object with all needed keys counts, as
in Terminus 2; words, fences and other objects around it only make warnings.  One repair each is
made where a text has one reading: trailing commas, raw control characters in strings, and braces
that are missing at the very end.  Everything else is an error that the model is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NEEDED = ("analysis", "plan", "commands")
LONGEST = 60.0
"""Seconds that one command may wait (Terminus 2: the same)."""
USUAL = 1.0
"""Seconds where a command names none (Terminus 2: the same)."""
_TOKEN = re.compile(
    r'(?P<object>\{(?=\s*["}]))'
    r"|(?P<opens>^[ \t]*[<\[◁](?:seed:)?(?:think|thinking|thought|reasoning)[>\]▷])"
    r"|(?P<closes>[<\[◁]/(?:seed:)?(?:think|thinking|thought|reasoning)[>\]▷])",
    re.IGNORECASE | re.MULTILINE,
)
"""What may begin an object, and the tags of reasoning.  A tag opens at the start of a line only:
prose may mention one."""
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_DEEP = re.compile(r'(?:\{\s*"[^"{}]*"\s*:[\s\[]*){50}')
"""Objects in objects that no answer holds: to try each of them takes the square of their number."""
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
"""A string, which may hold braces, or a brace."""
_QUOTED = 200
"""Characters of an object that are quoted to the model (Terminus 2: the same)."""
_STRICT = json.JSONDecoder()
_LENIENT = json.JSONDecoder(strict=False)
_TRIES = 20
"""Objects that are repaired before a reply counts as unreadable."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Keystrokes, and the seconds to wait after them."""

    keystrokes: str
    duration: float


@dataclass(frozen=True, slots=True)
class Understood:
    """What a reply asks for."""

    commands: tuple[Typed, ...] = ()
    complete: bool = False
    error: str = ""
    """Why nothing may be typed; "" where it may."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a reply."""

    start: int
    end: int
    row: Mapping[str, Any]
    repair: str = ""


def understood(text: str) -> Understood:
    r"""Return what a reply asks for, or what is wrong with it.

    >>> understood('<think>\n{"a": 1}</think>{"analysis": "", "plan": "", "commands": []}').error
    ''
    """
    objects, broken = _objects(text)
    answer = next((o for o in objects if not _missing(o.row)), None) or _completed(text, broken)
    if answer is None:
        return _complaint(text, objects, broken)
    warnings = [answer.repair] if answer.repair else []
    warnings += [*_around(text, answer.start, answer.end), *_remarks(answer.row)]
    complete = _complete(answer.row.get("task_complete"))
    listed = answer.row["commands"]
    if not isinstance(listed, list):
        return Understood(error="Field 'commands' must be an array", warnings=tuple(warnings))
    typed: list[Typed] = []
    for number, item in enumerate(listed, 1):
        if error := _wrong(item, number):
            # Who is done needs no commands: what is wrong with them is only a warning.
            return Understood((), complete, "" if complete else error,
                              (*warnings, *([error] if complete else ())))  # fmt: skip
        typed.append(Typed(item["keystrokes"], _duration(item)))
        warnings += _command_remarks(item, number, last=number == len(listed))
    return Understood(tuple(typed), complete, "", tuple(warnings))


def _objects(text: str) -> tuple[list[_Found], list[int]]:
    """Return the complete objects outside reasoning, and where others begin, in order."""
    objects: list[_Found] = []
    broken: list[int] = []
    hidden: int | None = None
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["opens"]:
            hidden = match.start() if hidden is None else hidden
        elif match["closes"]:
            # One that closes without an opening was opened by the prompt.
            begun, hidden = hidden or 0, None
            objects = [o for o in objects if o.start < begun]
            broken = [start for start in broken if start < begun]
        elif found := _decoded(text, match.start(), repairs=len(broken) < _TRIES):
            objects.append(found)
            at = found.end
        else:
            broken.append(match.start())
    if hidden is not None:
        objects = [o for o in objects if o.start < hidden]
        broken = [start for start in broken if start < hidden]
    return objects, broken


def _decoded(text: str, start: int, *, repairs: bool = True) -> _Found | None:
    """Return the object that begins at a place, None where none ends."""
    if _DEEP.match(text, start):
        return None
    for repair, decoder, source in _ways(text, start):
        try:
            row, end = decoder.raw_decode(source, start)
        except (ValueError, RecursionError):
            if repairs:
                continue
            return None
        return _Found(start, end, row, repair)
    return None


def _ways(text: str, start: int) -> Iterator[tuple[str, json.JSONDecoder, str]]:
    yield "", _STRICT, text
    yield (
        (
            "AUTO-CORRECTED: Accepted unescaped control characters in a string - "
            "please fix this in future responses"
        ),
        _LENIENT,
        text,
    )
    # A space for each comma: every other character keeps its place.
    tail = _TRAILING.sub(lambda match: match[1] or " ", text[start:])
    yield (
        ("AUTO-CORRECTED: Ignored a trailing comma - please fix this in future responses"),
        _LENIENT,
        text[:start] + tail,
    )


def _completed(text: str, broken: list[int]) -> _Found | None:
    """Return an object that lacks nothing but braces at the very end."""
    body = text.rstrip().removesuffix("```").rstrip()
    for start in broken[:_TRIES]:
        for count in (1, 2):
            found = _decoded(body + "}" * count, start)
            if found and found.end > len(body) and not _missing(found.row):
                note = (
                    "AUTO-CORRECTED: Fixed incomplete JSON by adding missing closing brace - "
                    "please fix this in future responses"
                )
                return _Found(start, len(text), found.row, note)
    return None


def _complaint(text: str, objects: list[_Found], broken: list[int]) -> Understood:
    """Return what is wrong with a reply without an answer: with its first object, if it has one."""
    start = min([*broken, *(found.start for found in objects)], default=None)
    if start is None:
        return Understood(
            error="No valid JSON found in response", warnings=("No valid JSON object found",)
        )
    if objects and objects[0].start == start:
        end = objects[0].end
        error = f"Missing required fields: {', '.join(_missing(objects[0].row))}"
    else:
        end = _end(text, start)
        error = f"Invalid JSON: {_fault(text[start:end])}"
    return Understood(error=error, warnings=tuple(_around(text, start, end)))


def _around(text: str, start: int, end: int) -> Iterator[str]:
    if text[:start].strip():
        yield "Extra text detected before JSON object"
    if text[end:].strip():
        yield "Extra text detected after JSON object"


def _end(text: str, start: int) -> int:
    """Return where an object's last brace stands; the end of the text where that is missing."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += (match[0] == "{") - (match[0] == "}")
        if match[0] == "}" and not depth:
            return match.end()
    return len(text)


def _fault(content: str) -> str:
    """Return why an object cannot be read, and its beginning."""
    if _DEEP.match(content):
        return "it is nested too deeply"
    try:
        _STRICT.decode(content)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        if len(content) < _QUOTED:
            return f"{error} | Content: {content!r}"
        return f"{error} | Content preview: {content[: _QUOTED // 2]!r}..."
    return "it cannot be read"


def _missing(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in NEEDED if name not in row)


def _complete(said: object) -> bool:
    return said.lower() in ("true", "1", "yes") if isinstance(said, str) else bool(said)


def _remarks(row: Mapping[str, Any]) -> Iterator[str]:
    for name in ("analysis", "plan"):
        if not isinstance(row[name], str):
            yield f"Field '{name}' should be a string"
    order = [name for name in row if name in NEEDED]
    if order != list(NEEDED):
        yield (
            f"Fields appear in wrong order. Found: {' → '.join(order)}, "
            f"expected: {' → '.join(NEEDED)}"
        )
    if not isinstance(row.get("task_complete"), bool | str | None):
        yield "Field 'task_complete' should be a boolean or string"


def _wrong(item: object, number: int) -> str:
    """Return why a command cannot be typed, "" where it can."""
    if not isinstance(item, Mapping):
        return f"Command {number} must be an object"
    if "keystrokes" not in item:
        return f"Command {number} missing required 'keystrokes' field"
    keys = item["keystrokes"]
    if not isinstance(keys, str):
        return f"Command {number} 'keystrokes' must be a string"
    if any("\ud800" <= c <= "\udfff" for c in keys):
        return f"Command {number} 'keystrokes' hold half of a character (a lone surrogate)"
    return ""


def _duration(item: Mapping[str, Any]) -> float:
    said = item.get("duration", USUAL)
    if not isinstance(said, int | float) or said != said:  # NaN
        return USUAL
    return float(min(max(said, 0.0), LONGEST))


def _command_remarks(item: Mapping[str, Any], number: int, *, last: bool) -> Iterator[str]:
    if "duration" not in item:
        yield f"Command {number}: Missing duration field, using default {USUAL}"
    elif not isinstance(item["duration"], int | float):
        yield f"Command {number}: Invalid duration value, using default {USUAL}"
    if unknown := sorted(item.keys() - {"keystrokes", "duration"}):
        yield f"Command {number}: Unknown fields: {', '.join(unknown)}"
    if not last and item["keystrokes"] and not item["keystrokes"].endswith("\n"):
        yield (
            f"Command {number} should end with newline when followed by another command. "
            "Otherwise the two commands will be concatenated together on the same line."
        )
