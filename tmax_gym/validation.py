"""Decoded data becomes frozen dataclasses by pydantic, and a fault becomes one line.

`import tmax_gym` does not import this module: pydantic would more than double its time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

T = TypeVar("T")
_SHOWN = 60
"""Characters of a wrong value that a message repeats."""
_TEXTS = {
    "bool_type": "not true or false",
    "dataclass_type": "not a table of keys and values",
    "dict_type": "not a table of keys and values",
    "finite_number": "not a finite number",
    "float_parsing": "not a number",
    "float_type": "not a number",
    "greater_than": "not above {gt}",
    "greater_than_equal": "not at least {ge}",
    "int_from_float": "not a whole number",
    "int_parsing": "not a whole number",
    "int_type": "not a whole number",
    "literal_error": "not one of: {expected}",
    "mapping_type": "not a table of keys and values",
    "string_type": "not text",
    "tuple_type": "not a list",
}
"""What messages say for pydantic's types of errors; for others they say what pydantic says."""


class FieldError(ValueError):
    """A fault of one field that shows when its whole table is looked at."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Closed:
    """A table without other keys than its fields."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the names that look like a wrong one, else with all.

    >>> nearest("los", ["loss", "model"]), nearest("x", ["loss", "model"])
    ('Did you mean loss?', 'There are: loss, model')
    """
    listed = sorted(known)
    close = get_close_matches(name, listed, n=2, cutoff=0.5)
    return f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(listed)}"


def validated(
    kind: type[T], value: object, *, where: str, error: type[Exception], strict: bool = False
) -> T:
    """Return a decoded value as a dataclass, or as whatever type is given.

    Args:
        kind: The type; unknown keys are ignored, except by subclasses of `Closed`.
        value: What was decoded.
        where: The name of the file, for messages.
        error: The class of what is raised.
        strict: Whether `"1"` and `1.0` are no whole numbers, `1` is no flag, and so on.

    Raises:
        Exception: Of the class `error`, with the first fault: file, field, value, what is right.
    """
    adapter = TypeAdapter(kind)
    try:
        if strict:  # as JSON: in Python's strict mode a list is no tuple, and a table no dataclass
            checked: T = adapter.validate_json(json.dumps(value, default=str), strict=True)
        else:
            checked = adapter.validate_python(value)
    except ValidationError as failed:
        raise error(_fault(kind, failed, where)) from None
    return checked


def _fault(kind: Any, error: ValidationError, where: str) -> str:
    """Return the first fault as one line."""
    first = error.errors(include_url=False)[0]
    location, value, reason = first["loc"], first["input"], first.get("ctx", {}).get("error")
    if isinstance(reason, FieldError):
        location = (*location, reason.key)
        value = value.get(reason.key) if isinstance(value, Mapping) else value
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    place = f"{where}: {one_line(path.removeprefix('.'))}" if path else where
    if first["type"] == "missing":
        return f"{place} is missing"
    if first["type"] == "unexpected_keyword_argument":
        *above, key = location
        return f"{place} is unknown. {nearest(str(key), _keys(kind, above))}"
    text = str(reason) if reason is not None else _text(first)
    return f"{place} is {shown(value)}, {text}" if text.startswith("not ") else f"{place} {text}"


def _keys(kind: Any, location: Iterable[int | str]) -> list[str]:
    """Return the fields of the table at a place below a dataclass."""
    for part in location:
        hint = get_type_hints(kind)[str(part)]
        kind = next(each for each in (hint, *get_args(hint)) if is_dataclass(each))
    return [each.name for each in fields(kind)]


def _text(first: ErrorDetails) -> str:
    context: dict[str, Any] = first.get("ctx", {})
    expected = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
    known = _TEXTS.get(first["type"])
    if known is None:
        return f"not valid: {one_line(first['msg'])}"
    return known.format_map({**context, "expected": expected})


def shown(value: object) -> str:
    """Return a wrong value as a message shows it: short, on one line."""
    try:
        text = one_line(repr(value))
    except (ValueError, RecursionError):  # an integer of more digits than Python prints
        text = type(value).__name__
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def one_line(text: str) -> str:
    """Return a text with every run of white space as one space."""
    return " ".join(text.split())
