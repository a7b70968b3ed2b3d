"""Write SQLite databases as files, identified by their SQL text.

Covers a schema, rows of None, integers, reals, texts and blobs, and the dump of a file.  A file's
header names the version of the library that wrote it; the node's `canonical` text does not, so that
a task has the same digest everywhere.  Does not cover write-ahead logs or encryption.  SQLite keeps
15 digits of a real (https://sqlite.org/floatingpoint.html), so the last bit can be another one.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from tmax_gym.nodes import Node

Value = None | int | float | str | bytes
Rows = Mapping[str, Iterable[Sequence[Value]]]
"""Table name to its rows, in the order of the columns."""

_PAGE = 4096
"""SQLite's default page size since 3.12, fixed here so that no build changes it."""


def quoted(value: Value) -> str:
    """Return a value as an SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{value!r}: SQL text cannot hold NUL; use bytes")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value}: SQL has no literal for it; use None")
    return repr(value)


def script(schema: str, rows: Rows) -> str:
    """Return the SQL text that builds the database."""
    lines = [schema.strip().rstrip(";") + ";"]
    for table, items in rows.items():
        name = '"' + table.replace('"', '""') + '"'
        lines += [f"INSERT INTO {name} VALUES({','.join(map(quoted, r))});" for r in items]
    return "\n".join(lines) + "\n"


def database(path: str, schema: str, rows: Rows, *, mode: int = 0o644) -> Node:
    """Return a database file; `schema` may hold several statements, indexes and views too."""
    text = script(schema, rows)
    link = sqlite3.connect(":memory:", isolation_level=None)
    try:
        link.execute(f"PRAGMA page_size={_PAGE}")
        link.executescript(f"BEGIN;\n{text}COMMIT;")
        return Node(path, data=link.serialize(), mode=mode, canonical=text.encode())
    finally:
        link.close()


def _opened(data: bytes) -> sqlite3.Connection:
    link = sqlite3.connect(":memory:")
    # A file in WAL mode cannot be opened from memory; bytes 18 and 19 say "rollback journal".
    link.deserialize(data[:18] + b"\1\1" + data[20:])
    return link


def dump(data: bytes) -> str:
    """Return a database file as SQL text, rows in the order of their keys."""
    link = _opened(data)
    try:
        return "\n".join(link.iterdump()) + "\n"
    finally:
        link.close()


def query(data: bytes, sql: str) -> list[tuple[Value, ...]]:
    """Return the rows of a query on a database file."""
    link = _opened(data)
    try:
        return [tuple(row) for row in link.execute(sql)]
    finally:
        link.close()
