"""Harnesses: what an agent is told and how its replies are read.

One code path for data, training and evaluation.  Everything here is a pure function of data:
nothing runs, nothing is tokenised.
Covers the shared rule for format errors, the messages, and their exact rendering as segments for
token streams.  The text of observations is in `observation.py`, chat dialects are in
`dialects.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tmax_gym.errors import HarnessError

MAX_FORMAT_ERRORS = 3
"""Replies without a command in a row that end an episode (mini-swe-agent: the same)."""

TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command in the persistent bash session and return its output.",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "What bash runs; may span lines."}
            },
            "required": ["command"],
        },
    },
}
"""The one tool, as the OpenAI chat interface wants it."""

Reply = str | Mapping[str, Any]
"""What a model said: text, or an assistant message of the OpenAI chat interface."""


@dataclass(frozen=True, slots=True)
class Action:
    """A reply that was understood."""

    command: str


@dataclass(frozen=True, slots=True)
class FormatError:
    """A reply that holds no command."""

    reason: str
    """One sentence, for the model that wrote the reply."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message that a harness sends."""

    role: Literal["system", "user", "tool"]
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text that a policy reads."""

    text: str
    control: bool = False
    """A control token, by name.  Only these may become special tokens: what a terminal prints
    must never be able to forge a turn."""


class Harness(Protocol):
    """A way to let a model work in a terminal."""

    name: str
    max_format_errors: int
    stop: Segment
    """What ends a reply; it is the last thing that the policy samples in a turn."""

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the messages before the first reply."""

    def parse(self, reply: Reply) -> Action | FormatError:
        """Return the first command of a reply, or why there is none."""

    def observe(self, observation: str) -> Message:
        """Return the message that carries an observation."""

    def feedback(self, error: FormatError) -> Message:
        """Return the message that answers a reply without a command."""

    def say(self, command: str) -> str:
        """Return a reply that holds `command`, without `stop`: the inverse of `parse`."""

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return what the policy reads next, up to where its reply begins.

        `cut` tells that the reply before was cut off, so that `stop` is still missing.
        """


def transcript(
    harness: Harness, instruction: str, turns: Sequence[tuple[str, str]]
) -> tuple[tuple[Segment, bool], ...]:
    """Return an episode as a policy would have read and said it, for supervised learning.

    Args:
        harness: The dialect.
        instruction: The task.
        turns: (command, observation) in order; the last observation is not read by anybody.

    Returns:
        Segments in order, each with whether the policy says it.  Encoded one by one they are
        the stream that an agent of the same harness assembles.
    """
    out: list[tuple[Segment, bool]] = []
    heard = harness.opening(instruction)
    for command, observation in turns:
        out += [(segment, False) for segment in harness.render(heard)]
        out += [(Segment(harness.say(command)), True), (harness.stop, True)]
        heard = (harness.observe(observation),)
    return tuple(out)


def content_text(content: object, *, thinking: bool = False) -> str:
    """Return the text of a message's content: text, or a list of parts.

    Args:
        content: As an endpoint sent it.
        thinking: Whether the text of thoughts is wanted instead of what was said.

    >>> content_text([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "ls"}])
    'ls'
    """
    if isinstance(content, str):
        return "" if thinking else content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence):
        return ""
    return "".join(_part_text(part, thinking) for part in content)


def _part_text(part: object, thinking: bool) -> str:
    if not isinstance(part, Mapping):
        return "" if thinking else content_text(part)
    kind = str(part.get("type") or "text")
    thought = kind in ("thinking", "reasoning", "redacted_thinking", "reasoning_text", "summary")
    if thought != thinking:
        return ""
    keys = ("thinking", "text", "content", "summary") if thought else ("text", "refusal", "content")
    value = next((part[key] for key in keys if part.get(key)), "")
    if isinstance(value, Mapping):  # {"value": text} in some interfaces
        value = value.get("value") or value.get("text") or ""
    return value if isinstance(value, str) else content_text(value)


def checked_command(command: object) -> Action | FormatError:
    """Return the action of a command that a shell can take."""
    if not isinstance(command, str):
        return FormatError("The argument `command` must be a string.")
    if not command.strip():
        return FormatError("The command is empty.")
    if "\0" in command or any("\ud800" <= c <= "\udfff" for c in command):
        return FormatError("The command holds a character that no shell can read.")
    return Action(command)


class PlainHarness:
    """The smallest dialect: a prompt, one line, what it printed, a prompt.

    For policies too small for a chat: a reply is one command up to the end of the line.
    """

    name = "plain"
    stop = Segment("\n")

    def __init__(self, *, max_format_errors: int = MAX_FORMAT_ERRORS) -> None:
        self.max_format_errors = max_format_errors

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the instruction alone."""
        return (Message("user", instruction),)

    def parse(self, reply: Reply) -> Action | FormatError:
        """Return the first line as the command."""
        if not isinstance(reply, str):
            raise HarnessError(
                "the plain dialect reads text, not a chat message.\nUse the bash harness with "
                "dialect='openai' for models behind a chat interface."
            )
        return checked_command(reply.split("\n", 1)[0])

    def observe(self, observation: str) -> Message:
        """Return the observation as it is."""
        return Message("tool", observation)

    def feedback(self, error: FormatError) -> Message:
        """Return the reason as if the terminal had printed it."""
        return Message("tool", error.reason)

    def say(self, command: str) -> str:
        """Return the command.  Raises `HarnessError` where it spans lines."""
        if "\n" in command:
            raise HarnessError(
                f"the plain dialect cannot say a command of {command.count(chr(10)) + 1} lines.\n"
                "Choose tasks whose reference solution has only single lines, or another harness."
            )
        return command

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return every text with a prompt below the last."""
        lines = [m.text for m in messages]
        return (Segment(("\n" if cut else "") + "\n".join(lines) + "\n$ "),)
