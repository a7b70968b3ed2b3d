"""Messages as strict endpoints take them: known fields alone, every call answered, roles in turn.

Covers what one endpoint accepts and another refuses: empty content beside calls, fields that a
model's own reply came with, calls without an answer, two messages of a user in a row.
Pure functions.  Does not change what a harness remembers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tmax_gym.agents.client.pieces import EXTRA, content_text

NOTHING = "(nothing)"
"""Stands where a message would be empty: several endpoints refuse those."""


def messages(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation in the form that every endpoint takes."""
    out: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        role = str(row.get("role") or "user")
        text = content_text(row.get("content"))
        if role == "assistant":
            out.append(_said(row, text, answered=_answers(rows[place + 1 :])))
        elif role == "tool" and _called(out, str(row.get("tool_call_id"))):
            out.append({
                "role": "tool", "tool_call_id": str(row["tool_call_id"]), "content": text or NOTHING
            })  # fmt: skip
        else:
            _append(out, "system" if role in ("system", "developer") else "user", text or NOTHING)
    return out


def _append(out: list[dict[str, Any]], role: str, text: str) -> None:
    """Append a message; one of the same role before it is made longer instead."""
    if out and out[-1]["role"] == role:
        out[-1] = {"role": role, "content": f"{out[-1]['content']}\n\n{text}"}
    else:
        out.append({"role": role, "content": text})


def _said(row: Mapping[str, Any], text: str, *, answered: Iterable[str]) -> dict[str, Any]:
    """Return a reply of the model, with the calls that are answered right after it."""
    wanted = set(answered)
    calls = [_call(call) for call in row.get("tool_calls") or () if str(call.get("id")) in wanted]
    if calls:
        # Null, as OpenAI's own interface sends it: some endpoints refuse "", others its absence.
        return {"role": "assistant", "content": text or None, "tool_calls": calls}
    return {"role": "assistant", "content": text or NOTHING}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    found = {
        "id": str(call["id"]),
        "type": "function",
        "function": {"name": str(function.get("name") or ""), "arguments": arguments},
    }
    return {**found, EXTRA: call[EXTRA]} if call.get(EXTRA) is not None else found


def _answers(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the calls that the next messages answer."""
    found = []
    for row in rows:
        if row.get("role") != "tool":
            break
        found.append(str(row.get("tool_call_id")))
    return found


def _called(out: Sequence[Mapping[str, Any]], id_: str) -> bool:
    """Return whether the reply that a tool's answer would follow has made this call."""
    for row in reversed(out):
        if row["role"] != "tool":
            return any(call["id"] == id_ for call in row.get("tool_calls") or ())
        if row["tool_call_id"] == id_:  # answered before
            return False
    return False
