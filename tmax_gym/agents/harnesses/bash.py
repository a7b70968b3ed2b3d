"""The style `bash`, the paper's: one tool, a persistent shell, one command a reply.

The rules and the parsing are those of training (`dialects.BashHarness`): one code path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tmax_gym.agents.dialects import BashHarness, Dialect
from tmax_gym.agents.harness import FormatError
from tmax_gym.agents.harnesses.style import Act, ChatMessage
from tmax_gym.envs.observation import is_submit


class BashStyle:
    """One command a reply, by a tool call or in text."""

    name = "bash"
    first = ""

    def __init__(self, dialect: Dialect = "openai", *, command_seconds: float = 30.0) -> None:
        """Choose how calls are written; all but `openai` are read from the text of a reply."""
        self._inner = BashHarness(dialect, command_seconds=command_seconds)
        self._called = dialect == "openai"
        self.tools: tuple[Mapping[str, Any], ...] = self._inner.tools

    def opening(self, instruction: str) -> tuple[ChatMessage, ...]:
        """Return the system message, and the task with the rules."""
        return tuple({"role": m.role, "content": m.text} for m in self._inner.opening(instruction))

    def parse(self, message: ChatMessage) -> tuple[Act, ...] | FormatError:
        """Return the first command."""
        found = self._inner.parse(message if self._called else str(message.get("content") or ""))
        if isinstance(found, FormatError):
            return found
        rows = message.get("tool_calls") or () if self._called else ()
        call = str(rows[0].get("id") or "call-0") if rows else ""
        submit = is_submit(found.command)
        return (Act("" if submit else found.command, submit=submit, call_id=call, tool="bash"),)

    def render(self, act: Act, observation: str) -> str:
        """Return the observation."""
        return self._inner.observe(observation).text

    def feedback(self, error: FormatError) -> str:
        """Return the reason, an example and how to submit."""
        return self._inner.feedback(error).text
