"""Reads the body of a chat request, and names histories so that a known one is recognised.

Covers messages of text with tool calls, tools, `max_tokens` and streams.  What would change the
distribution that tokens are drawn from (`temperature`, `top_p`, penalties) is ignored: the trainer
chooses it.  Does not cover images, several choices, stop strings, forced tools or forced formats;
such requests are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tmax_gym.agents.client.pieces import content_text
from tmax_gym.errors import CaptureError

_ROLES = {"developer": "system", "function": "tool"}
"""Other names of roles in OpenAI's interface."""
_KNOWN = ("system", "user", "assistant", "tool")
_PLAIN: Mapping[str, tuple[object, ...]] = {
    "n": (None, 1),
    "stop": (None, "", []),
    "tool_choice": (None, "auto", "none"),
    "response_format": (None, {"type": "text"}),
}
"""Parameters of which only these values can be served."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message, reduced to what reaches the policy."""

    role: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments (JSON) of tool calls; ids of calls are left out, as no policy reads
    them."""

    def same(self) -> Message:
        """Return what is equal for all messages that tell the policy's reply alike.

        Blanks around a reply and the order of a call's arguments do not count: some harnesses
        change them when they store a reply, and the recorded ids stay as they are.
        """
        if self.role != "assistant":
            return self
        calls = tuple((name, _ordered(arguments)) for name, arguments in self.calls)
        return Message(self.role, self.text.strip(), calls)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a harness asks for."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    max_tokens: int | None = None
    """Most tokens of the reply; None for as many as fit."""
    stream: bool = False
    usage: bool = False
    """Whether a stream ends with the token counts."""

    def histories(self) -> list[bytes]:
        """Return a name for the history before each message, and for the whole at the end.

        Two histories have one name if the policy reads the same in both.
        """
        names = [_named(b"", [dict(tool) for tool in self.tools])]
        for message in self.messages:
            names.append(after(names[-1], message))
        return names


def after(history: bytes, message: Message) -> bytes:
    """Return the name of a history with one more message."""
    same = message.same()
    return _named(history, [same.role, same.text, same.calls])


def asked(body: object) -> Asked:
    """Return what the decoded body of a request asks for.

    Raises:
        CaptureError: It asks for something that the endpoint does not do, or is malformed.
    """
    if not isinstance(body, Mapping):
        raise CaptureError("the request's body is not a JSON object; send a chat completion")
    for name, served in _PLAIN.items():
        if body.get(name) not in served:
            raise CaptureError(
                f"{name} is {json.dumps(body[name])[:100]}, which this endpoint cannot do; "
                "leave it out"
            )
    rows = body.get("messages")
    if not isinstance(rows, list) or not rows:
        raise CaptureError("the request has no messages; send at least one")
    tools = body.get("tools") or ()
    if not isinstance(tools, Sequence) or not all(isinstance(tool, Mapping) for tool in tools):
        raise CaptureError("tools is not a list of objects; send tools in OpenAI's form")
    most = body.get("max_completion_tokens") or body.get("max_tokens")
    options = body.get("stream_options")
    return Asked(
        tuple(_message(row) for row in rows),
        () if body.get("tool_choice") == "none" else tuple(tools),
        int(most) if isinstance(most, int | float) and most >= 1 else None,
        bool(body.get("stream")),
        isinstance(options, Mapping) and bool(options.get("include_usage")),
    )


def _message(row: object) -> Message:
    if not isinstance(row, Mapping):
        raise CaptureError(f"a message is not an object: {json.dumps(row)[:100]}")
    role = str(row.get("role"))
    role = _ROLES.get(role, role)
    if role not in _KNOWN:
        raise CaptureError(f"a message has the role {role!r}; known are: {', '.join(_KNOWN)}")
    content = row.get("content")
    parts = content if isinstance(content, list) else ()
    for part in parts:
        kind = part.get("type", "text") if isinstance(part, Mapping) else "text"
        if kind not in ("text", "thinking", "reasoning"):
            raise CaptureError(f"a message has a part of type {kind!r}; policies here read text")
    return Message(role, content_text(content), tuple(map(_call, row.get("tool_calls") or ())))


def _call(row: object) -> tuple[str, str]:
    function = row.get("function") if isinstance(row, Mapping) else None
    if not isinstance(function, Mapping):
        raise CaptureError("a tool call has no function; send calls in OpenAI's form")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    return str(function.get("name") or ""), arguments


def _ordered(arguments: str) -> str:
    """Return JSON in one form; another text stays as it is."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _named(history: bytes, content: object) -> bytes:
    row = json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(history + row, digest_size=16).digest()
