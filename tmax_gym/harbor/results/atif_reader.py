"""The reader and the writer of ATIF; the reader takes chat lists as well.

Covers ATIF 1.0 to 1.8 (what Harbor 0.6 to 0.25 writes), a plain list of chat messages, and an
object with such a list under `messages` (mini-swe-agent).  The reader is tolerant of broken
rules (`atif.problems` names them), never of wrong types; the writer refuses both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results import atif, records
from tmax_gym.harbor.results.atif import (
    AtifAgent,
    AtifStep,
    AtifTrajectory,
    Content,
    ContentPart,
    FinalMetrics,
    Media,
    Metrics,
    Observation,
    ObservationResult,
    SubagentRef,
    ToolCall,
)
from tmax_gym.harbor.results.chats import read_chat
from tmax_gym.harbor.tasks.fields import Table, as_table, read_json
from tmax_gym.validation import shown

T = TypeVar("T")
_DEPTH = 8
"""Subagents of subagents; deeper is nonsense."""


def read_trajectory(data: bytes | str, *, where: str = "trajectory.json") -> AtifTrajectory:
    """Return the trajectory of a file, whichever format it has.

    Raises:
        HarborError: It is no JSON, of no known format, or a field has a wrong type.
    """
    found = read_json(data, where)
    if isinstance(found, list):
        return read_chat(found, where=where)
    table = as_table(found, where)
    if "schema_version" not in table and "messages" in table:
        return read_chat(table.items("messages"), where=table.place("messages"))
    return _trajectory(table, _DEPTH)


def write_trajectory(trajectory: AtifTrajectory) -> str:
    """Return a trajectory as ATIF.

    Raises:
        HarborError: It breaks a rule of the format.
    """
    if broken := atif.problems(trajectory):
        raise HarborError(f"the trajectory is not valid ATIF: {'; '.join(broken[:3])}")
    return records.dumps(trajectory)


def _trajectory(table: Table, depth: int) -> AtifTrajectory:
    version = table.text("schema_version")
    if version not in atif.VERSIONS:
        raise table.fault("schema_version", f"one of {atif.VERSIONS[0]} to {atif.VERSIONS[-1]}")
    if "subagent_trajectories" in table and depth == 0:
        raise HarborError(f"{table.place('subagent_trajectories')} are nested too deeply")
    return AtifTrajectory(
        agent=_agent(as_table(table.values.get("agent"), table.place("agent"))),
        steps=tuple(_step(step) for step in table.tables("steps")),
        schema_version=version,
        session_id=table.maybe_text("session_id"),
        trajectory_id=table.maybe_text("trajectory_id"),
        notes=table.maybe_text("notes"),
        final_metrics=_final(table.maybe_table("final_metrics")),
        continued_trajectory_ref=table.maybe_text("continued_trajectory_ref"),
        subagent_trajectories=_list(
            table, "subagent_trajectories", lambda sub: _trajectory(sub, depth - 1)
        ),
        extra=table.maybe_mapping("extra"),
    )


def _list(table: Table, key: str, read: Callable[[Table], T]) -> tuple[T, ...] | None:
    return tuple(read(item) for item in table.tables(key)) if key in table else None


def _agent(table: Table) -> AtifAgent:
    return AtifAgent(
        name=table.text("name"),
        version=table.text_or("version", "unknown"),
        model_name=table.maybe_text("model_name"),
        tool_definitions=_list(table, "tool_definitions", lambda item: dict(item.values)),
        extra=table.maybe_mapping("extra"),
    )


def _step(table: Table) -> AtifStep:
    source = table.choice("source", atif.SOURCES)
    if source is None:
        raise table.fault("source", "text")
    seen = table.maybe_table("observation")
    effort = table.values.get("reasoning_effort")
    message = _content(table, "message")
    if message is None:
        raise table.fault("message", "text")
    return AtifStep(
        step_id=table.whole_or("step_id", 0),
        source=source,
        message=message,
        timestamp=table.maybe_text("timestamp"),
        model_name=table.maybe_text("model_name"),
        reasoning_effort=(
            effort if isinstance(effort, str) else table.maybe_number("reasoning_effort")
        ),
        reasoning_content=table.maybe_text("reasoning_content"),
        tool_calls=_list(table, "tool_calls", _call),
        observation=Observation(_list(seen, "results", _result) or ()) if seen else None,
        metrics=_metrics(table.maybe_table("metrics")),
        is_copied_context=table.maybe_flag("is_copied_context"),
        llm_call_count=table.maybe_whole("llm_call_count"),
        extra=table.maybe_mapping("extra"),
    )


def _content(table: Table, key: str) -> Content | None:
    found = table.values.get(key)
    if found is None or isinstance(found, str):
        return found
    if not isinstance(found, list):
        raise table.fault(key, "text or a list of parts")
    return tuple(_part(item) for item in table.tables(key))


def _part(table: Table) -> ContentPart:
    kind = table.choice("type", atif.PART_TYPES)
    if kind is None:
        raise table.fault("type", "text")
    inside = table.maybe_table("source")
    media = None
    if inside:
        seconds = inside.maybe_seconds("duration_sec")
        media = Media(inside.text("media_type"), inside.text("path"), seconds)
    return ContentPart(kind, table.maybe_text("text"), media)


def _call(table: Table) -> ToolCall:
    arguments = table.values.get("arguments")
    if not isinstance(arguments, dict):
        raise HarborError(f"{table.place('arguments')} is {shown(arguments)}, not a table")
    return ToolCall(
        table.text("tool_call_id"),
        table.text("function_name"),
        arguments,
        table.maybe_mapping("extra"),
    )


def _result(table: Table) -> ObservationResult:
    return ObservationResult(
        table.maybe_text("source_call_id"),
        _content(table, "content"),
        _list(table, "subagent_trajectory_ref", _ref),
        table.maybe_mapping("extra"),
    )


def _ref(table: Table) -> SubagentRef:
    return SubagentRef(
        table.maybe_text("trajectory_id"),
        table.maybe_text("session_id"),
        table.maybe_text("trajectory_path"),
        table.maybe_mapping("extra"),
    )


def _metrics(table: Table | None) -> Metrics | None:
    if table is None:
        return None
    ids, made = "prompt_token_ids", "completion_token_ids"
    return Metrics(
        prompt_tokens=table.maybe_whole("prompt_tokens"),
        completion_tokens=table.maybe_whole("completion_tokens"),
        cached_tokens=table.maybe_whole("cached_tokens"),
        cost_usd=table.maybe_number("cost_usd"),
        prompt_token_ids=table.wholes(ids) if ids in table else None,
        completion_token_ids=table.wholes(made) if made in table else None,
        logprobs=table.numbers("logprobs") if "logprobs" in table else None,
        extra=table.maybe_mapping("extra"),
    )


def _final(table: Table | None) -> FinalMetrics | None:
    if table is None:
        return None
    return FinalMetrics(
        total_prompt_tokens=table.maybe_whole("total_prompt_tokens"),
        total_completion_tokens=table.maybe_whole("total_completion_tokens"),
        total_cached_tokens=table.maybe_whole("total_cached_tokens"),
        total_cost_usd=table.maybe_number("total_cost_usd"),
        total_steps=table.maybe_whole("total_steps"),
        extra=table.maybe_mapping("extra"),
    )
