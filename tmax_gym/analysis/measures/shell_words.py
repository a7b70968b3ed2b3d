"""Split a shell script into the words of its simple commands.

It reads as much of the grammar as is needed to find programs and their arguments.  Nothing is
expanded: a word keeps its variables, and a substitution in it becomes `$()`.  (The grammar of
tree-sitter-bash was tried: it misreads here-documents in one of ten solutions.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SUBSTITUTED = "$()"
_OPENING = {"then", "elif", "else", "do", "if", "while", "until", "!", "{", "time"}
_CLOSING = {"fi", "done", "esac", "}"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=")
_END = "\0"


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command."""

    words: tuple[str, ...]
    """The program and its arguments, quotes removed; assignments before it are left out."""
    targets: tuple[str, ...] = ()
    """Files of its redirections."""
    document: str = ""
    """Its here-document."""


@dataclass(slots=True)
class _Draft:
    words: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)


def commands(script: str) -> list[Simple]:
    """Return the simple commands of a script, also those within functions and substitutions.

    Calls of the script's own functions are left out.

    >>> [c.words for c in commands("for f in *.txt; do wc -l $f | sort -n; done")]
    [('wc', '-l', '$f'), ('sort', '-n')]
    """
    drafts: list[_Draft] = []
    functions: set[str] = set()
    _Reader(script.replace(_END, ""), drafts, functions).read()
    return [
        Simple(tuple(d.words), tuple(d.targets), "\n".join(d.documents))
        for d in drafts
        if d.words and d.words[0] not in functions
    ]


class _Reader:
    """Reads a script once, from left to right."""

    def __init__(self, script: str, drafts: list[_Draft], functions: set[str]) -> None:
        self._text = script
        self._at = 0
        self._drafts = drafts
        self._functions = functions
        self._waiting: list[tuple[str, bool, _Draft]] = []
        self._draft = _Draft()
        self._skip = False
        """Whether words up to the next separator are no command (`function x`)."""
        self._cases = 0
        self._pattern = False
        """Whether a pattern of a `case` is expected."""

    def read(self) -> None:
        while self._at < len(self._text):
            self._step()
        self._separate()

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._text[at] if at < len(self._text) else _END

    def _step(self) -> None:
        char = self._peek()
        if char == "\n":
            self._separate()
            self._at += 1
            self._take_documents()
        elif char in " \t":
            self._at += 1
        elif self._text.startswith("\\\n", self._at):
            self._at += 2
        elif char == "#":
            while self._peek() not in ("\n", _END):
                self._at += 1
        elif self._text.startswith("((", self._at) and self._draft.words in ([], ["for"]):
            self._at = self._closing(self._at + 2, 2)
        elif char in "<>" and self._peek(1) != "(":
            self._redirect()
        elif char == "&" and self._peek(1) == ">":
            self._at += 1
            self._redirect()
        elif char in ";&|()":
            self._operator(char)
        else:
            self._add(self._word())

    def _operator(self, char: str) -> None:
        self._at += 1
        if char == "(" and len(self._draft.words) == 1 and self._peek() == ")":
            self._functions.add(self._draft.words.pop())  # a function's head: name()
            self._at += 1
            return
        if char == ")" and self._pattern:
            self._draft.words.clear()
            self._pattern = False
            return
        if char == "|" and self._pattern:
            return
        self._separate()
        if char == ";" and self._peek() == ";":
            self._at += 1
            self._pattern = self._cases > 0

    def _add(self, word: str) -> None:
        draft = self._draft
        if self._pattern and word != "esac":
            return
        if not draft.words and not self._skip:
            if word in _OPENING:
                return
            if word in _CLOSING:
                self._cases -= word == "esac"
                self._pattern = False
                return
            if word == "function":
                self._skip = True
                return
            if _ASSIGNMENT.match(word):
                return
        if draft.words and draft.words[0] == "case" and word == "in":
            draft.words.clear()
            self._cases += 1
            self._pattern = True
            return
        if not self._skip:
            draft.words.append(word)

    def _separate(self) -> None:
        if self._draft.words[:1] not in (["for"], ["select"]):
            self._drafts.append(self._draft)
        self._draft, self._skip = _Draft(), False

    def _redirect(self) -> None:
        sign = self._peek()
        if self._draft.words and self._draft.words[-1].isdigit() and self._beside_digit():
            self._draft.words.pop()  # 2>&1
        if self._text.startswith("<<", self._at) and self._peek(2) != "<":
            self._at += 2
            strip = self._peek() == "-"
            self._at += strip
            self._blanks()
            self._waiting.append((self._word(), strip, self._draft))
            return
        while self._peek() in "<>|&" and self._peek(1) != "(":
            self._at += 1
        self._blanks()
        target = self._word()
        if sign in "<>" and not target.isdigit() and target != "-":
            self._draft.targets.append(target)

    def _beside_digit(self) -> bool:
        return self._text[self._at - 1].isdigit()

    def _blanks(self) -> None:
        while self._peek() in " \t":
            self._at += 1

    def _take_documents(self) -> None:
        for mark, strip, draft in self._waiting:
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line, self._at = self._text[self._at : end], end + 1
                line = line.lstrip("\t") if strip else line
                if line == mark:
                    break
                draft.documents.append(line)
        self._waiting.clear()

    def _word(self) -> str:
        out: list[str] = []
        while (char := self._peek()) not in " \t\n;&|()<>" + _END or self._process():
            if char == "'":
                end = self._text.find("'", self._at + 1)
                end = len(self._text) if end < 0 else end
                out.append(self._text[self._at + 1 : end])
                self._at = end + 1
            elif char == '"':
                out.append(self._double())
            elif char == "\\":
                out.append("" if self._peek(1) == "\n" else self._peek(1).strip(_END))
                self._at += 2
            else:
                out.append(self._plain())
            if out[-1].endswith("=") and self._peek() == "(":
                self._at = self._closing(self._at + 1, 1)  # an array
        return "".join(out)

    def _process(self) -> bool:
        """Return whether a process substitution begins here."""
        return self._peek() in "<>" and self._peek(1) == "("

    def _double(self) -> str:
        out: list[str] = []
        self._at += 1
        while self._peek() not in ('"', _END):
            if self._peek() == "\\":
                out.append(self._peek(1).strip(_END))
                self._at += 2
            elif self._peek() in "$`":
                out.append(self._plain())
            else:
                out.append(self._peek())
                self._at += 1
        self._at += 1
        return "".join(out)

    def _plain(self) -> str:
        """Return one character, or what a substitution leaves; its commands are read."""
        start = self._at
        if self._text.startswith("$((", start):
            self._at = self._closing(start + 3, 2)
            return "0"
        if self._text.startswith(("$(", "<(", ">("), start):
            self._at = self._closing(start + 2, 1)
            self._nested(start + 2, self._at - 1)
            return SUBSTITUTED
        if self._peek() == "`":
            end = self._text.find("`", start + 1)
            end = len(self._text) if end < 0 else end
            self._nested(start + 1, end)
            self._at = end + 1
            return SUBSTITUTED
        if self._text.startswith("${", start):
            end = self._text.find("}", start)
            self._at = len(self._text) if end < 0 else end + 1
            return self._text[start : self._at]
        self._at += 1
        return self._text[start]

    def _nested(self, start: int, end: int) -> None:
        _Reader(self._text[start:end], self._drafts, self._functions).read()

    def _closing(self, at: int, depth: int) -> int:
        """Return the place behind the parenthesis that closes `depth` open ones."""
        while at < len(self._text) and depth:
            char = self._text[at]
            if char == "'" or char == '"':
                at = self._quoted(at)
            elif char == "\\":
                at += 1
            else:
                depth += (char == "(") - (char == ")")
            at += 1
        return at

    def _quoted(self, at: int) -> int:
        """Return the place of the quote that closes the one at `at`."""
        quote = self._text[at]
        at += 1
        while at < len(self._text) and self._text[at] != quote:
            if quote == '"' and self._text.startswith("$(", at):
                at = self._closing(at + 2, 1)
                continue
            at += 2 if quote == '"' and self._text[at] == "\\" else 1
        return at
