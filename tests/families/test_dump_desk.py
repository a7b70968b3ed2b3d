"""The dump-desk family: its artefacts, read by programs that know the formats."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest

from tmax_gym.families.debugging.dump_desk import pages
from tmax_gym.families.debugging.dump_desk.packets import Ends, _sum, conversation, datagram
from tmax_gym.families.debugging.dump_desk.stick import SECTOR, Entry, Folder, image
from tmax_gym.rng import Rng

SCHEMA = "CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER)"


@pytest.mark.parametrize("seed", range(4))
def test_sqlite_reads_the_log_up_to_its_last_commit(seed: int, tmp_path: Path) -> None:
    steps = [
        [f"INSERT INTO t VALUES({n}, {n})" for n in range(1, 200)],
        ["UPDATE t SET v = 7 WHERE id = 3", "INSERT INTO t VALUES(900, 1)"],
        ["UPDATE t SET v = 8 WHERE id = 150"],
        ["UPDATE t SET v = 0"],
    ]
    states = pages.states(SCHEMA, steps)
    file = tmp_path / "a.db"
    file.write_bytes(states[0])
    log = pages.log(Rng("log", seed), states[:-1], open_end=states[-1])
    (tmp_path / "a.db-wal").write_bytes(log)
    link = sqlite3.connect(file)
    rows = dict(link.execute("SELECT id, v FROM t"))
    assert link.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    link.close()
    assert rows == {n: n for n in range(1, 200)} | {3: 7, 150: 8, 900: 1}


def test_a_stick_keeps_live_files_and_the_bytes_of_deleted_ones() -> None:
    live, gone = b"live" * 300, b"gone" * 400
    day = (2024, 2, 29)
    inner = Entry("LIST.CSV", gone, day, 90, gone=True)
    items: list[Entry | Folder] = [
        Entry("README.TXT", live, day, 61),
        Folder("OLD", (inner,), gone=True),
    ]
    stick = image("STICK", items)
    size, per, start, tables, entries = struct.unpack_from("<HBHBH", stick, 11)
    assert (size, per, len(stick) // size) == (SECTOR, 1, struct.unpack_from("<H", stick, 19)[0])
    root = (start + tables * struct.unpack_from("<H", stick, 22)[0]) * size
    assert stick[root : root + 11] == b"README  TXT"
    time, date, first, length = struct.unpack_from("<HHHI", stick, root + 22)
    assert (time >> 11, time >> 5 & 63, date >> 9, date >> 5 & 15, date & 31) == (1, 1, 44, 2, 29)
    at = root + entries * 32 + (first - 2) * size
    assert stick[at : at + length] == live
    assert stick[root + 32] == 0xE5
    assert gone in stick


def test_checksums_of_packets_hold() -> None:
    ends = Ends("10.1.2.3", 4000, "203.0.113.9", 80)
    frames = [
        one.frame for one in conversation(Rng("c"), ends, [(b"abc", b"de")], start=0, rough=True)
    ]
    for frame in (*frames, datagram(ends, b"odd")):
        head = frame[14:34]
        (size,) = struct.unpack(">H", head[2:4])
        body = frame[34 : 14 + size]
        assert _sum(head) == 0
        assert _sum(head[12:20] + struct.pack(">BBH", 0, head[9], len(body)) + body) == 0
        assert len(frame) >= 60
