"""Write and read PNG pictures whose bytes do not depend on a zlib version.

Covers writing 1-bit and 8-bit gray and RGB, and reading these with every filter.  Does not
cover palettes, alpha, 16 bits or interlacing.  Format: W3C PNG, third edition.
"""

from __future__ import annotations

import struct
import zlib

from tmax_gym.world.deflate import zlib_stream
from tmax_gym.world.media.raster import Mode, Raster

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Mode to (bit depth, colour type).
_DIGITS = b"0" + b"1" * 255
"""Pixels of one bit, as digits."""
_KINDS: dict[Mode, tuple[int, int]] = {"1": (1, 0), "L": (8, 0), "RGB": (8, 2)}


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _scanline(raster: Raster, y: int) -> bytes:
    """Return one row with its filter byte.

    RGB rows are stored as differences to the pixel on the left (filter 1): an even area becomes
    a run of zeros, which `deflate.runs` shortens.
    """
    row = raster.row(y)
    if raster.mode == "RGB":
        return b"\1" + _differences(row)
    if raster.mode == "L":
        return b"\0" + row
    bits = row.translate(_DIGITS)
    count = (len(bits) + 7) // 8
    return b"\0" + int(bits.ljust(8 * count, b"0"), 2).to_bytes(count, "big")


def _differences(row: bytes) -> bytes:
    """Return every byte minus the third one before it, modulo 256.

    All bytes are subtracted at once: the lower seven bits with the eighth bit set, which keeps
    borrows inside the byte; the eighth bit is corrected afterwards.
    """
    size = len(row)
    eighths = int.from_bytes(b"\x80" * size, "big")
    own = int.from_bytes(row, "big")
    before = own >> 24
    less = (own | eighths) - (before & ~eighths)
    return (less ^ ((own ^ ~before) & eighths)).to_bytes(size, "big")


def encode(raster: Raster, *, texts: dict[str, str] | None = None) -> bytes:
    """Return the picture as a file; `texts` become Latin-1 tEXt chunks."""
    depth, kind = _KINDS[raster.mode]
    head = struct.pack(">IIBBBBB", raster.width, raster.height, depth, kind, 0, 0, 0)
    body = b"".join(_scanline(raster, y) for y in range(raster.height))
    notes = [
        _chunk(b"tEXt", key.encode("latin-1") + b"\0" + value.encode("latin-1"))
        for key, value in sorted((texts or {}).items())
    ]
    data = _chunk(b"IDAT", zlib_stream(body, compress=True))
    return _SIGNATURE + _chunk(b"IHDR", head) + b"".join(notes) + data + _chunk(b"IEND", b"")


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    if not data.startswith(_SIGNATURE):
        raise ValueError("this is no PNG: the signature is missing")
    at, out = 8, []
    while at + 12 <= len(data):
        size = struct.unpack_from(">I", data, at)[0]
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if data[at + 8 + size : at + 12 + size] != struct.pack(">I", zlib.crc32(kind + body)):
            raise ValueError(f"the {kind!r} chunk at byte {at} is cut off or damaged")
        out.append((kind, body))
        at += 12 + size
    return out


def _predicted(kind: int, left: int, above: int, *, corner: int) -> int:
    """Return what a filter adds to a byte."""
    if kind == 4:
        guess = left + above - corner
        order = [(abs(guess - v), i, v) for i, v in enumerate((left, above, corner))]
        return min(order)[2]
    return (0, left, above, (left + above) // 2)[kind]


def _unfiltered(line: bytes, above: bytes, step: int) -> bytes:
    kind, row = line[0], bytearray(line[1:])
    if kind == 0:
        return bytes(row)
    for i in range(len(row)):
        left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
        row[i] = (row[i] + _predicted(kind, left, above[i], corner=corner)) & 255
    return bytes(row)


def decode(data: bytes) -> Raster:
    """Return the picture in a file of this module or of a similar tool."""
    chunks = _chunks(data)
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    modes = {value: mode for mode, value in _KINDS.items()}
    if (depth, kind) not in modes or rest != [0, 0, 0]:
        raise ValueError(f"depth {depth}, colour type {kind}, {rest}: only plain gray and RGB")
    mode = modes[depth, kind]
    raw = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    step = 3 if mode == "RGB" else 1
    stride = (width * step * depth + 7) // 8
    raster, above = Raster(width, height, mode=mode), bytes(stride)
    pixels = bytearray()
    for y in range(height):
        above = _unfiltered(raw[y * (stride + 1) : (y + 1) * (stride + 1)], above, step)
        if mode == "1":
            bits = f"{int.from_bytes(above, 'big'):0{8 * stride}b}"[:width]
            pixels += bytes(255 if bit == "1" else 0 for bit in bits)
        else:
            pixels += above
    raster.pixels = pixels
    return raster
