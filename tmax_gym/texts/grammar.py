r"""The paraphrase grammar: text with slots and choices, parsed once and rendered per task.

Grammar: `{name}` is a slot; `{a|b|}` a choice, whose alternatives are templates again;
`{an:x}` puts "a" or "an" before x; `{plural:n:x}` gives x in the number of n, without n;
`{count:n:x}` gives n and x; `{cap:x}` capitalises x.  An argument of a call is a slot where a
slot of that name is given, else a template.  `\{`, `\}`, `\|`, `\:` and `\\` are literal.

It knows English articles, regular plurals and those of `texts.plurals`, but no tense and no case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tmax_gym.texts.plurals import plural

OPEN, CLOSE = "\ue000", "\ue001"
"""Private-use characters around values that later steps must not change."""

CALLS = {"an": 1, "plural": 2, "count": 2, "cap": 1}
"""Number of arguments of every call."""

_SILENT_H = ("heir", "honest", "honour", "hour")
_YOO = re.compile(r"(?:eu|ewe|once\b|one\b|ubiq|uni(?![mn])|use|usu|uti|ura)", re.I)
_LETTER_AN = frozenset("AEFHILMNORSX")
_RUN = re.compile(r"[^{}|:\\]+")
_CALL = re.compile(r"(\w+):")
_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Literal:
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A value, given by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several templates."""

    options: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call such as `{an:x}`, with its arguments."""

    name: str
    args: tuple[tuple[Part, ...], ...]


Part = Literal | Slot | Choice | Call


def article(phrase: str) -> str:
    """Return the indefinite article that `phrase` takes.

    >>> article("hourly file"), article("unit"), article("XML file"), article("turbine")
    ('an', 'a', 'an', 'a')
    """
    word = phrase.lstrip("`'\"(" + OPEN)
    head = re.split(r"[\s\-]", word, maxsplit=1)[0]
    if head[:1].isdigit():
        eights = head.startswith(("8", "11", "18")) and not re.match(r"1[18]\d(?!\d{3})", head)
        return "an" if eights else "a"
    if len(head) > 1 and head.isupper() and not re.search(r"[AEIOU]", head[1:3]):
        return "an" if head[0] in _LETTER_AN else "a"
    if head.lower().startswith(_SILENT_H):
        return "an"
    if _YOO.match(head):
        return "a"
    return "an" if head[:1].lower() in ("a", "e", "i", "o", "u") else "a"


def capital(text: str) -> str:
    """Return `text` with its first letter in upper case; marks and quotes do not count."""
    at = len(text) - len(text.lstrip("\"'(" + OPEN))
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


@lru_cache(maxsize=65536)
def parse(template: str) -> tuple[Part, ...]:
    """Return the parts of a template; raise `ValueError` if it is malformed."""
    parts, at = _sequence(template, 0, stop="")
    if at != len(template):
        raise ValueError(f"template {template!r}: '}}' at {at} has no opening brace; write '\\}}'")
    return parts


def _sequence(template: str, at: int, *, stop: str) -> tuple[tuple[Part, ...], int]:
    """Parse from `at` to the first character of `stop` outside braces, which is not consumed."""
    parts: list[Part] = []
    text: list[str] = []
    while at < len(template) and template[at] not in stop:
        char = template[at]
        if char == "\\" and template[at + 1 : at + 2] in ("{", "}", "|", ":", "\\"):
            text.append(template[at + 1])
            at += 2
        elif char == "{":
            if text:
                parts.append(Literal("".join(text)))
                text = []
            part, at = _braced(template, at + 1)
            parts.append(part)
        elif char == "}":
            break
        else:
            run = _RUN.match(template, at)
            text.append(run[0] if run else char)
            at += len(text[-1])
    if text:
        parts.append(Literal("".join(text)))
    return tuple(parts), at


def _braced(template: str, at: int) -> tuple[Part, int]:
    """Parse what follows an opening brace, including the closing one."""
    call = _CALL.match(template, at)
    if call and call[1] in CALLS:
        name, at = call[1], call.end()
        args = []
        for left in range(CALLS[name], 0, -1):
            arg, at = _sequence(template, at, stop=":}" if left > 1 else "}")
            args.append(arg)
            if left > 1:
                at = _expect(template, at, ":")
        return Call(name, tuple(args)), _expect(template, at, "}")
    options = []
    while True:
        option, at = _sequence(template, at, stop="|}")
        options.append(option)
        if template[at : at + 1] != "|":
            break
        at += 1
    at = _expect(template, at, "}")
    if len(options) > 1:
        return Choice(tuple(options)), at
    only = options[0]
    if len(only) == 1 and isinstance(only[0], Literal) and _NAME.match(only[0].text):
        return Slot(only[0].text), at
    raise ValueError(f"template {template!r}: the braces before {at} hold neither a slot nor a '|'")


def _expect(template: str, at: int, char: str) -> int:
    if template[at : at + 1] != char:
        raise ValueError(f"template {template!r}: expected {char!r} at {at}; is a brace unmatched?")
    return at + 1


def render(parts: tuple[Part, ...], slots: Mapping[str, str], *, pick: Callable[[int], int]) -> str:
    """Return one expansion; `pick(n)` chooses among n options."""
    return "".join(
        [part.text if isinstance(part, Literal) else _piece(part, slots, pick) for part in parts]
    )


def _piece(part: Part, slots: Mapping[str, str], pick: Callable[[int], int]) -> str:
    match part:
        case Literal(text):
            return text
        case Slot(name):
            if name not in slots:
                known = ", ".join(sorted(slots)) or "none"
                raise ValueError(f"no value for the slot {{{name}}}; given are: {known}")
            return slots[name]
        case Choice(options):
            return render(options[pick(len(options))], slots, pick=pick)
        case Call(name, args):
            values = [_argument(arg, slots, pick) for arg in args]
            return _call(name, values)


def _argument(arg: tuple[Part, ...], slots: Mapping[str, str], pick: Callable[[int], int]) -> str:
    """Return an argument's text; one bare word is the name of a slot, if there is such a slot."""
    if len(arg) == 1 and isinstance(arg[0], Literal) and arg[0].text in slots:
        return slots[arg[0].text]
    return render(arg, slots, pick=pick)


def _call(name: str, values: list[str]) -> str:
    if name == "an":
        return f"{article(values[0])} {values[0]}"
    if name == "cap":
        return capital(values[0])
    number, noun = values
    bare = strip(noun)
    form = bare if strip(number) in ("1", "one") else plural(bare)
    return form if name == "plural" else f"{number} {form}"


def strip(text: str) -> str:
    """Return `text` without marks."""
    return text.replace(OPEN, "").replace(CLOSE, "")


def names(parts: tuple[Part, ...]) -> Iterator[str]:
    """Yield every slot that some expansion uses; an argument of one bare word counts as a slot."""
    for part in parts:
        match part:
            case Slot(name):
                yield name
            case Choice(options):
                for option in options:
                    yield from names(option)
            case Call(_, args):
                for arg in args:
                    if len(arg) == 1 and isinstance(arg[0], Literal):
                        yield arg[0].text
                    yield from names(arg)
            case Literal():
                pass
