"""Write deflate, zlib and gzip streams whose bytes do not depend on a zlib version.

Covers stored blocks (any data) and run-length coding with the fixed Huffman tables (pictures).
Does not cover general compression: streams need to be always the same, not as small as possible.
Formats: RFC 1950 (zlib), 1951 (deflate), 1952 (gzip).
"""

from __future__ import annotations

import functools
import re
import struct
import zlib

_ALIKE = re.compile(rb"\0\0\0+")
"""Three bytes or more that equal the one before them, as differences."""
_KNOWN = 4096
"""Cached runs of one byte."""
STORED_MAX = 65535
"""Bytes in one stored block: its length field has 16 bits."""


def stored(data: bytes) -> bytes:
    """Return `data` as deflate blocks without compression."""
    out = bytearray()
    starts = range(0, len(data), STORED_MAX) if data else range(1)
    for start in starts:
        block = data[start : start + STORED_MAX]
        last = start + STORED_MAX >= len(data)
        out += struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF) + block
    return bytes(out)


@functools.cache
def _literals() -> tuple[tuple[int, int], ...]:
    """Return (code, bits) of every literal and length symbol, bits already in stream order."""
    table = []
    for symbol in range(288):
        if symbol < 144:
            code, width = 0x30 + symbol, 8
        elif symbol < 256:
            code, width = 0x190 + symbol - 144, 9
        elif symbol < 280:
            code, width = symbol - 256, 7
        else:
            code, width = 0xC0 + symbol - 280, 8
        # Huffman codes enter the stream from their most significant bit.
        table.append((int(f"{code:0{width}b}"[::-1], 2), width))
    return tuple(table)


@functools.cache
def _digits() -> tuple[str, ...]:
    """Return the bits of every byte on its own, as digits in stream order."""
    return tuple(f"{code:0{width}b}"[::-1] for code, width in _literals()[:256])


@functools.cache
def _run(length: int) -> tuple[int, int]:
    """Return the bits of "repeat the previous byte `length` times", 3 to 258."""
    if length == 258:
        symbol, extra, rest = 285, 0, 0
    elif length < 11:
        symbol, extra, rest = 254 + length, 0, 0
    else:
        extra = (length - 3).bit_length() - 3
        symbol = 261 + 4 * extra + ((length - 3) >> extra) % 4
        rest = (length - 3) & ((1 << extra) - 1)
    code, width = _literals()[symbol]
    # Distance 1 is symbol 0: five zero bits after the length.
    return code | rest << width, width + extra + 5


class _Stretches(dict[bytes, str]):
    """The bits of runs of one byte, as digits in stream order; computed on first use."""

    def __missing__(self, stretch: bytes) -> str:
        if len(self) >= _KNOWN:
            self.clear()
        held, width = _stretch(stretch[0], len(stretch))
        self[stretch] = bits = f"{held:0{width}b}"[::-1]
        return bits


def _stretch(byte: int, length: int) -> tuple[int, int]:
    """Return the bits of one byte `length` times: itself, then repetitions."""
    code, width = _literals()[byte]
    pieces, left = [(code, width)], length - 1
    while left >= 3:
        take = 258 if left >= 261 or left == 258 else min(left, 255)
        pieces.append(_run(take))
        left -= take
    held = total = 0
    for piece, bits in (*pieces, *([(code, width)] * left)):
        held |= piece << total
        total += bits
    return held, total


_STRETCHES = _Stretches()


def runs(data: bytes) -> bytes:
    """Return `data` as one fixed-Huffman block in which only runs of a byte are shortened."""
    size = len(data)
    whole = int.from_bytes(data, "big")
    changes = (whole ^ whole >> 8).to_bytes(size, "big")
    # BFINAL = 1, BTYPE = 01, least significant bit first; symbol 256 ends the block.
    pieces, at, literals = ["110"], 0, _digits()
    for match in _ALIKE.finditer(changes, 1):
        start, end = match.start() - 1, match.end()
        pieces += map(literals.__getitem__, data[at:start])
        pieces.append(_STRETCHES[data[start:end]])
        at = end
    pieces += map(literals.__getitem__, data[at:])
    code, width = _literals()[256]
    pieces.append(f"{code:0{width}b}"[::-1])
    bits = "".join(pieces)
    return int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little")


def zlib_stream(data: bytes, *, compress: bool = False) -> bytes:
    """Return a zlib stream of `data`, of stored blocks unless `compress`."""
    # 0x7801: 32 kB window, no preset dictionary, fastest level.
    body = runs(data) if compress else stored(data)
    return b"\x78\x01" + body + struct.pack(">I", zlib.adler32(data))


def gzip(data: bytes, *, name: str = "", mtime: int = 0, compress: bool = False) -> bytes:
    """Return a gzip member of `data`, of stored blocks unless `compress`."""
    flags = 8 if name else 0
    # Method 8 is deflate; operating system 255 is "unknown".
    head = struct.pack("<4BIBB", 0x1F, 0x8B, 8, flags, mtime, 0, 255)
    title = name.encode("latin-1") + b"\0" if name else b""
    body = runs(data) if compress else stored(data)
    tail = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
    return head + title + body + tail
