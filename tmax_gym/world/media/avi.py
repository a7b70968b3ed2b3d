"""Write uncompressed AVI video, for tasks whose image has no ffmpeg.

Covers 8-bit gray and 24-bit colour frames of equal size at a whole frame rate, which a few lines of
any language can read.  Does not cover sound, compression or files over 1 GiB.
Format: Microsoft, "AVI RIFF File Reference"; the frames are device-independent bitmaps, stored
from the bottom row up, in blue-green-red order, rows padded to four bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tmax_gym.world.media.raster import Raster


def _chunk(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def _list(kind: bytes, body: bytes) -> bytes:
    return _chunk(b"LIST", kind + body)


def _bitmap(frame: Raster) -> bytes:
    pixels, stride = bytes(frame.pixels), frame.width * frame.depth
    if frame.mode == "RGB":
        turned = bytearray(len(pixels))
        turned[0::3], turned[1::3], turned[2::3] = pixels[2::3], pixels[1::3], pixels[0::3]
        pixels = bytes(turned)
    rows = [pixels[at : at + stride] for at in range(len(pixels) - stride, -1, -stride)]
    padding = bytes(-stride % 4)
    return padding.join(rows) + padding


def same_size(frames: Sequence[Raster]) -> Raster:
    """Return the first frame; refuse films without frames or with unequal ones."""
    if not frames:
        raise ValueError("a film needs at least one frame")
    first = frames[0]
    for index, frame in enumerate(frames):
        if (frame.width, frame.height, frame.mode) != (first.width, first.height, first.mode):
            raise ValueError(
                f"frame {index} is {frame.width}x{frame.height} {frame.mode}, "
                f"frame 0 is {first.width}x{first.height} {first.mode}"
            )
    return first


def avi(frames: Sequence[Raster], *, fps: int = 10) -> bytes:
    """Return the film."""
    first = same_size(frames)
    bitmaps = [_bitmap(frame) for frame in frames]
    size, depth = len(bitmaps[0]), 8 * first.depth
    # Flag 0x10: the file has an index.
    head = struct.pack("<14I", 1_000_000 // fps, size * fps, 0, 0x10, len(frames), 0, 1, size,
                       first.width, first.height, 0, 0, 0, 0)  # fmt: skip
    stream = b"vidsDIB " + struct.pack(
        "<IHHIIIIIIII4H", 0, 0, 0, 0, 1, fps, 0, len(frames), size, 0xFFFFFFFF, 0,
        0, 0, first.width, first.height)  # fmt: skip
    palette = b"" if depth == 24 else b"".join(bytes((v, v, v, 0)) for v in range(256))
    form = struct.pack("<IiiHHIIiiII", 40, first.width, first.height, 1, depth, 0, size, 0, 0,
                       len(palette) // 4, 0)  # fmt: skip
    stream_list = _list(b"strl", _chunk(b"strh", stream) + _chunk(b"strf", form + palette))
    header = _list(b"hdrl", _chunk(b"avih", head) + stream_list)
    movie = _list(b"movi", b"".join(_chunk(b"00db", bitmap) for bitmap in bitmaps))
    # Offsets count from the word "movi"; 0x10 marks a key frame.  Bitmaps have an even size.
    entries = (
        b"00db" + struct.pack("<III", 0x10, 4 + index * (size + 8), size)
        for index in range(len(frames))
    )
    return _chunk(b"RIFF", b"AVI " + header + movie + _chunk(b"idx1", b"".join(entries)))
