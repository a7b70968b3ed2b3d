"""Divides a context window: how long a reply may be, what to tell the model, what to leave out.

Nothing is reserved: a reply may use the rest of the window, up to a limit (39 % of one published
model's trials ended early with 16,000 tokens reserved).  Sizes are estimates without a tokeniser,
based on an endpoint's own counts if it tells them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MARGIN = 64
"""Tokens for the error of an estimate."""
BYTES_PER_TOKEN = 3.0
"""A careful value for code and listings: English prose has 4."""
LEFT_OUT = "[an earlier output, left out to save room]"
NEAR = 10
"""The model is told when so few steps are left."""
TIGHT = 0.25
"""The model is told when this share of the window is left."""


@dataclass(frozen=True, slots=True)
class Window:
    """A context window and its use."""

    tokens: int = 32_768
    reply: int = 8_192
    """Most tokens of one reply."""
    least: int = 256
    """The episode ends when a reply would have less room than this."""
    compact: bool = False
    """Whether old outputs are left out to make room, instead of ending the episode."""
    notices: bool = True
    """Whether the model is told that few steps or tokens are left."""

    def room(self, used: int) -> int:
        """Return the tokens for a reply after a conversation of `used` tokens; 0 for none.

        >>> Window(tokens=1000, reply=400).room(300), Window(tokens=1000).room(900)
        (400, 0)
        """
        left = self.tokens - used - MARGIN
        return min(self.reply, left) if left >= self.least else 0


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of an episode's conversation."""

    window: Window = field(default_factory=Window)
    steps: int | None = None
    """Steps of the episode, for notices; None if unknown."""


def weight(message: Mapping[str, Any]) -> int:
    """Return the estimated tokens of a message."""
    texts = [str(message.get("content") or "")]
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        texts += [str(function.get("name")), str(function.get("arguments"))]
    return int(sum(len(t.encode(errors="replace")) for t in texts) / BYTES_PER_TOKEN) + 8


def total(messages: Sequence[Mapping[str, Any]], *, known: int = 0, counted: int = 0) -> int:
    """Return the estimated tokens of a conversation; the first `counted` messages have `known`."""
    return known + sum(weight(m) for m in messages[counted if known else 0 :])


def compacted(
    messages: Sequence[Mapping[str, Any]], *, goal: int, keep: int = 4
) -> tuple[Mapping[str, Any], ...] | None:
    """Return a conversation of at most `goal` tokens without its oldest outputs, or None.

    The first two messages, with the rules and the task, and the last `keep` stay as they are.
    """
    smaller = list(messages)
    for index in range(2, len(smaller) - keep):
        if total(smaller) <= goal:
            break
        message = smaller[index]
        if message["role"] in ("tool", "user") and len(str(message["content"])) > len(LEFT_OUT):
            smaller[index] = {**message, "content": LEFT_OUT}
    return tuple(smaller) if total(smaller) <= goal else None


def notice(window: Window, *, used: int, steps_left: int | None) -> str:
    """Return a notice that few steps or tokens are left, or "".

    >>> notice(Window(tokens=1000), used=800, steps_left=3)
    '[3 steps left; room for about 200 more tokens]'
    """
    if not window.notices:
        return ""
    parts = []
    if steps_left is not None and steps_left <= NEAR:
        parts.append(f"{steps_left} step{'s' * (steps_left != 1)} left")
    left = max(0, window.tokens - used)
    if left < TIGHT * window.tokens:
        parts.append(f"room for about {left} more tokens")
    return f"[{'; '.join(parts)}]" if parts else ""
