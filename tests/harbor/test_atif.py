"""ATIF trajectories and chat lists, read and written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.json_schema import faults, schema
from tmax_gym.errors import HarborError
from tmax_gym.harbor.results import atif
from tmax_gym.harbor.results.atif_reader import read_trajectory, write_trajectory
from tmax_gym.harbor.results.chats import read_chat

A = atif.AtifAgent("tmax", "1", "m", ({"type": "function"},), {"temperature": 0.7})
CALL = atif.ToolCall("c1", "bash", {"command": "ls"}, {"timeout": 30})
WHOLE = atif.AtifTrajectory(
    agent=A,
    steps=(
        atif.AtifStep(1, "system", "You work in a terminal."),
        atif.AtifStep(
            2,
            "user",
            (
                atif.ContentPart("text", "Look:"),
                atif.ContentPart("image", source=atif.Media("image/png", "a.png")),
                atif.ContentPart("audio", source=atif.Media("audio/wav", "a.wav", 1.5)),
            ),
            timestamp="2026-01-02T03:04:05Z",
        ),
        atif.AtifStep(
            3,
            "agent",
            "I look.",
            model_name="m",
            reasoning_effort="high",
            reasoning_content="hm",
            tool_calls=(CALL, atif.ToolCall("c2", "task", {})),
            observation=atif.Observation((
                atif.ObservationResult("c1", "file", extra={"exit_code": 0}),
                atif.ObservationResult(
                    "c2", None, (atif.SubagentRef("sub"), atif.SubagentRef(trajectory_path="x"))
                ),
                atif.ObservationResult(None, (atif.ContentPart("text", "done"),)),
            )),
            metrics=atif.Metrics(10, 3, 4, 0.5, (1, 2), (3, 4), (-0.5, -1.0), {"reward": 1}),
            is_copied_context=False,
            llm_call_count=1,
            extra={"seconds": 1.5},
        ),
    ),
    session_id="s",
    trajectory_id="t",
    notes="n",
    final_metrics=atif.FinalMetrics(10, 3, 4, 0.5, 3, {"x": [1]}),
    continued_trajectory_ref="next.json",
    subagent_trajectories=(
        atif.AtifTrajectory(A, (atif.AtifStep(1, "user", "sub"),), trajectory_id="sub"),
    ),
    extra={"k": None},
)  # fmt: skip


def test_a_whole_trajectory_reads_back_the_same() -> None:
    text = write_trajectory(WHOLE)
    assert read_trajectory(text) == WHOLE
    assert read_trajectory(text.encode()) == WHOLE


def test_a_whole_trajectory_is_valid_by_the_schema() -> None:
    assert faults(json.loads(write_trajectory(WHOLE)), "atif") == []


def test_every_field_of_the_schema_is_written() -> None:
    """The sample has every field that the writer knows."""
    written = json.loads(write_trajectory(WHOLE))
    step, result = written["steps"][2], written["steps"][2]["observation"]["results"][0]
    kinds = {
        "Trajectory": written,
        "Agent": written["agent"],
        "Step": {**step, **written["steps"][1]},
        "ToolCall": step["tool_calls"][0],
        "Metrics": step["metrics"],
        "FinalMetrics": written["final_metrics"],
        "AudioSource": written["steps"][1]["message"][2]["source"],
        "ObservationResult": {**result, **step["observation"]["results"][1]},
    }
    for kind, fields in kinds.items():
        assert set(schema("atif")["$defs"][kind]["properties"]) == set(fields), kind


@pytest.mark.parametrize("version", atif.VERSIONS)
def test_every_version_is_read(version: str) -> None:
    trajectory = read_trajectory(write_trajectory(replace(WHOLE, schema_version=version)))
    assert trajectory.schema_version == version


STEP = WHOLE.steps[2]
BROKEN = {
    "step 1 has the step_id 2": replace(WHOLE, steps=(replace(STEP, step_id=2),)),
    "it has no step": replace(WHOLE, steps=()),
    "schema_version": replace(WHOLE, schema_version="ATIF-v2.0"),
    "belong to agents": replace(WHOLE, steps=(replace(STEP, step_id=1, source="user"),)),
    "which it did not make": replace(WHOLE, steps=(replace(STEP, step_id=1, tool_calls=()),)),
    "is not ISO 8601": replace(WHOLE, steps=(replace(STEP, step_id=1, timestamp="noon"),)),
    "no model was called": replace(WHOLE, steps=(replace(STEP, step_id=1, llm_call_count=0),)),
    "all different": replace(WHOLE, subagent_trajectories=(replace(WHOLE, trajectory_id=None),)),
    "fields of another": replace(
        WHOLE, steps=(atif.AtifStep(1, "user", (atif.ContentPart("image", "x"),)),)
    ),
    "neither trajectory_id": replace(
        WHOLE,
        steps=(
            atif.AtifStep(
                1,
                "agent",
                "",
                observation=atif.Observation((
                    atif.ObservationResult(
                        subagent_trajectory_ref=(atif.SubagentRef(session_id="s"),)
                    ),
                )),
            ),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_refused_by_the_writer(rule: str) -> None:
    with pytest.raises(HarborError) as caught:
        write_trajectory(BROKEN[rule])
    assert rule in str(caught.value)


def test_numbers_that_json_lacks_are_refused_by_the_writer() -> None:
    with pytest.raises(HarborError, match="finite"):
        write_trajectory(replace(WHOLE, extra={"x": float("nan")}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": "ATIF-v9.9"}, "schema_version"),
        ({"schema_version": None}, "schema_version is missing"),
        ({"agent": None}, "agent is None, not a table"),
        ({"agent": {"version": "1"}}, "agent.name is missing"),
        ({"steps": {}}, "steps is {}, not a list"),
        ({"steps": [{}]}, "steps[0].source is missing"),
        ({"steps": [{"source": "dog", "message": ""}]}, "not one of: system, user, agent"),
        ({"steps": [{"source": "user", "message": 3}]}, "steps[0].message is 3"),
        ({"steps": [{"source": "user"}]}, "steps[0].message is missing"),
        (
            {"steps": [{"source": "agent", "message": "", "metrics": {"logprobs": ["x"]}}]},
            "metrics.logprobs is 'x'",
        ),
    ],
)
def test_a_wrong_type_is_named(change: dict[str, Any], message: str) -> None:
    rows = json.loads(write_trajectory(WHOLE)) | change
    with pytest.raises(HarborError) as caught:
        read_trajectory(json.dumps(rows))
    assert message in str(caught.value)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from([
                "role", "content", "tool_calls", "function", "name", "arguments", "id", "steps",
                "tool_call_id", "schema_version", "agent", "source", "message", "observation",
                "results", "messages", "type", "text", "step_id", "metrics", "version",
            ]),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
)  # fmt: skip
words = st.sampled_from(["ATIF-v1.6", "user", "assistant", "tool", "agent", "text", "x"])


@settings(max_examples=300)
@given(st.one_of(values, st.lists(st.fixed_dictionaries({"role": words, "content": values}))))
def test_no_value_makes_the_reader_fail_in_another_way(value: object) -> None:
    try:
        trajectory = read_trajectory(json.dumps(value))
        atif.problems(trajectory)
    except HarborError as error:
        assert "\n" not in str(error)


@given(st.binary())
def test_no_bytes_make_the_reader_fail_in_another_way(data: bytes) -> None:
    try:
        read_trajectory(data)
    except HarborError as error:
        assert "\n" not in str(error)


CHAT: list[dict[str, object]] = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": "task"},
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "hm",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "bash", "arguments": '{"command": "ls"}'},
            },
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "bash", "arguments": '{"command": "p'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "file\n(exit_code=0)"},
    {"role": "tool", "tool_call_id": "c2", "content": "bad arguments"},
    {"role": "assistant", "content": "done"},
]


def test_a_chat_list_is_a_trajectory() -> None:
    trajectory = read_trajectory(json.dumps(CHAT))
    assert atif.problems(trajectory) == ()
    assert [s.source for s in trajectory.steps] == ["system", "user", "agent", "agent"]
    step = trajectory.steps[2]
    assert step.tool_calls is not None
    assert step.tool_calls[0].arguments == {"command": "ls"}
    assert step.tool_calls[1].arguments == {"raw": '{"command": "p'}
    assert step.observation is not None
    assert [r.source_call_id for r in step.observation.results] == ["c1", "c2"]
    assert faults(json.loads(write_trajectory(trajectory)), "atif") == []


def test_messages_inside_an_object_are_read(tmp_path: Path) -> None:
    data = json.dumps({"info": {}, "messages": [*CHAT, {"role": "exit", "content": "done"}]})
    assert [s.source for s in read_trajectory(data).steps][-1] == "user"


def test_parts_and_empty_contents_are_texts() -> None:
    trajectory = read_chat([
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}, "b"]},
        {"role": "assistant", "content": None},
    ])  # fmt: skip
    assert [s.message for s in trajectory.steps] == ["a[image_url]b", ""]


def test_an_answer_without_a_name_joins_the_last_step_of_the_agent() -> None:
    trajectory = read_chat([{"role": "assistant", "content": ""}, {"role": "tool", "content": "x"}])
    assert trajectory.steps[0].observation == atif.Observation((atif.ObservationResult(None, "x"),))


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([], "is empty"),
        ([3], "not a table"),
        ([{"role": "tool", "content": "x"}], "without a call before it"),
        ([{"role": "cat", "content": "x"}], "not one of"),
        ([{"content": "x"}], "role is missing"),
        ([{"role": "user", "content": 4}], "content is 4"),
    ],
)
def test_an_invalid_chat_is_refused_with_the_reason(messages: list[object], message: str) -> None:
    with pytest.raises(HarborError) as caught:
        read_chat(messages)
    assert message in str(caught.value)
