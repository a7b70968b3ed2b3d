"""Two tones in one recording: their truth, the sound, and two programs that measure them.

Both programs take peaks of short spectra; one refines them by the shape of the peak, the other
by how far its phase turns between two windows.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_sections, program_text
from tmax_gym.rng import Rng
from tmax_gym.world.media import wav

RATE = 2000
"""Samples per second: all tones lie below 800 Hz."""
HUM = 50
"""Mains frequency."""

MEASURE = program_text(__package__, "measure.py")
PARTS = program_sections(__package__, "parts.py")


@dataclass(frozen=True, slots=True)
class Tones:
    """The two tones; frequencies in millihertz."""

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
    refine, report = "by_phase" if phase else "by_shape", "moving" if tones.moving else "steady"
    return head + MEASURE + PARTS[refine] + PARTS[report] + PARTS["finish"]
