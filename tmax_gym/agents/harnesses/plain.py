"""The harness `plain`: prompts and one-line commands, for policies too small for a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tmax_gym.agents.client.pieces import content_text
from tmax_gym.agents.harness import MAX_FORMAT_ERRORS, Action, FormatError, Message, Segment
from tmax_gym.agents.harnesses.commands import checked_command
from tmax_gym.errors import HarnessError


class PlainHarness:
    """One command line in each reply."""

    name = "plain"
    tools: tuple[Mapping[str, Any], ...] = ()
    setup = ""
    stop = Segment("\n")

    def __init__(self, *, max_format_errors: int = MAX_FORMAT_ERRORS) -> None:
        self.max_format_errors = max_format_errors

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the instruction alone."""
        return ({"role": "user", "content": instruction},)

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return the first line as the command."""
        return checked_command(content_text(reply.get("content")).split("\n", 1)[0])

    def observe(self, action: Action, observation: str) -> str:
        """Return the observation as it is."""
        return observation

    def feedback(self, error: FormatError) -> str:
        """Return the reason as if the terminal had printed it."""
        return error.reason

    def say(self, command: str) -> str:
        """Return the command; raise `HarnessError` if it spans lines."""
        if "\n" in command:
            raise HarnessError(
                f"the plain dialect cannot say a command of {command.count(chr(10)) + 1} lines.\n"
                "Choose tasks whose reference solution has only single lines, or another harness."
            )
        return command

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return all texts, and a prompt below the last."""
        lines = [str(message["content"]) for message in messages]
        return (Segment(("\n" if cut else "") + "\n".join(lines) + "\n$ "),)
