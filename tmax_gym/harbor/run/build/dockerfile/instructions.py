"""The instructions of a Dockerfile with their flags and arguments, as they are written.

`scope.py` fills in variables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build.dockerfile.lines import Heredoc, Line, Source, cut
from tmax_gym.harbor.run.build.dockerfile.words import Words

KNOWN = frozenset((
    "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL",
    "MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
))  # fmt: skip
_FLAGGED = ("ADD", "COPY", "FROM", "HEALTHCHECK", "RUN")
_FLAG = re.compile(r"""--([a-z][a-z-]*)(?:=((?:"[^"]*"|'[^']*'|[^\s"'])*))?(?:\s+|$)""")
_LISTS = ("ADD", "CMD", "COPY", "ENTRYPOINT", "RUN", "SHELL", "VOLUME")
"""Instructions whose arguments may be a JSON list."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction."""

    word: str
    rest: str
    """The text after the flags."""
    flags: tuple[tuple[str, str], ...] = ()
    """(name without dashes, value); the value is "true" for a flag without one."""
    listed: tuple[str, ...] | None = None
    """The arguments of the JSON form, None for the shell form."""
    heredocs: tuple[Heredoc, ...] = ()
    first: int = 0
    """Number of its first physical line, from 0."""
    end: int = 0

    def flag(self, name: str) -> str | None:
        """Return a flag's last value, None if it is not given."""
        return dict(self.flags).get(name)


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A Dockerfile that was read."""

    instructions: tuple[Instruction, ...]
    directives: Mapping[str, str]
    escape: str


def parse(text: str) -> Dockerfile:
    r"""Return the instructions of a Dockerfile.

    >>> [i.listed for i in parse('FROM a\nCMD ["b", "c"]\nRUN [ -d x ]\n').instructions]
    [None, ('b', 'c'), None]

    Raises:
        HarborError: It breaks a rule of the Dockerfile reference.
    """
    source = cut(text)
    instructions = tuple(map(_instruction, source.lines))
    _check(instructions)
    return Dockerfile(instructions, source.directives, source.escape)


def pairs(instruction: Instruction, source: Source | Dockerfile) -> list[tuple[str, str | None]]:
    """Return the names and values of an ENV, LABEL or ARG as they are written.

    Raises:
        HarborError: A name lacks a value that it needs.
    """
    pieces = Words({}, escape=source.escape, raw=True).split(instruction.rest)
    word = instruction.word
    if word == "ARG":
        return [_pair(piece) for piece in pieces]
    if pieces and "=" not in pieces[0]:
        value = instruction.rest[len(pieces[0]) :].strip()
        if not value:
            raise HarborError(f"Dockerfile: {word} {pieces[0]} has no value")
        return [(pieces[0], value)]
    named = [_pair(piece) for piece in pieces]
    if not named or any(value is None or not name for name, value in named):
        raise HarborError(f"Dockerfile: {word} {instruction.rest!r} is no list of name=value")
    return named


def _pair(piece: str) -> tuple[str, str | None]:
    name, sign, value = piece.partition("=")
    return name, value if sign else None


def _instruction(line: Line) -> Instruction:
    if line.word not in KNOWN:
        raise HarborError(f"Dockerfile: {line.word[:40]} is no instruction")
    rest = line.rest
    flags = []
    while line.word in _FLAGGED and (flag := _FLAG.match(rest)):
        flags.append((flag[1], flag[2] if flag[2] is not None else "true"))
        rest = rest[flag.end() :]
    listed = _json(rest) if line.word in _LISTS else None
    if not rest and line.word not in ("CMD", "ENTRYPOINT"):
        raise HarborError(f"Dockerfile: {line.word} says nothing")
    place = (line.heredocs, line.first, line.end)
    return Instruction(line.word, rest, tuple(flags), listed, *place)


def _json(text: str) -> tuple[str, ...] | None:
    """Return a JSON list of strings; None for the text of a shell."""
    if not text.startswith("["):
        return None
    try:
        words = json.loads(text)
    except ValueError:
        return None
    return tuple(words) if all(isinstance(word, str) for word in words) else None


def _check(instructions: tuple[Instruction, ...]) -> None:
    words = [one.word for one in instructions]
    if "FROM" not in words:
        raise HarborError("Dockerfile: it has no FROM")
    early = next((w for w in words if w != "ARG"), "FROM")
    if early != "FROM":
        raise HarborError(f"Dockerfile: {early} comes before FROM")
    for one in instructions:
        if one.word == "SHELL" and not one.listed:
            raise HarborError("Dockerfile: SHELL needs the JSON form")
        if one.word in ("COPY", "ADD") and one.listed is not None and len(one.listed) < 2:
            raise HarborError(f"Dockerfile: {one.word} needs a source and a destination")
