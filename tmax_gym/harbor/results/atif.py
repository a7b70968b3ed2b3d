"""ATIF, the field's exchange format for an agent's trajectory, as frozen dataclasses.

These are the fields of versions 1.0 to 1.8; `problems` checks the rules that types do not express.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tmax_gym.harbor.results.records import is_time

Source = Literal["system", "user", "agent"]
PartType = Literal["text", "image", "audio"]
Extra = Mapping[str, object] | None
"""Values without a field of their own, such as exit codes, times and rewards."""

VERSION = "ATIF-v1.8"
VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(9))


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or a sound in another file."""

    media_type: str
    path: str
    duration_sec: float | None = None


@dataclass(frozen=True, slots=True)
class ContentPart:
    """One piece of a message that is more than text."""

    type: PartType
    text: str | None = None
    source: Media | None = None


Content = str | tuple[ContentPart, ...]


@dataclass(frozen=True, slots=True)
class AtifAgent:
    """The agent that acted."""

    name: str
    version: str = "unknown"
    model_name: str | None = None
    tool_definitions: tuple[Mapping[str, object], ...] | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One action."""

    tool_call_id: str
    function_name: str
    arguments: Mapping[str, object]
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class SubagentRef:
    """Where the trajectory of a subagent is."""

    trajectory_id: str | None = None
    session_id: str | None = None
    trajectory_path: str | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ObservationResult:
    """The result of one action."""

    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: tuple[SubagentRef, ...] | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer of the environment."""

    results: tuple[ObservationResult, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Tokens and cost of one step; with token ids it can be used for training."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class AtifStep:
    """One turn."""

    step_id: int
    """1, 2, …"""
    source: Source
    message: Content
    timestamp: str | None = None
    """ISO 8601."""
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class FinalMetrics:
    """Tokens and cost of the whole trajectory."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class AtifTrajectory:
    """A whole run of one agent."""

    agent: AtifAgent
    steps: tuple[AtifStep, ...]
    schema_version: str = VERSION
    session_id: str | None = None
    trajectory_id: str | None = None
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: tuple[AtifTrajectory, ...] | None = None
    extra: Extra = None


def problems(trajectory: AtifTrajectory) -> tuple[str, ...]:
    """Return every rule of the format that a trajectory breaks, a line each."""
    return tuple(_problems(trajectory))


def _problems(trajectory: AtifTrajectory) -> Iterator[str]:
    if trajectory.schema_version not in VERSIONS:
        yield f"schema_version is {trajectory.schema_version!r}"
    if not trajectory.steps:
        yield "it has no step"
    for position, step in enumerate(trajectory.steps, start=1):
        if step.step_id != position:
            yield f"step {position} has the step_id {step.step_id}"
        yield from (f"step {position}: {fault}" for fault in _step_problems(step))
    inner = trajectory.subagent_trajectories or ()
    names = [sub.trajectory_id for sub in inner]
    if None in names or len(set(names)) != len(names):
        yield "its subagents need a trajectory_id each, all different"
    for sub in inner:
        yield from (f"subagent {sub.trajectory_id}: {fault}" for fault in _problems(sub))


def _step_problems(step: AtifStep) -> Iterator[str]:
    own = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
    given = [name for name in own if getattr(step, name) is not None]
    if step.source != "agent" and given:
        yield f"{', '.join(given)} belong to agents, not to {step.source}"
    thought = step.metrics is not None or step.reasoning_content is not None
    if step.source == "agent" and step.llm_call_count == 0 and thought:
        yield "no model was called, yet it has metrics or reasoning"
    if step.timestamp is not None and not is_time(step.timestamp):
        yield f"its time {step.timestamp!r} is not ISO 8601"
    calls = {call.tool_call_id for call in step.tool_calls or ()}
    results = step.observation.results if step.observation else ()
    for result in results:
        if result.source_call_id is not None and result.source_call_id not in calls:
            yield f"a result is of the call {result.source_call_id!r}, which it did not make"
        for ref in result.subagent_trajectory_ref or ():
            if ref.trajectory_id is None and ref.trajectory_path is None:
                yield "a subagent is referred to by neither trajectory_id nor trajectory_path"
    contents = [step.message, *(r.content for r in results if r.content is not None)]
    for part in (part for c in contents if not isinstance(c, str) for part in c):
        if (part.type == "text") != (part.text is not None and part.source is None):
            yield f"a part of type {part.type} has the fields of another"
