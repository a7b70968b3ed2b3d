"""Read an agent's database, which may be made to harm whoever reads it.

A file is opened in memory.  Only plain tables are read, only by SELECT, and with limits on steps,
rows and lengths; the text of a view runs in a new database that holds right rows.  Whatever goes
wrong is `BadOutput`.  Does not cover faults of SQLite itself.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tmax_gym.checks.check import BadOutput
from tmax_gym.world.database import Value

SHORTEST = 100
"""Bytes of the header of a database."""
STEPS = 5_000_000
"""Most instructions of one statement."""
LONGEST = 1 << 16
"""Most bytes of a value or a statement."""
SPARE = 1_000
"""So many rows more than there should be are read."""
FUNCTIONS = frozenset(("count", "sum", "total", "min", "max", "coalesce", "ifnull", "typeof"))
_VIEW = re.compile(r"\s*CREATE\s+VIEW\s", re.IGNORECASE)
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it was declared."""

    name: str
    type: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An index on columns."""

    unique: bool
    columns: tuple[str, ...]


def columns(data: bytes, table: str) -> tuple[Column, ...]:
    """Return the declared columns of a plain table.  Raises `BadOutput`."""
    with _opened(data) as link:
        return _columns(link, table)


def rows(data: bytes, table: str, names: Sequence[str], *, wanted: int) -> list[Row]:
    """Return the cells of some columns in all rows, a few more than wanted at most.

    Raises:
        BadOutput: The file, the table or a column is missing or unreadable.
    """
    with _opened(data) as link:
        missing = set(names) - {column.name for column in _columns(link, table)}
        if missing:
            raise BadOutput(f"the table {table} has no column {', '.join(sorted(missing))}")
        link.set_authorizer(_reads)
        listed = ", ".join(f'"{name}"' for name in names)
        return link.execute(f'SELECT {listed} FROM "{table}"').fetchmany(wanted + SPARE)


def index(data: bytes, table: str, name: str) -> Index:
    """Return an index by its name.  Raises `BadOutput`."""
    with _opened(data) as link:
        unique = {row[1]: bool(row[2]) for row in link.execute(f'PRAGMA index_list("{table}")')}
        if name not in unique:
            raise BadOutput(f"the table {table} has no index {name}")
        parts = link.execute(f'PRAGMA index_info("{name}")').fetchmany(SPARE)
        return Index(unique[name], tuple(str(part[2]) for part in parts))


def view(data: bytes, name: str) -> str:
    """Return the statement that makes a view.  Raises `BadOutput`."""
    with _opened(data) as link:
        entry = link.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (name,))
        kind, statement = entry.fetchone() or ("", "")
    if kind != "view" or not isinstance(statement, str) or not _VIEW.match(statement):
        raise BadOutput(f"there is no view {name}")
    return statement


def shown(
    statement: str, name: str, *, schema: str, table: str, loaded: Sequence[Row]
) -> tuple[tuple[str, ...], list[Row]]:
    """Return the names and the rows that a view shows of a new table with given rows.

    Raises:
        BadOutput: The view is broken, slow, or looks at more than the table.
    """
    with _guarded() as link:
        link.execute(schema)
        marks = ",".join("?" * len(loaded[0]))
        link.executemany(f'INSERT INTO "{table}" VALUES ({marks})', loaded)
        link.execute(statement)
        link.set_authorizer(_reads)
        answer = link.execute(f'SELECT * FROM "{name}"')
        names = tuple(str(column[0]) for column in answer.description)
        return names, answer.fetchmany(len(loaded) + SPARE)


def _columns(link: sqlite3.Connection, table: str) -> tuple[Column, ...]:
    entry = link.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,))
    kind, statement = entry.fetchone() or ("", "")
    if kind != "table" or not str(statement).upper().startswith("CREATE TABLE"):
        raise BadOutput(f"there is no plain table {table}")
    every = link.execute(f'PRAGMA table_xinfo("{table}")').fetchmany(SPARE)
    if any(hidden for *_, hidden in every):
        raise BadOutput(f"the table {table} has generated columns")
    return tuple(Column(str(n), str(kind).upper(), bool(pk)) for _, n, kind, _, _, pk, _ in every)


@contextmanager
def _opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """Open a file in memory; the two bytes say that it has no write-ahead log beside it."""
    if len(data) < SHORTEST:
        raise BadOutput("the file is no database")
    with _guarded() as link:
        link.deserialize(data[:18] + b"\1\1" + data[20:])
        link.execute("PRAGMA trusted_schema = OFF")
        yield link


@contextmanager
def _guarded() -> Iterator[sqlite3.Connection]:
    """Return a new database with limits; errors of SQLite become `BadOutput`."""
    link = sqlite3.connect(":memory:")
    try:
        link.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        link.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST)
        link.set_progress_handler(lambda: 1, STEPS)
        yield link
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError) as error:
        raise BadOutput(f"the database cannot be read: {str(error)[:200]}") from error
    finally:
        link.close()


def _reads(action: int, _: str | None, second: str | None, *__: object) -> int:
    called = action == sqlite3.SQLITE_FUNCTION and second in FUNCTIONS
    fine = called or action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY
