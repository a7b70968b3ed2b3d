"""What a harness is: pure functions between a chat and a terminal, as the protocol `Style`.

Covers acts, what a reply that holds none is told, and messages in the form of the OpenAI chat
interface.  Does not cover the conversation itself: see `dialogue.py`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tmax_gym.agents.harness import FormatError

ChatMessage = Mapping[str, Any]
ARGUMENT = 100_000
"""Bytes of a command that is an argument: Linux takes 131,071 (MAX_ARG_STRLEN)."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a reply asks for: a command, an answer at once, or the end."""

    command: str = ""
    answer: str = ""
    """What it is told without anything being run, where there is no command."""
    submit: bool = False
    call_id: str = ""
    """The tool call that asked for it; "" where it was text."""
    tool: str = ""
    note: str = ""
    """What it is told besides what the command printed."""
    quiet: bool = False
    """Whether nothing is told of it: another act of the same reply goes on with it."""


class Style(Protocol):
    """A way to let a model work in a terminal."""

    name: str
    tools: tuple[Mapping[str, Any], ...]
    """What a chat interface is given as `tools`."""
    first: str
    """A command that prepares the terminal before the first reply; "" for none."""

    def opening(self, instruction: str) -> tuple[ChatMessage, ...]:
        """Return the messages before the first reply."""

    def parse(self, message: ChatMessage) -> tuple[Act, ...] | FormatError:
        """Return what a reply asks for, at least one act, or why that cannot be told."""

    def render(self, act: Act, observation: str) -> str:
        """Return what the model is told of an act that ran."""

    def feedback(self, error: FormatError) -> str:
        """Return what a reply without an act is told."""


def content_text(message: ChatMessage) -> str:
    """Return the text of a message, reasoning left out where it is a part of its own."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "".join(
        str(part.get("text") or "")
        for part in parts
        if isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text")
    )


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, its arguments read."""

    id: str
    name: str
    arguments: Mapping[str, Any]


def calls(message: ChatMessage) -> tuple[Call, ...] | FormatError:
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
                return FormatError(f"The arguments of {function['name']} are no JSON object.")
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


def in_subshell(command: str) -> str:
    """Return a line that runs a command in a bash of its own, however long it is."""
    if len(command.encode(errors="replace")) < ARGUMENT:
        return f"bash -c {shlex.quote(command)}"
    # Read before it runs, so that standard input and descriptor 3 are as in a short one.
    run = shlex.quote('eval "exec 3<&-\n$(</dev/fd/3)"')
    return f"bash -c {run} 3< <(printf %s {shlex.quote(command)})"
