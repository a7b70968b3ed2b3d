"""Sends one HTTP request and reads its answer in a thread of its own, within time limits.

httpx sends requests, httpx-sse reads event streams.  A read, a name server or a stream that hangs
blocks nobody: its thread is left behind, and ends with the connection.  A try ends after a silence,
at the end of the episode's time, or soon after a reply that is complete.  Only pieces of the reply
end a silence; comments and empty rows do not.
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
"""Time to reach a server, including name lookup and certificate check."""
MOST_BYTES = 64 << 20
"""Largest answer: a window of a million tokens is 4 MB."""
_AFTER_END = 3.0
"""Seconds that a stream has after its last piece to send token counts and to end."""
_ERROR_SECONDS = 5.0
"""Seconds for the text of an error, after its status."""
_USUAL = 3.0
"""A model that is silent this many times longer than ever before is taken for hanging."""
_BLINK = 0.5
"""A silence of fewer seconds is never taken for hanging."""
_DONE = "[DONE]"
_BOM = b"\xef\xbb\xbf"
_HEADS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FLUSH = b"\n\n"
"""Sent after the last byte, so that an unfinished last row is read too."""


class Pace:
    """Measures the silences in a reply; `usual` is the longest one in earlier replies."""

    def __init__(self, now: float, *, usual: float = 0.0) -> None:
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
        """Return whether the model seems to be working, rather than hanging."""
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
    """Return an answer, or the address that the request is redirected to.

    A try ends after `silence` seconds without a piece of the reply; `left` returns the seconds for
    the whole reply, and may raise.

    Raises:
        ModelLate: The time was over first.
    """
    listener = _Listener(sent, pace)

    def check() -> None:
        now = time.monotonic()
        if (answer := listener.overdue(now)) is not None:
            raise _Settled(answer)
        if listener.complete:  # only token counts may still come
            return
        if left() <= 0:
            why = listener.described(now, "the time for a reply is over")
            raise ModelLate(why, working=pace.working(now))
        if now - pace.last > silence:
            raise _Settled(Later(listener.described(now, "the try was given up")))

    try:
        return apart(lambda: listener.hear(client, request), check=check, name="endpoint")
    except _Settled as settled:
        return settled.answer
    finally:
        listener.unwanted.set()


class _Settled(Exception):
    """The parts that have come so far are the answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class _Unwanted(Exception):
    """Nobody waits for the answer any more."""


class _Listener:
    """Reads one answer in one thread; another thread checks the time."""

    def __init__(self, sent: Mapping[str, Any], pace: Pace) -> None:
        self.unwanted = threading.Event()
        self._pace = pace
        self._asking = Asking(sent)
        self._status = 0
        """The answer's status; 0 before it has begun."""
        self._until = math.inf
        """When the parts so far are taken for the whole answer."""
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
        """Return the outcome of the parts so far if the wait for more is over."""
        if now < self._until:
            return None
        return self._rows.end(whole=True) if self._good else self._failed("")

    @property
    def complete(self) -> bool:
        """Return whether the endpoint has marked the end of the reply."""
        return self._good and bool(self._rows.finish)

    def described(self, now: float, what: str) -> str:
        """Return `what` happened and how much had come by then."""
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
        """Yield chunks while somebody waits for them; refuse too large an answer."""
        total = 0
        for chunk in chunks:
            total += len(chunk)
            if self.unwanted.is_set():
                raise _Unwanted
            if total > MOST_BYTES:
                raise ValueError(f"an answer of more than {MOST_BYTES >> 20} MiB")
            yield chunk

    def _stream(self, chunks: Iterator[bytes]) -> Answer:
        """Return the outcome of an event stream, as httpx-sse reads it."""
        import httpx
        from httpx_sse import EventSource

        stream = httpx.Response(
            200,
            # Event streams are UTF-8, whatever the server declares.
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
                return Later(f"a row that is not JSON: {line[:300]!r}")
            if (answer := self._rows.add(row)) is not None:
                return answer
        now = time.monotonic()
        if self._rows.progress > before:
            self._pace.piece(now)
        if self._rows.finish and self._until == math.inf:
            self._until = now + _AFTER_END
        return None

    def _end(self, broken: str = "") -> Answer:
        """Return the outcome of an ended connection; `broken` is what went wrong, or ""."""
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
    """Yield a stream without a byte order mark, with its last row ended."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= len(_BOM):
            break
    yield head.removeprefix(_BOM)
    yield from chunks
    yield _FLUSH


def open_client(seconds: float, key: str) -> httpx.Client:
    """Return an HTTP client that gives up a connection after these seconds of silence."""
    import httpx

    headers = {"Content-Type": "application/json", "Accept": "text/event-stream, */*"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    limit = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    return httpx.Client(timeout=limit, verify=_certificates(), headers=headers)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the trusted authorities; reading them takes 20 ms."""
    import httpx

    return httpx.create_ssl_context()
