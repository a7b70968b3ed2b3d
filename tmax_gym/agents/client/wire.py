"""Puts messages into a form that strict endpoints accept.

Some endpoints refuse empty content beside calls, unknown fields from a model's own reply, calls
without an answer, or two messages of a user in a row.  The harness keeps its messages as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from tmax_gym.agents.client.pieces import EXTRA, content_text

NOTHING = "(nothing)"
"""Replaces an empty message, which several endpoints refuse."""


def messages(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation in a form that every endpoint accepts."""
    out: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        role = str(row.get("role") or "user")
        text = content_text(row.get("content"))
        if role == "assistant":
            out.append(_reply(row, text, answered=_answers(rows[place + 1 :])))
        elif role == "tool" and _called(out, str(row.get("tool_call_id"))):
            out.append({
                "role": "tool", "tool_call_id": str(row["tool_call_id"]), "content": text or NOTHING
            })  # fmt: skip
        else:
            _append(out, "system" if role in ("system", "developer") else "user", text or NOTHING)
    return out


def _append(out: list[dict[str, Any]], role: str, text: str) -> None:
    """Append a message, or make the last one longer if it has the same role."""
    if out and out[-1]["role"] == role:
        out[-1] = {"role": role, "content": f"{out[-1]['content']}\n\n{text}"}
    else:
        out.append({"role": role, "content": text})


def _reply(row: Mapping[str, Any], text: str, *, answered: Iterable[str]) -> dict[str, Any]:
    """Return a reply of the model with only those calls that are answered right after it."""
    wanted = set(answered)
    calls = [_call(call) for call in row.get("tool_calls") or () if str(call.get("id")) in wanted]
    if calls:
        # Null, as in OpenAI's own interface: some endpoints refuse "", others a missing field.
        return {"role": "assistant", "content": text or None, "tool_calls": calls}
    return {"role": "assistant", "content": text or NOTHING}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    sent = {
        "id": str(call["id"]),
        "type": "function",
        "function": {"name": str(function.get("name") or ""), "arguments": arguments},
    }
    return {**sent, EXTRA: call[EXTRA]} if call.get(EXTRA) is not None else sent


def _answers(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the calls that the next messages answer."""
    answers = takewhile(lambda row: row.get("role") == "tool", rows)
    return [str(row.get("tool_call_id")) for row in answers]


def _called(out: Sequence[Mapping[str, Any]], id_: str) -> bool:
    """Return whether the last reply has made this call, and it is still unanswered."""
    for row in reversed(out):
        if row["role"] != "tool":
            return any(call["id"] == id_ for call in row.get("tool_calls") or ())
        if row["tool_call_id"] == id_:  # answered before
            return False
    return False
