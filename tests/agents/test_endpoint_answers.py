"""What single answers mean: waits, parameters, calls in pieces, and what is sent back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.chat_server import Fault, Say, scripted
from tests.support.chat_server import serving as chatting
from tests.support.endpoint_cases import refuses
from tests.support.endpoint_play import QUICK
from tests.support.endpoint_server import answer, good, serving
from tests.support.endpoint_strict import faults
from tests.support.tiny_tasks import sum_task
from tmax_gym.agents.chat_agent import ChatAgent
from tmax_gym.agents.client import wire
from tmax_gym.agents.client.client import Client, Completion, Connection, Surroundings
from tmax_gym.agents.client.parameters import Learnt
from tmax_gym.agents.client.pieces import Pieces, content_text
from tmax_gym.agents.client.waits import asked
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.bench.events import EVENTS, read_events
from tmax_gym.bench.running.datasets import BenchDataset, Item
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.bench.store import read_records
from tmax_gym.errors import ModelError, ModelLate
from tmax_gym.sandboxes import Backend

NOW = 1_700_000_000.0
IN_A_MINUTE = formatdate(NOW + 60, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "900"}, 900.0),
        ({"retry-after": IN_A_MINUTE}, 60.0),
        ({"retry-after": "2023-11-14T22:14:20Z"}, 60.0),
        # The server's clock is an hour behind: what counts is the difference.
        ({"retry-after": IN_A_MINUTE, "date": formatdate(NOW + 50, usegmt=True)}, 10.0),
        ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset": str(NOW + 30)}, 30.0),
        ({"x-ratelimit-reset": str(int((NOW + 30) * 1000))}, 30.0),
        ({"ratelimit-reset": "12"}, 12.0),
        ({"anthropic-ratelimit-requests-reset": "2023-11-14T22:14:20Z"}, 60.0),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "10",
                "x-ratelimit-reset-tokens": "50s",
                "x-ratelimit-remaining-tokens": "0",
            },
            50.0,
        ),
    ],
)
def test_an_endpoint_is_left_alone_for_as_long_as_it_asks(
    headers: Mapping[str, str], seconds: float
) -> None:
    assert asked(headers, None, now=NOW, limited=True).seconds == pytest.approx(seconds, abs=1.0e-3)


def test_a_limit_in_an_answer_that_is_about_something_else_asks_for_nothing() -> None:
    assert asked({"x-ratelimit-reset": "60"}, None, now=NOW, limited=False).seconds == 0.0


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"message": "Rate limit reached. Please try again in 6.5s."}, 6.5),
        ({"message": "Please retry after 20 seconds"}, 20.0),
        ("try again in 350ms", 0.35),
        ({"details": [{"@type": "RetryInfo", "retryDelay": "34s"}]}, 34.0),
        ({"message": "no"}, 0.0),
    ],
)
def test_an_error_may_say_itself_how_long_to_wait(error: object, seconds: float) -> None:
    assert asked({}, error, now=NOW, limited=True).seconds == pytest.approx(seconds)


@given(st.dictionaries(st.sampled_from(["retry-after", "date", "x-ratelimit-reset"]), st.text()))
def test_no_header_makes_a_wait_fail_or_become_negative(headers: dict[str, str]) -> None:
    assert asked(headers, None, now=NOW, limited=True).seconds >= 0


def waits(*answers: Any, left: float = float("inf")) -> tuple[list[float], list[dict[str, Any]]]:
    """Return how long a client pauses before it has its answer, and what it logs."""
    paused: list[float] = []
    told: list[dict[str, Any]] = []
    around = Surroundings(
        paused.append, lambda: left, lambda event, **facts: told.append({"event": event, **facts})
    )
    with chatting(scripted(answers)) as server:
        own = Connection(server.base_url, "m", first_wait=0.0)
        client = Client(own, around=around)
        client([{"role": "user", "content": "hi"}], tools=(), seed=1, max_tokens=10)
    return paused, told


def test_a_wait_of_more_than_a_minute_is_kept_and_its_reason_logged() -> None:
    paused, told = waits(Fault(429, headers={"Retry-After": "150"}), Say("hi"))
    assert paused == [150.0]
    assert told[0]["event"] == "endpoint_waits" and told[0]["reason"] == "Retry-After: 150"


def test_a_wait_that_outlasts_the_time_is_not_begun() -> None:
    with pytest.raises(ModelLate, match="Retry-After: 150"):
        waits(Fault(429, headers={"Retry-After": "150"}), left=100.0)


def runs(native: Backend, at: Endpoint, out: Path, attempts: int) -> None:
    task = sum_task()
    item = Item(task.name, task.digest, lambda: task)
    settings = BenchSettings("bash", "m", backend="native", image="")
    carry_out(Order(BenchDataset("one", (item,)), settings, native, at, attempts=attempts), out)


def test_a_refused_parameter_is_learnt_once_for_a_whole_run(
    native_backend: Backend, tmp_path: Path
) -> None:
    way = refuses("max_tokens", "'max_tokens' is not supported", param="max_tokens")
    with serving(way) as server:
        runs(native_backend, Endpoint(Connection(server.url, "m", **QUICK)), tmp_path / "run", 3)
    assert [record.reward for record in read_records(tmp_path / "run")] == [1.0] * 3
    refused = [ask for ask in server.asked if "max_tokens" in ask.body]
    told = [e for e in read_events(tmp_path / "run" / EVENTS) if e["event"] == "parameter_left_out"]
    assert len(refused) == len(told) == 1
    assert told[0]["parameter"] == "max_tokens"
    assert all(ask.body["max_completion_tokens"] > 0 for ask in server.asked[1:])


def test_what_was_learnt_leaves_other_parameters_alone() -> None:
    learnt = Learnt()
    with serving(refuses("seed", "Extra inputs are not permitted: seed")) as server:
        client = Client(Connection(server.url, "m", **QUICK), learnt=learnt)
        client([{"role": "user", "content": "hi"}], tools=(), seed=1, max_tokens=10)
    first, second = (ask.body for ask in server.asked)
    assert set(first) - set(second) == {"seed"}
    assert {k: v for k, v in first.items() if k != "seed"} == second


def fed(*rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the calls that deltas with these tool calls make."""
    pieces = Pieces()
    for row in rows:
        pieces.add({"tool_calls": list(row)})
    calls = pieces.message(place=3).get("tool_calls", [])
    assert len({call["id"] for call in calls}) == len(calls)
    return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]


def piece(text: str = "", **more: Any) -> dict[str, Any]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return {**more, "function": {**name, "arguments": text}}


TWO = [("a", '{"x": 1}'), ("b", '{"y": 2}')]


@given(st.data(), st.sampled_from(["index", "id", "both", "zero"]), st.booleans())
def test_two_calls_stay_two_however_they_are_cut(
    data: st.DataObject, marks: str, repeat: bool
) -> None:
    rows = []
    for place, (name, text) in enumerate(TWO):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
        ends = itertools.pairwise([0, *cuts, len(text)])
        for number, (begin, end) in enumerate(ends):
            more: dict[str, Any] = {}
            if marks in ("index", "both"):
                more["index"] = place
            if marks == "zero":
                more["index"] = 0
            if marks in ("id", "both", "zero") and (number == 0 or marks == "id"):
                more["id"] = f"id{place}"
            if number == 0 or repeat:
                more["name"] = name
            rows.append([piece(text[begin:end], **more)])
    assert fed(*rows) == TWO


def test_calls_that_come_in_turns_are_told_apart_by_their_ids() -> None:
    assert fed(
        [piece('{"x":', name="a", id="1", index=0)], [piece('{"y":', name="b", id="2", index=0)],
        [piece(" 1}", id="1", index=0)], [piece(" 2}", id="2", index=0)],
    ) == TWO  # fmt: skip


def test_a_call_without_arguments_is_a_call() -> None:
    assert fed([piece(name="a", id="1")], [piece(name="b", id="2")]) == [("a", "{}"), ("b", "{}")]
    assert fed([piece(name="a", index=0), piece(name="b", index=0)]) == [("a", "{}"), ("b", "{}")]


def test_a_call_that_is_told_once_more_in_full_is_one_call() -> None:
    whole = piece('{"x": 1}', name="a", id="1", index=0)
    assert fed([whole], [whole]) == TWO[:1]


@given(st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | (
    st.dictionaries(st.sampled_from(["type", "text", "thinking", "summary"]), inner))))  # fmt: skip
def test_whatever_stands_where_content_should_be_is_read_as_text(content: Any) -> None:
    assert isinstance(content_text(content), str)
    assert isinstance(content_text(content, thinking=True), str)


def test_a_chat_agent_understands_parts_and_sends_back_what_is_specified() -> None:
    heard: list[Any] = []
    call = {"id": "c", "type": "function",
            "function": {"name": "bash", "arguments": '{"command": "ls"}'}}  # fmt: skip

    def complete(messages: Any, **_: Any) -> Completion:
        heard.append(messages)
        row = {"role": "assistant", "tool_calls": [call], "annotations": [], "refusal": None,
               "content": [{"type": "thinking", "thinking": "hm"},
                           {"type": "text", "text": "so"}]}  # fmt: skip
        return Completion(row, "tool_calls")

    agent = ChatAgent(complete, BashHarness("openai"))
    agent.reset("do", seed=0)
    assert agent.act("").reply == "so"
    agent.act("(no output)")
    assert list(faults(heard[1])) == []


ROLES = st.sampled_from(["system", "user", "assistant", "tool"])


@given(st.lists(st.tuples(ROLES, st.sampled_from(["", "x", None]), st.integers(0, 2))))
def test_any_conversation_is_sent_in_the_form_that_strict_endpoints_take(
    rows: list[tuple[str, str | None, int]],
) -> None:
    made: list[dict[str, Any]] = []
    for place, (role, content, count) in enumerate(rows):
        row: dict[str, Any] = {"role": role, "content": content, "extra": place}
        if role == "assistant":
            row["tool_calls"] = [
                {"id": f"c{place}{n}", "index": n, "function": {"name": "a", "arguments": {}}}
                for n in range(count)
            ]
        if role == "tool":
            row["tool_call_id"] = f"c{place - 1}{count}"
        made.append(row)
    found = list(faults(wire.messages(made)))
    assert [fault for fault in found if "of assistant in a row" not in fault] == []


def test_text_beside_calls_is_kept_and_nothing_is_null() -> None:
    with serving(lambda w, a: w.whole(answer(a, {"content": ""}))) as server:
        client = Client(Connection(server.url, "m", **QUICK))
        said = client([{"role": "user", "content": "hi"}], tools=(), seed=1, max_tokens=9).message
        tool = {"role": "tool", "tool_call_id": said["tool_calls"][0]["id"], "content": "done"}
        client([{"role": "user", "content": "hi"}, said, tool], tools=(), seed=1, max_tokens=9)
    assert server.asked[1].body["messages"][1]["content"] is None


def test_a_connection_that_was_given_up_is_closed(tmp_path: Path) -> None:
    gone: list[bool] = []

    def way(w: Any, a: Any) -> None:
        w.events(good(a)[:2], done=False)
        try:
            while True:
                w.for_ever(b": still here\n\n", every=0.01)
        except OSError:
            gone.append(True)

    with serving(way) as server:
        own = Connection(server.url, "m", tries=1, request_seconds=0.3, turn_seconds=5.0)
        with pytest.raises(ModelError, match="the try was given up"):
            Client(own)([{"role": "user", "content": "hi"}], tools=(), seed=1, max_tokens=9)
        for _ in range(100):
            if gone:
                break
            server.over.wait(0.02)
    assert gone == [True]


def test_a_seed_that_an_endpoint_can_take_is_sent() -> None:
    with serving(lambda w, a: w.whole(json.dumps(answer(a)))) as server:
        Client(Connection(server.url, "m", **QUICK))(
            [{"role": "user", "content": "hi"}], tools=(), seed=(1 << 62) + 5, max_tokens=9
        )
    assert server.asked[0].body["seed"] == 5
