"""Descriptions of tools for chat interfaces, and the tool calls in a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tmax_gym.agents.harness import FormatError, Message


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call with decoded arguments."""

    id: str
    name: str
    arguments: Mapping[str, Any]


def calls(message: Message) -> tuple[Call, ...] | FormatError:
    """Return the tool calls of a message, in order."""
    rows = message.get("tool_calls") or ()
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return FormatError("The tool calls are not a list.")
    called = []
    for index, row in enumerate(rows):
        fields = row if isinstance(row, Mapping) else {}
        call = read_call(fields.get("function"), call_id=str(fields.get("id") or f"call-{index}"))
        if isinstance(call, FormatError):
            return call
        called.append(call)
    return tuple(called)


def read_call(function: object, *, call_id: str = "") -> Call | FormatError:
    """Return a call from an object with `name` and `arguments`, which may be JSON in a string."""
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return FormatError("A tool call has no name.")
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, Mapping):
        return FormatError(f"The arguments of {function['name']} are not a JSON object.")
    return Call(call_id, function["name"], arguments)


def tool(name: str, description: str, **properties: tuple[str, str, bool]) -> Mapping[str, Any]:
    """Return a tool for the chat interface; properties are (type, description, required)."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {
                    key: {"type": kind, "description": text}
                    for key, (kind, text, _) in properties.items()
                },
                "required": [key for key, (_, _, required) in properties.items() if required],
            },
        },
    }
