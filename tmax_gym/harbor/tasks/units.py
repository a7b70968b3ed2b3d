"""Numbers of a `task.toml`: plain ones, times in seconds and sizes in megabytes.

Numbers may be written as texts, as Harbor reads them.  Times and sizes may have units where they
can mean one thing only: `"10m"`, `"1h30m"`, `"2GiB"`, a number of bytes.  A unit of sizes is a
power of 1024, as in Harbor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from tmax_gym.validation import FieldError

_SECONDS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
"""Largest first: the parts of a time stand in this order."""
_TIME = re.compile(
    r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>"
    r"milliseconds?|minutes?|seconds?|hours?|days?|mins?|secs?|hrs?|ms|[dhms])(?![a-z])"
    r"\s*(?:,|and\b)?\s*"
)
_SIZE = re.compile(r"((?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?)\s*([KMGTP]?)(IB?|B)?", re.IGNORECASE)
_MEGABYTES = {"": 2.0**-20, "K": 2.0**-10, "M": 1.0, "G": 2.0**10, "T": 2.0**20, "P": 2.0**30}
LEAST_BYTES = 6 << 20
"""Docker's least memory: a smaller number without a unit is not a number of bytes."""
_A_TIME = (
    "not a number of seconds; write seconds (600) or a time with units ('90s', '10m', '1h30m')"
)
_A_SIZE = "a size such as '2G' or '512M'"


def _no_flag(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("not a number")
    return value


Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_no_flag)]
Whole = Annotated[int, BeforeValidator(_no_flag)]


def seconds(value: object) -> float:
    """Return a time with or without units in seconds.

    >>> seconds("1h 30m"), seconds("600")
    (5400.0, 600.0)

    Raises:
        ValueError: It is no time; the text says why.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a number")
    number = _with_units(value.strip()) if isinstance(value, str) else None
    try:
        number = float(value) if number is None else number
    except (ValueError, OverflowError):
        raise ValueError(_A_TIME) from None
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    if number < 0:
        raise ValueError("not a time: it is negative")
    return number


Seconds = Annotated[float, BeforeValidator(seconds)]


def _with_units(text: str) -> float | None:
    """Return the seconds of a time with units, None where it is no such time."""
    # "10M" may be minutes, months or a mistake for megabytes.
    if re.search(r"\d\s*M(?![a-zA-Z])", text):
        return None
    lower = text.lower()
    total, at, order = 0.0, 0, -1
    units = list(_SECONDS)
    while at < len(lower):
        part = _TIME.match(lower, at)
        if part is None:
            return None
        unit = part["unit"]
        short = "ms" if unit.startswith(("ms", "mil")) else unit[0]
        if units.index(short) <= order:
            return None
        order = units.index(short)
        total += float(part["number"]) * _SECONDS[short]
        at = part.end()
    return total if lower and lower[-1].isalpha() else None


def megabytes(table: Mapping[str, object], name: str) -> int | None:
    """Return a size by its field in megabytes, or by its legacy one without `_mb`.

    >>> megabytes({"memory": 2147483648}, "memory")
    2048

    Raises:
        FieldError: It is no size, or both fields are there and differ.
    """
    size = _size(table, f"{name}_mb")
    legacy = table.get(name)
    if legacy is None or (size is not None and not isinstance(legacy, str)):
        return size  # as Harbor: beside `memory_mb` it reads texts alone
    read = _size(table, name)
    if size not in (None, read):
        raise FieldError(name, f"not the same as {name}_mb ({size}): leave {name} out")
    return read


def _size(table: Mapping[str, object], key: str) -> int | None:
    """Return megabytes; a number without a unit is in bytes in the legacy field."""
    value = table.get(key)
    if value is None:
        return None
    in_bytes = not key.endswith("_mb")
    kind = f"not {_A_SIZE}" if in_bytes else f"not a whole number of megabytes, nor {_A_SIZE}"
    match = None if isinstance(value, bool) else _SIZE.fullmatch(str(value).strip())
    if match is None:
        raise FieldError(key, kind)
    size, plain = float(match[1]), not (match[2] or match[3])
    if plain and in_bytes and size < LEAST_BYTES:
        text = f"{kind}: without a unit it is too small for bytes; write a unit, or {key}_mb"
        raise FieldError(key, text)
    if in_bytes or not plain:
        size *= _MEGABYTES[match[2].upper()]
    if not math.isfinite(size) or (plain and not in_bytes and size != int(size)):
        raise FieldError(key, kind)
    if int(size) <= 0:
        raise FieldError(key, f"not above 0 megabytes: write {_A_SIZE}")
    return int(size)
