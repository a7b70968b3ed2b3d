"""An endpoint on the loopback that answers byte by byte as a case wants it: well, badly, never."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

from tmax_gym.episodes.observation import SUBMIT

SOLVE = "awk '{ s += $1 } END { print s }' numbers.txt > sum.txt"
"""Solves `tiny_tasks.sum_task`."""
Row = Mapping[str, Any]


class Wire:
    """The server's end of one connection."""

    def __init__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connection = connection
        self._over = over

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def head(self, status: int = 200, *, length: int | None = None, **headers: str) -> None:
        """Send status and headers; `_` in names stands for `-`."""
        lines = [f"HTTP/1.1 {status} Whatever", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines += [] if length is None else [f"Content-Length: {length}"]
        self.send("\r\n".join([*lines, "", ""]).encode())

    def whole(self, data: bytes | str | Any, status: int = 200, **headers: str) -> None:
        """Send a whole answer: bytes and text as they are, anything else as JSON."""
        if isinstance(data, str):
            data = data.encode()
        elif not isinstance(data, bytes):
            data = json.dumps(data).encode()
        headers.setdefault("Content_Type", "application/json")
        self.head(status, length=len(data), **headers)
        self.send(data)

    def events(self, rows: Sequence[Any], *, done: bool = True, end: str = "\n\n") -> None:
        """Send an event stream; text and bytes are sent as they are."""
        self.head(Content_Type="text/event-stream")
        for row in rows:
            if isinstance(row, bytes):
                self.send(row)
            else:
                text = row if isinstance(row, str) else json.dumps(row)
                self.send(f"data: {text}{end}".encode())
        if done:
            self.send(f"data: [DONE]{end}".encode())

    def chunk(self, data: bytes, extension: str = "") -> None:
        self.send(f"{len(data):x}{extension}\r\n".encode() + data + b"\r\n")

    def for_ever(self, data: bytes = b"", every: float = 0.05) -> None:
        """Send something again and again until the other end, or the server, has gone."""
        while not self._over.wait(every):
            if data:
                self.send(data)
            elif self._gone():
                return

    def _gone(self) -> bool:
        self.connection.settimeout(0.01)
        with suppress(TimeoutError):
            return not self.connection.recv(1)
        return False

    def reset(self) -> None:
        """End the connection as a crash does."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()


@dataclass(frozen=True)
class Ask:
    """A request."""

    body: Mapping[str, Any]
    number: int
    """How many came before it."""
    headers: Mapping[str, str]

    @property
    def command(self) -> str:
        """Return what a good model would call next: solve the task, then submit."""
        called = any(message.get("tool_calls") for message in self.body["messages"])
        return SUBMIT if called else SOLVE

    @property
    def arguments(self) -> str:
        return json.dumps({"command": self.command})


Way = Callable[[Wire, Ask], None]
"""A way to answer."""
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def function(ask: Ask, arguments: Any = None) -> dict[str, Any]:
    return {"name": "bash", "arguments": ask.arguments if arguments is None else arguments}


def call(ask: Ask, **more: Any) -> dict[str, Any]:
    return {"id": f"call_{ask.number}", "type": "function", "function": function(ask), **more}


def answer(ask: Ask, message: Row | None = None, **choice: Any) -> dict[str, Any]:
    """Return a good whole answer, with another message or other fields of its choice."""
    said = {"role": "assistant", "content": "so", "tool_calls": [call(ask)]}
    row = {"index": 0, "message": {**said, **(message or {})}, "finish_reason": "tool_calls"}
    return {"id": "x", "object": "chat.completion", "choices": [{**row, **choice}], "usage": USAGE}


def delta(content: Row, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": content, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "choices": [choice], **more}


def pieces(*calls: Row) -> Row:
    return delta({"tool_calls": list(calls)})


LAST = delta({}, "tool_calls")
COUNTS = {"id": "x", "choices": [], "usage": USAGE}


def good(ask: Ask) -> list[Any]:
    """Return the rows of a good stream."""
    half = len(ask.arguments) // 2
    first = {"index": 0, **call(ask), "function": function(ask, ask.arguments[:half])}
    return [
        delta({"role": "assistant", "content": ""}),
        delta({"content": "so "}),
        delta({"content": "now"}),
        pieces(first),
        pieces({"index": 0, "function": {"arguments": ask.arguments[half:]}}),
        LAST,
        COUNTS,
    ]


class Server(ThreadingTCPServer):
    """Answers every request in one way; remembers what it was asked."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, way: Way) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.way = way
        self.asked: list[Ask] = []
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        lines = [self.rfile.readline().decode("latin-1").strip()]
        while lines[-1]:
            lines.append(self.rfile.readline().decode("latin-1").strip())
        pairs = (line.partition(":") for line in lines[1:-1])
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        headers["path"] = lines[0].split(" ")[1]
        body = json.loads(self.rfile.read(int(headers.get("content-length", 0))) or b"null")
        with self.server.lock:
            ask = Ask(body, len(self.server.asked), headers)
            self.server.asked.append(ask)
        with suppress(OSError):  # the other end may have had enough
            self.server.way(Wire(self.connection, self.server.over), ask)


@contextmanager
def serving(way: Way) -> Iterator[Server]:
    """Serve on a free port of the loopback."""
    server = Server(way)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def slowly(wire: Wire, rows: Sequence[Any], seconds: float) -> None:
    """Send a stream with a pause before each row."""
    wire.head(Content_Type="text/event-stream")
    for row in [*map(json.dumps, rows), "[DONE]"]:
        time.sleep(seconds)
        wire.send(f"data: {row}\n\n".encode())
