"""Read a unified diff strictly, and apply it to the original files.

Covers files that change their content.  Everything else that a diff may hold (new, removed and
renamed files, binary changes, offsets) raises `BadOutput`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.checks.check import BadOutput

MOST_LINES = 200_000
"""Longest diff."""
_HUNK = re.compile(rb"@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@(?: .*)?")
_REFUSED = (b"rename ", b"copy ", b"deleted file", b"new file", b"GIT binary", b"Binary files",
            b"@@", b"+++ ")  # fmt: skip
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a file that changes."""

    start: int
    """Number of the lines before it in the original file."""
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    lead: int
    """Lines of context before the first change."""
    trail: int
    """Lines of context after the last one."""


@dataclass(frozen=True, slots=True)
class Section:
    """The changes of one file."""

    path: str
    bare: bool
    """Whether both header lines end after the path."""
    hunks: tuple[Hunk, ...]


def sections(diff: bytes, old: str, new: str) -> tuple[Section, ...]:
    """Return the files of a diff in its order; `old` and `new` are the prefixes of the paths.

    Raises:
        BadOutput: It is no such diff, or has a file twice.
    """
    lines = diff.split(b"\n")
    if len(lines) > MOST_LINES:
        raise BadOutput("the diff is too long")
    if lines[-1] == b"":
        lines.pop()
    by_path: dict[str, Section] = {}
    at = 0
    while at < len(lines):
        if lines[at].startswith(_REFUSED):
            raise BadOutput(f"line {at + 1} of the diff does not belong there")
        if not lines[at].startswith(b"--- "):
            at += 1
            continue
        path, bare = _headed(lines[at : at + 2], old, new)
        if path in by_path:
            raise BadOutput(f"the diff has {path} twice")
        hunks, at = _hunks(lines, at + 2)
        by_path[path] = Section(path, bare, hunks)
    return tuple(by_path.values())


def applied(section: Section, original: bytes) -> bytes:
    """Return a file after its changes; each hunk must fit exactly where it says."""
    lines = _LINE.findall(original)
    out: list[bytes] = []
    at = 0
    for hunk in section.hunks:
        end = hunk.start + len(hunk.old)
        if hunk.start < at or tuple(lines[hunk.start : end]) != hunk.old:
            raise BadOutput(f"a hunk does not fit at line {hunk.start + 1} of {section.path}")
        out += [*lines[at : hunk.start], *hunk.new]
        at = end
    return b"".join([*out, *lines[at:]])


def has_context(section: Section, original: bytes, wanted: int) -> bool:
    """Return whether each hunk has so many lines of context, or all that the file has."""
    total = len(_LINE.findall(original))
    return all(
        hunk.lead == min(wanted, hunk.start + hunk.lead)
        and hunk.trail == min(wanted, total - hunk.start - len(hunk.old) + hunk.trail)
        for hunk in section.hunks
    )


def _headed(lines: Sequence[bytes], old: str, new: str) -> tuple[str, bool]:
    """Return the path of a file from its two header lines, and whether they have nothing else."""
    if len(lines) < 2 or not lines[1].startswith(b"+++ "):
        raise BadOutput("a line with `---` in the diff is not followed by one with `+++`")
    parts = [line[4:].partition(b"\t") for line in lines]
    try:
        names = [name.decode() for name, _, _ in parts]
    except UnicodeDecodeError as error:
        raise BadOutput("a path in the diff is not UTF-8") from error
    path = names[0].removeprefix(f"{old}/")
    if names != [f"{old}/{path}", f"{new}/{path}"]:
        raise BadOutput(f"the diff has the paths {names[0][:80]} and {names[1][:80]}")
    return path, not any(tab for _, tab, _ in parts)


def _hunks(lines: Sequence[bytes], at: int) -> tuple[tuple[Hunk, ...], int]:
    """Return the hunks that begin at a line, and the line behind them."""
    hunks = []
    while at < len(lines) and (head := _HUNK.fullmatch(lines[at])):
        first, olds, _, news = (1 if part is None else int(part) for part in head.groups())
        hunk, at = _hunk(lines, at + 1, first - (olds > 0), (olds, news))
        hunks.append(hunk)
    if not hunks:
        raise BadOutput(f"line {at + 1} of the diff should begin a hunk")
    return tuple(hunks), at


def _hunk(lines: Sequence[bytes], at: int, start: int, counts: tuple[int, int]) -> tuple[Hunk, int]:
    """Return one hunk with these numbers of old and new lines, and the line behind it."""
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    marks = ""
    while len(sides[0]) < counts[0] or len(sides[1]) < counts[1]:
        line = lines[at] if at < len(lines) else b"?"
        mark = line[:1].decode("latin-1") or " "
        if mark not in " -+":
            raise BadOutput(f"line {at + 1} of the diff does not belong to a hunk")
        at += 1
        ended = at < len(lines) and lines[at].startswith(b"\\")
        for side, other in zip(sides, "+-", strict=True):
            if mark != other:
                side.append(line[1:] + b"\n" * (not ended))
        at += ended
        marks += mark
    if (len(sides[0]), len(sides[1])) != counts or start < 0 or not marks.strip():
        raise BadOutput(f"the hunk before line {at + 1} of the diff has wrong numbers")
    lead, trail = (len(marks) - len(bare) for bare in (marks.lstrip(), marks.rstrip()))
    return Hunk(start, tuple(sides[0]), tuple(sides[1]), lead, trail), at
