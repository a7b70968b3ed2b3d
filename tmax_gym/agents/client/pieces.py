"""Builds one message from the pieces of a stream, or from a whole answer.

It reads content in parts, reasoning under its several names, refusals, and tool calls whose numbers
and ids are missing or repeated.  The result always has one form: text, and calls with unique ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EXTRA = "extra_content"
"""Gemini's field beside a call, which must be sent back with it (thought signatures)."""


@dataclass(slots=True)
class _Call:
    """A tool call that may still be incomplete."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Any = None

    @property
    def whole(self) -> bool:
        """Return whether the arguments are a complete JSON object."""
        return _is_object(self.arguments)


@dataclass(slots=True)
class Pieces:
    """A message that grows piece by piece."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)

    def add(self, delta: Mapping[str, Any]) -> bool:
        """Take over a piece, or a whole message; return whether it was not empty."""
        before = self.size
        content = delta.get("content")
        self.content.append(content_text(content))
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        self.reasoning.append(content_text(reasoning) or content_text(content, thinking=True))
        self.refusal.append(content_text(delta.get("refusal")))
        if isinstance(old := delta.get("function_call"), Mapping):  # OpenAI's form before tools
            self._add_call({"index": 0, "function": old}, 0, fed=())
        rows = delta.get("tool_calls")
        fed: list[_Call] = []
        for place, row in enumerate(rows if isinstance(rows, Sequence) else ()):
            if isinstance(row, Mapping):
                fed.append(self._add_call(row, place, fed=fed))
        return self.size > before

    @property
    def size(self) -> int:
        """Return the number of characters and calls."""
        texts = (*self.content, *self.reasoning, *self.refusal)
        return sum(map(len, texts)) + sum(
            1 + len(call.name) + len(call.arguments) for call in self.calls
        )

    @property
    def whole(self) -> bool:
        """Return whether the arguments of every call are complete."""
        return all(call.whole or not call.arguments.strip() for call in self.calls)

    def message(self, *, place: int) -> dict[str, Any]:
        """Return the assistant message; `place` is its number, for the ids of calls without one."""
        text = "".join(self.content) or "".join(self.refusal)
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if reasoning := "".join(self.reasoning):
            message["reasoning_content"] = reasoning
        rows: list[dict[str, Any]] = []
        taken: set[str] = set()
        for number, call in enumerate(self.calls):
            name = call.id if call.id and call.id not in taken else f"call_{place}_{number}"
            taken.add(name)
            function = {"name": call.name, "arguments": call.arguments or "{}"}
            row = {"id": name, "type": "function", "function": function}
            rows.append(row if call.extra is None else {**row, EXTRA: call.extra})
        if rows:
            message["tool_calls"] = rows
        return message

    def _add_call(self, row: Mapping[str, Any], place: int, *, fed: Sequence[_Call]) -> _Call:
        """Append a piece to the call that it belongs to, or begin another call.

        `place` is its position in a list; `fed` are the calls of the pieces before it there.
        """
        function = row.get("function")
        if not isinstance(function, Mapping):  # some endpoints leave out this level
            function = row
        piece = _Call(
            index if isinstance(index := row.get("index"), int) else place,
            "" if row.get("id") is None else str(row["id"]),
            name if isinstance(name := function.get("name"), str) else "",
            _arguments(function.get("arguments")),
            row.get(EXTRA),
        )
        same = [call for call in self.calls if call.index == piece.index]
        known = [call for call in same if piece.id and call.id == piece.id]
        last = next(reversed(known or same), None)
        if last is None or _begins(last, piece, again=any(call is last for call in fed)):
            self.calls.append(piece)
            return piece
        last.id = last.id or piece.id
        last.name = _name(last.name, piece.name)
        if not (piece.name and last.whole and piece.arguments == last.arguments):
            last.arguments += piece.arguments
        last.extra = piece.extra if last.extra is None else last.extra
        return last


def _begins(last: _Call, piece: _Call, *, again: bool) -> bool:
    """Return whether a piece begins a new call although `last` has the same number or id.

    `again` tells whether another piece of the same row belongs to `last`.
    """
    if not piece.name:  # the beginning of a call always has its name
        return False
    fresh = bool(piece.id and last.id and piece.id != last.id)
    opens = piece.arguments.lstrip().startswith("{")
    if not last.arguments.strip():
        return fresh or again
    if not last.whole:  # it goes on, even if every piece has a new id
        return fresh and (opens or piece.name != last.name)
    repeated = piece.id == last.id and piece.arguments == last.arguments and bool(piece.id)
    return fresh or piece.name != last.name or (opens and not repeated)


def _name(known: str, more: str) -> str:
    """Return a name after another piece of it: a repetition, a longer form, or the rest.

    >>> _name("bash", "bash"), _name("ba", "bash"), _name("ba", "sh"), _name("", "bash")
    ('bash', 'bash', 'bash', 'bash')
    """
    if not more or more == known:
        return known
    return more if more.startswith(known) else known + more


def _arguments(value: object) -> str:
    """Return arguments as text; some endpoints send the object itself."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def content_text(content: object, *, thinking: bool = False) -> str:
    """Return the text of a message's content, or its thoughts if `thinking`.

    Content is a string or a list of parts.

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
