"""Decoded data becomes frozen dataclasses by pydantic, and a fault becomes one line.

pydantic itself is imported where data is read, so that `import tmax_gym` stays cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")
_SHOWN = 60
"""Characters of a wrong value that a message repeats."""
_TEXTS = {
    "bool_type": "not true or false",
    "dataclass_type": "not a table",
    "dict_type": "not a table",
    "finite_number": "not a finite number",
    "float_parsing": "not a number",
    "float_type": "not a number",
    "greater_than": "not above {gt}",
    "greater_than_equal": "not at least {ge}",
    "int_from_float": "not a whole number",
    "int_parsing": "not a whole number",
    "int_type": "not a whole number",
    "literal_error": "not one of: {expected}",
    "mapping_type": "not a table",
    "string_type": "not text",
    "tuple_type": "not a list",
}
"""What messages say for pydantic's types of errors; for others they say what pydantic says."""


class FieldError(ValueError):
    """A fault of one field that shows when its whole table is looked at."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


def validated(kind: type[T], value: object, *, where: str, error: type[Exception]) -> T:
    """Return a decoded value as a dataclass, or as whatever type is given.

    Args:
        kind: The type; fields that it does not know are ignored, if it does not forbid them.
        value: What was decoded.
        where: The name of the file, for messages.
        error: What is raised.

    Raises:
        Exception: Of the class `error`, with the first fault: file, field, value, what is right.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        checked: T = TypeAdapter(kind).validate_python(value)
    except ValidationError as failed:
        raise error(fault(failed, where)) from None
    return checked


def fault(error: ValidationError, where: str) -> str:
    """Return the first fault as one line."""
    first = error.errors(include_url=False)[0]
    location, value, reason = first["loc"], first["input"], first.get("ctx", {}).get("error")
    if isinstance(reason, FieldError):
        location = (*location, reason.key)
        value = value.get(reason.key) if isinstance(value, Mapping) else value
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    place = f"{where}: {path.removeprefix('.')}" if path else where
    if first["type"] == "missing":
        return f"{place} is missing"
    text = str(reason) if reason is not None else _text(first)
    return f"{place} is {shown(value)}, {text}" if text.startswith("not ") else f"{place} {text}"


def _text(first: ErrorDetails) -> str:
    context: dict[str, Any] = first.get("ctx", {})
    expected = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
    default = f"not valid: {one_line(first['msg'])}"
    return _TEXTS.get(first["type"], default).format_map({**context, "expected": expected})


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
