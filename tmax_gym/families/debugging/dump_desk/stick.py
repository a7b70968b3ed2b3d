"""Images of small memory sticks of the dump-desk family: the FAT12 file system.

Covers files and one level of folders, live and deleted ones, contiguous each, with short names.
Does not cover long names, volumes of more than 340 clusters, or files in pieces.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

SECTOR = 512
ROOT_ENTRIES = 64
CLUSTERS = 110
GONE = 0xE5
FOLDER, ARCHIVE = 0x10, 0x20


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the stick."""

    name: str
    """Eight and three characters in capitals, with a dot between."""
    data: bytes
    day: tuple[int, int, int]
    """Year, month and day of its last change."""
    minute: int
    """Minute of that day."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the root with its files."""

    name: str
    files: tuple[Entry, ...]
    gone: bool = False


class _Volume:
    """An image under construction."""

    def __init__(self) -> None:
        self.chains = [0] * (CLUSTERS + 2)
        self.chains[:2] = [0xFF8, 0xFFF]
        self.data = bytearray(CLUSTERS * SECTOR)
        self.free = 2

    def stored(self, data: bytes, *, gone: bool) -> int:
        """Return the first cluster of data that were written; a deleted file's chain is free."""
        first, count = self.free, max(1, -(-len(data) // SECTOR))
        if first + count > len(self.chains):
            raise ValueError(f"a stick of {CLUSTERS} clusters is full")
        at = (first - 2) * SECTOR
        self.data[at : at + len(data)] = data
        if not gone:
            self.chains[first : first + count] = [*range(first + 1, first + count), 0xFFF]
        self.free += count
        return first

    def table(self) -> bytes:
        """Return the allocation table: two entries in three bytes."""
        out = bytearray()
        for a, b in zip(self.chains[::2], self.chains[1::2], strict=True):
            out += bytes((a & 0xFF, a >> 8 | (b & 0xF) << 4, b >> 4))
        return bytes(out).ljust(SECTOR, b"\0")


def _named(name: str, *, gone: bool) -> bytes:
    stem, _, kind = name.partition(".")
    name_ = f"{stem:8}{kind:3}".encode()
    return bytes([GONE]) + name_[1:] if gone else name_


def _line(name: bytes, kind: int, entry: Entry, *, first: int) -> bytes:
    """Return a line of a directory."""
    year, month, day = entry.day
    date = (year - 1980) << 9 | month << 5 | day
    time = entry.minute // 60 << 11 | entry.minute % 60 << 5
    size = len(entry.data) if kind == ARCHIVE else 0
    return name + struct.pack("<B10xHHHI", kind, time, date, first, size)


def image(label: str, items: Sequence[Entry | Folder]) -> bytes:
    """Return an image, with the items in their order on it."""
    volume, root = _Volume(), bytearray()
    for item in items:
        if isinstance(item, Entry):
            first = volume.stored(item.data, gone=item.gone)
            root += _line(_named(item.name, gone=item.gone), ARCHIVE, item, first=first)
            continue
        lines = bytearray()
        own = volume.free
        volume.stored(b"\0" * SECTOR, gone=item.gone)
        for dots, cluster in ((b".          ", own), (b"..         ", 0)):
            lines += _line(dots, FOLDER, item.files[0], first=cluster)
        for file in item.files:
            first = volume.stored(file.data, gone=file.gone)
            lines += _line(_named(file.name, gone=file.gone), ARCHIVE, file, first=first)
        at = (own - 2) * SECTOR
        volume.data[at : at + len(lines)] = lines
        line = _line(_named(item.name, gone=item.gone), FOLDER, item.files[0], first=own)
        root += line
    sectors = 1 + 2 + ROOT_ENTRIES * 32 // SECTOR + CLUSTERS
    boot = b"\xeb\x3c\x90MSDOS5.0" + struct.pack(
        "<HBHBHHBHHHII", SECTOR, 1, 1, 2, ROOT_ENTRIES, sectors, 0xF8, 1, 32, 2, 0, 0
    )
    boot += struct.pack("<BBBI", 0x80, 0, 0x29, 0x1D2C3B4A) + f"{label:11}FAT12   ".encode()
    boot = boot.ljust(SECTOR - 2, b"\0") + b"\x55\xaa"
    table = volume.table()
    return boot + table * 2 + bytes(root).ljust(ROOT_ENTRIES * 32, b"\0") + bytes(volume.data)
