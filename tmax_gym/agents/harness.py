"""The protocol `Harness`: functions between a model's messages and the commands of a terminal.

Benchmarks, rollouts and training read replies with the same harness.  A harness runs nothing and
tokenises nothing: `TokenHarness` gives the exact text of a conversation in segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tmax_gym.episodes.observation import is_submit

MAX_FORMAT_ERRORS = 3
"""Replies without a command in a row that end an episode (as in mini-swe-agent)."""
SETUP = "setup"
"""The tool of the action that prepares the terminal."""

Message = Mapping[str, Any]
"""A message of the OpenAI chat interface: `role`, `content`, and `tool_calls` or `tool_call_id`."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a reply asks for: a command, or an answer without one."""

    command: str = ""
    answer: str = ""
    """The model gets this at once if there is no command."""
    call_id: str = ""
    """The tool call that asked for it; "" if it was text."""
    tool: str = ""
    note: str = ""
    """The model gets this beside the output of the command."""
    quiet: bool = False
    """Whether the model gets no answer, because another action of the same reply follows."""

    @property
    def submits(self) -> bool:
        """Return whether this ends the episode."""
        return is_submit(self.command)


@dataclass(frozen=True, slots=True)
class FormatError:
    """A reply without a command, and the reason in one sentence for the model."""

    reason: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text that a policy reads."""

    text: str
    control: bool = False
    """A control token, by name.  Only these may become special tokens, so that terminal output can
    never forge a turn."""


class Harness(Protocol):
    """The way in which a model works in a terminal."""

    name: str
    max_format_errors: int
    tools: tuple[Mapping[str, Any], ...]
    """The `tools` of a request to a chat interface."""
    setup: str
    """A command that prepares the terminal before the first reply; "" for none."""

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the messages before the first reply."""

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return the actions that a reply asks for, at least one, or why it cannot be read."""

    def observe(self, action: Action, observation: str) -> str:
        """Return the text that the model reads after an action."""

    def feedback(self, error: FormatError) -> str:
        """Return the text that the model reads after a reply without a command."""


class TokenHarness(Harness, Protocol):
    """A harness whose conversation has one exact text, for policies that read tokens."""

    stop: Segment
    """The end of a reply; the last token or tokens that the policy samples in a turn."""

    def say(self, command: str) -> str:
        """Return a reply that holds `command`, without `stop`: the inverse of `parse`."""

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return the text that the policy reads before its next reply.

        `cut` tells that the last reply was cut off, so that its `stop` is missing.
        """


def transcript(
    harness: TokenHarness, instruction: str, turns: Sequence[tuple[str, str]]
) -> tuple[tuple[Segment, bool], ...]:
    """Return an episode as segments, each with whether the policy writes it, to learn from.

    `turns` are pairs of command and observation; nobody reads the last observation.  Encoded one by
    one, the segments are the stream that an agent of the same harness assembles.
    """
    out: list[tuple[Segment, bool]] = []
    unread = harness.opening(instruction)
    for command, observation in turns:
        out += [(segment, False) for segment in harness.render(unread)]
        out += [(Segment(harness.say(command)), True), (harness.stop, True)]
        unread = ({"role": "tool", "content": harness.observe(Action(command), observation)},)
    return tuple(out)
