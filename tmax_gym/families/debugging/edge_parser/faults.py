"""The faults of the row reader, and rows that show them.

The reader itself is `programs/rows.py`: real code, handed to the agent as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

TOOL = program_text(__package__, "tool.py")


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong line."""

    right: str
    """A piece of the reader that is in it once."""
    wrong: str
    rows: tuple[str, ...]
    """Rows that show it; `@` is a word and `%` a digit other than 0."""
    symptom: str


FAULTS = (
    Fault('"[+-]?(0|[1-9][0-9]*)"', '"[+-]?[0-9]+"', ("@;#0%", "@;#-0%%", "#00;@"),
          "numbers with zeros in front get in"),
    Fault('"[+-]?(0|[1-9][0-9]*)"', '"-?(0|[1-9][0-9]*)"', ("@;#+%%", "#+0;@", "@;@;#+%"),
          "numbers with a plus sign are refused"),
    Fault("if '\"' in text:", "if text.startswith('\"'):", ('@;a"@', '@"b";@', '@;@"'),
          "quotes in the middle of a word get in"),
    Fault('.strip(" ")', "", ("@; #%0;@", "#% ;@", "@;  #0 "),
          "numbers with blanks around them are taken as texts or refused"),
    Fault('if "\\t" in text:', 'if text == "\\t":', ("@;a\tb;@", "a\t@;@", "@;@\tx"),
          "tabs between words get in"),
    Fault("row[at : at + 1] == '\"'", "row[at : at + 1] == '\"' and at",
          ('"@";@', '"@;b";@', '"a ""@""";@'), "rows that begin with a quote are refused"),
    Fault("row[at] in '\"\\\\'", "row[at] == '\"'", ('@;"a\\"@";b', '"\\"";@', '@;"\\\\"'),
          "texts with a backslash are refused or come out wrong"),
    Fault('if row[at] != ";":', "if row[at] == '\"':", ('"a"x@;@', '@;"@"b;c', '@;"@" ;@'),
          "text behind a closing quote gets in"),
    Fault("> MOST", ">= MOST", ("@;b;c;d;e;f;g;h", "1;2;3;4;5;6;7;@", ";;;;;;;@"),
          "rows of eight fields are refused"),
    Fault("len(fields) < 2", "len(fields) < 1", ("@", '"@"', "#%"),
          "rows of a single field get in"),
)  # fmt: skip
PLAIN = ("@;b;-", '"@";"c"', "@;#%%;", ";@", '@;"x;y"', "-;#-0;@", "#0;#0;@")


@cache
def source(faults: tuple[Fault, ...] = ()) -> str:
    """Return the reader with these faults in it."""
    text = program_text(__package__, "rows.py")
    for fault in faults:
        if text.count(fault.right) != 1:
            raise ValueError(f"{fault.right!r} is not once in the row reader")
        text = text.replace(fault.right, fault.wrong)
    return text


@cache
def _parse(faults: tuple[Fault, ...]) -> Callable[[str], list[Any]]:
    namespace: dict[str, Any] = {"__name__": "rows"}
    exec(compile(source(faults), "rows.py", "exec"), namespace)  # our own module
    parse: Callable[[str], list[Any]] = namespace["parse"]
    return parse


def answer(row: str, faults: tuple[Fault, ...] = ()) -> str:
    """Return the output of the tool for a row, with these faults in the reader."""
    try:
        return str(_parse(faults)(row))
    except ValueError:
        return "invalid"


def drawn(template: str, rng: Rng, words: tuple[str, ...]) -> str:
    """Return a row from a template."""
    row = "".join(str(rng.integer(1, 9)) if c == "%" else c for c in template)
    while "@" in row:
        row = row.replace("@", rng.choice(words), 1)
    return row
