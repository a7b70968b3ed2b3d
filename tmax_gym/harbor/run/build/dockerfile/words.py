"""Words of a Dockerfile: quotes, escapes and the substitution of variables.

Follows the Dockerfile reference: `$A`, `${A}`, `${A:-x}`, `${A-x}`, `${A:+x}`, `${A+x}`,
`${A:?x}`, `${A?x}`, `${A#p}`, `${A##p}`, `${A%p}`, `${A%%p}`, `${A/p/r}` and `${A//p/r}`.
The text of a RUN is left to the shell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tmax_gym.errors import HarborError

_PARAMETERS = "@*#?-$!0"
"""Names of one character that a shell has; none is set here."""


@dataclass(frozen=True, slots=True)
class Words:
    """Reads text with one set of variables."""

    values: Mapping[str, str]
    """The variables that are set."""
    escape: str = field(default="\\", kw_only=True)
    """The escape character."""
    raw: bool = field(default=False, kw_only=True)
    """Whether quotes, escapes and variables stay as they are written."""

    def fill(self, text: str) -> str:
        r"""Return a text as one word: variables filled in, quotes and escapes removed.

        >>> Words({"A": "one"}).fill(r"'$A' ${B:-two} \$A")
        '$A two $A'

        Raises:
            HarborError: A quote or a brace has no end, or a form is not known.
        """
        return "".join(piece for piece, _ in _Reader(text, self).until(""))

    def fill_text(self, text: str) -> str:
        r"""Return a here-document: variables filled in, quotes left as they are.

        >>> Words({"A": "one"}).fill_text("'$A' \$A\n")
        "'one' $A\n"

        Raises:
            HarborError: A brace has no end, or a form is not known.
        """
        return _Reader(text, self).text()

    def split(self, text: str) -> list[str]:
        """Return the words of a text; blanks in the value of a variable divide words as well.

        >>> Words({"A": "1 2"}).split("x$A '$A'")
        ['x1', '2', '$A']
        """
        words: list[str] = []
        open_ = False
        for piece, quoted in _Reader(text, self).until(""):
            parts = [piece] if quoted else re.split(r"(\s)", piece)
            for part in parts:
                if not quoted and part.isspace():
                    open_ = False
                elif part or quoted:
                    words[len(words) - open_ :] = [(words[-1] if open_ else "") + part]
                    open_ = True
        return words


class _Reader:
    def __init__(self, text: str, words: Words) -> None:
        self._text = text
        self._words = words
        self._at = 0

    def until(self, stop: str, *, raw: bool = False) -> list[tuple[str, bool]]:
        """Return (text, whether it was quoted) up to a character; up to the end for ""."""
        pieces: list[tuple[str, bool]] = []
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == stop:
                self._at += 1
                return pieces
            if char == "'":
                pieces.append((self._single(), True))
            elif char == '"':
                pieces.append((self._double(), True))
            elif char == "$" and not self._words.raw:
                pieces.append((self._dollar(), False))
            else:
                pieces.append(self._plain(char, keep=raw or self._words.raw))
        if stop:
            raise HarborError(f"Dockerfile: {self._text!r} lacks a {stop!r}")
        return pieces

    def text(self) -> str:
        """Return the whole text with variables filled in; quotes stay."""
        filled = ""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "$":
                filled += self._dollar()
                continue
            self._at += 1
            if char == self._words.escape and (following := self._take()):
                char = following if following in ("$", self._words.escape) else char + following
            filled += char
        return filled

    def _plain(self, char: str, *, keep: bool) -> tuple[str, bool]:
        self._at += 1
        if char != self._words.escape:
            return char, False
        following = self._take()
        return (char if keep else "") + following, True

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1 : self._at]

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise HarborError(f"Dockerfile: {self._text!r} has a quote without an end")
        begin, self._at = self._at, end + 1
        return self._text[begin : end + 1] if self._words.raw else self._text[begin + 1 : end]

    def _double(self) -> str:
        self._at += 1
        text = '"' if self._words.raw else ""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return text + ('"' if self._words.raw else "")
            if char == "$" and not self._words.raw:
                text += self._dollar()
                continue
            self._at += 1
            if char == self._words.escape and (following := self._take()):
                special = following in ('"', "$", self._words.escape)
                char = following if special and not self._words.raw else char + following
            text += char
        raise HarborError(f"Dockerfile: {self._text!r} has a quote without an end")

    def _name(self) -> str:
        match = re.compile(r"\d+|[^\W\d]\w*").match(self._text, self._at)
        if match:
            self._at = match.end()
            return match[0]
        char = self._text[self._at : self._at + 1]
        if char and char in _PARAMETERS:
            self._at += 1
            return char
        return ""

    def _dollar(self) -> str:
        self._at += 1
        if self._text[self._at : self._at + 1] != "{":
            name = self._name()
            return (self._words.values.get(name) or "") if name else "$"
        self._at += 1
        name = self._name()
        sign = self._take()
        value = self._words.values.get(name) if name else None
        if not name or not sign:
            raise HarborError(f"Dockerfile: {self._text!r} has a bad substitution")
        if sign == "}":
            return value or ""
        if sign == "/":
            return self._replaced(value or "")
        strict = sign == ":"
        sign = self._take() if strict else sign
        if sign in ("#", "%") and not strict:
            return _trimmed(value or "", sign, self._word(raw=True))
        if sign not in ("-", "+", "?"):
            raise HarborError(f"Dockerfile: {self._text!r} has a substitution that is not known")
        word = self._word()
        there = value is not None and not (strict and not value)
        if sign == "?" and not there:
            raise HarborError(f"Dockerfile: {name}: {word or 'it must be set'}")
        return {"-": value if there else word, "+": word if there else "", "?": value}[sign] or ""

    def _word(self, stop: str = "}", *, raw: bool = False) -> str:
        return "".join(piece for piece, _ in self.until(stop, raw=raw))

    def _replaced(self, value: str) -> str:
        everywhere = self._text[self._at : self._at + 1] == "/"
        self._at += everywhere
        pattern, new = self._word("/", raw=True), self._word(raw=True)
        return re.sub(_expression(pattern), lambda _: new, value, count=0 if everywhere else 1)


def _trimmed(value: str, sign: str, pattern: str) -> str:
    longest = pattern.startswith(sign)
    expression = re.compile(_expression(pattern.removeprefix(sign) if longest else pattern), re.S)
    cuts = range(len(value) + 1)
    if sign == "#":
        ends = [cut for cut in cuts if expression.fullmatch(value, 0, cut)]
        return value[(ends[-1] if longest else ends[0]) :] if ends else value
    ends = [cut for cut in cuts if expression.fullmatch(value, cut)]
    return value[: ends[0] if longest else ends[-1]] if ends else value


def _expression(pattern: str) -> str:
    """Return the regular expression of a pattern; only `*` and `?` are special."""
    expression = re.sub(
        r"\\(.)|(.)",
        lambda m: re.escape(m[1]) if m[1] else {"*": ".*", "?": "."}.get(m[2]) or re.escape(m[2]),
        pattern,
        flags=re.S,
    )
    return f"(?s:{expression})"
