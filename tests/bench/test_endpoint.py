"""Runs with a model behind a scripted endpoint: what is counted, what is graded, what ends them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.tiny_tasks import sum_task
from tmax_gym.agents.client.client import Connection
from tmax_gym.bench.events import EVENTS, read_events
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.datasets import BenchDataset, Item
from tmax_gym.bench.running.endpoint import Endpoint, Prices
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import ModelRefused
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

TRIES = 3
Answer = tuple[int, Any]
"""A status, and what is sent as JSON (bytes as they are; None hangs up)."""


def says(command: str | None, **extra: Any) -> Answer:
    """A completion that calls `bash`, or that only talks."""
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": "so"}
    if command is not None:
        message["tool_calls"] = [call]  # type: ignore[assignment]
    usage = {"prompt_tokens": 100, "completion_tokens": 10,
             "prompt_tokens_details": {"cached_tokens": 40}}  # fmt: skip
    reason = extra.pop("finish_reason", "stop")
    return 200, {
        "choices": [{"message": message, "finish_reason": reason}],
        "usage": usage,
        **extra,
    }


class Server(ThreadingHTTPServer):
    def __init__(self, script: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.heard: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.heard.append({**body, "key": self.headers.get("Authorization")})
            place = len(self.server.heard) - 1
            status, row = self.server.script[min(place, len(self.server.script) - 1)]
        if row is None:
            self.close_connection = True
            return
        data = row if isinstance(row, bytes) else json.dumps(row).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) + (isinstance(row, bytes) and 50)))
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(*script: Answer) -> Iterator[Server]:
    server = Server(list(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def endpoint(server: Server, **more: Any) -> Endpoint:
    at = Connection(server.url, "m", "secret", tries=TRIES, first_wait=0.0, stream=False)
    return Endpoint(at, **more)


def order(native: Backend, at: Endpoint, **settings: Any) -> Order:
    task = sum_task()
    item = Item(task.name, task.digest, lambda: task)
    made = BenchSettings("bash", "m", backend="native", image="", **settings)
    return Order(BenchDataset("one", (item,)), made, native, at, retries=1)


def test_a_model_solves_a_task_and_the_record_tells_the_same_story(
    tmp_path: Path, native_backend: Backend
) -> None:
    command = "awk '{ s += $1 } END { print s }' numbers.txt > sum.txt"
    script = (says(None), (429, {}), says(command), says(SUBMIT))
    with serving(*script) as server:
        at = endpoint(server, prices=Prices(1.0, 2.0, cached=0.5))
        carry_out(order(native_backend, at), tmp_path / "run")
    (record,) = load(tmp_path / "run").records
    played = record.trajectory
    assert (record.reward, record.ending) == (1.0, Ending.SUBMITTED)
    assert [step.action for step in played.steps] == ["", command, SUBMIT]
    assert len(record.moments) == 3 and record.usage.calls == 3
    assert {heard["key"] for heard in server.heard} == {"Bearer secret"}
    used = record.usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens) == (300, 120, 30)
    assert used.cost == pytest.approx((180 * 1.0 + 120 * 0.5 + 30 * 2.0) / 1e6)
    told = [e for e in read_events(tmp_path / "run" / EVENTS) if e.get("task") == record.task]
    assert [e["command"] for e in told if e["event"] in ("command", "submit")] == [command, SUBMIT]
    assert [e["event"] for e in told if e["event"] in ("model", "format_error")] == [
        "model", "format_error", "model", "model",
    ]  # fmt: skip


def test_a_full_context_is_graded_and_a_dead_endpoint_is_not(
    tmp_path: Path, native_backend: Backend
) -> None:
    with serving(says("touch a"), (400, {"error": "prompt is too long"})) as server:
        carry_out(order(native_backend, endpoint(server)), tmp_path / "full")
    (full,) = load(tmp_path / "full").records
    assert (full.reward, full.ending) == (0.0, Ending.CONTEXT_LIMIT)
    with serving((502, {})) as server:
        carry_out(order(native_backend, endpoint(server)), tmp_path / "dead")
    (dead,) = load(tmp_path / "dead").records
    assert (dead.reward, dead.ending) == (None, Ending.MODEL_ERROR)
    assert dead.trajectory.attempts == 2 and len(server.heard) == 2 * TRIES


def test_a_refusing_endpoint_ends_the_run_and_leaves_no_record(
    tmp_path: Path, native_backend: Backend
) -> None:
    with serving((401, {"error": "bad key"})) as server, pytest.raises(ModelRefused, match="401"):
        carry_out(order(native_backend, endpoint(server)), tmp_path / "run")
    assert load(tmp_path / "run").records == ()


def test_an_agent_without_time_is_graded_as_late(tmp_path: Path, native_backend: Backend) -> None:
    with serving(says("sleep 0.05")) as server:
        carry_out(order(native_backend, endpoint(server), agent_seconds=0.01), tmp_path / "run")
    (record,) = load(tmp_path / "run").records
    assert (record.reward, record.ending) == (0.0, Ending.TIME_LIMIT)
