"""Listening to one answer while it comes, with an eye on the clock.

Covers the silence after which a try is given up, the end of an episode's time in the middle of a
reply, and streams that have said all and do not end.  What counts is pieces of the reply: comments
and empty rows keep nothing alive.  Does not cover what an answer means: see `answers.py`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from tmax_gym.agents.client.answers import Answer, Asking, Later, Rows, of_status, of_text
from tmax_gym.agents.client.exchange import Body, End, Exchange, Head, Part, Row
from tmax_gym.errors import ModelLate

_TICK = 0.1
"""Seconds between two looks at whether anybody still waits."""
_AFTER_END = 3.0
"""Seconds that a stream has after its last piece for counts of tokens, and for ending."""
_DONE = "[DONE]"
_ERROR_SECONDS = 5.0
"""For the text of an error whose status has come."""
_USUAL = 3.0
"""A silence of more than this many of the longest ones before is no thinking any more."""
_BLINK = 0.5
"""Seconds of silence that mean nothing."""


class Pace:
    """How a reply comes along."""

    def __init__(self, now: float, *, usual: float = 0.0) -> None:
        """Begin when the request is made.

        Args:
            now: Seconds.
            usual: The longest silence in the replies before.
        """
        self.last = now
        """When the last piece came, or the request was made."""
        self.longest = 0.0
        """The longest silence before a piece."""
        self._usual = usual

    def piece(self, now: float) -> None:
        """Note a piece."""
        self.longest = max(self.longest, now - self.last)
        self.last = now

    def working(self, now: float) -> bool:
        """Return whether the model seems to be at work, and not its endpoint to hang."""
        known = max(self.longest, self._usual)
        return now - self.last <= max(_BLINK, _USUAL * known)


def listen(
    exchange: Exchange,
    sent: Mapping[str, Any],
    pace: Pace,
    *,
    left: Callable[[], float],
    silence: float,
) -> Answer | str:
    """Return an answer, or the address that its request is to be sent to instead.

    Args:
        exchange: The request under way.
        sent: Its content.
        pace: Notes the pieces.
        left: Seconds until nobody waits any more; may raise.
        silence: Seconds without a piece of the reply after which a try is given up.

    Raises:
        ModelLate: The time was over first.
    """
    ear = _Ear(sent, pace)
    while True:
        part = exchange.part(min(_TICK, max(0.01, left())))
        now = time.monotonic()
        found = None if part is None else ear.hear(part, now)
        if found is not None or (found := ear.overdue(now)) is not None:
            return found
        if ear.complete:  # what may still come is counts of tokens
            continue
        if left() <= 0:
            said = ear.described(now, "the time for a reply is over")
            raise ModelLate(said, working=pace.working(now))
        if now - pace.last > silence:
            return Later(ear.described(now, "the try was given up"))


class _Ear:
    """What was heard of one answer."""

    def __init__(self, sent: Mapping[str, Any], pace: Pace) -> None:
        self._pace = pace
        self._sent = sent
        self._head: Head | None = None
        self._until = math.inf
        """When what has come so far is taken for all."""
        self._rows = Rows(Asking(sent))

    def hear(self, part: Part, now: float) -> Answer | str | None:
        """Take over a part; return the answer where it is the last one that counts."""
        if isinstance(part, Head):
            self._head = part
            self._rows = Rows(self._asking())
            if not self._good:
                self._until = now + _ERROR_SECONDS
            if part.status in (307, 308) and (there := part.headers.get("location")):
                return there
            return None
        if isinstance(part, Body):
            self._pace.piece(now)
            if self._good:
                return of_text(part.text, self._asking())
            return self._status(part.text)
        if isinstance(part, Row):
            return self._row(part.text, now)
        return self._end(part)

    def overdue(self, now: float) -> Answer | None:
        """Return what the parts so far mean, where nothing more is waited for."""
        if now < self._until:
            return None
        return self._rows.end(whole=True) if self._good else self._status("")

    @property
    def complete(self) -> bool:
        """Return whether the reply was said to have ended."""
        return self._good and bool(self._rows.finish)

    @property
    def _good(self) -> bool:
        return self._head is not None and 200 <= self._head.status < 300

    def _status(self, text: str) -> Answer:
        status = 0 if self._head is None else self._head.status
        return of_status(status, text, self._asking())

    def described(self, now: float, what: str) -> str:
        """Return what came, and what did not."""
        seen = "nothing came"
        if self._head is not None:
            seen = f"HTTP {self._head.status} and {self._rows.progress} pieces of a reply came"
        return f"{what}: {seen}, the last thing {now - self._pace.last:.0f} s ago"

    def _asking(self) -> Asking:
        headers = {} if self._head is None else self._head.headers
        return Asking(self._sent, headers, time.time())

    def _row(self, text: str, now: float) -> Answer | None:
        before = self._rows.progress
        # Some servers end rows with one line break instead of two: several objects are one row.
        for line in [text] if _is_json(text) else text.split("\n"):
            if line.strip() == _DONE:
                return self._rows.end(whole=True)
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                return Later(f"a row that is no JSON: {line[:300]!r}")
            if (found := self._rows.add(row)) is not None:
                return found
        if self._rows.progress > before:
            self._pace.piece(now)
        if self._rows.finish and self._until == math.inf:
            self._until = now + _AFTER_END
        return None

    def _end(self, part: End) -> Answer:
        if self._head is not None and not self._good:
            return self._status("")
        if self._head is None or (part.broken and not self._rows.finish):
            return Later(part.broken or "the connection was closed without an answer")
        return self._rows.end(whole=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
