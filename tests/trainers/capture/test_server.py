"""The endpoint over HTTP, with the project's own client and with plain requests."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.trainers.capture.test_sessions import BASH, STOP, TOKENIZER
from tmax_gym.agents.client.client import Client, Connection, ContextFull
from tmax_gym.errors import EngineError, ModelError, ModelRefused
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.sequences import TRAINED, Reason
from tmax_trainers.capture.server import CaptureServer, Sizes
from tmax_trainers.engines import Completion, Request

CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "echo yes"}}\n</tool_call>'
ROWS = [{"role": "user", "content": "notes"}]


class Saying:
    """An engine that says what a function returns for a request."""

    version = 4

    def __init__(self, say: Callable[[Request], str]) -> None:
        self.say = say
        self.asked: list[Request] = []

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        self.asked += requests
        (request,) = requests
        ids = (*TOKENIZER.encode(self.say(request)), STOP)[: request.max_tokens]
        ended = "stop" if ids[-1:] == (STOP,) else "length"
        return [Completion(ids, (-0.25,) * len(ids), (self.version,) * len(ids), ended)]

    def update(self, weights: Any, version: int) -> None:
        self.version = version

    def close(self) -> None:
        pass


@contextmanager
def serving(
    say: Callable[[Request], str] = lambda request: CALL, **sizes: Any
) -> Iterator[tuple[CaptureServer, Saying]]:
    engine = Saying(say)
    own = Sizes(**({"max_tokens": 4000, "max_turn_tokens": 200} | sizes))
    with CaptureServer(engine, TOKENIZER, Dialect("hermes"), sizes=own) as server:
        yield server, engine


def posted(url: str, body: Mapping[str, Any], key: str = "") -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.post(f"{url}/chat/completions", json=body, headers=headers, timeout=30)


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_gets_calls_and_counts_and_the_session_has_the_tokens(stream: bool) -> None:
    with serving() as (server, engine):
        opened = server.open("one", seed=0)
        client = Client(Connection(opened.url, "any", stream=stream, temperature=0.1))
        done = client(ROWS, tools=[BASH], seed=1, max_tokens=77)
        (request,) = engine.asked
    assert (done.message["tool_calls"][0]["function"], done.finish) == (
        {"name": "bash", "arguments": '{"command": "echo yes"}'},
        "tool_calls",
    )
    assert (request.max_tokens, request.temperature, request.stop_ids) == (77, 1.0, (STOP,))
    assert done.spent.input_tokens == len(request.ids)
    tokens = opened.session.tokens()
    assert tokens.ids[: len(request.ids)] == request.ids
    assert sum(tokens.mask) == done.spent.output_tokens == len(TOKENIZER.encode(CALL)) + 1
    assert set(tokens.versions) == {-1, 4}


def test_a_session_is_named_by_its_address_or_by_the_api_key() -> None:
    with serving() as (server, _):
        first, second = server.open("one", seed=0), server.open("two", seed=0)
        assert posted(server.url, {"messages": ROWS}, first.key).status_code == 200
        assert posted(second.url, {"messages": ROWS}, first.key).status_code == 200
        refused = posted(server.url, {"messages": ROWS}, "other")
        assert (refused.status_code, "no session" in refused.text) == (401, True)
    trained = len(TOKENIZER.encode(CALL)) + 1
    assert [o.session.counts()[TRAINED] for o in (first, second)] == [trained, trained]


def test_a_session_that_nobody_holds_is_forgotten() -> None:
    with serving() as (server, _):
        url = server.open("one", seed=0).url
        with pytest.raises(ModelRefused, match="no session"):
            Client(Connection(url, "m"))(ROWS, tools=(), seed=0, max_tokens=5)


def test_a_conversation_that_does_not_fit_is_refused_as_a_full_context() -> None:
    with serving(max_tokens=200) as (server, engine):
        opened = server.open("one", seed=0)
        client = Client(Connection(opened.url, "m"))
        with pytest.raises(ContextFull) as caught:
            client([{"role": "user", "content": "xyz" * 90}], tools=(), seed=0, max_tokens=5)
    assert caught.value.window == 200
    assert caught.value.prompt is not None and caught.value.prompt > 270
    assert engine.asked == []


def test_an_engine_that_fails_is_asked_again_and_nothing_is_recorded() -> None:
    def say(request: Request) -> str:
        raise EngineError("no server answers")

    with serving(say) as (server, engine):
        opened = server.open("one", seed=0)
        client = Client(Connection(opened.url, "m", first_wait=0.0, tries=3))
        with pytest.raises(ModelError, match="no server answers"):
            client(ROWS, tools=(), seed=0, max_tokens=5)
    assert len(engine.asked) == 3
    assert opened.session.sequences() == ()


def test_models_are_listed_and_other_paths_are_refused() -> None:
    with serving() as (server, _):
        opened = server.open("one", seed=0)
        listed = httpx.get(f"{opened.url}/models").json()
        assert [row["id"] for row in listed["data"]] == ["policy"]
        assert httpx.post(f"{opened.url}/completions", json={}).status_code == 404
        assert httpx.post(f"{opened.url}/chat/completions", content=b"{").status_code == 400
        assert "stop" in posted(opened.url, {"messages": ROWS, "stop": ["a"]}).text


def test_a_reply_that_its_harness_did_not_wait_for_is_not_trained() -> None:
    asked, left = threading.Event(), threading.Event()

    def say(request: Request) -> str:
        asked.set()
        left.wait(30)
        return CALL

    with serving(say) as (server, _):
        opened = server.open("one", seed=0)
        port = int(server.url.split(":")[2].split("/")[0])
        body = json.dumps({"messages": ROWS}).encode()
        path = opened.url.split(str(port))[1]
        with socket.create_connection(("127.0.0.1", port)) as harness:
            head = f"POST {path}/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            harness.sendall(head.encode() + body)
            assert asked.wait(30)
        left.set()
        for _ in range(300):
            if opened.session.counts()[Reason.UNHEARD]:
                break
            threading.Event().wait(0.02)
    assert opened.session.counts()[Reason.UNHEARD] == len(TOKENIZER.encode(CALL)) + 1
    assert opened.session.counts()[TRAINED] == 0


def test_requests_of_one_session_at_the_same_time_are_branches_with_every_token_once() -> None:
    together = threading.Barrier(6)

    def say(request: Request) -> str:
        together.wait(30)
        return "yes"

    with serving(say) as (server, _):
        opened = server.open("one", seed=0)
        with ThreadPoolExecutor(6) as pool:
            answers = list(
                pool.map(lambda _: posted(opened.url, {"messages": ROWS}).json(), range(6))
            )
    assert len({answer["id"] for answer in answers}) == 6
    tokens = opened.session.tokens()
    assert len(tokens.sequences()) == 6
    assert sum(tokens.mask) == 6 * (len(TOKENIZER.encode("yes")) + 1)
