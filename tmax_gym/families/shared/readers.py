"""Reference programs that read a picture, a sound or a film, as an agent would write them.

Covers exactly what `world.png`, `world.wav` and `world.avi` write, in plain Python without
packages; each text defines one function and is put in front of what a family adds.  Does not
cover other depths, codecs or channels.
"""

from __future__ import annotations

PICTURE = """\
import struct, zlib
def picture(path):
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    step = 3 if colour == 2 else 1
    raw, stride = zlib.decompress(body), 1 + (width * step * depth + 7) // 8
    rows = []
    for y in range(height):
        line = bytearray(raw[y * stride + 1:(y + 1) * stride])
        if raw[y * stride] == 1:
            for i in range(step, len(line)):
                line[i] = (line[i] + line[i - step]) & 255
        rows.append(line)
    def pixel(x, y):
        if depth == 1:
            return 255 * (rows[y][x // 8] >> (7 - x % 8) & 1)
        return rows[y][x] if step == 1 else tuple(rows[y][3 * x:3 * x + 3])
    return width, height, pixel
"""
"""`picture(path)` returns (width, height, pixel), with `pixel(x, y)` gray or (red, green, blue)."""

SOUND = """\
import array, math, wave
def sound(path):
    with wave.open(path) as file:
        return file.getframerate(), array.array("h", file.readframes(file.getnframes()))
def power(part, f, rate):
    c = 2 * math.cos(2 * math.pi * f / rate)
    a = b = 0.0
    for x in part:
        a, b = x + c * a - b, a
    return a * a + b * b - c * a * b
"""
"""`sound(path)` returns (rate, samples); `power` is that of one frequency (Goertzel)."""

FILM = """\
import struct
def film(path):
    data = open(path, "rb").read()
    at = data.index(b"strf") + 8
    width, height, _, depth = struct.unpack("<iiHH", data[at + 4:at + 16])
    at, frames, step = data.index(b"movi") + 4, [], depth // 8
    stride = (width * step + 3) // 4 * 4
    while data[at:at + 4] == b"00db":
        size = struct.unpack("<I", data[at + 4:at + 8])[0]
        frames.append(data[at + 8:at + 8 + size])
        at += 8 + size + size % 2
    def pixel(frame, x, y):
        at = (height - 1 - y) * stride + x * step
        return frame[at] if step == 1 else tuple(frame[at:at + 3][::-1])
    return width, height, frames, pixel
"""
"""`film(path)` returns (width, height, frames, pixel), with `pixel(frame, x, y)`."""
