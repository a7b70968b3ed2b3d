"""Find the first difference between an original and ours in a conversation, and judge it.

`docs/originals.md` lists the differences that are ignored, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.original_conversations import Case

Outcome = Mapping[str, Any]
"""`told`: the message before each reply; `error`: why the agent failed; `files`: at the end."""
_SHOWN = 300
_SAME = (
    (re.compile(r"^.*(?=Current Terminal Screen:)", re.S), ""),  # the first message holds the rules
    (re.compile(r"\s*\n\nAre you sure .*", re.S), "\n\n<sure?>"),
    (re.compile(r"\n\[(The command (finished|completed) with exit code (\d+)\.\]).*", re.S),
     r"\n<exit \3>"),
    (re.compile(r"Your thought has been logged\."), "(noted)"),
    (re.compile(r"\(no output\)"), ""),
    (re.compile(r".{0,300}\n\[\.\.\. .*? \.\.\.\]\n.{0,300}", re.S), "<left out>"),
    (re.compile(r"\n+<exit"), "\n<exit"),
)  # fmt: skip
"""Ignored wordings and limits, with their replacement; the first is for the first message."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where both sides differ."""

    where: str
    original: str
    here: str

    def __str__(self) -> str:
        theirs, ours = _about(self.original, self.here)
        return f"{self.where}: {theirs!r} is {ours!r} here"


def plain(message: str, *, first: bool) -> str:
    """Return a message without rules, ignored wordings, and blanks at the ends of lines."""
    for index, (pattern, other) in enumerate(_SAME):
        if index or first:
            message = pattern.sub(other, message)
    return "\n".join(line.rstrip() for line in message.split("\n")).strip()


def difference(original: Outcome, mine: Outcome) -> Difference | None:
    """Return the first difference, or None."""
    if original["error"] != mine["error"]:
        return Difference("failure", original["error"], mine["error"])
    theirs, ours = (
        [plain(t, first=not i) for i, t in enumerate(o["told"])] for o in (original, mine)
    )
    for index, (a, b) in enumerate(zip(theirs, ours, strict=False)):
        if a != b:
            return Difference(f"reply {index}", a, b)
    if len(theirs) != len(ours):
        return Difference("end", f"asked {len(theirs)} times", f"asked {len(ours)} times")
    if original["files"] != mine["files"]:
        return Difference("files", *(json.dumps(o["files"], sort_keys=True)
                                     for o in (original, mine)))  # fmt: skip
    return None


def unexplained(conversation: Case, seen: Difference | None) -> str:
    """Return why a difference is not the expected one; "" if it is."""
    if not conversation.reason:
        return "" if seen is None else "there is a difference, and no reason"
    if seen is None:
        return "there is a reason, and no difference"
    if conversation.original not in seen.original or conversation.here not in seen.here:
        return "there is another difference than the one with the reason"
    return ""


def _about(first: str, second: str) -> tuple[str, str]:
    """Return both texts from shortly before the place where they differ."""
    size = min(len(first), len(second))
    at = next((i for i in range(size) if first[i] != second[i]), size)
    begin = max(0, at - _SHOWN // 3)
    return first[begin : begin + _SHOWN], second[begin : begin + _SHOWN]
