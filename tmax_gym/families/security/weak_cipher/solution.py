"""The three weak ciphers of the weak-cipher family, their notes, and the attack on each."""

from __future__ import annotations

from collections.abc import Callable

from tmax_gym.families.shared.programs import program_text

MULTIPLIER, INCREMENT = 25_173, 13_849
"""Multiplier and increment of the keystream generator modulo 65,536, with a full period."""
NOTES = {
    "xor": """\
- `*.xor`: a secret key of 6 to 14 characters is repeated to the length of the message, and every
  byte of the message is XORed with the key byte at the same position.
""",
    "affine": """\
- `*.affine`: every byte p becomes (m * p + k) mod 256. m is odd. m and k are secret and are chosen
  anew for each message.
""",
    "lcg": f"""\
- `*.lcg`: a generator starts with a secret 16-bit number x. For each byte of the message, x first
  becomes ({MULTIPLIER} * x + {INCREMENT}) mod 65536, and then the byte is XORed with x >> 8.
""",
}
SOLVE = program_text(__package__, "solve.py")


def solve(header: str) -> str:
    """Return the attack for messages that begin with a header."""
    filled = SOLVE.replace("@header", repr(header.encode()))
    return filled.replace("@a", str(MULTIPLIER)).replace("@c", str(INCREMENT))


def _xor(text: bytes, key: bytes) -> bytes:
    return bytes(p ^ key[i % len(key)] for i, p in enumerate(text))


def _affine(text: bytes, key: bytes) -> bytes:
    # Not 1 or 255: with them, the message would be readable.
    multiplier = 3 + 2 * (key[0] % 125)
    return bytes((multiplier * p + key[1]) % 256 for p in text)


def _lcg(text: bytes, key: bytes) -> bytes:
    x, out = key[0] << 8 | key[1], bytearray()
    for p in text:
        x = (MULTIPLIER * x + INCREMENT) % 65536
        out.append(p ^ x >> 8)
    return bytes(out)


CIPHERS: dict[str, Callable[[bytes, bytes], bytes]] = {"xor": _xor, "affine": _affine, "lcg": _lcg}
