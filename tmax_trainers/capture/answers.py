"""Replies in the form of OpenAI's chat interface: as one object, or as the rows of a stream.

The engine samples whole turns, so a stream has its text in one piece and each call in one piece.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tmax_trainers.capture.sessions import Answered

MODEL = "policy"
"""The name of the model; requests may use any other one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A recorded turn, and what it cost."""

    answered: Answered
    prompt_tokens: int
    completion_tokens: int

    def whole(self) -> dict[str, Any]:
        """Return the object of an answer without a stream."""
        choice = {"index": 0, "message": self._message(), "finish_reason": self._finish()}
        return self._row("chat.completion") | {"choices": [choice], "usage": self._usage()}

    def rows(self, *, usage: bool) -> Iterator[dict[str, Any]]:
        """Yield the rows of a stream, with the token counts at last if `usage`."""
        row = self._row("chat.completion.chunk")
        message = self._message()
        calls = message.pop("tool_calls", [])
        deltas = [message, *({"tool_calls": [{"index": i, **c}]} for i, c in enumerate(calls))]
        for delta in deltas:
            yield row | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end = {"index": 0, "delta": {}, "finish_reason": self._finish()}
        yield row | {"choices": [end]}
        if usage:
            yield row | {"choices": [], "usage": self._usage()}

    def _row(self, kind: str) -> dict[str, Any]:
        name = f"chatcmpl-{self.answered.turn}"
        return {"id": name, "object": kind, "created": int(time.time()), "model": MODEL}

    def _message(self) -> dict[str, Any]:
        reply = self.answered.reply
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{self.answered.turn}_{place}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for place, (name, arguments) in enumerate(reply.calls)
            ]
        return message

    def _finish(self) -> str:
        return "tool_calls" if self.answered.reply.calls else self.answered.finish_reason

    def _usage(self) -> Mapping[str, int]:
        given, sampled = self.prompt_tokens, self.completion_tokens
        return {
            "prompt_tokens": given,
            "completion_tokens": sampled,
            "total_tokens": given + sampled,
        }
