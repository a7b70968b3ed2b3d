"""Where an original and ours part in one conversation, and whether that is on purpose.

`docs/originals.md` lists what is levelled before texts are compared, and why.  Plays nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.original_talks import Talk

Outcome = Mapping[str, Any]
"""`told`: before each reply; `error`: what the agent failed of; `files`: what is left."""
_SHOWN = 300
_SAME = (
    (re.compile(r"^.*(?=Current Terminal Screen:)", re.S), ""),  # the first message: the rules
    (re.compile(r"\s*\n\nAre you sure .*", re.S), "\n\n<sure?>"),
    (re.compile(r"\n\[(The command (finished|completed) with exit code (\d+)\.\]).*", re.S),
     r"\n<exit \3>"),
    (re.compile(r"Your thought has been logged\."), "(noted)"),
    (re.compile(r"\(no output\)"), ""),
    (re.compile(r".{0,300}\n\[\.\.\. .*? \.\.\.\]\n.{0,300}", re.S), "<left out>"),
    (re.compile(r"\n+<exit"), "\n<exit"),
)  # fmt: skip
"""Wordings and limits; the first one is for the first message alone."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where both sides are not equal."""

    where: str
    original: str
    here: str

    def __str__(self) -> str:
        one, two = _about(self.original, self.here)
        return f"{self.where}: {one!r} is {two!r} here"


def plain(told: str, *, first: bool) -> str:
    """Return what was told without rules, wordings, and blanks at the ends of lines."""
    for index, (pattern, other) in enumerate(_SAME):
        if index or first:
            told = pattern.sub(other, told)
    return "\n".join(line.rstrip() for line in told.split("\n")).strip()


def difference(original: Outcome, mine: Outcome) -> Difference | None:
    """Return the first difference, None where there is none."""
    if original["error"] != mine["error"]:
        return Difference("failure", original["error"], mine["error"])
    one, two = ([plain(t, first=not i) for i, t in enumerate(o["told"])] for o in (original, mine))
    for index, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return Difference(f"reply {index}", a, b)
    if len(one) != len(two):
        return Difference("end", f"asked {len(one)} times", f"asked {len(two)} times")
    if original["files"] != mine["files"]:
        return Difference("files", *(json.dumps(o["files"], sort_keys=True)
                                     for o in (original, mine)))  # fmt: skip
    return None


def unexplained(talk: Talk, found: Difference | None) -> str:
    """Return why a conversation is not as its talk says; "" where it is."""
    if not talk.reason:
        return "" if found is None else "there is a difference, and no reason"
    if found is None:
        return "there is a reason, and no difference"
    if talk.original not in found.original or talk.here not in found.here:
        return "there is another difference than the one with the reason"
    return ""


def _about(one: str, two: str) -> tuple[str, str]:
    """Return both texts from shortly before the place where they part."""
    size = min(len(one), len(two))
    at = next((i for i in range(size) if one[i] != two[i]), size)
    begin = max(0, at - _SHOWN // 3)
    return one[begin : begin + _SHOWN], two[begin : begin + _SHOWN]
