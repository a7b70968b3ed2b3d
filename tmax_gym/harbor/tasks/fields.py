"""Typed access to a decoded TOML or JSON table: a field is of its type, or one line says why not.

`"900"` and `900.0` are the number 900; NaN and infinities are refused.  Fields that nobody asks for
are ignored.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tmax_gym.errors import HarborError
from tmax_gym.validation import one_line, shown

T = TypeVar("T", bound=str)


def read_toml(text: str, where: str) -> dict[str, object]:
    """Return the root table of a TOML text.

    Raises:
        HarborError: It is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise HarborError(f"{where} is not TOML: {one_line(str(error))}") from error


def read_json(data: bytes | str, where: str) -> object:
    """Return the value of a JSON text.

    Raises:
        HarborError: It is not JSON, or not UTF-8.
    """
    try:
        # bytes would be taken for UTF-16 or UTF-32 where they look so.
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise HarborError(f"{where} is not JSON: {one_line(str(error))}") from error
    return value


def printable(text: str) -> str:
    """Return a text of one line that any terminal and file takes, whatever names are in it."""
    one = "".join(c if c.isprintable() or c == " " else repr(c)[1:-1] for c in one_line(text))
    return one.encode("utf-8", "backslashreplace").decode("utf-8")


def number(value: object, where: str) -> float:
    """Return a finite number."""
    try:
        if isinstance(value, bool):
            raise TypeError
        real = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise HarborError(f"{where} is {shown(value)}, not a number") from None
    except OverflowError:
        raise HarborError(f"{where} is {shown(value)}, too large for a number") from None
    if not math.isfinite(real):
        raise HarborError(f"{where} is {shown(value)}, not a finite number")
    return real


def whole(value: object, where: str) -> int:
    """Return a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    real = number(value, where)
    if real != int(real):
        raise HarborError(f"{where} is {shown(value)}, not a whole number")
    return int(real)


def as_table(value: object, where: str) -> Table:
    """Return a value that is a table."""
    if not isinstance(value, Mapping):
        raise HarborError(f"{where} is {shown(value)}, not a table")
    return Table(value, where)


@dataclass(frozen=True, slots=True)
class Table:
    """One decoded table and where it stands; every reader raises `HarborError`."""

    values: Mapping[str, object]
    where: str

    def __contains__(self, key: str) -> bool:
        """Return whether a field is there and not null."""
        return self.values.get(key) is not None

    def place(self, key: str) -> str:
        """Return how messages call a field."""
        return f"{self.where}: {key}" if ":" not in self.where else f"{self.where}.{key}"

    def fault(self, key: str, kind: str) -> HarborError:
        """Return the error for a field that is not of a kind."""
        if key not in self:
            return HarborError(f"{self.place(key)} is missing")
        return HarborError(f"{self.place(key)} is {shown(self.values[key])}, not {kind}")

    def text(self, key: str) -> str:
        """Return a text that must be there."""
        text = self.values.get(key)
        if not isinstance(text, str):
            raise self.fault(key, "text")
        return text

    def maybe_text(self, key: str) -> str | None:
        """Return a text, or None."""
        return self.text(key) if key in self else None

    def text_or(self, key: str, default: str) -> str:
        """Return a text, or a default."""
        return self.text(key) if key in self else default

    def maybe_number(self, key: str) -> float | None:
        """Return a finite number, or None."""
        return number(self.values[key], self.place(key)) if key in self else None

    def maybe_seconds(self, key: str) -> float | None:
        """Return a time that is not negative, or None."""
        seconds = self.maybe_number(key)
        if seconds is not None and seconds < 0:
            raise self.fault(key, "a time: it is negative")
        return seconds

    def maybe_whole(self, key: str) -> int | None:
        """Return a whole number, or None."""
        return whole(self.values[key], self.place(key)) if key in self else None

    def whole_or(self, key: str, default: int) -> int:
        """Return a whole number, or a default."""
        number = self.maybe_whole(key)
        return default if number is None else number

    def maybe_flag(self, key: str) -> bool | None:
        """Return true, false or None."""
        flag = self.values.get(key)
        if flag is not None and not isinstance(flag, bool):
            raise self.fault(key, "true or false")
        return flag

    def choice(self, key: str, options: Sequence[T]) -> T | None:
        """Return one of some words, or None."""
        word = self.maybe_text(key)
        for option in options:
            if word == option:
                return option
        if word is None:
            return None
        raise self.fault(key, f"one of: {', '.join(options)}")

    def items(self, key: str) -> tuple[object, ...]:
        """Return a list, empty where there is none."""
        items = self.values.get(key)
        if items is None:
            return ()
        if not isinstance(items, list | tuple):
            raise self.fault(key, "a list")
        return tuple(items)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty where there is none."""
        items = self.items(key)
        if not all(isinstance(item, str) for item in items):
            raise self.fault(key, "a list of texts")
        return tuple(str(item) for item in items)

    def wholes(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers, empty where there is none."""
        return tuple(whole(item, self.place(key)) for item in self.items(key))

    def numbers(self, key: str) -> tuple[float, ...]:
        """Return a list of numbers, empty where there is none."""
        return tuple(number(item, self.place(key)) for item in self.items(key))

    def table(self, key: str) -> Table:
        """Return a table, empty where there is none."""
        return as_table(self.values[key], self.place(key)) if key in self else self._none(key)

    def maybe_table(self, key: str) -> Table | None:
        """Return a table, or None."""
        return self.table(key) if key in self else None

    def tables(self, key: str) -> tuple[Table, ...]:
        """Return a list of tables, empty where there is none."""
        return tuple(
            as_table(item, f"{self.place(key)}[{i}]") for i, item in enumerate(self.items(key))
        )

    def mapping(self, key: str) -> Mapping[str, object]:
        """Return a free table as it was decoded, empty where there is none."""
        return dict(self.table(key).values)

    def maybe_mapping(self, key: str) -> Mapping[str, object] | None:
        """Return a free table as it was decoded, or None."""
        return self.mapping(key) if key in self else None

    def _none(self, key: str) -> Table:
        return Table({}, self.place(key))
