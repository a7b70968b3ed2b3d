"""`CaptureServer`: an OpenAI-compatible endpoint in front of the trainer's engine.

Covers `/v1/chat/completions`, with and without a stream, and `/v1/models`.  A harness names its
session by the address (`/s/KEY/v1`), or by its API key with the address `/v1`; so a harness needs
no change.  Does not cover TLS, and streams begin when the whole turn has been sampled.
"""

from __future__ import annotations

import json
import re
import secrets
import select
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from weakref import WeakValueDictionary

from tmax_gym.errors import CaptureError, EngineError
from tmax_trainers.capture.answers import MODEL, Answer
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.requests import Asked, asked
from tmax_trainers.capture.sessions import Prompt, Session
from tmax_trainers.engines import Engine, Request
from tmax_trainers.rollout.streams.token_policy import Tokenizer, encode

_PATH = re.compile(r"(?:/s/(?P<key>[^/]+))?/v1/(?P<what>chat/completions|models)/?(?:\?.*)?")
_BACKLOG = 256
"""Connections that wait to be accepted; Python's default of 5 refuses some of many at once."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long sequences and replies may be, and how they are sampled."""

    max_tokens: int
    """Tokens of a sequence: prompt, replies and observations."""
    max_turn_tokens: int
    """Tokens of one reply."""
    temperature: float = 1.0
    """What a harness asks for is ignored: the loss compares with this one."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session, and how a harness reaches it."""

    session: Session
    url: str
    """The base URL for this session, up to and including `/v1`; any API key will do."""
    key: str
    """The API key for this session at the server's own base URL."""


class CaptureServer:
    """Answers harnesses in threads of its own, until it is closed.

    Args:
        engine: Samples from the policy; not closed with the server.
        tokenizer: Tokenizer of the policy.
        dialect: The text between chat requests and the policy.
        sizes: Limits of sequences and replies.
        host: Address to listen at.
        port: 0 takes a free one.
    """

    def __init__(
        self,
        engine: Engine,
        tokenizer: Tokenizer,
        dialect: Dialect,
        *,
        sizes: Sizes,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self._engine, self._tokenizer, self._dialect = engine, tokenizer, dialect
        self._sizes = sizes
        (self._stop,) = encode(tokenizer, dialect.stop)
        # A session lasts as long as somebody holds it: an episode that is given up leaves nothing.
        self._sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._http = _Http((host, port), self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, name="tmax-capture", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the base URL for harnesses that name their session by the API key."""
        return f"{self._root}/v1"

    def open(self, name: str, *, seed: int) -> Opened:
        """Return a new session; the server forgets it when the caller does.

        Args:
            name: Names the episode, under which an engine can reuse its cache.
            seed: Seed of sampling.
        """
        session = Session(name, self._dialect, self._tokenizer, seed=seed)
        key = secrets.token_urlsafe(16)
        self._sessions[key] = session
        return Opened(session, f"{self._root}/s/{key}/v1", key)

    def find(self, key: str) -> Session:
        """Return the session of a key; raise `CaptureError` if there is none."""
        session = self._sessions.get(key)
        if session is None:
            raise CaptureError(
                f"no session has the key {key!r}; use the address of an open session, or its key "
                "as API key",
                status=401,
            )
        return session

    def answer(self, session: Session, request: Asked) -> Answer:
        """Sample and record the reply to a request; blocks until it is done.

        Raises:
            CaptureError: The conversation does not fit.
            EngineError: The engine failed.
        """
        prompt = session.prompt(request)
        sizes = self._sizes
        room = sizes.max_tokens - len(prompt.ids)
        if room <= 0:
            raise _full(prompt, sizes.max_tokens)
        most = min(room, sizes.max_turn_tokens, request.max_tokens or room)
        completion = self._engine.generate(
            [Request(prompt.ids, most, prompt.seed, sizes.temperature, (self._stop,), session.name)]
        )[0]
        if not completion.ids:  # the engine's own context is smaller
            raise _full(prompt, len(prompt.ids))
        return Answer(session.record(prompt, completion), len(prompt.ids), len(completion.ids))

    def close(self) -> None:
        """Answer no more requests."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> CaptureServer:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def _root(self) -> str:
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"


def _full(prompt: Prompt, most: int) -> CaptureError:
    """Return the error that clients of OpenAI's interface know as a full context."""
    return CaptureError(
        f"This model's maximum context length is {most} tokens. However, your messages resulted "
        f"in {len(prompt.ids)} tokens ({len(prompt.ids)} in the messages). Please reduce the "
        "length of the messages."
    )


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = _BACKLOG

    def __init__(self, address: tuple[str, int], endpoint: CaptureServer) -> None:
        self.endpoint = endpoint
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes, and the second must not wait
    server: _Http

    def do_GET(self) -> None:
        """Name the model."""
        self._read()
        row = {"id": MODEL, "object": "model", "owned_by": "tmax"}
        self._guarded("models", lambda: self._send(200, {"object": "list", "data": [row]}))

    def do_POST(self) -> None:
        """Answer a conversation."""
        body = self._read()
        self._guarded("chat/completions", lambda: self._chat(body))

    def _guarded(self, what: str, serve: Any) -> None:
        """Serve a request, or tell the harness why that is impossible."""
        try:
            found = _PATH.fullmatch(self.path)
            if found is None or found["what"] != what:
                raise CaptureError(
                    f"{self.command} {self.path.partition('?')[0]} is not served here; there are "
                    "POST /v1/chat/completions and GET /v1/models",
                    status=404,
                )
            serve()
        except CaptureError as error:
            self._fail(error.status, str(error), "invalid_request_error")
        except EngineError as error:
            self._fail(503, f"the engine failed: {error}", "server_error")
        except OSError:
            self.close_connection = True  # the harness has gone
        except Exception as error:
            self._fail(500, f"the endpoint failed: {error!r}", "server_error")

    def _chat(self, body: bytes) -> None:
        session = self._session()
        try:
            request = asked(json.loads(body))
        except (ValueError, RecursionError) as error:
            raise CaptureError(f"the request's body is not JSON: {error}") from error
        answer = self.server.endpoint.answer(session, request)
        try:
            if self._gone():
                raise ConnectionResetError("the harness closed the connection")
            if request.stream:
                self._stream(answer, usage=request.usage)
            else:
                self._send(200, answer.whole())
        except OSError:
            session.unheard(answer.answered.turn)
            raise

    def _session(self) -> Session:
        found = _PATH.fullmatch(self.path)
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        return self.server.endpoint.find((found and found["key"]) or bearer)

    def _read(self) -> bytes:
        """Return the body; nothing if its length is not told, and then the connection ends."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = self.command == "POST"
            return b""
        return self.rfile.read(int(length))

    def _gone(self) -> bool:
        """Return whether the harness has closed its side of the connection."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _send(self, status: int, row: Mapping[str, Any]) -> None:
        data = json.dumps(row).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answer: Answer, *, usage: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")  # the end of the connection ends the stream
        self.end_headers()
        rows = [json.dumps(row) for row in answer.rows(usage=usage)]
        self.wfile.write("".join(f"data: {row}\n\n" for row in [*rows, "[DONE]"]).encode())

    def _fail(self, status: int, message: str, kind: str) -> None:
        try:
            self._send(status, {"error": {"message": message, "type": kind, "code": status}})
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing."""
