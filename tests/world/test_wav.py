"""Sounds are decoded by the methods an agent would use: wave, Goertzel, timing, zero crossings."""

import cmath
import io
import math
import wave
import zlib
from itertools import pairwise

import pytest

from tmax_gym.world.media.wav import (
    KEYPAD,
    Voice,
    _sines,
    dtmf,
    frames,
    fsk,
    glide,
    mix,
    silence,
    tone,
    wav,
)

VOICE = Voice()


def power(samples, frequency, rate=8000):
    """One bin of a Fourier transform, in floating point."""
    turn = -2j * math.pi * frequency / rate
    return abs(sum(s * cmath.exp(turn * n) for n, s in enumerate(samples))) / len(samples)


def opened(data):
    with wave.open(io.BytesIO(data)) as file:
        raw = file.readframes(file.getnframes())
        values = [
            int.from_bytes(raw[i : i + 2], "little", signed=True) for i in range(0, len(raw), 2)
        ]
        return file.getparams(), values


def test_the_sine_table_is_the_rounded_sine():
    expected = [round(32767 * math.sin(2 * math.pi * i / 1024)) for i in range(1024)]
    assert list(_sines()) == expected


def test_a_file_opens_with_the_same_samples():
    samples = [*tone(Voice(rate=11025), (440,), 50), -32768, 32767, 0]
    params, seen = opened(wav(Voice(rate=11025), samples))
    assert (params.nchannels, params.sampwidth, params.framerate) == (1, 2, 11025)
    assert seen == samples


def test_a_tone_has_its_frequency_and_level():
    samples = tone(Voice(level=500), (1000,), 400)
    assert abs(power(samples, 1000) * 2 / (32767 * 0.5) - 1) < 0.02
    assert power(samples, 1200) < power(samples, 1000) / 50


def test_touch_tones_decode_to_their_keys():
    keys = "0123456789*#ABCD"
    _, samples = opened(wav(VOICE, dtmf(VOICE, keys, ms=60, gap=40)))
    read = ""
    for place in range(len(keys)):
        part = samples[place * 800 : place * 800 + 480]
        row = max((697, 770, 852, 941), key=lambda f: power(part, f))
        column = max((1209, 1336, 1477, 1633), key=lambda f: power(part, f))
        pad = {697: "123A", 770: "456B", 852: "789C", 941: "*0#D"}
        read += pad[row][(1209, 1336, 1477, 1633).index(column)]
    assert read == keys
    assert sorted(keys) == sorted(KEYPAD)


def test_keyed_frequencies_decode_by_zero_crossings():
    data = b"Tide\x00\xff"
    bits = frames(data, parity="even")
    samples = fsk(VOICE, bits, baud=300, tones=(1000, 2000))
    read = []
    for place in range(len(bits)):
        start, end = round(place * 8000 / 300), round((place + 1) * 8000 / 300)
        part = samples[start:end]
        read.append(int(power(part, 2000) > power(part, 1000)))
    assert read == bits
    chars = [read[i : i + 11] for i in range(0, len(read), 11)]
    assert all(c[0] == 0 and c[10] == 1 and sum(c[1:10]) % 2 == 0 for c in chars)
    assert bytes(sum(bit << i for i, bit in enumerate(c[1:9])) for c in chars) == data


def test_mixing_clips():
    assert mix([30000, -30000, 5], [10000, -10000]) == [32767, -32768, 5]


def test_golden_bytes_of_a_sound_stay():
    samples = dtmf(VOICE, "1#") + silence(VOICE, 10)
    assert zlib.crc32(wav(VOICE, samples)) == 288768547


def test_what_has_no_code_is_refused():
    with pytest.raises(ValueError):
        dtmf(VOICE, "x")


def test_a_glide_passes_its_mean_frequency_in_the_middle():
    """Counted by upward zero crossings: 400 to 600 Hz in two seconds is 1000 periods."""
    sound = glide(Voice(8000, 500), (400_000, 600_000), 2000)
    ups = [n for n, (a, b) in enumerate(pairwise(sound)) if a < 0 <= b]
    assert abs(len(ups) - 1000) <= 1
    # The first second goes from 400 to 500 Hz: 450 periods.
    assert abs(sum(n < 8000 for n in ups) - 450) <= 1
