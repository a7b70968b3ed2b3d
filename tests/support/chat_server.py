"""An OpenAI-compatible endpoint on the loopback whose answers are scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.loopback import Loopback


@dataclass(frozen=True)
class Say:
    """Text, tool calls as (name, arguments), or both."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    finish: str = ""


@dataclass(frozen=True)
class Fault:
    """An HTTP error status instead of an answer."""

    status: int
    text: str = "busy"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """A stream that breaks off in the middle of this answer."""

    said: Say = Say("I was about to")


Answer = Say | Fault | Cut
Script = Callable[[Mapping[str, Any]], Answer]
"""Returns the answer to the body of a request."""


def scripted(answers: Sequence[Answer]) -> Script:
    """Return the answers one after the other."""
    left = list(answers)
    return lambda body: left.pop(0)


class ChatServer(Loopback):
    """Answers chat completions, and records requests and answers."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Mapping[str, Any]] = []
        self.answered: list[Answer] = []
        self.input_tokens = 0
        """As told with whole answers."""
        self.output_tokens = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.asked.append(body)
                    answer = server.script(body)
                    server.answered.append(answer)
                if isinstance(answer, Fault):
                    data = json.dumps({"error": {"message": answer.text}}).encode()
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self._send("application/json", data)
                elif body.get("stream"):
                    self._stream(body, answer)
                else:
                    assert isinstance(answer, Say)
                    self.send_response(200)
                    self._send("application/json", json.dumps(server.whole(body, answer)).encode())

            def _send(self, kind: str, data: bytes) -> None:
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, body: Mapping[str, Any], answer: Say | Cut) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                reply = answer.said if isinstance(answer, Cut) else answer
                rows = list(server.pieces(body, reply, whole=answer is reply))
                kept = rows if answer is reply else rows[:2]
                for row in kept:
                    self.wfile.write(f"data: {json.dumps(row)}\n\n".encode())
                if answer is reply:
                    self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(Handler)

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def usage(self, body: Mapping[str, Any], reply: Say) -> Mapping[str, int]:
        given = len(json.dumps(body["messages"])) // 4
        output = 1 + len(reply.text + json.dumps([list(c) for c in reply.calls])) // 4
        self.input_tokens += given
        self.output_tokens += output
        return {"prompt_tokens": given, "completion_tokens": output}

    def whole(self, body: Mapping[str, Any], reply: Say) -> Mapping[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.calls:
            message["tool_calls"] = [self._call(i, call) for i, call in enumerate(reply.calls)]
        finish = reply.finish or ("tool_calls" if reply.calls else "stop")
        return {
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": self.usage(body, reply),
        }

    def pieces(self, body: Mapping[str, Any], reply: Say, *, whole: bool) -> Iterator[Any]:
        """Yield an answer in small pieces, the usage last."""
        half = len(reply.text) // 2
        for text in (reply.text[:half], reply.text[half:]):
            yield {"choices": [{"index": 0, "delta": {"content": text}}]}
        for index, call in enumerate(reply.calls):
            row = self._call(index, call)
            arguments = row["function"]["arguments"]
            cut = len(arguments) // 2
            head = {**row, "function": {"name": call[0], "arguments": arguments[:cut]}}
            tail = {"index": index, "function": {"arguments": arguments[cut:]}}
            for delta in (head, tail):
                yield {"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]}
        finish = reply.finish or ("tool_calls" if reply.calls else "stop")
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        if whole:
            yield {"choices": [], "usage": self.usage(body, reply)}

    def _call(self, index: int, call: tuple[str, Mapping[str, Any] | str]) -> dict[str, Any]:
        name, arguments = call
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        number = f"call_{len(self.answered)}_{index}"
        return {
            "index": index,
            "id": number,
            "type": "function",
            "function": {"name": name, "arguments": text},
        }


@contextmanager
def serving(script: Script) -> Iterator[ChatServer]:
    """Serve on a free port of the loopback."""
    server = ChatServer(script)
    try:
        yield server
    finally:
        server.close()
