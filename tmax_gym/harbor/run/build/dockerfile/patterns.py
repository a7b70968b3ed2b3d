"""Patterns for file names: those of COPY and ADD, and those of `.dockerignore`.

COPY and ADD match as Go's `filepath.Match` does, which knows no `**` and negates a class only by
`^`.  The rules of `.dockerignore` begin at the root of the context; `**` stands for any number of
directories, `!` makes an exception, and the last rule that matches decides.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from tmax_gym.errors import HarborError

_CLASS = re.compile(r"\[(\^?)((?:\\.|[^\]\\])+)\]")
_RANGE = re.compile(r"(\\.|[^\\-])(?:-(\\.|[^\\-]))?", re.S)
_ESCAPED = ".+()|{}$"


def has_wildcard(path: str) -> bool:
    """Return whether a source of COPY is a pattern.

    >>> [has_wildcard(p) for p in ("a", "a*", "[a]", "a?")]
    [False, True, True, True]
    """
    return bool(re.search(r"[*?\[]", re.sub(r"\\.", "", path, flags=re.S)))


@cache
def glob(pattern: str) -> re.Pattern[str]:
    r"""Return the regular expression of a pattern of COPY, for whole paths.

    >>> [bool(glob("a?[^x-z]*").fullmatch(p)) for p in ("abc", "abx", "a/cd", "abc/d")]
    [True, False, False, False]

    Raises:
        HarborError: It is malformed.
    """
    expression, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char in "*?":
            expression += "[^/]*" if char == "*" else "[^/]"
        elif char == "[":
            match = _CLASS.match(pattern, at - 1)
            if match is None:
                raise HarborError(f"{pattern!r} is a malformed pattern")
            expression += f"[{match[1]}{_ranges(match[2], pattern)}]"
            at = match.end()
        elif char == "\\":
            if at == len(pattern):
                raise HarborError(f"{pattern!r} is a malformed pattern")
            expression += re.escape(pattern[at])
            at += 1
        else:
            expression += re.escape(char)
    return re.compile(expression, re.S)


def _ranges(inside: str, pattern: str) -> str:
    expression, at = "", 0
    while at < len(inside):
        match = _RANGE.match(inside, at)
        if match is None:
            raise HarborError(f"{pattern!r} is a malformed pattern")
        ends = [re.escape(end[-1:]) for end in (match[1], match[2]) if end]
        if len(ends) == 2 and match[1][-1] > match[2][-1]:
            raise HarborError(f"{pattern!r} has a range that ends before it begins")
        expression += "-".join(ends)
        at = match.end()
    return expression


@dataclass(frozen=True, slots=True)
class _Rule:
    matches: Callable[[str], bool]
    excepts: bool
    """Whether it began with `!`."""


@dataclass(frozen=True, slots=True)
class ContextRules:
    """The rules of one `.dockerignore`."""

    rules: tuple[_Rule, ...] = ()

    def hides(self, path: str) -> bool:
        r"""Return whether a path of the context is hidden; a rule hides everything below it.

        >>> rules = read_rules("*/temp*\n!a/temper\n**/x.md")
        >>> [rules.hides(p) for p in ("a/temp1", "a/temper", "b/temp/c", "x.md", "a/b/x.md")]
        [True, False, True, True, True]
        """
        parts = path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
        hidden = False
        for rule in self.rules:
            if rule.excepts == hidden and any(map(rule.matches, above)):
                hidden = not rule.excepts
        return hidden


def read_rules(text: str) -> ContextRules:
    """Return the rules of a `.dockerignore`.

    Raises:
        HarborError: A rule is malformed; docker refuses such a file as well.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    return ContextRules(tuple(_rules(lines)))


def _rules(lines: Iterable[str]) -> Iterable[_Rule]:
    for line in lines:
        pattern = line.strip()
        # A comment begins in the first column.
        if line.startswith("#") or not pattern:
            continue
        excepts = pattern.startswith("!")
        if excepts and not (pattern := pattern[1:].strip()):
            raise HarborError(".dockerignore: a rule says nothing but '!'")
        pattern = _cleaned(pattern)
        try:
            glob(pattern)
            yield _Rule(_matcher(pattern), excepts)
        except (HarborError, re.error):
            raise HarborError(f".dockerignore: {line.strip()!r} is a malformed pattern") from None


def _cleaned(pattern: str) -> str:
    path = posixpath.normpath(re.sub("/+", "/", pattern))
    return path[1:] if len(path) > 1 and path.startswith("/") else path


def _matcher(pattern: str) -> Callable[[str], bool]:
    ending = pattern[2:]
    if pattern.startswith("**") and ending[:1] != "/" and not re.search(r"[*?\[\]\\]", ending):
        return lambda path: path.endswith(ending)  # `**x` means any name that ends with x
    expression = re.compile(_expression(pattern), re.S)
    return lambda path: expression.fullmatch(path) is not None


def _expression(pattern: str) -> str:
    expression, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*" and pattern[at : at + 1] == "*":
            at += 1
            at += pattern[at : at + 1] == "/"
            expression += ".*" if at == len(pattern) else "(?:.*/)?"
        elif char in "*?":
            expression += "[^/]*" if char == "*" else "[^/]"
        elif char in _ESCAPED:
            expression += f"\\{char}"
        elif char == "\\":
            expression += re.escape(pattern[at : at + 1] or "\\")
            at += 1
        else:
            expression += char
    return expression
