"""Readers of what an agent hands in: archives, repositories, databases, diffs, and bad ones.

Whatever is wrong with a file may only raise `BadOutput`.
"""

from __future__ import annotations

import difflib
import io
import shutil
import sqlite3
import subprocess
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.checks.check import BadOutput
from tmax_gym.families.follow_ups.git_commit.objects import Store, commit
from tmax_gym.families.follow_ups.pack_bundle.members import members
from tmax_gym.families.follow_ups.patch_file.unified import applied, sections
from tmax_gym.families.follow_ups.sqlite_load import reading

FILES = {"a.txt": b"one\n", f"deep/{'long' * 40}/b.bin": bytes(range(256)) * 9, "empty": b""}
LIMIT = 1 << 20


def tarred(form: int) -> bytes:
    """Return the files as a compressed tar archive of a format, made by Python's own library."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz", format=form) as archive:
        for path, body in FILES.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
        link = tarfile.TarInfo("hard")
        link.type, link.linkname = tarfile.LNKTYPE, "a.txt"
        archive.addfile(link)
    return raw.getvalue()


def zipped() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in FILES.items():
            archive.writestr(path, body)
    return raw.getvalue()


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_archive_has_the_files_that_were_put_in(form: int) -> None:
    seen = {member.path: member.body for member in members(tarred(form), "tar.gz", LIMIT)}
    assert seen == {**FILES, "hard": FILES["a.txt"]}


def test_a_zip_archive_has_the_files_that_were_put_in() -> None:
    assert {one.path: one.body for one in members(zipped(), "zip", LIMIT)} == FILES


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_an_archive_that_is_cut_off_is_refused(kind: str) -> None:
    whole = zipped() if kind == "zip" else tarred(tarfile.PAX_FORMAT)
    for size in range(0, len(whole) - 1, 7):
        with pytest.raises(BadOutput):
            members(whole[:size], kind, LIMIT)


@given(
    place=st.integers(0, 10_000), value=st.integers(0, 255), kind=st.sampled_from(["tar", "zip"])
)
def test_a_damaged_archive_is_read_or_refused(place: int, value: int, kind: str) -> None:
    whole = bytearray(zipped() if kind == "zip" else tarred(tarfile.GNU_FORMAT))
    whole[place % len(whole)] = value
    with suppress(BadOutput):
        members(bytes(whole), "zip" if kind == "zip" else "tar.gz", LIMIT)


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_a_small_archive_that_becomes_large_is_refused(kind: str) -> None:
    raw, zeros = io.BytesIO(), bytes(16 << 20)
    if kind == "zip":
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as zip_file:
            zip_file.writestr("zeros", zeros)
    else:
        with tarfile.open(fileobj=raw, mode="w:gz") as tar_file:
            entry = tarfile.TarInfo("zeros")
            entry.size = len(zeros)
            tar_file.addfile(entry, io.BytesIO(zeros))
    assert len(raw.getvalue()) < 20_000
    with pytest.raises(BadOutput, match="too large"):
        members(raw.getvalue(), kind, LIMIT)


LINES = st.lists(st.sampled_from(["alpha\n", "beta\n", "gamma\n", "delta\n"]), max_size=30)


@given(before=LINES, after=LINES, context=st.integers(0, 5))
def test_a_diff_of_two_texts_turns_one_into_the_other(
    before: list[str], after: list[str], context: int
) -> None:
    diff = "".join(difflib.unified_diff(before, after, "a/x.txt", "b/x.txt", n=context))
    original, right = "".join(before).encode(), "".join(after).encode()
    if before == after:
        assert sections(diff.encode(), "a", "b") == ()
        return
    (section,) = sections(diff.encode(), "a", "b")
    assert section.path == "x.txt"
    assert applied(section, original) == right


def test_a_diff_for_another_text_does_not_fit() -> None:
    diff = "".join(difflib.unified_diff(["one\n"], ["two\n"], "a/x", "b/x"))
    (section,) = sections(diff.encode(), "a", "b")
    with pytest.raises(BadOutput, match="does not fit"):
        applied(section, b"three\n")


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("packed", [False, True])
def test_a_repository_has_what_git_committed(tmp_path: Path, packed: bool) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=Ada Low", "-c", "user.email=ada@example.org")
        call = ["git", "-C", str(tmp_path), *who, *words]
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    body = "".join(f"line {number}\n" for number in range(400))
    (tmp_path / "src").mkdir()
    for text in (body, f"{body}and one more\n"):
        (tmp_path / "src" / "a.txt").write_text(text)
        git("add", "-A")
        git("commit", "-q", "-m", f"Say {len(text)} letters\n\nIn full.")
    if packed:
        git("gc", "-q", "--aggressive")
    home = tmp_path / ".git"
    store = Store({
        str(file.relative_to(home)): file.read_bytes()
        for file in home.rglob("*") if file.is_file()
    })  # fmt: skip
    assert any(path.endswith(".pack") for path in store.files) == packed
    last = commit(store, store.ref(store.head))
    assert (store.head, store.ref(store.head)) == ("refs/heads/main", git("rev-parse", "HEAD"))
    assert last.author == "Ada Low <ada@example.org>"
    assert last.lines == (f"Say {len(body) + 13} letters", "", "In full.")
    assert last.parents == (git("rev-parse", "HEAD~1"),)
    for name, right in ((last.tree, f"{body}and one more\n"),
                        (commit(store, last.parents[0]).tree, body)):  # fmt: skip
        ((mode, blob),) = store.tree(name).values()
        assert (mode, store.read(blob, "blob")) == ("100644", right.encode())
    assert store.index() == store.tree(last.tree)


def stored(tmp_path: Path, script: str) -> bytes:
    """Return a database file that SQLite itself wrote."""
    link = sqlite3.connect(tmp_path / "agent.db")
    link.executescript(script)
    link.close()
    return (tmp_path / "agent.db").read_bytes()


def test_a_database_has_the_columns_and_rows_that_were_put_in(tmp_path: Path) -> None:
    data = stored(tmp_path, "CREATE TABLE t (a TEXT, b INTEGER PRIMARY KEY);"
                  "INSERT INTO t VALUES ('x', 1), (NULL, 2); CREATE UNIQUE INDEX i ON t (a, b);"
                  )  # fmt: skip
    assert reading.columns(data, "t") == (
        reading.Column("a", "TEXT"), reading.Column("b", "INTEGER", primary=True),
    )  # fmt: skip
    assert sorted(reading.rows(data, "t", ("b", "a"), wanted=2)) == [(1, "x"), (2, None)]
    assert reading.index(data, "t", "i") == reading.Index(True, ("a", "b"))


def test_a_view_in_place_of_a_table_is_refused(tmp_path: Path) -> None:
    data = stored(tmp_path, "CREATE VIEW t AS SELECT 1 AS a;")
    with pytest.raises(BadOutput, match="no plain table"):
        reading.rows(data, "t", ("a",), wanted=1)


@pytest.mark.parametrize(
    "query",
    [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "SELECT load_extension('x')",
        "SELECT a FROM another_table",
        "SELECT zeroblob(1000000000) FROM t",
    ],
)
def test_a_view_that_does_harm_is_refused(query: str) -> None:
    with pytest.raises(BadOutput):
        reading.shown(
            f"CREATE VIEW v AS {query}",
            "v",
            schema="CREATE TABLE t (a)",
            table="t",
            loaded=[("x",)],
        )


def test_a_view_of_its_table_shows_the_right_rows() -> None:
    names, rows = reading.shown(
        "CREATE VIEW v AS SELECT a, count(*) AS n FROM t GROUP BY a",
        "v", schema="CREATE TABLE t (a)", table="t", loaded=[("x",), ("y",), ("x",)],
    )  # fmt: skip
    assert (names, sorted(rows)) == (("a", "n"), [("x", 2), ("y", 1)])


@given(place=st.integers(0, 10_000), value=st.integers(0, 255))
def test_a_damaged_database_is_read_or_refused(place: int, value: int) -> None:
    link = sqlite3.connect(":memory:")
    link.executescript("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y');")
    data = bytearray(link.serialize())
    link.close()
    data[place % len(data)] = value
    with suppress(BadOutput):
        reading.rows(bytes(data), "t", ("a", "b"), wanted=2)
