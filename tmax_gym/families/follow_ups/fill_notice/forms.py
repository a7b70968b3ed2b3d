"""Forms in which a notice shows a value: which suit it, what each does, and words for it."""

from __future__ import annotations

import re

from tmax_gym.families.shared.records import is_time
from tmax_gym.rng import Rng

PADDED = 8
"""Width of a number that is filled with zeros."""
LONG = 9
"""Length from which on only a part of an identifier is shown."""
_IDENTIFIER = re.compile(r"[A-Za-z0-9-]+")


def form_of(value: str | int, rng: Rng) -> str:
    """Return a form that suits a value; "" shows it as it is."""
    if isinstance(value, int):
        return rng.choice(("thousands", "padded") if value >= 1000 else ("padded", ""))
    if is_time(value):
        return rng.choice(("day", "clock"))
    if len(value) >= LONG and _IDENTIFIER.fullmatch(value):
        return rng.choice(("short", "tail"))
    return rng.choice(("upper", "quoted", "") if value.isascii() else ("quoted", ""))


def formed(value: str | int, form: str, length: int) -> str:
    """Return a value in a form; `length` is that of a part."""
    plain = str(value)
    return {
        "": plain,
        "thousands": f"{value:,}" if isinstance(value, int) else plain,
        "padded": plain.zfill(PADDED),
        "day": ".".join(reversed(plain[:10].split("-"))),
        "clock": plain[11:16],
        "short": plain[:length],
        "tail": plain[-length:],
        "upper": plain.upper(),
        "quoted": f'"{plain}"',
    }[form]


def meaning(form: str, length: int) -> str:
    """Return what a form does, as it stands in a sentence."""
    return {
        "thousands": "`thousands` puts a comma between groups of three digits, as in `1,234,567`",
        "padded": f"`padded` puts zeros in front of a number until it has {PADDED} digits",
        "day": "`day` is the day of a time as `DD.MM.YYYY`",
        "clock": "`clock` is the hour and minute of a time as `HH:MM`",
        "short": f"`short` is only the first {length} characters",
        "tail": f"`tail` is only the last {length} characters",
        "upper": "`upper` is the value in capital letters",
        "quoted": '`quoted` is the value between double quotes (`"`)',
    }[form]
