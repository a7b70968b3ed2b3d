"""SQLite databases of the dump-desk family with a write-ahead log that was never checkpointed.

Covers the log's header, frames, commit marks and checksums, and damage to either file.  The pages
themselves are SQLite's own.  Does not cover logs that were begun anew (frames of two ages).
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Sequence

from tmax_gym.rng import Rng

PAGE = 1024
VERSION = 3040001
"""Version of the writing library in the header, fixed for equal bytes."""
MAGIC = b"SQLite format 3\0"
Sums = tuple[int, int]


def states(schema: str, steps: Sequence[Sequence[str]]) -> list[bytes]:
    """Return the file after each step, in the mode of write-ahead logs."""
    link = sqlite3.connect(":memory:", isolation_level=None)
    try:
        link.execute(f"PRAGMA page_size={PAGE}")
        link.execute(schema)
        images = []
        for step in steps:
            link.execute("BEGIN")
            for statement in step:
                link.execute(statement)
            link.execute("COMMIT")
            data = link.serialize()
            head = data[:18] + b"\2\2" + data[20:92] + data[24:28] + struct.pack(">I", VERSION)
            images.append(head + data[100:])
        return images
    finally:
        link.close()


def _pages(data: bytes) -> list[bytes]:
    return [data[at : at + PAGE] for at in range(0, len(data), PAGE)]


def _summed(data: bytes, order: str, start: Sums) -> Sums:
    """Return the log's checksum over an even number of words."""
    a, b = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for at in range(0, len(words), 2):
        a = (a + words[at] + b) & 0xFFFFFFFF
        b = (b + words[at + 1] + a) & 0xFFFFFFFF
    return a, b


def log(rng: Rng, images: Sequence[bytes], *, open_end: bytes) -> bytes:
    """Return the log that leads from the first state to the last, a commit each.

    Args:
        rng: Decides salts and the byte order of the checksums.
        images: The states, the first of which is in the database file.
        open_end: A state that a transaction was on its way to when the process ended.
    """
    big = rng.chance(0.5)
    order, salts = (">" if big else "<"), rng.bytes(8)
    head = struct.pack(">IIII", 0x377F0682 + big, 3007000, PAGE, rng.integer(0, 9)) + salts
    sums = _summed(head, order, (0, 0))
    out = [head, struct.pack(">II", *sums)]
    before = _pages(images[0])
    for state in (*images[1:], open_end):
        after = _pages(state)
        changed = [n for n, page in enumerate(after) if before[n : n + 1] != [page]]
        # A commit is the last frame of a transaction: it alone says how large the file is now.
        for number in changed:
            commit = len(after) if number == changed[-1] and state is not open_end else 0
            mark = struct.pack(">II", number + 1, commit)
            sums = _summed(mark + after[number], order, sums)
            out.append(mark + salts + struct.pack(">II", *sums) + after[number])
        before = after
    return b"".join(out)
