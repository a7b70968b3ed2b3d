"""The room of a context window: how long a reply may be, what to tell, what to leave out.

Nothing is reserved beforehand: a reply gets what is left of the window, up to a most (39 % of one
published model's trials died with 16,000 tokens reserved).  Pure functions of messages.
Covers estimates without a tokeniser, from an endpoint's own counts where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MARGIN = 64
"""Tokens that an estimate may be wrong by, beside its rate."""
BYTES_PER_TOKEN = 3.0
"""Of code and listings, on the safe side: English prose has 4."""
LEFT_OUT = "[an earlier output, left out to save room]"
NEAR = 10
"""Steps left from which on they are told."""
TIGHT = 0.25
"""Share of the window from which on its rest is told."""


@dataclass(frozen=True, slots=True)
class Window:
    """A context window and its use."""

    tokens: int = 32_768
    reply: int = 8_192
    """Most tokens of one reply."""
    least: int = 256
    """Below that much room no reply is asked for."""
    compact: bool = False
    """Whether old outputs are left out where there is no room, instead of ending."""
    notices: bool = True
    """Whether the model is told of steps and room that become scarce."""

    def room(self, used: int) -> int:
        """Return the tokens that a reply may have after a conversation of `used`; 0 for none.

        >>> Window(tokens=1000, reply=400).room(300), Window(tokens=1000).room(900)
        (400, 0)
        """
        left = self.tokens - used - MARGIN
        return min(self.reply, left) if left >= self.least else 0


@dataclass(frozen=True, slots=True)
class Budget:
    """What the conversation of an episode may use."""

    window: Window = field(default_factory=Window)
    steps: int | None = None
    """Of the episode, for notices; None where nobody knows."""


def weight(message: Mapping[str, Any]) -> int:
    """Return about how many tokens a message is."""
    texts = [str(message.get("content") or "")]
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        texts += [str(function.get("name")), str(function.get("arguments"))]
    return int(sum(len(t.encode(errors="replace")) for t in texts) / BYTES_PER_TOKEN) + 8


def total(messages: Sequence[Mapping[str, Any]], *, known: int = 0, counted: int = 0) -> int:
    """Return about how many tokens a conversation is.

    Args:
        messages: All of it.
        known: What an endpoint counted for the first `counted` messages; 0 for nothing.
        counted: How many of them.
    """
    return known + sum(weight(m) for m in messages[counted if known else 0 :])


def compacted(
    messages: Sequence[Mapping[str, Any]], *, goal: int, keep: int = 4
) -> tuple[Mapping[str, Any], ...] | None:
    """Return a conversation whose oldest outputs are left out; None where that does not suffice.

    Args:
        messages: The first two are never touched: who works, and on what.
        goal: Tokens, about.
        keep: Last messages that are not touched either.
    """
    found = list(messages)
    for index in range(2, len(found) - keep):
        if total(found) <= goal:
            break
        message = found[index]
        if message["role"] in ("tool", "user") and len(str(message["content"])) > len(LEFT_OUT):
            found[index] = {**message, "content": LEFT_OUT}
    return tuple(found) if total(found) <= goal else None


def notice(window: Window, *, used: int, steps_left: int | None) -> str:
    """Return what a model is told of what becomes scarce, "" where nothing does.

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
