"""A server with the vLLM endpoints that the trainer uses; a script gives the tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.support.loopback import Loopback

Script = Callable[[Sequence[int]], Sequence[int]]
"""Takes the input tokens and returns the sampled ones."""
LENGTH = 4096


class PolicyServer(Loopback):
    """Answers turns and takes weights; records what was wrong with requests."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.version = 0
        self.paused = False
        self.updates: list[int] = []
        """Bytes of the weights that came."""
        self.wrong: list[str] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._say(server.control_answer(self.path.split("?")[0].strip("/")))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    answer = server.answer(self.path.split("?")[0].strip("/"), body)
                self._say(answer)

            def _say(self, answer: Mapping[str, Any]) -> None:
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(Handler)

    def control_answer(self, path: str) -> Mapping[str, Any]:
        """Return the answer to a question about the server."""
        if path == "weight_info":
            return {"weight_version": str(self.version)}
        return {"data": [{"max_model_len": LENGTH, "id": "scripted"}]}

    def answer(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer as vLLM does."""
        if path == "inference/v1/generate":
            return self._turn(body)
        if path in ("pause", "resume"):
            self.paused = path == "pause"
        elif path == "update_weights":
            self.updates.append(Path(body["update_info"]["path"]).stat().st_size)
        elif path == "finish_weight_update":
            self.version = int(body["weight_version"])
        return {}

    def _turn(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        if body["cache_salt"] != f"tmax-{self.version}":
            self.wrong.append(f"{body['cache_salt']} while {self.version} is live")
        tokens = list(self.script(body["token_ids"]))
        content = [{"token_id": token, "logprob": -1.0} for token in tokens]
        span = {"version": str(self.version), "start": 0, "end": len(tokens)}
        return {
            "choices": [
                {
                    "token_ids": tokens,
                    "logprobs": {"content": content},
                    "weight_versions": [span],
                    "finish_reason": "stop",
                }
            ]
        }


@contextmanager
def serving(script: Script) -> Iterator[PolicyServer]:
    """Serve on a free port of the loopback."""
    server = PolicyServer(script)
    try:
        yield server
    finally:
        server.close()
