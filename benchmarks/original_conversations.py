"""Scripted conversations for `originals.py`, each with the reason if ours differs on purpose.

They are in `original_conversations.json`, in a short form.  A reply of `terminus2` is a text, or
an object: `keys` are keystrokes, typed with `wait` seconds after each, and `commands` are whole
command objects.  A call of `openhands` is a command for the terminal, or an object: a call of the
file editor for `/app/f`, or of another `tool`.  `parts` make a long text: texts, and
[text, times].  `hex` are bytes that are no UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Call = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation: the model's replies or calls, and the files at its start."""

    name: str
    replies: Sequence[str] = ()
    """The replies of a model in `terminus2`."""
    calls: Sequence[Call] = ()
    """The tool calls of a model in `openhands`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    """Why ours differs on purpose; "" if it must not differ."""
    original: str = ""
    """A part of the original's text where they differ."""
    here: str = ""
    """A part of our text where they differ."""


def _value(row: dict[str, Any]) -> Any:
    """Return what an object of the file stands for: a long text, bytes, or the object itself."""
    if "parts" in row:
        return "".join(p if isinstance(p, str) else p[0] * p[1] for p in row["parts"])
    return bytes.fromhex(row["hex"]) if row.keys() == {"hex"} else row


def _reply(row: str | dict[str, Any]) -> str:
    """Return a reply as the model gives it."""
    if isinstance(row, str):
        return row
    more = {key: value for key, value in row.items() if key not in ("keys", "wait", "commands")}
    wait = row.get("wait", 0.2)
    typed = [{"keystrokes": text, "duration": wait} for text in row.get("keys", ())]
    commands = row.get("commands", typed)
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


def _call(row: str | dict[str, Any]) -> Call:
    """Return a call of a tool."""
    if isinstance(row, str):
        return "terminal", {"command": row}
    if "tool" in row:
        return row["tool"], {key: value for key, value in row.items() if key != "tool"}
    return "file_editor", {"path": "/app/f", **row}


def _case(row: dict[str, Any]) -> Case:
    files = row.pop("files", {})
    return Case(
        replies=[_reply(reply) for reply in row.pop("replies", ())],
        calls=[_call(call) for call in row.pop("calls", ())],
        files={n: data if isinstance(data, bytes) else data.encode() for n, data in files.items()},
        **row,
    )


_ROWS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"), object_hook=_value)
TERMINUS, OPENHANDS = (tuple(map(_case, _ROWS[name])) for name in ("terminus", "openhands"))
