"""Synthesise sound as 16-bit PCM, with integers alone.

Covers tones and mixtures, silence, touch tones, frequency-shift keying, and the mono WAV file
around them.  An oscillator is a 32-bit phase and a table of 1024 sines, so no
sample depends on a floating-point library.  Does not cover speech, stereo or compression.
"""

from __future__ import annotations

import functools
import operator
import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

Samples = list[int]
"""Signed 16-bit samples."""

_PEAK = 32767
_TABLE_BITS = 10
# pi * 2**62, rounded: pi to 18 decimal places is more than the table can show.
_PI_62 = 14488038916154245685

# ITU-T Q.23: one row and one column frequency for every key.
_ROWS, _COLUMNS = (697, 770, 852, 941), (1209, 1336, 1477, 1633)
KEYPAD = "123A456B789C*0#D"

# ITU-R M.1677-1.


@dataclass(frozen=True, slots=True)
class Voice:
    """The sample rate and level of sounds."""

    rate: int = 8000
    """Samples per second."""
    level: int = 600
    """Peak of one sound in thousandths of full scale."""

    def count(self, ms: int) -> int:
        """Return the samples in so many milliseconds."""
        return self.rate * ms // 1000


@functools.cache
def _sines() -> tuple[int, ...]:
    """Return one period, by the Taylor series in integers of 62 fractional bits."""
    size = 1 << _TABLE_BITS
    quarter = []
    for step in range(size // 4 + 1):
        x = 2 * _PI_62 * step // size
        term, total = x, x
        for k in range(2, 24, 2):
            term = -(term * x >> 62) * x // (k * (k + 1)) >> 62
            total += term
        quarter.append((total * _PEAK + (1 << 61)) >> 62)
    half = quarter + quarter[-2:0:-1]
    return tuple(half + [-v for v in half])


def silence(voice: Voice, ms: int) -> Samples:
    """Return zeros."""
    return [0] * voice.count(ms)


def tone(voice: Voice, frequencies: Sequence[int], ms: int) -> Samples:
    """Return a sum of sines with equal amplitudes; frequencies in hertz.

    Two milliseconds at each end are faded, to avoid clicks.
    """
    table, shift = _sines(), 32 - _TABLE_BITS
    count, fade = voice.count(ms), max(1, voice.count(2))
    scale = 1000 * len(frequencies)
    waves = []
    for frequency in frequencies:
        step = (frequency << 32) // voice.rate
        phases = range(0, count * step, step) if step else [0] * count
        waves.append([table[(phase & 0xFFFFFFFF) >> shift] for phase in phases])
    sums = waves[0] if len(waves) == 1 else list(map(sum, zip(*waves, strict=True)))
    level = voice.level
    out = [total * level // scale for total in sums]
    for n in {*range(min(fade, count)), *range(max(0, count - 1 - fade), count)}:
        edge = min(n, count - 1 - n, fade)
        out[n] = sums[n] * voice.level * edge // (scale * fade)
    return out


def glide(voice: Voice, ends: tuple[int, int], ms: int) -> Samples:
    """Return a sine whose frequency changes linearly between two values in millihertz, unfaded."""
    table, shift = _sines(), 32 - _TABLE_BITS
    count, (first, last) = voice.count(ms), ends
    unit = 1000 * voice.rate * count
    out: Samples = []
    loud, phase = [sample * voice.level // 1000 for sample in table], 0
    # The mean frequency of each sample, so that the phase has no error to add up: the step is
    # (2 first count + last - first + 2 n (last - first)) 2**31 / unit, kept as quotient and rest.
    by, rest = divmod((2 * first * count + last - first) << 31, unit)
    faster, more = divmod((last - first) << 32, unit)
    for _ in range(count):
        out.append(loud[phase >> shift])
        phase = (phase + by) & 0xFFFFFFFF
        by, rest = by + faster, rest + more
        if rest >= unit:
            by, rest = by + 1, rest - unit
    return out


def dtmf(voice: Voice, keys: str, *, ms: int = 100, gap: int = 80) -> Samples:
    """Return touch tones, each followed by a gap."""
    out: Samples = []
    for key in keys:
        if key not in KEYPAD:
            raise ValueError(f"{key!r} is no key of {KEYPAD}")
        out += _touch(voice, KEYPAD.index(key), ms)
        out += silence(voice, gap)
    return out


@functools.lru_cache(maxsize=256)
def _touch(voice: Voice, place: int, ms: int) -> array[int]:
    """Return the tone of a key; cached, because keys are repeated."""
    return array("i", tone(voice, (_ROWS[place // 4], _COLUMNS[place % 4]), ms))


def frames(data: bytes, *, parity: str = "none") -> list[int]:
    """Return line bits: start 0, eight data bits from the lowest, parity if any, stop 1."""
    if parity not in ("none", "even", "odd"):
        raise ValueError(f"parity {parity!r} is not none, even or odd")
    out: list[int] = []
    for byte in data:
        bits = [byte >> i & 1 for i in range(8)]
        check = [] if parity == "none" else [(sum(bits) + (parity == "odd")) & 1]
        out += [0, *bits, *check, 1]
    return out


def fsk(voice: Voice, bits: Iterable[int], *, baud: int, tones: tuple[int, int]) -> Samples:
    """Return bits as frequencies (for 0, for 1), with continuous phase.

    Bit edges fall on the nearest sample, so that no error adds up when `baud` does not divide
    the rate.
    """
    table, shift = _sines(), 32 - _TABLE_BITS
    steps = [(f << 32) // voice.rate for f in tones]
    loud = [sample * voice.level // 1000 for sample in table]
    out: Samples = []
    phase = 0
    for position, bit in enumerate(bits):
        end = ((position + 1) * voice.rate + baud // 2) // baud
        step, count = steps[bit], max(0, end - len(out))
        out += [loud[(phase + n * step & 0xFFFFFFFF) >> shift] for n in range(count)]
        phase = (phase + count * step) & 0xFFFFFFFF
    return out


def mix(*parts: Sequence[int]) -> Samples:
    """Return the sum of sounds that start together, clipped to 16 bits."""
    if len(parts) == 2 and len(parts[0]) == len(parts[1]):
        out = list(map(operator.add, *parts))
    else:
        out = list(map(sum, zip_longest(*parts, fillvalue=0)))
    if max(out, default=0) <= _PEAK and min(out, default=0) >= -32768:
        return out
    return [max(-32768, min(_PEAK, value)) for value in out]


def wav(voice: Voice, samples: Sequence[int]) -> bytes:
    """Return a mono WAV file."""
    body = struct.pack(f"<{len(samples)}h", *samples)
    # Format 1 is PCM; 1 channel, 2 bytes a frame, 16 bits a sample.
    form = struct.pack("<HHIIHH", 1, 1, voice.rate, 2 * voice.rate, 2, 16)
    riff = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    riff += b"data" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(riff)) + riff
