"""An endpoint that refuses every request which the published specification does not describe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.support.endpoint_server import Ask, Way, Wire

FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}


def faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with a conversation."""
    open_calls: list[str] = []
    before = ""
    for place, row in enumerate(messages):
        where, role = f"messages[{place}]", row.get("role")
        if role not in FIELDS:
            yield f"{where}: role {role!r}"
            continue
        if extra := set(row) - FIELDS[role]:
            yield f"{where}: unknown fields {sorted(extra)}"
        calls = row.get("tool_calls")
        if row.get("content") == "" or not (calls or isinstance(row.get("content"), str)):
            yield f"{where}: empty content"
        if open_calls and role != "tool":
            yield f"{where}: calls {open_calls} were not answered"
        if role == before and role != "tool":
            yield f"{where}: two messages of {role} in a row"
        if role == "tool" and row.get("tool_call_id") not in open_calls:
            yield f"{where}: answers no call"
        elif role == "tool":
            open_calls.remove(row["tool_call_id"])
        if calls is not None:
            yield from (f"{where}: {fault}" for fault in _call_faults(calls))
            open_calls = [call["id"] for call in calls]
        before = str(role)


def _call_faults(calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not calls:
        yield "an empty list of calls"
    if len({call.get("id") for call in calls}) < len(calls):
        yield "ids that are not unique"
    for call in calls:
        if set(call) != {"id", "type", "function"} or not call["id"]:
            yield f"a call with the fields {sorted(call)}"
        function = call.get("function", {})
        if set(function) != {"name", "arguments"} or not isinstance(function["arguments"], str):
            yield f"a function with the fields {sorted(function)}"


def strict(way: Way) -> Way:
    """Answer requests that are right; refuse others with the reason."""

    def checked(wire: Wire, ask: Ask) -> None:
        if found := list(faults(ask.body["messages"])):
            wire.whole({"error": {"message": "; ".join(found)}}, 400)
        else:
            way(wire, ask)

    return checked
