"""Reads how many seconds an endpoint asks to wait: `Retry-After`, rate limits, hints in errors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SPANS = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+")
_TOLD = re.compile(
    r"(?:try|retry)(?:ing)?(?: your request)?(?: again)? (?:in|after)\s+"
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|m|minutes?|h|hours?)?\b",
    re.IGNORECASE,
)
_EPOCH = 1e9
"""Larger numbers are a time since 1970: no endpoint asks for a wait of thirty years."""
_RESETS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset",
           "ratelimit-reset", "anthropic-ratelimit-requests-reset",
           "anthropic-ratelimit-tokens-reset")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A wait that an endpoint asked for, and the header or the text that did."""

    seconds: float
    """Counted from now; 0 if it did not ask."""
    reason: str = ""


def asked(headers: Mapping[str, str], error: object, *, now: float, limited: bool) -> Asked:
    """Return how long an endpoint asks to wait, by its headers (in lower case) or its error.

    The headers of rate limits count only if the answer is about a limit (`limited`).
    """
    sent = _date(headers.get("date", ""))
    at = now if sent is None else sent
    if (seconds := _number(headers.get("retry-after-ms"), 1e-3)) is not None:
        return Asked(seconds, f"retry-after-ms: {headers['retry-after-ms']}")
    given = headers.get("retry-after", "").strip()
    if (span := _span(given, at)) is not None:
        return Asked(span, f"Retry-After: {given}")
    if limited and (reset := _reset(headers, at)) is not None:
        return reset
    return _hint(error)


def _reset(headers: Mapping[str, str], at: float) -> Asked | None:
    """Return the wait for the limit that is used up, or the shortest wait if none is marked."""
    waits = [
        (seconds, name)
        for name in _RESETS
        if (given := headers.get(name)) and (seconds := _span(given.strip(), at)) is not None
    ]
    if not waits:
        return None
    empty = [pair for pair in waits if headers.get(_remaining(pair[1]), "").strip() == "0"]
    seconds, name = max(empty) if empty else min(waits)
    return Asked(seconds, f"{name}: {headers[name]}")


def _remaining(name: str) -> str:
    """Return the name of the header with the rest of a limit."""
    if name.startswith("anthropic"):
        return name.removesuffix("-reset") + "-remaining"
    return name.replace("-reset", "-remaining")


def _hint(error: object) -> Asked:
    """Return the wait that an error asks for in its text, as OpenAI's and Google's do."""
    for text in _texts(error):
        if match := _TOLD.search(text):
            unit = (match[2] or "s").lower()
            unit = "ms" if unit.startswith(("ms", "mil")) else unit[0]
            return Asked(float(match[1]) * _UNITS[unit], match[0])
    if isinstance(error, Mapping):
        for detail in error.get("details") or ():
            given = detail.get("retryDelay") if isinstance(detail, Mapping) else None
            if isinstance(given, str) and (seconds := _span(given, 0.0)) is not None:
                return Asked(seconds, f"retryDelay: {given}")
    return Asked(0.0)


def _texts(error: object) -> list[str]:
    if isinstance(error, Mapping):
        return [value for value in error.values() if isinstance(value, str)]
    return [error] if isinstance(error, str) else []


def _span(text: str, at: float) -> float | None:
    """Return the seconds of a number, a span such as 6m0s, or a date."""
    if (number := _number(text)) is not None:
        if number > _EPOCH:
            number = number / 1e3 if number > 1e3 * _EPOCH else number
            return max(0.0, number - at)
        return number
    if _SPANS.fullmatch(text):
        return sum(float(count) * _UNITS[unit] for count, unit in _SPAN.findall(text))
    date = _date(text)
    return None if date is None else max(0.0, date - at)


def _number(text: Any, factor: float = 1.0) -> float | None:
    try:
        number = float(text) * factor
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(text: str) -> float | None:
    """Return an HTTP or ISO 8601 date as seconds since 1970."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            date = read(text)
        except (TypeError, ValueError, IndexError, OverflowError):
            continue
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return None
