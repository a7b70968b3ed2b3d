"""MP4 video whose frames are PNG pictures.

Covers one video track with a constant frame rate and key frames only, as ffmpeg, ffprobe and
OpenCV read it.  Does not cover sound, fragments or inter-frame coding: an encoder's bytes change
from build to build, these do not.  Format: ISO/IEC 14496-12; the sample entry `png ` is
QuickTime's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tmax_gym.world.avi import same_size
from tmax_gym.world.png import encode
from tmax_gym.world.raster import Raster

# 16.16 and 2.30 fixed point: the transformation that leaves a picture as it is.
_MATRIX = struct.pack(">9i", 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
# "und" in three groups of five bits.
_UNDETERMINED = 0x55C4


def _box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def _full(kind: bytes, *parts: bytes, flags: int = 0) -> bytes:
    return _box(kind, struct.pack(">I", flags), *parts)


def _sample_entry(first: Raster) -> bytes:
    name = b"\x03PNG" + bytes(28)
    sizes = struct.pack(">HHIIIH", first.width, first.height, 72 << 16, 72 << 16, 0, 1)
    # Depth 24, and no colour table.
    head = bytes(6) + struct.pack(">H", 1) + bytes(16)
    return _box(b"png ", head, sizes, name, struct.pack(">Hh", 24, -1))


def _table(first: Raster, pictures: Sequence[bytes], offset: int) -> bytes:
    """Return the sample table: all frames form one chunk at `offset`."""
    count = len(pictures)
    return _box(
        b"stbl",
        _full(b"stsd", struct.pack(">I", 1), _sample_entry(first)),
        _full(b"stts", struct.pack(">III", 1, count, 1)),
        _full(b"stsc", struct.pack(">IIII", 1, 1, count, 1)),
        _full(b"stsz", struct.pack(f">II{count}I", 0, count, *map(len, pictures))),
        _full(b"stco", struct.pack(">II", 1, offset)),
    )


def _movie(first: Raster, pictures: Sequence[bytes], *, fps: int, offset: int) -> bytes:
    count = len(pictures)
    times = struct.pack(">IIII", 0, 0, fps, count)
    movie = _full(
        b"mvhd", times, struct.pack(">IHH8x", 1 << 16, 1 << 8, 0), _MATRIX, bytes(24), b"\0\0\0\2"
    )
    shown = struct.pack(">II", first.width << 16, first.height << 16)
    # Flags 7: enabled, in the movie, in the preview.
    track = _full(
        b"tkhd", struct.pack(">IIIII", 0, 0, 1, 0, count), bytes(16), _MATRIX, shown, flags=7
    )
    media = _full(b"mdhd", times, struct.pack(">HH", _UNDETERMINED, 0))
    handler = _full(b"hdlr", bytes(4), b"vide", bytes(12), b"Video\0")
    data = _box(b"dinf", _full(b"dref", struct.pack(">I", 1), _full(b"url ", flags=1)))
    info = _box(b"minf", _full(b"vmhd", bytes(8), flags=1), data, _table(first, pictures, offset))
    return _box(b"moov", movie, _box(b"trak", track, _box(b"mdia", media, handler, info)))


def mp4(frames: Sequence[Raster], *, fps: int = 10) -> bytes:
    """Return the film."""
    first = same_size(frames)
    pictures = [encode(frame) for frame in frames]
    brand = _box(b"ftyp", b"isom", struct.pack(">I", 512), b"isomiso2mp41qt  ")
    # The size of the tables does not depend on the offset that they hold.
    start = len(brand) + len(_movie(first, pictures, fps=fps, offset=0)) + 8
    tables = _movie(first, pictures, fps=fps, offset=start)
    return brand + tables + _box(b"mdat", *pictures)
