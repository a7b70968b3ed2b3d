"""Ignore rules in the syntax of `.gitignore`, as `.harborignore` has them.

Covers comments, negation, `*`, `?`, `**`, classes, anchored patterns and patterns for
directories only.  Does not cover a pattern that re-includes a file of an excluded directory:
git cannot do that either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPECIAL = re.compile(r"\*+|\?|\[!?\]?[^\]]*\]|\\.|.", re.DOTALL)
_DEEP = re.compile(r"\*\*+")


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern."""

    pattern: re.Pattern[str]
    keeps: bool
    """Whether it began with `!`."""
    directories: bool
    """Whether it matches directories only."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """The rules of one file; the last one that matches decides."""

    rules: tuple[Rule, ...]

    def match(self, path: str, *, directory: bool) -> bool | None:
        """Return whether a path is hidden, None where no rule speaks of it."""
        found = None
        for rule in self.rules:
            if (directory or not rule.directories) and rule.pattern.fullmatch(path):
                found = not rule.keeps
        return found

    def hides(self, path: str) -> bool:
        r"""Return whether a file is hidden, itself or by a directory above it.

        >>> rules = read_ignore("*.pyc\n/build/\n!keep.pyc")
        >>> [rules.hides(p) for p in ("a/b.pyc", "build/x", "a/build/x", "keep.pyc")]
        [True, True, False, False]
        """
        parts = path.split("/")
        for depth in range(1, len(parts)):
            if self.match("/".join(parts[:depth]), directory=True):
                return True
        return bool(self.match(path, directory=False))


def read_ignore(text: str) -> Ignore:
    """Return the rules of a file's text; no text is wrong."""
    found = (_rule(line) for line in text.splitlines())
    return Ignore(tuple(rule for rule in found if rule is not None))


def _rule(line: str) -> Rule | None:
    text = line if line.endswith("\\ ") else line.rstrip()
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text[keeps:]
    directories = text.endswith("/")
    text = text.removesuffix("/")
    anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    try:
        pattern = re.compile(("" if anchored else "(?:.*/)?") + _expression(text), re.DOTALL)
    except re.error:
        return None
    return Rule(pattern, keeps, directories)


def _expression(glob: str) -> str:
    """Return a pattern's regular expression; `**` is special only as a whole component."""
    *above, last = glob.split("/")
    found = "".join("(?:[^/]+/)*" if _DEEP.fullmatch(p) else f"{_component(p)}/" for p in above)
    return found + (".+" if _DEEP.fullmatch(last) else _component(last))


def _component(glob: str) -> str:
    return "".join(_piece(match[0]) for match in _SPECIAL.finditer(glob))


def _piece(piece: str) -> str:
    if piece[0] == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 2 and piece[0] == "[":
        inside = piece[1:-1].replace("\\", "\\\\")
        return f"(?!/)[^{inside[1:]}]" if inside.startswith("!") else f"(?!/)[{inside}]"
    return re.escape(piece[-1] if piece.startswith("\\") else piece)
