"""What a harness is: pure functions between the messages of a model and the commands of a terminal.

One protocol for benchmarks, rollouts and training, so that all of them read a reply by the same
code.  Nothing here runs, and nothing is tokenised.
Covers actions, format errors, and the exact text of a conversation as segments for token streams.
Does not cover the conversation itself: see `model_agent.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tmax_gym.episodes.observation import is_submit

MAX_FORMAT_ERRORS = 3
"""Replies without a command in a row that end an episode (mini-swe-agent: the same)."""
SETUP = "setup"
"""The tool of the action that prepares the terminal."""

Message = Mapping[str, Any]
"""A message of the OpenAI chat interface: `role`, `content`, and `tool_calls` or `tool_call_id`."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a reply asks for: a command, or an answer without one."""

    command: str = ""
    answer: str = ""
    """What the model is told at once, where there is no command."""
    call_id: str = ""
    """The tool call that asked for it; "" where it was text."""
    tool: str = ""
    note: str = ""
    """What the model is told besides what the command printed."""
    quiet: bool = False
    """Whether the model is told nothing: another action of the same reply goes on with it."""

    @property
    def submits(self) -> bool:
        """Return whether this ends the episode."""
        return is_submit(self.command)


@dataclass(frozen=True, slots=True)
class FormatError:
    """A reply that holds no command."""

    reason: str
    """One sentence, for the model that wrote the reply."""


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
    tools: tuple[Mapping[str, Any], ...]
    """What a chat interface is given as `tools`."""
    setup: str
    """A command that prepares the terminal before the first reply; "" for none."""

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the messages before the first reply."""

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return what a reply asks for, at least one action, or why that cannot be told."""

    def observe(self, action: Action, observation: str) -> str:
        """Return what the model is told of an action that ran."""

    def feedback(self, error: FormatError) -> str:
        """Return what the model is told about a reply without a command."""


class TokenHarness(Harness, Protocol):
    """A harness whose conversation has one exact text, for policies that read tokens."""

    stop: Segment
    """What ends a reply; it is the last thing that the policy samples in a turn."""

    def say(self, command: str) -> str:
        """Return a reply that holds `command`, without `stop`: the inverse of `parse`."""

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return what the policy reads next, up to where its reply begins.

        `cut` tells that the reply before was cut off, so that `stop` is still missing.
        """


def transcript(
    harness: TokenHarness, instruction: str, turns: Sequence[tuple[str, str]]
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
        heard = ({"role": "tool", "content": harness.observe(Action(command), observation)},)
    return tuple(out)
