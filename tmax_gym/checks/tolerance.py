"""Read an agent's output with one tolerance for text, tables, JSON, numbers and links.

Every check reads output with these functions, so that two files with the same meaning earn the
same reward, in every family.

- Text is UTF-8, with or without a byte order mark.  Lines end with LF or CRLF, and the last one
  may have no end.  Spaces at the end of a line and blank lines at the end of a file do not count.
- A table (CSV) may quote any cell, the header's too (RFC 4180).  Spaces around a cell and blank
  lines do not count.  The order and the spelling of the header do, and so does every row.
- JSON may be laid out, ordered and escaped in any way.  A number equals a number of the same
  value (1, 1.0, 1e0), up to the last digits of a float.  It does not equal a string or `true`.
- A whole number may be written in any form: 12, +12, 12.0, 1.2e1.  Only if some number of the
  column needs a form (a leading zero or decimals, which the task then states), all numbers of the
  column are compared as they are written.
- A link counts as the regular file that it leads to, if its whole path is below `/app` and has
  printable names.
- A program needs its executable bit only if the task asks for an executable file; all others are
  started by an interpreter.

Intentionally strict: bytes that a task restores (pictures, carved files), files that it renames or
links, and outputs of programs and services, except for line ends and the rules of JSON.
No output of an agent may raise anything but `BadOutput` here.
"""

from __future__ import annotations

import csv
import io
import json
import math
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeGuard

from tmax_gym.checks.check import BadOutput
from tmax_gym.nodes import Node

Cells = tuple[str, ...]
HOME = "/app"
"""The directory of tasks; only links below it are followed."""
MOST_LINKS = 8
"""Largest number of links on the path to one file."""
MOST_PARTS = 256
"""Largest number of parts of a path, with those of its links."""
CLOSE = 1e-9
"""Relative difference of two floats that count as equal."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_MEASURED = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
_LONGEST = 400
"""Largest length of a number."""


def text(data: bytes, what: str) -> str:
    """Decode UTF-8 without its mark, with LF at the ends of lines, or raise `BadOutput`."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadOutput(f"{what} is not UTF-8: {error.reason} at byte {error.start}") from error


def lines(content: str) -> list[str]:
    """Return the lines without spaces at their ends, and without blank lines around the text."""
    kept = [line.rstrip() for line in content.split("\n")]
    while kept and not kept[-1]:
        kept.pop()
    while kept and not kept[0]:
        kept.pop(0)
    return kept


def rows(content: str, what: str, *, delimiter: str = ",") -> list[Cells]:
    """Return the rows of a table, header first, without blank lines and spaces around cells.

    Raises:
        BadOutput: It cannot be read as a table.
    """
    source = io.StringIO(content, newline="")
    try:
        raw = list(csv.reader(source, delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise BadOutput(f"{what} is not a table: {error}") from error
    stripped = (tuple(cell.strip() for cell in row) for row in raw)
    return [row for row in stripped if row not in ((), ("",))]


def value(content: str, what: str) -> object:
    """Return the value of a JSON text.

    Raises:
        BadOutput: It is not JSON, or has strings with half of a surrogate pair.
    """
    try:
        parsed: object = json.loads(content)
        json.dumps(parsed, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise BadOutput(f"{what} is not JSON: {str(error)[:200]}") from error
    return parsed


def same(actual: object, wanted: object) -> bool:
    """Return whether two values of JSON are equal."""
    if isinstance(wanted, bool) or isinstance(actual, bool):
        return actual is wanted
    if isinstance(wanted, int | float) and isinstance(actual, int | float):
        return actual == wanted or _close(actual, wanted)
    if isinstance(wanted, Mapping) and isinstance(actual, dict):
        return actual.keys() == wanted.keys() and all(same(actual[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list | tuple) and isinstance(actual, list):
        return len(actual) == len(wanted) and all(map(same, actual, wanted))
    return actual == wanted


def says(body: bytes, wanted: object) -> bool:
    """Return whether a reply is this value as JSON."""
    try:
        return same(value(text(body, "the reply"), "the reply"), wanted)
    except BadOutput:
        return False


def is_number(candidate: object, *, below: float = 1e9) -> TypeGuard[float]:
    """Return whether a value of JSON is a finite number below a limit."""
    return (
        isinstance(candidate, int | float)
        and not isinstance(candidate, bool)
        and abs(candidate) < below
    )


def number(cell: str) -> float:
    """Return the number in a cell, or raise `BadOutput`."""
    stripped = cell.strip()
    if (
        len(stripped) > _LONGEST
        or not _MEASURED.fullmatch(stripped)
        or not math.isfinite(float(stripped))
    ):
        raise BadOutput(f"{stripped[:40]!r} is no number")
    return float(stripped)


def integer(cell: str) -> int:
    """Return the whole number in a cell, in any form, or raise `BadOutput`."""
    plain = whole(cell.strip())
    if not _WHOLE.fullmatch(plain) or len(plain) > _LONGEST:
        raise BadOutput(f"{plain[:40]!r} is no whole number")
    return int(plain)


def whole(cell: str) -> str:
    """Return a whole number in its plain form, and anything else unchanged.

    >>> whole("+12"), whole("1.2e1"), whole("12.0"), whole("-0"), whole("012"), whole("12.5")
    ('12', '12', '12', '0', '012', '12.5')
    """
    if len(cell) > _LONGEST or not _NUMBER.fullmatch(cell) or _PADDED.match(cell):
        return cell
    exact = Fraction(Decimal(cell))
    return str(exact.numerator) if exact.denominator == 1 else cell


def alike(actual: Sequence[Cells], wanted: Sequence[Cells]) -> list[Cells]:
    """Return rows with whole numbers in their plain form.

    This changes only columns in which every expected number is a whole number in its plain form.
    """
    width = max(map(len, wanted), default=0)
    free = [_is_free([row[at] for row in wanted if at < len(row)]) for at in range(width)]
    return [
        tuple(whole(c) if at < width and free[at] else c for at, c in enumerate(row))
        for row in actual
    ]


def followed(path: str, look: Callable[[str], Node | None]) -> str:
    """Return the path after following all links on it.

    `look` returns one entry without following it, or None.

    Raises:
        BadOutput: The path is broken, leaves `HOME`, or has too many links.
    """
    left, at, links, steps = path.split("/"), "", 0, 0
    while left:
        part = left.pop(0)
        steps += 1
        if part in ("", "."):
            continue
        if part == "..":
            at = posixpath.dirname(at).rstrip("/")
            continue
        here = f"{at}/{part}"
        if not part.isprintable():  # not every engine accepts such names
            raise BadOutput(f"{path} leads to {ascii(part)[:80]}")
        if here != HOME and not here.startswith(f"{HOME}/"):
            raise BadOutput(f"{path} leads out of {HOME}, to {here[:80]}")
        node = look(here)
        if node is None:
            raise BadOutput(f"{path} does not exist" + (f": no {here[:80]}" if links else ""))
        if node.kind != "link":
            at = here
            continue
        links += 1
        if links > MOST_LINKS or steps + len(left) > MOST_PARTS:
            raise BadOutput(f"{path} leads through more than {MOST_LINKS} links")
        left = [*node.target.split("/"), *left]
        at = "" if node.target.startswith("/") else at
    if not at.startswith(f"{HOME}/"):
        raise BadOutput(f"{path} leads to {at or '/'}, which is not below {HOME}")
    return at


def _is_free(cells: Sequence[str]) -> bool:
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    return bool(numbers) and all(map(_WHOLE.fullmatch, numbers))


def _close(actual: float, wanted: float) -> bool:
    if type(actual) is int and type(wanted) is int:
        return False
    try:
        return math.isclose(actual, wanted, rel_tol=CLOSE, abs_tol=CLOSE * CLOSE)
    except OverflowError:  # a whole number larger than any float
        return False
