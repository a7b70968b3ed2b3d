"""Frozen dataclasses to JSON and back.

When written, absent fields are left out and keys are sorted.  When read, every field is checked
against its type.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.fields import Table, as_table, number, whole

D = TypeVar("D")
Time = Annotated[str, "a time by ISO 8601"]
Readers = Mapping[type, Callable[[Table], Any]]
"""Classes that have a reader of their own."""


def as_json(value: object) -> object:
    """Return a value of dataclasses as one of lists, dicts and plain values.

    Raises:
        HarborError: A number is not finite, which JSON cannot say.
    """
    if is_dataclass(value) and not isinstance(value, type):
        named = ((f.name, getattr(value, f.name)) for f in fields(value))
        return {name: as_json(inner) for name, inner in named if inner is not None}
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise HarborError(f"{value} cannot be written as JSON: a number must be finite")
    return value


def dumps(value: object) -> str:
    """Return a dataclass as a JSON text."""
    return json.dumps(as_json(value), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def is_time(text: str) -> bool:
    """Return whether a text is a time by ISO 8601."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def build(kind: type[D], table: Table, readers: Readers | None = None, **ready: object) -> D:
    """Return a dataclass from a table: absent fields and null have the default.

    Args:
        kind: The dataclass.
        table: Its values by the names of its fields; other names are ignored.
        readers: Read the dataclasses inside it that need more than their types.
        ready: Fields that have been read already.

    Raises:
        HarborError: A field is missing or has a wrong type.
    """
    of: Any = kind
    values: dict[str, Any] = dict(ready)
    for name, (type_, needed) in _fields(of).items():
        if name not in values and (needed or name in table):
            values[name] = _value(table, name, type_, readers or {})
    return kind(**values)


@lru_cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Return the type of every field, and whether it has no default."""
    types = get_type_hints(kind, include_extras=True)
    return {
        f.name: (types[f.name], f.default is MISSING and f.default_factory is MISSING)
        for f in fields(kind)
    }


def _value(table: Table, key: str, kind: Any, readers: Readers) -> Any:
    """Return a field of some type; an absent list or free table is empty."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _either(table, key, [one for one in inner if one is not NoneType], readers)
    if origin is tuple:
        return _items(table, key, inner[0], readers)
    if origin is Mapping:
        return _mapping(table.table(key), inner[1], readers)
    if origin is Annotated:
        text = table.text(key)
        if not is_time(text):
            raise table.fault(key, kind.__metadata__[0])
        return text
    if origin is Literal:
        return table.choice(key, inner) if key in table else table.text(key)
    return _plain(table, key, kind, readers)


def _plain(table: Table, key: str, kind: Any, readers: Readers) -> Any:
    value, place = table.values.get(key), table.place(key)
    if kind is str:
        return table.text(key)
    if kind is bool:
        return table.maybe_flag(key)
    if kind is int:
        return whole(value, place)
    if kind is float:
        return number(value, place)
    return _record(as_table(value, place), kind, readers)


def _record(table: Table, kind: Any, readers: Readers) -> Any:
    return readers[kind](table) if kind in readers else build(kind, table, readers)


def _either(table: Table, key: str, kinds: list[Any], readers: Readers) -> Any:
    """Return a field of one of two types, of which one is text."""
    value = table.values.get(key)
    if len(kinds) > 1:
        if value is None or isinstance(value, str):
            return table.text(key)
        kinds.remove(str)
    return _value(table, key, kinds[0], readers)


def _items(table: Table, key: str, kind: Any, readers: Readers) -> tuple[Any, ...]:
    if kind is str:
        return table.texts(key)
    if kind is int:
        return table.wholes(key)
    if kind is float:
        return table.numbers(key)
    if get_origin(kind) is Mapping:
        return tuple(_mapping(row, get_args(kind)[1], readers) for row in table.tables(key))
    return tuple(_record(row, kind, readers) for row in table.tables(key))


def _mapping(table: Table, kind: Any, readers: Readers) -> dict[str, Any]:
    if kind is object:
        return dict(table.values)
    return {name: _value(table, name, kind, readers) for name in table.values}
