"""Read chat lists, OpenAI's format of a conversation, as trajectories.

The result of a tool call joins the step that made the call.  Arguments that are not a JSON object
stay as they are under `raw`.  Pictures are left out: a chat list holds them inline, ATIF does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.atif import (
    AtifAgent,
    AtifStep,
    AtifTrajectory,
    Content,
    Observation,
    ObservationResult,
    ToolCall,
)
from tmax_gym.harbor.tasks.fields import Table, as_table
from tmax_gym.validation import shown

ROLES = ("system", "developer", "user", "assistant", "tool", "function", "exit")
"""`exit` is mini-swe-agent's last message."""
RAW = "raw"
"""The name of arguments that are no JSON object."""


def read_chat(
    messages: Sequence[object], *, where: str = "messages", agent: AtifAgent | None = None
) -> AtifTrajectory:
    """Return the trajectory of a list of messages.

    Raises:
        HarborError: It is empty, or a message is none.
    """
    steps: list[AtifStep] = []
    for i, message in enumerate(messages):
        table = as_table(message, f"{where}: [{i}]")
        role = table.text("role")
        if role not in ROLES:
            raise table.fault("role", f"one of: {', '.join(ROLES)}")
        if role in ("tool", "function"):
            _answer(steps, table)
        else:
            steps.append(_step(table, role, len(steps) + 1))
    if not steps:
        raise HarborError(f"{where} is empty")
    return AtifTrajectory(agent or AtifAgent("unknown", "unknown"), tuple(steps))


def _step(table: Table, role: str, number: int) -> AtifStep:
    acts = role == "assistant"
    reasoning = table.values.get("reasoning_content") or table.values.get("reasoning")
    calls = table.tables("tool_calls") if acts else ()
    return AtifStep(
        step_id=number,
        source="agent" if acts else "system" if role in ("system", "developer") else "user",
        message=_text(table),
        reasoning_content=reasoning if acts and isinstance(reasoning, str) else None,
        tool_calls=tuple(_call(c, f"call_{number}_{i}") for i, c in enumerate(calls)) or None,
    )


def _call(table: Table, spare: str) -> ToolCall:
    inside = table.table("function") if "function" in table else table
    name = table.maybe_text("id") or spare
    return ToolCall(name, inside.text("name"), _arguments(inside.values.get("arguments")))


def _arguments(value: object) -> dict[str, object]:
    decoded = value
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            decoded = json.loads(value)
    if isinstance(decoded, dict):
        return decoded
    return {} if value is None else {RAW: value}


def _answer(steps: list[AtifStep], table: Table) -> None:
    """Add a tool's answer to the step that called it, or to the last step if that is unknown."""
    asked = table.maybe_text("tool_call_id")
    for i in range(len(steps) - 1, -1, -1):
        calls = {call.tool_call_id for call in steps[i].tool_calls or ()}
        if steps[i].source == "agent" and (asked is None or asked in calls):
            break
    else:
        i, asked = len(steps) - 1, None
    if i < 0:
        raise HarborError(f"{table.where} is an answer without a call before it")
    seen = steps[i].observation
    result = ObservationResult(asked, _text(table))
    steps[i] = replace(steps[i], observation=Observation((*(seen.results if seen else ()), result)))


def _text(table: Table) -> str:
    content = table.values.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise table.fault("content", "text or a list of parts")
    return "".join(map(_piece, content))


def _piece(part: object) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    if isinstance(part, dict) and isinstance(text, str):
        return text
    kind = part.get("type") if isinstance(part, dict) else part
    return f"[{kind if isinstance(kind, str) else shown(kind)}]"


def plain(content: Content) -> str:
    """Return a message's text; pictures and sounds become their type in brackets."""
    if isinstance(content, str):
        return content
    return "".join(part.text if part.text is not None else f"[{part.type}]" for part in content)
