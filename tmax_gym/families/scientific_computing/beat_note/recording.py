"""Two tones in one recording: their truth, the sound, and two programs that measure them.

Both programs take peaks of short spectra; one refines them by the shape of the peak, the other
by how far its phase turns between two windows.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.media import wav

RATE = 2000
"""Samples per second: all tones lie below 800 Hz."""
HUM = 50
"""Mains frequency."""

MEASURE = program_text(__package__, "measure.py")
BY_SHAPE = """\
def refined(start, size, k, m, lines):
    a, b, c = (math.log(m[k + d]) for d in (-1, 0, 1))
    return (k + 0.5 * (a - c) / (a - 2 * b + c)) * rate / size
"""
BY_PHASE = """\
def refined(start, size, k, m, lines):
    turn = cmath.exp(-2j * math.pi * k / size)
    def line(at):
        w, total = 1, 0
        for i in range(size):
            total += x[at + i] * (0.5 - 0.5 * math.cos(2 * math.pi * i / size)) * w
            w *= turn
        return total
    hop = 8
    back, on = line(max(0, start - hop)), line(min(len(x) - size, start + hop))
    moved = min(len(x) - size, start + hop) - max(0, start - hop)
    want = 2 * math.pi * k * moved / size
    off = (cmath.phase(on / back) - want + math.pi) % (2 * math.pi) - math.pi
    return (want + off) * rate / (2 * math.pi * moved)
"""
STEADY = """\
lower, upper = peaks(0, 8192)
found = {"lower": lower, "upper": upper, "beat": upper - lower}
"""
MOVING = """\
size, seen = 512, []
for start in range(size // 4, len(x) - size - size // 4, size // 2):
    pair = peaks(start, size)
    if pair and pair[1] - pair[0] > 25:
        seen.append(((start + size / 2) / rate, pair))
every = [f for _, pair in seen for f in pair]
centre = max(every, key=lambda c: sum(abs(c - f) < 2 for f in every))
near = [f for f in every if abs(f - centre) < 2]
steady = sum(near) / len(near)
points = []
for t, pair in seen:
    rest = [f for f in pair if abs(f - centre) >= 2]
    if len(rest) == 1:
        points.append((t, rest[0]))
for _ in range(3):
    n = len(points)
    mt, mf = sum(t for t, _ in points) / n, sum(f for _, f in points) / n
    drift = sum((t - mt) * (f - mf) for t, f in points) / sum((t - mt) ** 2 for t, _ in points)
    begin = mf - drift * mt
    points = [(t, f) for t, f in points if abs(begin + drift * t - f) < 8] or points
found = {"steady": steady, "start": begin, "drift": drift}
found["crossing"] = (steady - begin) / drift
"""
FINISH = """\
json.dump({name: round(found[name], 4) for name in ASKED}, open(TARGET, "w"))
"""


@dataclass(frozen=True, slots=True)
class Tones:
    """What sounds; frequencies in millihertz."""

    fixed: int
    """The first tone; it is steady."""
    ends: tuple[int, int]
    """First and last frequency of the second one; equal where it is steady too."""
    ms: int

    @property
    def moving(self) -> bool:
        """Return whether the second tone drifts."""
        return self.ends[0] != self.ends[1]

    @property
    def truth(self) -> dict[str, float]:
        """Return every quantity that may be asked for; hertz, hertz per second, seconds."""
        first, last = (f / 1000 for f in self.ends)
        one = self.fixed / 1000
        if not self.moving:
            return {"lower": min(one, first), "upper": max(one, first), "beat": abs(first - one)}
        drift = (last - first) / (self.ms / 1000)
        return {"steady": one, "start": first, "drift": drift, "crossing": (one - first) / drift}


def steady_pair(rng: Rng, ms: int) -> Tones:
    """Return two steady tones, close enough to be heard as one that throbs."""
    fixed = rng.integer(220_000, 640_000)
    other = fixed + rng.choice((-1, 1)) * rng.integer(4_000, 15_000)
    return Tones(fixed, (other, other), ms)


def moving_pair(rng: Rng, ms: int, *, crossing: bool) -> Tones:
    """Return a steady and a drifting tone, which cross or never meet.

    A crossing is never near the middle of the recording, where a guess would put it.
    """
    fixed = rng.integer(330_000, 560_000)
    side = rng.choice((-1, 1))
    near, far = rng.integer(40_000, 60_000), rng.integer(100_000, 150_000)
    if crossing:
        ends = (fixed + side * near, fixed - side * far)
        return Tones(fixed, ends if rng.chance(0.5) else (ends[1], ends[0]), ms)
    ends = (fixed + side * near, fixed + side * (near + far))
    return Tones(fixed, ends if rng.chance(0.5) else (ends[1], ends[0]), ms)


def sound(tones: Tones, rng: Rng, *, second: int, hiss: int, hum: int) -> bytes:
    """Return the recording; levels in thousandths of full scale, at most 1000 together."""
    one = wav.Voice(RATE, 300)
    parts = [
        wav.glide(one, (tones.fixed, tones.fixed), tones.ms),
        wav.glide(wav.Voice(RATE, second), tones.ends, tones.ms),
    ]
    if hum:
        parts.append(wav.glide(wav.Voice(RATE, hum), (1000 * HUM, 1000 * HUM), tones.ms))
    if hiss:
        peak = 32767 * hiss // 1000
        parts.append([(b - 128) * peak >> 7 for b in rng.bytes(one.count(tones.ms))])
    return wav.wav(one, wav.mix(*parts))


def program(tones: Tones, *, names: dict[str, object], phase: bool = False) -> str:
    """Return the measuring program."""
    head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    refine = BY_PHASE if phase else BY_SHAPE
    return head + MEASURE + refine + (MOVING if tones.moving else STEADY) + FINISH
