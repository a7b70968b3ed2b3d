"""Tables that a follow-up reads: names for its files, words about columns, and how to read them.

The reference programs of follow-ups take a table as three arguments: its path, its separator and
the names of its columns, joined by commas, or `-` if the file begins with them.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tmax_gym.families.contract import write_file
from tmax_gym.families.products import Table
from tmax_gym.texts.obligations import Obligation

MOST_WORDS = 2
"""A longer noun gives the file its first word alone."""
SEPARATORS: Mapping[str, str] = MappingProxyType({",": "commas", ";": "semicolons", "\t": "tabs"})
"""What separates the cells of a table that a follow-up asks for, and its name in a sentence."""
FEW = 3
"""A column has few different values if at least so many rows come to each."""
_NO_NAME = re.compile(r"[^a-z0-9]+")
_PLAIN = re.compile(r"[^\s,;\"'`](?:[^\t\r\n,;\"'`]{0,98}[^\s,;\"'`])?")
"""A short cell that no dialect of CSV needs to quote."""


def file_name(noun: str, suffix: str) -> str:
    """Return the name of a file that holds things of a kind.

    >>> file_name("failed requests", "json")
    'failed_requests.json'
    >>> file_name("items that were found", "csv")
    'items.csv'
    """
    words = _NO_NAME.sub(" ", noun.lower()).split()
    return f"{'_'.join(words if len(words) <= MOST_WORDS else words[:1])}.{suffix}"


def listed(names: Sequence[str]) -> str:
    """Return names as they stand in a sentence.

    >>> listed(["a", "b", "c"])
    '`a`, `b` and `c`'
    """
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def plain_columns(table: Table) -> tuple[str, ...]:
    """Return the columns with only short cells that need no quotes in any dialect of CSV."""
    return tuple(
        name for name in table.columns if all(_PLAIN.fullmatch(cell) for cell in table.column(name))
    )


def grouping(table: Table) -> str:
    """Return the column by which somebody would group a table, "" if there is none."""
    kinds = {name: len(set(table.column(name))) for name in plain_columns(table)}
    repeated = [name for name, count in kinds.items() if 2 <= count < len(table.rows)]
    words = [name for name in repeated if name not in table.integers]
    for name in words:
        if kinds[name] * FEW <= len(table.rows):
            return name
    return min(reversed(words or repeated), key=kinds.__getitem__, default="")


def is_trimmed(table: Table) -> bool:
    """Return whether no cell has blanks around it, which checks of tables would not see."""
    return all(cell == cell.strip() for row in table.rows for cell in row)


def heads(table: Table) -> tuple[Obligation, ...]:
    """Return what must be said about a file without a header; nothing if it has one."""
    if table.header:
        return ()
    return (
        Obligation(
            "columns",
            f"`{table.path}` has no header. Its columns are {listed(table.columns)}, in this "
            "order.",
            "input",
        ),
    )


def csv_text(rows: Sequence[Sequence[str]], separator: str = ",") -> str:
    r"""Return rows as a text in CSV, with quotes only where a cell needs them.

    >>> csv_text([("a", "b"), ("1", "x,y")])
    'a,b\n1,"x,y"\n'
    """
    target = io.StringIO()
    csv.writer(target, delimiter=separator, lineterminator="\n").writerows(rows)
    return target.getvalue()


def arguments(table: Table) -> tuple[str, str, str]:
    """Return a table as the arguments of a reference program."""
    return table.path, table.separator, "-" if table.header else ",".join(table.columns)


def run_once(script: str, program: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """Return commands that write a Python program, run it and remove it."""
    words = " ".join(shlex.quote(argument) for argument in arguments)
    return (write_file(script, program), f"python3 {script} {words}", f"rm {script}")
