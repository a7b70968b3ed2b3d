"""Tables as text: CSV, TSV, JSON lines, Markdown and aligned columns.

Covers rows of strings, numbers, truth values and None, with the same bytes everywhere: floats
are written by an explicit number of digits or by `repr`, line ends are fixed.  Does not cover
reading; the verifier's checks do that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

Cell = None | bool | int | float | str
Row = Sequence[Cell]


def cell(value: Cell, *, digits: int | None = None, empty: str = "") -> str:
    """Return a value as text; floats with `digits` decimals, None as `empty`."""
    if value is None:
        return empty
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and digits is not None:
        return f"{value:.{digits}f}"
    return str(value)


def separated(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    mark: str = ",",
    newline: str = "\n",
    digits: int | None = None,
    empty: str = "",
) -> str:
    """Return CSV, or TSV with another `mark`, quoted as RFC 4180 says.

    >>> separated(("a", "b"), [(1, "x, y"), (None, 2.5)]).split()
    ['a,b', '1,"x,', 'y"', ',2.5']
    """

    def field(text: str) -> str:
        risky = mark in text or any(c in text for c in '"\r\n') or text != text.strip()
        return '"' + text.replace('"', '""') + '"' if risky else text

    lines = [mark.join(map(field, columns))]
    for row in _checked(columns, rows):
        lines.append(mark.join(field(cell(v, digits=digits, empty=empty)) for v in row))
    return "".join(line + newline for line in lines)


def json_lines(columns: Sequence[str], rows: Iterable[Row], *, ascii_only: bool = False) -> str:
    """Return one JSON object a line, keys in the order of the columns."""
    return "".join(
        json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=ascii_only) + "\n"
        for row in _checked(columns, rows)
    )


def aligned(
    columns: Sequence[str], rows: Iterable[Row], *, gap: int = 2, digits: int | None = None
) -> str:
    """Return columns of equal width, as reports and `ps` print them; no trailing spaces."""
    body = [[cell(v, digits=digits, empty="-") for v in row] for row in _checked(columns, rows)]
    table = [list(columns), *body]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    lines = ((" " * gap).join(t.ljust(w) for t, w in zip(r, widths, strict=True)) for r in table)
    return "".join(line.rstrip() + "\n" for line in lines)


def markdown(columns: Sequence[str], rows: Iterable[Row], *, digits: int | None = None) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in _checked(columns, rows):
        texts = (cell(v, digits=digits).replace("|", "\\|") for v in row)
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def _checked(columns: Sequence[str], rows: Iterable[Row]) -> Iterable[Row]:
    for index, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValueError(f"row {index} has {len(row)} cells for {len(columns)} columns: {row}")
        yield row
