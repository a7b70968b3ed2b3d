"""Records that a follow-up reads: kinds of their fields, and words for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from tmax_gym.families.products import Record
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_HEX = re.compile(r"[0-9a-f]{16,}")
_VERSION = re.compile(r"v?\d+(\.\d+)+")


def numbers(record: Record) -> tuple[str, ...]:
    """Return the names of the fields that are integers."""
    return tuple(name for name, value in record.fields.items() if isinstance(value, int))


def times(record: Record) -> tuple[str, ...]:
    """Return the names of the fields that are points in time, as in `2024-05-10T14:21:39`."""
    return tuple(name for name, value in record.fields.items() if is_time(value))


def is_time(value: str | int) -> bool:
    """Return whether a value is a point in time to the second, without a zone.

    >>> is_time("2024-05-10T14:21:39"), is_time("2024-05-10")
    (True, False)
    """
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def label(name: str) -> str:
    """Return the name of a field as words.

    >>> label("total_ms")
    'total ms'
    """
    return name.replace("_", " ")


def fresh(candidates: Sequence[str], record: Record) -> tuple[str, ...]:
    """Return the names that no field of a record has."""
    return tuple(name for name in candidates if name not in record.fields)


def texts(record: Record) -> tuple[str, ...]:
    """Return the names of the fields that are strings and no points in time."""
    return tuple(
        name
        for name, value in record.fields.items()
        if isinstance(value, str) and not is_time(value)
    )


def another(value: str | int, skin: Skin, rng: Rng) -> str | int:
    """Return a different value of the same kind, as the record of another thing could have it."""
    while True:
        other = _another(value, skin, rng)
        if other != value:
            return other


def _another(value: str | int, skin: Skin, rng: Rng) -> str | int:
    if isinstance(value, int):
        return max(1, value + rng.choice((-1, 1)) * rng.integer(1, max(3, value // 3)))
    if is_time(value):
        earlier = timedelta(seconds=rng.integer(3_600, 9_000_000))
        return (datetime.fromisoformat(value) - earlier).isoformat()
    if _HEX.fullmatch(value):
        return rng.hex(len(value))
    if _VERSION.fullmatch(value):
        return f"{value.rpartition('.')[0]}.{rng.integer(1, 254)}"
    if "." in value:
        return f"{skin.stem(rng)}.{value.rpartition('.')[2]}"
    if any(character.isdigit() for character in value):
        return re.sub(r"\d", lambda _: str(rng.integer(0, 9)), value)
    return skin.person(rng) if " " in value else skin.login(skin.person(rng))
