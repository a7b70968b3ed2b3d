"""Media with a passphrase of the sealed archive: a scanned punched card, or dialled keys.

Covers drawing and recording, and the programs that read both back.  Neither needs recognition of
print or speech: a card is read at stated pixels, a recording by the two frequencies of every key.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import SAFE_ALPHABET, Rng
from tmax_gym.world.media import png, wav
from tmax_gym.world.media.raster import Raster

VOID = "*"
"""Last character on a withdrawn card or recording."""
KEYS = "0123456789ABCD"
"""Keys that a dialled passphrase is made of."""
BITS = 7

READ_CARDS = program_text(__package__, "read_cards.py")
READ_CALLS = program_text(__package__, "read_calls.py")


@dataclass(frozen=True, slots=True)
class Coding:
    """How the characters lie on a card; pixels are those of an upright scan."""

    left: int
    top: int
    pitch: int
    heavy_top: bool
    """True where the uppermost row is worth 64, False where it is worth 1."""

    def program(self, source: str) -> str:
        """Return the program that prints the text of every card of a file pattern."""
        rows = list(range(BITS)) if self.heavy_top else list(range(BITS - 1, -1, -1))
        named = {"LEFT": self.left, "TOP": self.top, "PITCH": self.pitch, "ROWS": rows}
        head = "".join(f"{name} = {value!r}\n" for name, value in named.items())
        return f"SOURCE = {source!r}\n{head}{READ_CARDS}"


def coding(rng: Rng) -> Coding:
    """Return a layout."""
    pitch = rng.integer(9, 14)
    return Coding(rng.integer(20, 34), rng.integer(40, 52), pitch, rng.chance(0.5))


def passphrase(rng: Rng, fixture: str) -> str:
    """Return a passphrase that the medium can carry."""
    return rng.secret(8, KEYS) if fixture == "audio" else rng.secret(10, SAFE_ALPHABET)


def scan(text: str, how: Coding, *, title: str, turned: bool = False) -> bytes:
    """Return a card as a 1-bit PNG; cells without a hole are printed as faint corners."""
    width = how.left + how.pitch * len(text) + 12
    height = how.top + how.pitch * BITS + 12
    card = Raster(width, height, mode="1")
    card.rect(4, 4, size=(9, 9))
    card.text(18, 5, title[: (width - 24) // 6])
    card.rect(18, 20, size=(width - 36, 1))
    size, half = how.pitch - 3, (how.pitch - 3) // 2
    for column, character in enumerate(text):
        for row in range(BITS):
            x, y = how.left + column * how.pitch, how.top + row * how.pitch
            weight = BITS - 1 - row if how.heavy_top else row
            if ord(character) >> weight & 1:
                card.rect(x - half, y - half, size=(size, size))
            else:
                card.rect(x - half, y - half, size=(2, 1))
    if turned:
        card.pixels.reverse()
    return png.encode(card)


def call(text: str, rng: Rng, *, hiss: int) -> bytes:
    """Return dialled keys as a WAV file; `hiss` is the peak of the noise, 0 for none."""
    voice = wav.Voice()
    sound = wav.silence(voice, 30)
    sound += wav.dtmf(voice, text, ms=rng.integer(54, 62), gap=rng.integer(34, 42))
    if hiss:
        noise = [(b - 128) * hiss >> 7 for b in rng.bytes(len(sound))]
        sound = wav.mix(sound, noise)
    return wav.wav(voice, sound)
