"""Pictures: read back by independent decoders, and legible."""

import itertools
import shutil
import struct
import subprocess
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.rng import Rng
from tmax_gym.world.media.font import glyph
from tmax_gym.world.media.png import decode, encode
from tmax_gym.world.media.raster import Raster

MODES = st.sampled_from(["1", "L", "RGB"])


@given(MODES, st.integers(1, 19), st.integers(1, 9), st.randoms(use_true_random=False))
def test_any_picture_comes_back(mode, width, height, chance):
    raster = Raster(width, height, mode=mode)
    levels = (0, 255) if mode == "1" else range(256)
    raster.pixels = bytearray(chance.choice(levels) for _ in raster.pixels)
    again = decode(encode(raster))
    assert (again.width, again.height, again.mode) == (width, height, mode)
    assert again.pixels == raster.pixels


def test_the_file_follows_the_format_byte_by_byte():
    """Signature, IHDR, IDAT, IEND as the recommendation lays them out; zlib unpacks the data."""
    raster = Raster(10, 2, mode="1")
    raster.set(0, 0, 0)
    raster.set(9, 1, 0)
    data = encode(raster)
    assert data[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    assert struct.unpack(">IIBBBBB", data[16:29]) == (10, 2, 1, 0, 0, 0, 0)
    size = struct.unpack(">I", data[33:37])[0]
    assert data[37:41] == b"IDAT"
    assert zlib.decompress(data[41 : 41 + size]) == b"\0\x7f\xc0\0\xff\x80"
    assert data[-12:] == b"\0\0\0\0IEND" + struct.pack(">I", zlib.crc32(b"IEND"))


@pytest.mark.skipif(shutil.which("file") is None, reason="needs file(1)")
def test_file_knows_the_pictures(tmp_path):
    for mode, description in (
        ("1", "1-bit grayscale"),
        ("L", "8-bit grayscale"),
        ("RGB", "8-bit/color RGB"),
    ):
        path = tmp_path / "p"
        path.write_bytes(encode(Raster(33, 7, mode=mode)))
        out = subprocess.run(["file", "-b", path], capture_output=True, text=True).stdout
        assert out.startswith(f"PNG image data, 33 x 7, {description}")


def test_pillow_sees_the_same_pixels():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed here")
    import io

    rng = Rng("pillow")
    for mode in ("1", "L", "RGB"):
        raster = Raster(50, 20, mode=mode)
        colour = (200, 30, 40) if mode == "RGB" else 0
        raster.line((3, 1), (44, 18), colour=colour)
        raster.text(2, 8, rng.secret(6), colour=colour)
        with image.open(io.BytesIO(encode(raster, texts={"Comment": "x"}))) as seen:
            assert seen.mode == mode
            assert seen.convert("L" if mode == "1" else mode).tobytes() == raster.pixels


def test_damage_is_noticed():
    data = bytearray(encode(Raster(4, 4)))
    data[45] ^= 1
    with pytest.raises(ValueError, match="IDAT"):
        decode(bytes(data))


def test_any_two_glyphs_differ_in_two_pixels_or_more():
    drawn = {chr(c): glyph(chr(c)) for c in range(32, 127)}
    for (a, one), (b, two) in itertools.combinations(drawn.items(), 2):
        differ = sum((x ^ y).bit_count() for x, y in zip(one, two, strict=True))
        assert differ >= 2, (a, b)


def test_written_text_can_be_read_back_pixel_by_pixel():
    """The oracle of many picture tasks: cut the grid, compare with the font."""
    written = "".join(chr(c) for c in range(32, 127))
    raster = Raster(6 * 3 * len(written), 7 * 3)
    assert raster.text(0, 0, written, scale=3) == raster.width
    known = {glyph(c): c for c in written}
    read = ""
    for place in range(len(written)):
        rows = []
        for y in range(7):
            bits = [raster.get((place * 6 + x) * 3 + 1, y * 3 + 1) == 0 for x in range(5)]
            rows.append(sum(bit << (4 - x) for x, bit in enumerate(bits)))
        read += known[tuple(rows)]
    assert read == written


def test_segments_show_digits_that_can_be_told_apart():
    pictures = set()
    for digit in "0123456789":
        raster = Raster(6, 11)
        assert raster.segments(0, 0, digit, unit=1) == 6
        pictures.add(bytes(raster.pixels))
    assert len(pictures) == 10


def test_drawing_outside_is_cut_off():
    raster = Raster(5, 5)
    raster.rect(-3, -3, size=(5, 5), colour=7)
    raster.rect(9, 9, size=(2, 2), colour=7)
    raster.line((-2, 4), (7, 4), colour=7)
    raster.text(3, 3, "W")
    assert [raster.get(1, 1), raster.get(2, 2), raster.get(0, 4)] == [7, 255, 7]
    assert len(raster.pixels) == 25


def test_a_line_has_both_its_ends_and_no_gap():
    raster = Raster(30, 30)
    raster.line((28, 3), (1, 17))
    xs = {x for x in range(30) for y in range(30) if raster.get(x, y) == 0}
    assert xs == set(range(1, 29))
    assert raster.get(28, 3) == raster.get(1, 17) == 0


def test_golden_bytes_of_a_picture_stay():
    raster = Raster(40, 12, mode="RGB", background=(250, 250, 240))
    raster.text(2, 2, "Tide 7", colour=(0, 60, 90))
    assert zlib.crc32(encode(raster)) == 3404024801
