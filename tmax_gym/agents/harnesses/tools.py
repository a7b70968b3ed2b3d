"""Tools as chat interfaces describe them, and the calls of them in a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tmax_gym.agents.harness import FormatError, Message


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, its arguments read."""

    id: str
    name: str
    arguments: Mapping[str, Any]


def calls(message: Message) -> tuple[Call, ...] | FormatError:
    """Return the tool calls of a message, in order; empty where it has none."""
    rows = message.get("tool_calls") or ()
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return FormatError("The tool calls are no list.")
    found = []
    for index, row in enumerate(rows):
        function = row.get("function") if isinstance(row, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            return FormatError("A tool call has no name.")
        arguments = function.get("arguments") or {}
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                arguments = None
        if not isinstance(arguments, Mapping):
            return FormatError(f"The arguments of {function['name']} are no JSON object.")
        found.append(Call(str(row.get("id") or f"call-{index}"), function["name"], arguments))
    return tuple(found)


def tool(name: str, description: str, **properties: tuple[str, str, bool]) -> Mapping[str, Any]:
    """Return a tool for the chat interface.

    Args:
        name: Of the tool.
        description: What it does.
        **properties: (type, description, needed) by name.
    """
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
                "required": [key for key, (_, _, needed) in properties.items() if needed],
            },
        },
    }
