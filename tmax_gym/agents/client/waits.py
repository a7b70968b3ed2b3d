"""How long an endpoint asks to be left alone: `Retry-After` and its relatives, in seconds.

Covers seconds, HTTP dates, milliseconds, the `x-ratelimit-reset` headers, and the hints that some
endpoints put into the error itself.  Does not wait.
"""

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
"""Numbers above are a time since 1970: no endpoint asks for thirty years of patience."""
_RESETS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset",
           "ratelimit-reset", "anthropic-ratelimit-requests-reset",
           "anthropic-ratelimit-tokens-reset")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A time that an endpoint asked for."""

    seconds: float
    """From now on; 0 where it asked for none."""
    reason: str = ""
    """The header or the words that asked."""


def asked(headers: Mapping[str, str], error: object, *, now: float, limited: bool) -> Asked:
    """Return how long an endpoint asks to wait.

    Args:
        headers: Of its answer, names in lower case.
        error: What the body said, decoded.
        now: Seconds since 1970.
        limited: Whether the answer is about a rate limit: other answers have the headers of
            limits too, which then ask for nothing.
    """
    sent = _date(headers.get("date", ""))
    at = now if sent is None else sent
    if (seconds := _number(headers.get("retry-after-ms"), 1e-3)) is not None:
        return Asked(seconds, f"retry-after-ms: {headers['retry-after-ms']}")
    given = headers.get("retry-after", "").strip()
    if (found := _span(given, at)) is not None:
        return Asked(found, f"Retry-After: {given}")
    if limited and (reset := _reset(headers, at)) is not None:
        return reset
    return _hint(error)


def _reset(headers: Mapping[str, str], at: float) -> Asked | None:
    """Return the wait for the limit that is used up; the shortest one where that is not told."""
    found = [
        (seconds, name)
        for name in _RESETS
        if (given := headers.get(name)) and (seconds := _span(given.strip(), at)) is not None
    ]
    if not found:
        return None
    empty = [pair for pair in found if headers.get(_remaining(pair[1]), "").strip() == "0"]
    seconds, name = max(empty) if empty else min(found)
    return Asked(seconds, f"{name}: {headers[name]}")


def _remaining(name: str) -> str:
    """Return the header that tells what is left of a limit."""
    if name.startswith("anthropic"):
        return name.removesuffix("-reset") + "-remaining"
    return name.replace("-reset", "-remaining")


def _hint(error: object) -> Asked:
    """Return what the text of an error asks for, as OpenAI's and Google's errors do."""
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
    """Return the seconds that a text means: a number, spans such as 6m0s, or a date."""
    if (number := _number(text)) is not None:
        if number > _EPOCH:
            number = number / 1e3 if number > 1e3 * _EPOCH else number
            return max(0.0, number - at)
        return number
    if _SPANS.fullmatch(text):
        return sum(float(count) * _UNITS[unit] for count, unit in _SPAN.findall(text))
    found = _date(text)
    return None if found is None else max(0.0, found - at)


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
            found = read(text)
        except (TypeError, ValueError, IndexError, OverflowError):
            continue
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None
