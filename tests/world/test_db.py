"""Databases are read back by the sqlite3 shell."""

import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.nodes import digest
from tmax_gym.world.database import database, dump, query, script

SCHEMA = """
CREATE TABLE wells(id INTEGER PRIMARY KEY, name TEXT, depth REAL);
CREATE TABLE "odd ""name"(payload BLOB);
CREATE INDEX wells_depth ON wells(depth);
"""
ROWS = {
    "wells": [(1, "O'Hara", 12.5), (2, None, 1e-9), (3, "ü\n", -(2**63))],
    'odd "name': [(b"\0\xff",)],
}


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="needs the sqlite3 shell")
def test_the_shell_reads_every_kind_of_value(tmp_path):
    file = tmp_path / "w.db"
    file.write_bytes(database("/w.db", SCHEMA, ROWS).data)
    sql = "PRAGMA integrity_check; SELECT id,quote(name),depth FROM wells ORDER BY depth;"
    done = subprocess.run(
        ["sqlite3", file, sql + 'SELECT hex(payload) FROM "odd ""name";'],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = ["ok", "3|'ü", "'|-9.22337203685478e+18", "2|NULL|1.0e-09", "1|'O''Hara'|12.5", "00FF"]
    assert done.stdout.splitlines() == lines


def test_the_digest_covers_the_text_and_not_the_librarys_bytes():
    node = database("/w.db", SCHEMA, ROWS)
    other = replace(node, data=node.data[:96] + bytes(4) + node.data[100:])
    assert digest([node]) == digest([other])
    assert digest([node]) != digest([database("/w.db", SCHEMA, {"wells": []})])
    assert node.canonical == script(SCHEMA, ROWS).encode()


VALUES = st.none() | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=9)
VALUES |= st.builds(
    lambda digits, places: float(f"{digits}e-{places}"),
    st.integers(-(10**15) + 1, 10**15 - 1),
    st.integers(0, 22),
)
VALUES |= st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)


def exact(rows):
    """Return rows with reals in the 15 digits that SQLite guarantees."""
    return [tuple(f"{v:.15g}" if isinstance(v, float) else v for v in row) for row in rows]


@given(st.lists(st.tuples(VALUES, VALUES), max_size=4))
def test_any_row_comes_back_as_it_was(rows):
    node = database("/d.db", "CREATE TABLE t(a, b)", {"t": rows})
    assert exact(query(node.data, "SELECT a, b FROM t ORDER BY rowid")) == exact(rows)


def test_a_dump_builds_the_same_database_again():
    text = dump(database("/w.db", SCHEMA, ROWS).data)
    again = database("/w.db", text.replace("BEGIN TRANSACTION;", "").replace("COMMIT;", ""), {})
    assert dump(again.data) == text


def test_a_text_with_nul_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        script("CREATE TABLE t(a)", {"t": [("a\0b",)]})
