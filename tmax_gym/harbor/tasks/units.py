"""Times and sizes of a `task.toml`, with or without a unit: seconds and megabytes.

Covers what Harbor reads (`900`, `"900"`, `memory = "2G"`) and spellings that can mean one thing
only: `"10m"`, `"1h30m"`, `"2GiB"`, a number of bytes.  Everything else is a `HarborError` that
says what to write.  A unit of sizes is a power of 1024, as Harbor counts them.
"""

from __future__ import annotations

import math
import re

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.fields import Table, number

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
A_TIME = "a number of seconds; write seconds (600) or a time with units ('90s', '10m', '1h30m')"
_A_SIZE = "a size such as '2G' or '512M'"


def maybe_seconds(table: Table, key: str) -> float | None:
    """Return a time that is not negative, or None where the field is absent.

    >>> maybe_seconds(Table({"timeout_sec": "1h 30m"}, "task.toml: agent"), "timeout_sec")
    5400.0
    """
    value = table.values.get(key)
    if isinstance(value, str):
        found = _with_units(value.strip())
        if found is None:
            try:
                found = float(value)
            except ValueError:
                raise table.fault(key, A_TIME) from None
    else:
        found = table.maybe_number(key)
    if found is None:
        return None
    if not math.isfinite(found):
        raise table.fault(key, f"a finite number: leave {key} out for the default")
    if found < 0:
        raise table.fault(key, "a time: it is negative")
    return found


def seconds(table: Table, key: str, default: float) -> float:
    """Return a time that is not negative, or a default."""
    found = maybe_seconds(table, key)
    return default if found is None else found


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


def megabytes(table: Table, name: str) -> int | None:
    """Return a size by its field in megabytes, or by its legacy one without `_mb`.

    >>> megabytes(Table({"memory": 2147483648}, "task.toml: environment"), "memory")
    2048
    """
    found = _field(table, f"{name}_mb", unit="M")
    legacy = table.values.get(name)
    if legacy is None or (found is not None and not isinstance(legacy, str)):
        return found  # as Harbor: beside `memory_mb` it reads texts alone
    read = _field(table, name, unit="")
    if found not in (None, read):
        raise table.fault(name, f"the same as {name}_mb ({found}): leave {name} out")
    return read


def _field(table: Table, key: str, *, unit: str) -> int | None:
    value = table.values.get(key)
    if value is None:
        return None
    read = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if read and (read[2] or read[3]):
        size = float(read[1]) * _MEGABYTES[read[2].upper()]
    elif unit == "M":
        return _whole(table, key)
    elif isinstance(value, bool) or not (read or isinstance(value, int | float)):
        raise table.fault(key, _A_SIZE)
    else:
        size = _bytes(table, key)
    if not math.isfinite(size) or int(size) <= 0:
        raise table.fault(key, f"above 0 megabytes: write {_A_SIZE}")
    return int(size)


def _whole(table: Table, key: str) -> int:
    try:
        found = table.maybe_whole(key) or 0
    except HarborError as error:
        if isinstance(table.values[key], str):
            raise table.fault(key, f"a whole number of megabytes, nor {_A_SIZE}") from None
        raise error
    if found <= 0:
        raise table.fault(key, "above 0")
    return found


def _bytes(table: Table, key: str) -> float:
    """Return the megabytes of a number without a unit, which can only be meant in bytes."""
    found = number(table.values[key], table.place(key))
    if found < LEAST_BYTES:
        kind = f"{_A_SIZE}: without a unit it is too small for bytes; write a unit, or {key}_mb"
        raise table.fault(key, kind)
    return found * _MEGABYTES[""]
