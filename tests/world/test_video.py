"""Films are taken apart by readers written for the tests, and by ffmpeg where there is one."""

import shutil
import struct
import subprocess
import zlib

import pytest

from tmax_gym.world.media.avi import avi
from tmax_gym.world.media.raster import Raster


def film(mode="L", count=7):
    """A lamp that blinks the bits of a number, beside a moving bar."""
    out = []
    for n in range(count):
        frame = Raster(33, 20, mode=mode, background=(40, 80, 120) if mode == "RGB" else 60)
        lit = (250, 20, 10) if mode == "RGB" else 250
        frame.rect(2, 2, size=(5, 5), colour=lit if 0b1011001 >> n & 1 else 0)
        frame.rect(4 * n, 14, size=(3, 4), colour=200)
        out.append(frame)
    return out


def riff(data, at=0):
    """Yield (path, body) of every chunk that is no list."""
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        body = data[at + 8 : at + 8 + size]
        assert len(body) == size
        if kind in (b"RIFF", b"LIST"):
            yield from ((body[:4] + b"/" + path, b) for path, b in riff(body, 4))
        else:
            yield kind, body
        at += 8 + size + size % 2


@pytest.mark.parametrize("mode", ["1", "L", "RGB"])
def test_an_avi_gives_back_every_pixel(mode):
    frames = film(mode)
    chunks = list(riff(avi(frames, fps=5)))
    form = next(body for path, body in chunks if path.endswith(b"strf"))
    width, height, _, depth = struct.unpack_from("<iiHH", form, 4)
    assert (width, height, depth) == (33, 20, 24 if mode == "RGB" else 8)
    bodies = [body for path, body in chunks if path.endswith(b"movi/00db")]
    stride = -(-width * depth // 32) * 4
    for frame, body in zip(frames, bodies, strict=True):
        for x, y in ((0, 0), (3, 3), (32, 19), (4, 15), (13, 14)):
            at = (height - 1 - y) * stride + x * depth // 8
            seen = body[at] if depth == 8 else tuple(body[at : at + 3][::-1])
            assert seen == frame.get(x, y)


def test_the_index_of_an_avi_points_to_its_frames():
    data = avi(film())
    movi = data.index(b"movi")
    index = dict(riff(data))[b"AVI /idx1"]
    for kind, flags, offset, size in struct.iter_unpack("<4sIII", index):
        assert (kind, flags) == (b"00db", 16)
        assert data[movi + offset :].startswith(b"00db" + struct.pack("<I", size))


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_ffmpeg_decodes_every_frame(mode, tmp_path):
    frames = film(mode)
    (tmp_path / "film").write_bytes(avi(frames, fps=5))
    command = ["ffmpeg", "-v", "error", "-i", tmp_path / "film", "-f", "rawvideo"]
    # A palette turned to ffmpeg's `gray` is off by one here and there; in colour it is exact.
    done = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True)
    assert done.stderr == b""
    pixels = b"".join(bytes(frame.pixels) for frame in frames)
    assert done.stdout == (pixels if mode == "RGB" else bytes(v for v in pixels for _ in "rgb"))


@pytest.mark.skipif(shutil.which("file") is None, reason="needs file(1)")
def test_file_knows_the_films(tmp_path):
    (tmp_path / "film").write_bytes(avi(film(), fps=5))
    done = subprocess.run(["file", "-b", tmp_path / "film"], capture_output=True, text=True)
    assert done.stdout.startswith("RIFF (little-endian) data, AVI, 33 x 20, 5.00 fps")


def test_a_film_of_unequal_frames_is_refused():
    with pytest.raises(ValueError, match="frame 1 is 3x2"):
        avi([Raster(2, 2), Raster(3, 2)])
    with pytest.raises(ValueError, match="at least one"):
        avi([])


def test_the_golden_bytes_of_a_film_stay():
    assert zlib.crc32(avi(film())) == 1498989880
