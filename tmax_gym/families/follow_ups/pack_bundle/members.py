"""Read archives that an agent made: tar under gzip, and zip.

Covers regular files, hard links to them and directories.  Every size is limited before anything
is decompressed; whatever is wrong or too large raises `BadOutput`.
Formats: POSIX pax and ustar, GNU long names, APPNOTE.TXT.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from tmax_gym.checks.check import BadOutput

BLOCK = 512
MOST_MEMBERS = 5_000
EXTENDED = (b"x", b"L", b"K")
"""Types of entries that describe the next one."""
MOST_EXTENDED = 16 << 10
GZIP = 31
"""The window size that tells zlib to expect the header of gzip."""
_FAULTS = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, RuntimeError, EOFError,
           OSError, OverflowError, KeyError, IndexError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive that is no directory."""

    path: str
    body: bytes | None
    """None for everything but a regular file."""
    mtime: int = 0
    """Seconds since 1970; 0 in a zip archive."""
    stored: bool = False
    """Whether a zip archive holds it without compression."""


def members(archive: bytes, kind: str, limit: int) -> tuple[Member, ...]:
    """Return all members that are no directories, in order.

    Args:
        archive: The bytes of the archive.
        kind: "tar.gz" or "zip".
        limit: The largest number of bytes of all members together.

    Raises:
        BadOutput: It cannot be read, is too large, or has a path twice.
    """
    by_path: dict[str, Member] = {}
    for member in _zipped(archive, limit) if kind == "zip" else _tarred(archive, limit):
        if member.path in by_path or len(by_path) >= MOST_MEMBERS:
            raise BadOutput(f"the archive has {member.path[:80]!a} twice, or too many members")
        by_path[member.path] = member
    return tuple(by_path.values())


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path


def _zipped(archive: bytes, limit: int) -> Iterator[Member]:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            for info in opened.infolist():
                if info.is_dir():
                    continue
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise BadOutput("the archive has an unusual method of compression")
                body = None
                if stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG):
                    with opened.open(info) as file:
                        body = file.read(limit + 1)
                    limit -= len(body)
                if limit < 0:
                    raise BadOutput("the archive is too large")
                stored = info.compress_type == zipfile.ZIP_STORED
                yield Member(_plain(info.filename), body, stored=stored)
    except _FAULTS as error:
        raise BadOutput(f"the archive cannot be read: {str(error)[:200]}") from error


def _tarred(archive: bytes, limit: int) -> Iterator[Member]:
    reader = zlib.decompressobj(GZIP)
    room = limit + (MOST_MEMBERS + 40) * 2 * BLOCK
    try:
        data = reader.decompress(archive, room)
        if not reader.eof:
            raise BadOutput("the archive is too large, or cut off")
        yield from _entries(data)
    except _FAULTS as error:
        raise BadOutput(f"the archive cannot be read: {str(error)[:200]}") from error


def _entries(data: bytes) -> Iterator[Member]:
    """Yield the members of a tar archive."""
    bodies: dict[str, bytes | None] = {}
    named: dict[str, str] = {}
    at = 0
    while at + BLOCK <= len(data) and (head := data[at : at + BLOCK]).strip(b"\0"):
        if _number(head[148:156]) != sum(head[:148]) + 32 * 8 + sum(head[156:]):
            raise BadOutput("the archive has a damaged header")
        size, kind = _number(head[124:136]), head[156:157]
        body = data[at + BLOCK : at + BLOCK + size]
        if len(body) < size:
            raise BadOutput("the archive is cut off")
        if kind in EXTENDED and size > MOST_EXTENDED:
            raise BadOutput("the archive has an extended header that is too large")
        at += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK
        if kind in EXTENDED:
            key = {b"L": "path", b"K": "linkpath"}
            named |= _records(body) if kind == b"x" else {key[kind]: _word(body)}
            continue
        path = _plain(named.get("path", _path(head)))
        target = _plain(named.get("linkpath", _word(head[157:257])))
        when = named.get("mtime", "").partition(".")[0] or str(_number(head[136:148]))
        named = {}
        if kind in (b"5", b"g"):
            continue
        whole = body if kind in (b"0", b"\0", b"7") else None
        bodies[path] = bodies.get(target) if kind == b"1" else whole
        yield Member(path, bodies[path], int(when) if when.isdecimal() and len(when) < 12 else -1)


def _path(head: bytes) -> str:
    """Return the path in a header of ustar or GNU; only ustar has a prefix."""
    name, prefix = _word(head[:100]), _word(head[345:500])
    return f"{prefix}/{name}" if prefix and head[257:263] == b"ustar\0" else name


def _word(field: bytes) -> str:
    return field.partition(b"\0")[0].decode()


def _number(field: bytes) -> int:
    """Return a number in octal digits, or in base 256 if the first bit is set."""
    if field[0] & 0x80:
        return int.from_bytes(field[-8:], "big")
    digits = field.strip(b" \0") or b"0"
    if not digits.isdigit():  # a size below 0 would lead back
        raise BadOutput("the archive has a header with a damaged number")
    return int(digits, 8)


def _records(body: bytes) -> dict[str, str]:
    """Return the records of an extended header."""
    records = {}
    while body:
        length = body[:8].partition(b" ")[0]
        size = int(length)
        if size <= len(length) or size > len(body):
            raise BadOutput("the archive has a damaged extended header")
        key, _, value = body[len(length) + 1 : size].rstrip(b"\n").partition(b"=")
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        body = body[size:]
    return records
