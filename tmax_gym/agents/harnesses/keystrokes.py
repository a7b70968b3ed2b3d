r"""Reads the replies of `terminus2`: JSON objects with keystrokes.

As in Terminus 2, the first complete JSON object with all needed keys counts, outside reasoning in
tags; text around it only causes warnings.  Trailing commas, raw control characters in strings and
braces that are missing at the very end are repaired.  Everything else is an error for the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NEEDED = ("analysis", "plan", "commands")
LONGEST = 60.0
"""Seconds that one command may wait (as in Terminus 2)."""
USUAL = 1.0
"""Seconds for a command that names none (as in Terminus 2)."""
_TOKEN = re.compile(
    r'(?P<object>\{(?=\s*["}]))'
    r"|(?P<opens>^[ \t]*[<\[◁](?:seed:)?(?:think|thinking|thought|reasoning)[>\]▷])"
    r"|(?P<closes>[<\[◁]/(?:seed:)?(?:think|thinking|thought|reasoning)[>\]▷])",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of an object, or a tag of reasoning.  A tag opens only at the start of a line,
because prose may mention one."""
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_DEEP = re.compile(r'(?:\{\s*"[^"{}]*"\s*:[\s\[]*){50}')
"""Deeply nested objects, which no answer holds, and which would take quadratic time to try."""
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
"""A string, which may hold braces, or a brace."""
_QUOTED = 200
"""Characters of an object that an error quotes (as in Terminus 2)."""
_STRICT = json.JSONDecoder()
_LENIENT = json.JSONDecoder(strict=False)
_CORRECTED = "AUTO-CORRECTED: {} - please fix this in future responses"
_TRIES = 20
"""Objects that are tried for repair before a reply counts as unreadable."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Keystrokes, and the seconds to wait after them."""

    keystrokes: str
    duration: float


@dataclass(frozen=True, slots=True)
class Understood:
    """The meaning of a reply."""

    commands: tuple[Typed, ...] = ()
    complete: bool = False
    error: str = ""
    """Why nothing is typed, or ""."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A JSON object in a reply."""

    start: int
    end: int
    row: Mapping[str, Any]
    repair: str = ""


def understood(text: str) -> Understood:
    r"""Return the keystrokes of a reply, or what is wrong with it.

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
            # A finished task needs no commands, so an error in them is only a warning.
            return Understood((), complete, "" if complete else error,
                              (*warnings, *([error] if complete else ())))  # fmt: skip
        typed.append(Typed(item["keystrokes"], _duration(item)))
        warnings += _command_remarks(item, number, last=number == len(listed))
    return Understood(tuple(typed), complete, "", tuple(warnings))


def _objects(text: str) -> tuple[list[_Parsed], list[int]]:
    """Return the complete objects outside reasoning, and the starts of incomplete ones."""
    objects: list[_Parsed] = []
    broken: list[int] = []
    hidden: int | None = None
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["opens"]:
            hidden = match.start() if hidden is None else hidden
        elif match["closes"]:
            # A closing tag alone was opened by the prompt.
            begun, hidden = hidden or 0, None
            objects = [o for o in objects if o.start < begun]
            broken = [start for start in broken if start < begun]
        elif decoded := _decoded(text, match.start(), repairs=len(broken) < _TRIES):
            objects.append(decoded)
            at = decoded.end
        else:
            broken.append(match.start())
    if hidden is not None:
        objects = [o for o in objects if o.start < hidden]
        broken = [start for start in broken if start < hidden]
    return objects, broken


def _decoded(text: str, start: int, *, repairs: bool = True) -> _Parsed | None:
    """Return the object that begins at `start`, or None if it is incomplete."""
    if _DEEP.match(text, start):
        return None
    for repair, decoder, source in _ways(text, start):
        try:
            row, end = decoder.raw_decode(source, start)
        except (ValueError, RecursionError):
            if repairs:
                continue
            return None
        return _Parsed(start, end, row, repair)
    return None


def _ways(text: str, start: int) -> Iterator[tuple[str, json.JSONDecoder, str]]:
    yield "", _STRICT, text
    yield _CORRECTED.format("Accepted unescaped control characters in a string"), _LENIENT, text
    # A space replaces each comma, so that every other character keeps its place.
    tail = _TRAILING.sub(lambda match: match[1] or " ", text[start:])
    yield _CORRECTED.format("Ignored a trailing comma"), _LENIENT, text[:start] + tail


def _completed(text: str, broken: list[int]) -> _Parsed | None:
    """Return an object that lacks only braces at the very end."""
    body = text.rstrip().removesuffix("```").rstrip()
    for start in broken[:_TRIES]:
        for count in (1, 2):
            completed = _decoded(body + "}" * count, start)
            if completed and completed.end > len(body) and not _missing(completed.row):
                note = _CORRECTED.format("Fixed incomplete JSON by adding missing closing brace")
                return _Parsed(start, len(text), completed.row, note)
    return None


def _complaint(text: str, objects: list[_Parsed], broken: list[int]) -> Understood:
    """Return what is wrong with a reply without an answer, or with its first object."""
    start = min([*broken, *(parsed.start for parsed in objects)], default=None)
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
    """Return the end of an object's last brace, or of the text if that is missing."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += (match[0] == "{") - (match[0] == "}")
        if match[0] == "}" and not depth:
            return match.end()
    return len(text)


def _fault(content: str) -> str:
    """Return why an object cannot be read, with its beginning."""
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


def _complete(value: object) -> bool:
    return value.lower() in ("true", "1", "yes") if isinstance(value, str) else bool(value)


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
    """Return why a command cannot be typed, or ""."""
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
    seconds = item.get("duration", USUAL)
    if not isinstance(seconds, int | float) or seconds != seconds:  # NaN
        return USUAL
    return float(min(max(seconds, 0.0), LONGEST))


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
