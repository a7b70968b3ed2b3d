"""Sorts every answer of an endpoint into one of five outcomes.

They are: a reply, a conversation that no longer fits, a request to ask again later, a refused
parameter, and a failure.  An empty stream, an error inside a row and a page of HTML are failures of
the endpoint, and never count as a reply of the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tmax_gym.agents.client.parameters import Change, refused
from tmax_gym.agents.client.pieces import Pieces
from tmax_gym.agents.client.waits import asked

BUSY = frozenset({408, 409, 421, 423, 425, 429})
"""Statuses below 500 after which another try may succeed; from 500 on it always may."""
REFUSED = frozenset({401, 402, 403, 404, 405, 410, 501})
"""Statuses that every request to this endpoint would get."""
_SHOWN = 300
_FULL = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|maximum (?:context|prompt|model|sequence)|"
    r"(?:prompt|input|conversation|messages?|request|inputs) (?:is|are|was|has) (?:far |much )?"
    r"too (?:long|large to process)|too many (?:input |prompt |total )?tokens|"
    r"token count.{0,40}exceed|input tokens exceed|tokens.{0,20}longer than the|"
    r"tokens.{0,12}\+.{0,12}max_(?:new_)?tokens.{0,12}must be|reduce the length of|"
    r"exceeds? the (?:available|maximum) (?:context|number of tokens|input)|too long: context|"
    r"exceed_context_size|contextwindowexceeded|maximum tokens.{0,20}exceeded",
    re.IGNORECASE | re.DOTALL,
)
_LIMITED = re.compile(
    r"rate.?limit|too many requests|throttl|resource.?exhausted|overloaded|per (?:minute|day)\b",
    re.IGNORECASE,
)
_UNPAID = re.compile(r"insufficient_quota|insufficient (?:credits|balance|funds)|billing",
                     re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """The model has answered."""

    message: Mapping[str, Any]
    """The assistant's message, in the form of `pieces.py`."""
    finish: str
    used: Mapping[str, Any] = field(default_factory=dict)
    """The token counts that the endpoint has told."""


@dataclass(frozen=True, slots=True)
class Full:
    """The conversation does not fit into the model's window."""

    text: str


@dataclass(frozen=True, slots=True)
class Later:
    """Another try may succeed."""

    text: str
    after: float = 0.0
    """Seconds that the endpoint asks to wait; 0 if it did not ask."""
    reason: str = ""
    """The header or the text that asked to wait."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A parameter is refused; the same request without it may be answered."""

    text: str
    change: Change


@dataclass(frozen=True, slots=True)
class Failed:
    """Another try cannot succeed."""

    text: str
    everywhere: bool = False
    """Whether every other request would fail too: a wrong key, name or address."""


Answer = Reply | Full | Later | Drop | Failed


@dataclass(frozen=True, slots=True)
class Asking:
    """The request and the headers that an answer belongs to."""

    sent: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers of the answer, with names in lower case."""
    now: float = 0.0
    """Seconds since 1970."""

    @property
    def place(self) -> int:
        """Return the number of messages before the reply."""
        return len(self.sent.get("messages") or ())


def of_status(status: int, text: str, asking: Asking) -> Answer:
    """Return the meaning of an answer whose status is not 200."""
    message = f"HTTP {status}: {text.strip()[:_SHOWN]}"
    if 300 <= status < 400:
        where = asking.headers.get("location", "nowhere")
        return Failed(f"HTTP {status}: it redirects requests to {where}", everywhere=True)
    return _of_error(_decoded(text), text, message, asking, status=status)


def of_text(text: str, asking: Asking) -> Answer:
    """Return the meaning of a whole answer with status 200."""
    try:
        row = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        shown = " ".join(text.split())[:_SHOWN]
        return Later(f"an answer that is not JSON: {shown!r}" if shown else "an empty answer")
    rows = Rows(asking)
    return rows.add(row) or rows.end(whole=True)


class Rows:
    """Collects the rows of a stream, or the one row of a whole answer."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._pieces = Pieces()
        self._index: object = None
        self._used: Mapping[str, Any] = {}
        self.finish = ""
        """Why the reply has ended; "" before its end, or if the endpoint does not tell."""
        self.progress = 0
        """The number of rows that held a piece of the reply."""

    def add(self, row: object) -> Answer | None:
        """Take over a row; return an outcome if the row decides it."""
        if not isinstance(row, Mapping):
            return Later(f"a row that is not an object: {json.dumps(row)[:_SHOWN]}")
        if (error := _error_of(row)) is not None:
            return self._failed(error)
        if isinstance(used := row.get("usage"), Mapping):
            self._used = used
        choice = self._choice(row.get("choices"))
        if choice is None:
            return None
        if error := choice.get("error"):
            return self._failed(error)
        reason = str(choice.get("finish_reason") or "")
        if reason in ("error", "content_filter"):
            return Later(f"the endpoint ended the reply itself (finish_reason {reason!r})")
        self.finish = reason or self.finish
        given = choice.get("delta") or ({} if self._pieces.size else choice.get("message"))
        if isinstance(given, Mapping) and self._pieces.add(given):
            self.progress += 1
        return None

    def end(self, *, whole: bool) -> Answer:
        """Return the outcome of all rows; `whole` is whether the endpoint has marked their end."""
        pieces = self._pieces
        if not whole and not self.finish:
            return Later("the stream broke off before its end")
        if not pieces.size and self.finish != "length" and not self._told_tokens():
            return Later("an answer without a message")
        if not self.finish and not pieces.whole:
            return Later("an answer that breaks off in the middle of a call")
        message = pieces.message(place=self._asking.place)
        finish = self.finish or ("tool_calls" if "tool_calls" in message else "stop")
        return Reply(message, finish, self._used)

    def _choice(self, choices: object) -> Mapping[str, Any] | None:
        """Return a row's part of the one choice that is read, or None."""
        if not isinstance(choices, list):
            return None
        rows = [row for row in choices if isinstance(row, Mapping)]
        if self._index is None and rows:
            self._index = min((row.get("index") or 0 for row in rows), default=0)
        return next((row for row in rows if (row.get("index") or 0) == self._index), None)

    def _failed(self, error: object) -> Answer:
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        return _of_error(error, text, f"an error as an answer: {text[:_SHOWN]}", self._asking)

    def _told_tokens(self) -> bool:
        """Return whether the endpoint has counted tokens of an ended reply.

        A model that ends its reply at once produces one token and no text.
        """
        return number(self._used.get("completion_tokens")) > 0 and bool(self.finish)


def number(value: object) -> int:
    """Return a count of tokens; 0 if the value is not a number."""
    try:
        return max(0, int(float(str(value))))
    except (ValueError, OverflowError):
        return 0


def _error_of(row: Mapping[str, Any]) -> object:
    """Return the error inside a row with status 200, or None."""
    if row.get("error"):
        return row["error"]
    if row.get("object") == "error" or row.get("type") == "error":
        return dict(row)
    if not row.get("choices") and (row.get("detail") or row.get("message")):
        return dict(row)
    return None


def _of_error(
    error: object, text: str, message: str, asking: Asking, *, status: int | None = None
) -> Answer:
    """Return the meaning of an error, by its HTTP status or else by its own code."""
    facts: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
    kind = " ".join(str(facts.get(key) or "") for key in ("type", "code", "status"))
    code = status or number(facts.get("code")) or number(facts.get("status"))
    limited = code == 429 or bool(_LIMITED.search(f"{kind} {text}"))
    if code in (402, 429, None, 0) and _UNPAID.search(f"{kind} {text}"):
        return Failed(message, everywhere=True)
    if not limited and code not in (401, 403, 404) and _FULL.search(f"{kind} {text}"):
        return Full(message)
    if code in (400, 422, 0) and (change := refused(error, text, sent=asking.sent)):
        return Drop(message, change)
    if limited or code in BUSY or code == 0 or (code >= 500 and code not in REFUSED):
        wait = asked(asking.headers, error, now=asking.now, limited=limited)
        return Later(message, wait.seconds, wait.reason)
    return Failed(message, everywhere=code in REFUSED)


def _decoded(text: str) -> object:
    """Return the error of a body: its field `error`, else the whole JSON, else the text."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(row, list) and row:  # Google's form
        row = row[0]
    return (row.get("error") or row) if isinstance(row, Mapping) else row
