"""One request over HTTP and its answer, read in a thread of its own with an eye on the clock.

A read that hangs, a name server that does not answer and a stream without an end hold up nothing:
the thread is left behind, and ends with its connection.  HTTP is httpx's, the reading of event
streams httpx-sse's.
Covers the silence after which a try is given up, the end of an episode's time in the middle of a
reply, and streams that have said all and do not end.  What counts is pieces of the reply: comments
and empty rows keep nothing alive.  Does not cover what an answer means: see `answers.py`.
"""

from __future__ import annotations

import json
import math
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tmax_gym.agents.client.answers import Answer, Asking, Later, Rows, of_status, of_text
from tmax_gym.agents.timed import apart
from tmax_gym.errors import ModelLate

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 30.0
"""To reach a server, its name looked up and its certificate checked."""
MOST_BYTES = 64 << 20
"""Of one answer: a window of a million tokens is 4 MB."""
_AFTER_END = 3.0
"""Seconds that a stream has after its last piece for counts of tokens, and for ending."""
_ERROR_SECONDS = 5.0
"""For the text of an error whose status has come."""
_USUAL = 3.0
"""A silence of more than this many of the longest ones before is no thinking any more."""
_BLINK = 0.5
"""Seconds of silence that mean nothing."""
_DONE = "[DONE]"
_BOM = b"\xef\xbb\xbf"
_HEADS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FLUSH = b"\n\n"
"""After the last byte: a row that nothing ends is told all the same."""


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
    client: httpx.Client,
    request: httpx.Request,
    sent: Mapping[str, Any],
    *,
    pace: Pace,
    left: Callable[[], float],
    silence: float,
) -> Answer | str:
    """Return an answer, or the address that its request is to be sent to instead.

    Args:
        client: Sends.
        request: The request.
        sent: Its content.
        pace: Notes the pieces.
        left: Seconds until nobody waits any more; may raise.
        silence: Seconds without a piece of the reply after which a try is given up.

    Raises:
        ModelLate: The time was over first.
    """
    ear = _Ear(sent, pace)

    def check() -> None:
        now = time.monotonic()
        if (answer := ear.overdue(now)) is not None:
            raise _Settled(answer)
        if ear.complete:  # what may still come is counts of tokens
            return
        if left() <= 0:
            said = ear.described(now, "the time for a reply is over")
            raise ModelLate(said, working=pace.working(now))
        if now - pace.last > silence:
            raise _Settled(Later(ear.described(now, "the try was given up")))

    try:
        return apart(lambda: ear.hear(client, request), check=check, name="endpoint")
    except _Settled as settled:
        return settled.answer
    finally:
        ear.unwanted.set()


class _Settled(Exception):
    """What has come so far is the answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class _Unwanted(Exception):
    """Nobody waits for the answer any more."""


class _Ear:
    """What was heard of one answer; one thread hears, another one looks at the clock."""

    def __init__(self, sent: Mapping[str, Any], pace: Pace) -> None:
        self.unwanted = threading.Event()
        self._pace = pace
        self._asking = Asking(sent)
        self._status = 0
        """Of the answer; 0 before it has begun."""
        self._until = math.inf
        """When what has come so far is taken for all."""
        self._rows = Rows(self._asking)

    def hear(self, client: httpx.Client, request: httpx.Request) -> Answer | str:
        """Send a request and return its answer."""
        import httpx

        try:
            response = client.send(request, stream=True)
            try:
                return self._answer(response)
            finally:
                response.close()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            return self._end(f"{type(error).__name__}: {error}")

    def overdue(self, now: float) -> Answer | None:
        """Return what the parts so far mean, where nothing more is waited for."""
        if now < self._until:
            return None
        return self._rows.end(whole=True) if self._good else self._failed("")

    @property
    def complete(self) -> bool:
        """Return whether the reply was said to have ended."""
        return self._good and bool(self._rows.finish)

    def described(self, now: float, what: str) -> str:
        """Return what came, and what did not."""
        seen = "nothing came"
        if self._status:
            seen = f"HTTP {self._status} and {self._rows.progress} pieces of a reply came"
        return f"{what}: {seen}, the last thing {now - self._pace.last:.0f} s ago"

    @property
    def _good(self) -> bool:
        return 200 <= self._status < 300

    def _failed(self, text: str) -> Answer:
        return of_status(self._status, text, self._asking)

    def _answer(self, response: httpx.Response) -> Answer | str:
        import httpx

        headers = {name.lower(): value for name, value in response.headers.items()}
        self._asking = Asking(self._asking.sent, headers, time.time())
        self._rows = Rows(self._asking)
        self._status = response.status_code
        if not self._good:
            self._until = time.monotonic() + _ERROR_SECONDS
        if self._status in (307, 308) and (there := headers.get("location")):
            return there
        kind = headers.get("content-type", "")
        chunks = self._watched(response.iter_bytes())
        if self._good and "event-stream" in kind:
            return self._stream(chunks)
        data = b"".join(chunks).removeprefix(_BOM)
        # Some servers send a stream without saying so.
        if self._good and data.lstrip().startswith(_HEADS):
            return self._stream(iter([data]))
        text = httpx.Response(200, headers={"content-type": kind}, content=data).text
        self._pace.piece(time.monotonic())
        return of_text(text, self._asking) if self._good else self._failed(text)

    def _watched(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield chunks as long as they are wanted, and not too many."""
        total = 0
        for chunk in chunks:
            total += len(chunk)
            if self.unwanted.is_set():
                raise _Unwanted
            if total > MOST_BYTES:
                raise ValueError(f"an answer of more than {MOST_BYTES >> 20} MiB")
            yield chunk

    def _stream(self, chunks: Iterator[bytes]) -> Answer:
        """Return what the events of a stream mean, as httpx-sse reads them."""
        import httpx
        from httpx_sse import EventSource

        stream = httpx.Response(
            200,
            # Event streams are UTF-8, whatever a server says of itself.
            headers={"content-type": "text/event-stream; charset=utf-8"},
            content=_tidied(chunks),
        )
        for event in EventSource(stream).iter_sse():
            if event.data.strip() and (answer := self._row(event.data)) is not None:
                return answer
        return self._end()

    def _row(self, text: str) -> Answer | None:
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
            if (answer := self._rows.add(row)) is not None:
                return answer
        now = time.monotonic()
        if self._rows.progress > before:
            self._pace.piece(now)
        if self._rows.finish and self._until == math.inf:
            self._until = now + _AFTER_END
        return None

    def _end(self, broken: str = "") -> Answer:
        """Return what all means that came, where nothing more does.

        Args:
            broken: What went wrong; "" where the answer ended as it should.
        """
        if self._status and not self._good:
            return self._failed("")
        if not self._status or (broken and not self._rows.finish):
            return Later(broken or "the connection was closed without an answer")
        return self._rows.end(whole=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _tidied(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a stream without a byte order mark, its last row ended."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= len(_BOM):
            break
    yield head.removeprefix(_BOM)
    yield from chunks
    yield _FLUSH


def open_client(seconds: float, key: str) -> httpx.Client:
    """Return what requests are sent with.

    Args:
        seconds: Of silence after which a connection is given up.
        key: Of the endpoint; "" for none.
    """
    import httpx

    headers = {"Content-Type": "application/json", "Accept": "text/event-stream, */*"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    limit = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    return httpx.Client(timeout=limit, verify=_certificates(), headers=headers)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the authorities that are trusted; reading them takes 20 ms."""
    import httpx

    return httpx.create_ssl_context()
