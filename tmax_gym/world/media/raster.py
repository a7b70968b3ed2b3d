"""Draw pictures in memory: gray or RGB pixels, and a few shapes.

Covers pixels, rectangles, lines, text in the package's own font and seven-segment digits, all in
integers.  Does not cover antialiasing or blending, because fixtures must be read back exactly.
"""

from __future__ import annotations

import functools
import re
from typing import Literal, NamedTuple

from tmax_gym.world.media.font import HEIGHT, WIDTH, glyph

Mode = Literal["1", "L", "RGB"]
Colour = int | tuple[int, int, int]

# Segments a to g of each digit, the most significant bit of seven first.
_SEGMENTS = (0x7E, 0x30, 0x6D, 0x79, 0x33, 0x5B, 0x5F, 0x70, 0x7F, 0x7B)
# Width and height of all seven, in units.
_DIGIT = (5, 11)
# Left, top, width and height of the segments a to g, in units.
_PLACES = (
    *((1, 0, 3, 1), (4, 1, 1, 4), (4, 6, 1, 4), (1, 10, 3, 1)),
    *((0, 6, 1, 4), (0, 1, 1, 4), (1, 5, 3, 1)),
)


@functools.cache
def _stretches(character: str) -> tuple[tuple[int, int, int, int], ...]:
    """Return left, top, width and height of every stretch of set pixels of a character."""
    rows = (f"{bits:0{WIDTH}b}" for bits in glyph(character))
    return tuple(
        (match.start(), row, len(match[0]), 1)
        for row, bits in enumerate(rows)
        for match in re.finditer("1+", bits)
    )


@functools.cache
def _lit(character: str) -> tuple[tuple[int, int, int, int], ...]:
    """Return the places of the segments that a digit lights; none for other characters."""
    lit = _SEGMENTS[int(character)] if character in "0123456789" else 0
    return tuple(segment for n, segment in enumerate(_PLACES) if lit >> (6 - n) & 1)


class _Shape(NamedTuple):
    """A character, drawn for pictures of one width."""

    character: str
    digital: bool
    """Whether it has seven segments instead of the font's pixels."""
    unit: int
    """Pixels of a unit, both ways."""
    width: int
    """Pixels of a row of the picture."""

    @property
    def boxes(self) -> tuple[tuple[int, int, int, int], ...]:
        """Return its rectangles, in units."""
        return _lit(self.character) if self.digital else _stretches(self.character)


@functools.lru_cache(maxsize=1024)
def _lines(shape: _Shape) -> tuple[tuple[int, int], ...]:
    """Return (distance from the upper left pixel, length) of every line of pixels of a shape."""
    unit = shape.unit
    return tuple(
        (line * shape.width + left * unit, width * unit)
        for left, top, width, height in shape.boxes
        for line in range(top * unit, (top + height) * unit)
    )


class Raster:
    """A picture; drawing outside its bounds is cut off.

    >>> r = Raster(8, 2, background=9)
    >>> r.rect(1, 0, size=(3, 1), colour=200)
    >>> r.get(3, 0), r.get(4, 0)
    (200, 9)
    """

    __slots__ = ("height", "mode", "pixels", "width")

    def __init__(
        self, width: int, height: int, *, mode: Mode = "L", background: Colour = 255
    ) -> None:
        if width < 1 or height < 1:
            raise ValueError(f"a picture of {width}x{height} has no pixels")
        self.width, self.height, self.mode = width, height, mode
        self.pixels = bytearray(self._value(background) * (width * height))

    @property
    def depth(self) -> int:
        """Return the bytes of one pixel here; mode "1" keeps 0 or 255 in one."""
        return 3 if self.mode == "RGB" else 1

    def _value(self, colour: Colour) -> bytes:
        if self.mode == "RGB":
            return bytes((colour,) * 3 if isinstance(colour, int) else colour)
        if not isinstance(colour, int):
            raise ValueError(f"{colour} is not a gray value; use mode RGB for colours")
        return bytes([255 if colour >= 128 else 0] if self.mode == "1" else [colour])

    def set(self, x: int, y: int, colour: Colour = 0) -> None:
        """Set one pixel."""
        if 0 <= x < self.width and 0 <= y < self.height:
            at = (y * self.width + x) * self.depth
            self.pixels[at : at + self.depth] = self._value(colour)

    def get(self, x: int, y: int) -> Colour:
        """Return one pixel."""
        at = (y * self.width + x) * self.depth
        part = self.pixels[at : at + self.depth]
        return part[0] if self.depth == 1 else (part[0], part[1], part[2])

    def row(self, y: int) -> bytes:
        """Return the bytes of one row."""
        stride = self.width * self.depth
        return bytes(self.pixels[y * stride : (y + 1) * stride])

    def rect(self, x: int, y: int, *, size: tuple[int, int], colour: Colour = 0) -> None:
        """Fill a rectangle of (width, height) whose upper left corner is at x, y."""
        left, right = max(x, 0), min(x + size[0], self.width)
        top, bottom = max(y, 0), min(y + size[1], self.height)
        if left >= right or top >= bottom:
            return
        value = self._value(colour)
        depth, filled = len(value), value * (right - left)
        pixels, stride = self.pixels, self.width * depth
        first = top * stride + left * depth
        if right - left == self.width:
            pixels[first : first + stride * (bottom - top)] = filled * (bottom - top)
            return
        length = len(filled)
        for at in range(first, first + stride * (bottom - top), stride):
            pixels[at : at + length] = filled

    def frame(self, x: int, y: int, *, size: tuple[int, int], colour: Colour = 0) -> None:
        """Draw the one-pixel outline of a rectangle."""
        width, height = size
        self.rect(x, y, size=(width, 1), colour=colour)
        self.rect(x, y + height - 1, size=(width, 1), colour=colour)
        self.rect(x, y, size=(1, height), colour=colour)
        self.rect(x + width - 1, y, size=(1, height), colour=colour)

    def line(self, start: tuple[int, int], end: tuple[int, int], *, colour: Colour = 0) -> None:
        """Draw a line between two pixels, both included (Bresenham 1965)."""
        (x, y), (x1, y1) = start, end
        dx, dy = abs(x1 - x), -abs(y1 - y)
        sx, sy = (1 if x < x1 else -1), (1 if y < y1 else -1)
        error = dx + dy
        while True:
            self.set(x, y, colour)
            if (x, y) == (x1, y1):
                return
            twice = 2 * error
            if twice >= dy:
                error, x = error + dy, x + sx
            if twice <= dx:
                error, y = error + dx, y + sy

    def text(self, x: int, y: int, text: str, *, scale: int = 1, colour: Colour = 0) -> int:
        """Write text whose upper left corner is at x, y; return the x behind it."""
        left, top = x, y
        for character in text:
            if character == "\n":
                left, top = x, top + (HEIGHT + 2) * scale
                continue
            self._draw(left, top, _Shape(character, False, scale, self.width), colour=colour)
            left += (WIDTH + 1) * scale
        return left

    def segments(self, x: int, y: int, digits: str, *, unit: int = 2, colour: Colour = 0) -> int:
        """Write digits in seven segments, 6 by 11 units each; return the x behind them.

        A segment is one unit thick.  Other characters become blanks.
        """
        for character in digits:
            self._draw(x, y, _Shape(character, True, unit, self.width), colour=colour)
            x += 6 * unit
        return x

    def _draw(self, x: int, y: int, shape: _Shape, *, colour: Colour) -> None:
        """Draw a shape whose upper left corner is at x, y."""
        unit, (wide, high) = shape.unit, _DIGIT if shape.digital else (WIDTH, HEIGHT)
        inside = x + wide * unit <= self.width and y + high * unit <= self.height
        if not (inside and x >= 0 and y >= 0):
            for left, top, width, height in shape.boxes:
                size = (width * unit, height * unit)
                self.rect(x + left * unit, y + top * unit, size=size, colour=colour)
            return
        value, pixels = self._value(colour), self.pixels
        depth, corner = len(value), y * self.width + x
        for distance, length in _lines(shape):
            at = (corner + distance) * depth
            pixels[at : at + length * depth] = value * length
