"""Write archives and containers with fixed bytes: tar, zip and openssl's password format.

Covers files, directories and symbolic links; time stamps, owners and modes come from the nodes.
Does not cover compression beyond stored blocks (`deflate.gzip` wraps a tar), names over the
formats' limits, or ZipCrypto and 7z, whose tools mix in random bytes.
"""

from __future__ import annotations

import hashlib
import struct
import time
import zlib
from collections.abc import Iterable

from tmax_gym.nodes import Node
from tmax_gym.world.aes import encrypt_cbc

# POSIX.1-1988 ustar: type flags of the three kinds of nodes in worlds.
_TYPES = {"file": b"0", "link": b"2", "dir": b"5"}
_BLOCK = 512
# GNU tar writes records of 20 blocks; readers expect no less.
_RECORD = 20 * _BLOCK
# The first second that the DOS time of a zip member can hold: 1980-01-01 00:00:00 UTC.
_DOS_EPOCH = 315532800


def _member(node: Node) -> tuple[str, bytes]:
    """Return the relative name of a node and its content."""
    if node.kind not in _TYPES:
        raise ValueError(f"{node.path}: an archive cannot hold a node of kind {node.kind!r}")
    name = node.path.strip("/") + ("/" if node.kind == "dir" else "")
    return name, (node.data or b"") if node.kind == "file" else b""


def _split(name: bytes) -> tuple[bytes, bytes]:
    """Return (prefix, name) of a ustar header, whose fields hold 155 and 100 bytes."""
    if len(name) <= 100:
        return b"", name
    cut = name.find(b"/", len(name) - 101, 156)
    if cut <= 0:
        raise ValueError(f"{name!r} has {len(name)} bytes and does not fit a ustar header")
    return name[:cut], name[cut + 1 :]


def _header(node: Node, name: str, size: int) -> bytes:
    prefix, short = _split(name.encode())
    target = node.target.encode()
    if len(target) > 100:
        raise ValueError(f"{node.path}: the link target {node.target!r} is over 100 bytes")
    numbers = b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (
        node.mode,
        node.uid,
        node.gid,
        size,
        node.mtime,
    )
    owner = b"root" if node.uid == 0 else b""
    head = short.ljust(100, b"\0") + numbers + b" " * 8 + _TYPES[node.kind]
    head += target.ljust(100, b"\0") + b"ustar\x0000" + owner.ljust(32, b"\0") * 2
    head += b"0000000\0" * 2 + prefix.ljust(155, b"\0") + bytes(12)
    return head[:148] + b"%06o\0 " % sum(head) + head[156:]


def tar(nodes: Iterable[Node]) -> bytes:
    """Return a ustar archive of the nodes in the order of their paths."""
    out = bytearray()
    for node in sorted(nodes, key=lambda n: n.path):
        name, body = _member(node)
        out += _header(node, name, len(body)) + body + bytes(-len(body) % _BLOCK)
    out += bytes(2 * _BLOCK)
    return bytes(out + bytes(-len(out) % _RECORD))


def zip_archive(nodes: Iterable[Node], *, comment: str = "") -> bytes:
    """Return a zip archive with stored members, as made by a Unix tool."""
    out, central, count = bytearray(), bytearray(), 0
    for node in sorted(nodes, key=lambda n: n.path):
        name, body = _member(node)
        kind = {"file": 0o100000, "link": 0o120000, "dir": 0o040000}[node.kind]
        body = node.target.encode() if node.kind == "link" else body
        t = time.gmtime(max(node.mtime, _DOS_EPOCH))
        clock = t.tm_hour << 11 | t.tm_min << 5 | t.tm_sec // 2
        date = (t.tm_year - 1980) << 9 | t.tm_mon << 5 | t.tm_mday
        raw = name.encode()
        # Version 2.0; bit 11: the name is UTF-8; method 0: stored.
        size = len(body)
        shared = struct.pack(
            "<5H3I2H", 20, 1 << 11, 0, clock, date, zlib.crc32(body), size, size, len(raw), 0
        )
        attributes = (kind | node.mode) << 16 | (0x10 if node.kind == "dir" else 0)
        central += b"PK\x01\x02" + struct.pack("<H", 3 << 8 | 20) + shared
        central += struct.pack("<3H2I", 0, 0, 0, attributes, len(out)) + raw
        out += b"PK\x03\x04" + shared + raw + body
        count += 1
    note = comment.encode()
    tail = struct.pack("<4H2IH", 0, 0, count, count, len(central), len(out), len(note))
    return bytes(out + central + b"PK\x05\x06" + tail + note)


def encrypted(data: bytes, password: str, *, salt: bytes, iterations: int) -> bytes:
    """Return the output of `openssl enc -aes-256-cbc -pbkdf2 -iter N -pass pass:…`.

    The 8 bytes of `salt` are given, not random, so that the container is always the same.
    """
    if len(salt) != 8:
        raise ValueError(f"openssl's salt has 8 bytes, not {len(salt)}")
    key_iv = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations, 48)
    return b"Salted__" + salt + encrypt_cbc(data, key_iv[:32], key_iv[32:])
