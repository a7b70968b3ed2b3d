r"""The lines of a Dockerfile: parser directives, comments, continuations and here-documents.

As in the Dockerfile reference, comments and empty lines inside a continued instruction are left
out, a directive may choose the escape character, and a here-document belongs to the instruction
whose line names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build.dockerfile.words import Words

_DIRECTIVE = re.compile(r"#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*")
_KNOWN = ("escape", "syntax", "check")
_HEREDOC = re.compile(r"(\d*)<<(-?)([^<]*)")
_WITH_HEREDOCS = ("RUN", "COPY", "ADD")


@dataclass(frozen=True, slots=True)
class Heredoc:
    """One here-document."""

    name: str
    content: str
    expands: bool
    """Whether variables are filled in: its name has no quotes."""
    stripped: bool = False
    """Whether it was written with `<<-`, which removes tabs at the beginning of lines."""
    fd: str = ""

    @property
    def text(self) -> str:
        """Return the content, without leading tabs if it was written with `<<-`."""
        return re.sub(r"(?m)^\t+", "", self.content) if self.stripped else self.content


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction as it is written, with its continued lines joined."""

    word: str
    """The name of the instruction, in capitals."""
    rest: str
    first: int
    """Number of its first physical line, from 0."""
    end: int
    """Number of the physical line after its last one."""
    heredocs: tuple[Heredoc, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A Dockerfile, cut into instructions."""

    lines: tuple[Line, ...]
    directives: Mapping[str, str] = field(default_factory=dict)

    @property
    def escape(self) -> str:
        """Return the escape character."""
        return self.directives.get("escape", "\\")


def cut(text: str) -> Source:
    r"""Return the instructions of a Dockerfile.

    >>> [line.rest for line in cut("FROM a\nRUN b \\\n  # note\n  c\nCOPY <<E /x\nhi\nE\n").lines]
    ['a', 'b   c', '<<E /x']

    Raises:
        HarborError: It breaks a rule of the Dockerfile reference.
    """
    physical = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    directives = _directives(physical)
    escape = directives.get("escape", "\\")
    if escape not in ("\\", "`"):
        raise HarborError(f"Dockerfile: escape={escape} is none of \\ and `")
    return Source(tuple(_Cutter(physical, escape).lines()), directives)


def _directives(physical: list[str]) -> Mapping[str, str]:
    directives: dict[str, str] = {}
    for line in physical:
        match = _DIRECTIVE.fullmatch(line.strip())
        if match is None or (name := match[1].lower()) not in _KNOWN:
            break
        if name in directives:
            raise HarborError(f"Dockerfile: the directive {name} is given twice")
        directives[name] = match[2]
    return directives


class _Cutter:
    def __init__(self, physical: list[str], escape: str) -> None:
        self._physical = physical
        self._escape = escape
        mark = re.escape(escape)
        # A doubled escape character at the end does not continue the line.
        self._continued = re.compile(rf"(?:^|(?<!{mark})){mark}[ \t]*$")
        self._at = 0

    def lines(self) -> Iterator[Line]:
        while self._at < len(self._physical):
            first = self._at
            text = self._joined()
            if not text.strip():
                continue
            word, rest = _split(text.strip())
            heredocs = self._heredocs(word, rest)
            yield Line(word, rest, first, self._at, heredocs)

    def _joined(self) -> str:
        """Return one instruction with continued lines joined; "" for a comment."""
        line = self._next().lstrip()
        if line.startswith("#"):
            return ""
        held = ""
        while self._continued.search(line):
            held += self._continued.sub("", line)
            line = ""
            while self._at < len(self._physical):
                line = self._next()
                if line.strip() and not line.lstrip().startswith("#"):
                    break
                line = ""
        return held + line

    def _next(self) -> str:
        self._at += 1
        return self._physical[self._at - 1]

    def _heredocs(self, word: str, rest: str) -> tuple[Heredoc, ...]:
        if word == "ONBUILD":
            word, rest = _split(rest)
        if word not in _WITH_HEREDOCS or "<<" not in rest or rest.startswith("["):
            return ()
        raw = Words({}, escape=self._escape, raw=True)
        return tuple(
            self._heredoc(mark)
            for piece in raw.split(rest)
            if (mark := _HEREDOC.fullmatch(piece)) and mark[3]
        )

    def _heredoc(self, mark: re.Match[str]) -> Heredoc:
        names = Words({}, escape=self._escape).split(mark[3])
        if len(names) != 1:
            raise HarborError(f"Dockerfile: {mark[0]} names no here-document")
        content: list[str] = []
        while self._at < len(self._physical):
            line = self._next()
            if (line.lstrip("\t") if mark[2] else line) == names[0]:
                text = "".join(f"{one}\n" for one in content)
                return Heredoc(names[0], text, names[0] == mark[3], bool(mark[2]), mark[1])
            content.append(line)
        raise HarborError(f"Dockerfile: the here-document {names[0]} has no end")


def _split(text: str) -> tuple[str, str]:
    word, *rest = re.split(r"[\t\v\f\r ]+", text, maxsplit=1)
    return word.upper(), rest[0].strip() if rest else ""
