"""One request over HTTP, read in a thread of its own: whoever waits for it can stop waiting.

A read that hangs, a name server that does not answer and a stream without an end then hold up
nothing: the thread is left behind, and ends with its connection.  HTTP is httpx's, the reading of
event streams httpx-sse's.  Does not cover what an answer means: see `answers.py`.
"""

from __future__ import annotations

import queue
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 30.0
"""To reach a server, its name looked up and its certificate checked."""
MOST_BYTES = 64 << 20
"""Of one answer: a window of a million tokens is 4 MB."""
_BOM = b"\xef\xbb\xbf"
_HEADS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FLUSH = b"\n\n"
"""After the last byte: a row that nothing ends is told all the same."""


@dataclass(frozen=True, slots=True)
class Head:
    """An answer has begun."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""


@dataclass(frozen=True, slots=True)
class Row:
    """The data of one event of a stream."""

    text: str


@dataclass(frozen=True, slots=True)
class Body:
    """A whole answer that is no stream."""

    text: str


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more will come."""

    broken: str = ""
    """What went wrong; "" where the answer ended as it should."""


Part = Head | Row | Body | End


class Exchange:
    """A request under way."""

    def __init__(self, client: httpx.Client, url: str, *, data: bytes, key: str) -> None:
        """Send it; returns at once."""
        self._parts: queue.SimpleQueue[Part] = queue.SimpleQueue()
        self._unwanted = threading.Event()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, */*"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = client.build_request("POST", url, content=data, headers=headers)
        worker = threading.Thread(
            target=self._work, args=(client, request), name="endpoint", daemon=True
        )
        worker.start()

    def part(self, seconds: float) -> Part | None:
        """Return the next part; None where none came in time."""
        try:
            return self._parts.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None

    def drop(self) -> None:
        """Stop waiting: the connection is closed as soon as its thread notices."""
        self._unwanted.set()

    def _work(self, client: httpx.Client, request: httpx.Request) -> None:
        import httpx

        try:
            answer = client.send(request, stream=True)
            try:
                self._read(answer)
            finally:
                answer.close()
        except _Unwanted:
            return
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            self._parts.put(End(f"{type(error).__name__}: {error}"))
        else:
            self._parts.put(End())

    def _read(self, answer: httpx.Response) -> None:
        import httpx

        headers = {name.lower(): value for name, value in answer.headers.items()}
        self._parts.put(Head(answer.status_code, headers))
        kind = headers.get("content-type", "")
        if answer.is_success and "event-stream" in kind:
            self._rows(self._watched(answer.iter_bytes()))
            return
        data = b"".join(self._watched(answer.iter_bytes())).removeprefix(_BOM)
        # Some servers send a stream without saying so.
        if answer.is_success and data.lstrip().startswith(_HEADS):
            self._rows(iter([data]))
            return
        whole = httpx.Response(200, headers={"content-type": kind}, content=data)
        self._parts.put(Body(whole.text))

    def _rows(self, chunks: Iterator[bytes]) -> None:
        """Tell the events of a stream, as httpx-sse reads them."""
        import httpx
        from httpx_sse import EventSource

        stream = httpx.Response(
            200,
            # Event streams are UTF-8, whatever a server says of itself.
            headers={"content-type": "text/event-stream; charset=utf-8"},
            content=_tidied(chunks),
        )
        for event in EventSource(stream).iter_sse():
            if event.data.strip():
                self._parts.put(Row(event.data))

    def _watched(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield chunks as long as they are wanted, and not too many."""
        total = 0
        for chunk in chunks:
            total += len(chunk)
            if self._unwanted.is_set():
                raise _Unwanted
            if total > MOST_BYTES:
                raise ValueError(f"an answer of more than {MOST_BYTES >> 20} MiB")
            yield chunk


class _Unwanted(Exception):
    """Nobody waits for the answer any more."""


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


def open_client(seconds: float) -> httpx.Client:
    """Return what requests are sent with.

    Args:
        seconds: Of silence after which a connection is given up.
    """
    import httpx

    limit = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    return httpx.Client(timeout=limit, verify=_certificates(), follow_redirects=False)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the authorities that are trusted; reading them takes 20 ms."""
    import httpx

    return httpx.create_ssl_context()
