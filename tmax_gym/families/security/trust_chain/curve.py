"""Key pairs and signatures on the curve P-256, the same bytes for the same message.

Covers what certificates of a task world need, fast: keys and nonces are neighbours on the curve,
one addition apart.  They protect nothing: they can be read here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

# Domain parameters of P-256: FIPS 186-4, D.1.2.3; the coefficient a is -3.
P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
KEYS, NONCES = 64, 64
_FIRST = int.from_bytes(hashlib.sha256(b"trust chain").digest(), "big") % N
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """A secret number and its point."""

    secret: int
    point: Point


def pair(number: int) -> Pair:
    """Return one of `KEYS` key pairs."""
    return _pairs()[number % KEYS]


def signature(message: bytes, key: Pair, digest: str) -> tuple[int, int]:
    """Return the two numbers of an ECDSA signature (FIPS 186-4, 6.4)."""
    hashed = hashlib.new(digest, message).digest()
    # The leftmost 256 bits; SHA-1 has fewer.
    z = int.from_bytes(hashed[:32], "big")
    nonce = _pairs()[KEYS + z % NONCES]
    r = nonce.point[0] % N
    return r, pow(nonce.secret, -1, N) * (z + r * key.secret) % N


@lru_cache(maxsize=1)
def _pairs() -> tuple[Pair, ...]:
    pairs = [Pair(_FIRST, _times(_FIRST, G))]
    while len(pairs) < KEYS + NONCES:
        pairs.append(Pair(pairs[-1].secret + 1, _sum(pairs[-1].point, G)))
    return tuple(pairs)


def _times(scalar: int, point: Point) -> Point:
    total: Point | None = None
    for bit in f"{scalar:b}":
        total = _sum(total, total) if total else None
        if bit == "1":
            total = _sum(total, point) if total else point
    assert total
    return total


def _sum(a: Point, b: Point) -> Point:
    """Return the sum of two points that are not opposite."""
    if a == b:
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P
