"""Entries of an inventory, and the patterns that leave some of them out.

This module and `actions` are the vendored package of the backup-bug family, as it
should be; the family puts mistakes into a copy of their text.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """What an inventory knows of one path."""

    kind: str
    mode: int
    size: int
    mtime: int
    target: str


def parse(text: str) -> Entry | None:
    """Read `kind,mode,size,mtime,target`; a hyphen alone stands for nothing."""
    if text == "-":
        return None
    kind, mode, size, mtime, target = text.split(",")
    return Entry(kind, int(mode, 8), int(size), int(mtime), target)


def matches(path: str, pattern: str) -> bool:
    """Tell whether one pattern leaves a path out."""
    parts = path.split("/")
    if pattern.startswith("/"):
        top = pattern[1:]
        return path == top or path.startswith(top + "/")
    if pattern.endswith("/"):
        return pattern[:-1] in parts[:-1]
    if pattern.startswith("*"):
        return parts[-1].endswith(pattern[1:])
    return parts[-1] == pattern


def excluded(path: str, patterns: list[str]) -> bool:
    """Tell whether any pattern leaves a path out; a later `!` pattern takes it in again."""
    out = False
    for pattern in patterns:
        if pattern.startswith("!"):
            out = out and not matches(path, pattern[1:])
        else:
            out = out or matches(path, pattern)
    return out
