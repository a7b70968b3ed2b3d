"""Named random streams: the only source of chance in a task world.

A stream is splitmix64 whose first state is the blake2b digest of its key path.  So it depends on
its name only, and drawing from one stream does not change another.  Results are equal on every
platform and Python version (only integer and basic IEEE arithmetic; no `math.log`, whose last bit
differs between C libraries).  Not for cryptography: the key determines the stream.
"""

from __future__ import annotations

import functools
import hashlib
import math
from array import array
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii
from struct import unpack
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1
# The three constants of splitmix64: Steele, Lea, Flood, OOPSLA 2014, and Vigna's C version.
_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
# ln 2 to the nearest double.
_LN2 = 0.6931471805599453
_BLOCK = 64
"""64-bit words that are drawn at once if many are needed."""
_FEW = 24
"""Fewer words than these are quicker drawn one by one than as a block."""

SAFE_ALPHABET = "bcdfghjkmnpqrtwx34678"
"""No vowels (a secret must not spell a word), no look-alikes (0 o, 1 l i, 2 z, 5 s, 9 g, v y)."""


def splitmix64(state: int) -> tuple[int, int]:
    """Return the next state and the 64 bits drawn from it."""
    state = (state + _GAMMA) & _MASK
    z = state
    z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
    z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
    return state, z ^ (z >> 31)


@functools.cache
def _lanes() -> tuple[int, int, int]:
    """Return 1, `_MASK` and n times `_GAMMA` in each lane n of a block; lane 1 is uppermost.

    A lane has 128 bits: the product of two 64-bit factors never reaches the next one.
    """
    steps = b"".join((n * _GAMMA & _MASK).to_bytes(16, "big") for n in range(1, _BLOCK + 1))
    ones = int.from_bytes(b"\1".rjust(16, b"\0") * _BLOCK, "big")
    return ones, ones * _MASK, int.from_bytes(steps, "big")


def _block(state: int) -> bytes:
    """Return the next `_BLOCK` draws of `splitmix64` as 8 bytes each, computed together."""
    ones, mask, steps = _lanes()
    z = ones * state + steps & mask
    z = ((z ^ (z >> 30 & mask)) * _MIX_1) & mask
    z = ((z ^ (z >> 27 & mask)) * _MIX_2) & mask
    z ^= z >> 31 & mask
    return array("Q", z.to_bytes(16 * _BLOCK, "big"))[1::2].tobytes()


def seed_of(key: Sequence[str | int]) -> int:
    """Return the 64-bit seed of a key path; `(1,)` and `("1",)` are different keys."""
    # The same as `json.dumps` without spaces, in a fifth of its time.
    parts = [encode_basestring_ascii(k) if isinstance(k, str) else repr(k) for k in key]
    path = f"[{','.join(parts)}]"
    return int.from_bytes(hashlib.blake2b(path.encode(), digest_size=8).digest(), "big")


def stable_log(x: float) -> float:
    """Return the natural logarithm of `x` > 0, with the same bits everywhere.

    Uses ln m = 2 artanh((m - 1)/(m + 1)) on the mantissa: |s| <= 1/3, so 18 terms of the series
    leave less than 1e-17.
    """
    mantissa, exponent = math.frexp(x)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    total = 0.0
    for k in range(37, 0, -2):
        total = total * square + 1.0 / k
    return 2.0 * s * total + exponent * _LN2


class Rng:
    """One named stream.

    >>> Rng("demo", 7).integer(1, 6)
    2
    >>> Rng("demo").fork(7).integer(1, 6)
    2
    """

    __slots__ = ("_spare", "_state", "key")

    def __init__(self, *key: str | int) -> None:
        self.key: tuple[str | int, ...] = key
        self._state = seed_of(key)
        self._spare: float | None = None

    def __repr__(self) -> str:
        return f"Rng{self.key!r}"

    def fork(self, *name: str | int) -> Rng:
        """Return the stream `name` below this one; it does not depend on draws from this one."""
        if not name:
            raise ValueError("fork() without a name would repeat this stream; give it a name")
        return Rng(*self.key, *name)

    def bits(self, n: int) -> int:
        """Return `n` random bits as an integer."""
        value, have = 0, 0
        while have < n:
            self._state, word = splitmix64(self._state)
            value, have = (value << 64) | word, have + 64
        return value >> (have - n)

    def integer(self, lo: int, hi: int) -> int:
        """Return an integer of [lo, hi], every one equally likely (rejection, no modulo)."""
        if hi < lo:
            raise ValueError(f"integer({lo}, {hi}): the interval is empty")
        span = hi - lo
        width = span.bit_length()
        if not 0 < width <= 64:
            while True:
                value = self.bits(width)
                if value <= span:
                    return lo + value
        # The same with `splitmix64` inlined: most draws of a world are made here.
        state, surplus = self._state, 64 - width
        while True:
            state = (state + _GAMMA) & _MASK
            word = ((state ^ (state >> 30)) * _MIX_1) & _MASK
            word = ((word ^ (word >> 27)) * _MIX_2) & _MASK
            value = (word ^ (word >> 31)) >> surplus
            if value <= span:
                self._state = state
                return lo + value

    def integers(self, lo: int, hi: int, count: int) -> list[int]:
        """Return what `count` calls of `integer` return; many are drawn in blocks."""
        span, drawn = hi - lo, list[int]()
        width = span.bit_length()
        while lo < hi and width <= 64 and count - len(drawn) >= _FEW:
            values = [word >> 64 - width for word in unpack(f">{_BLOCK}Q", _block(self._state))]
            fit = [at for at, value in enumerate(values) if value <= span][: count - len(drawn)]
            drawn += [lo + values[at] for at in fit]
            # The stream goes on behind the last word that was used.
            used = fit[-1] + 1 if len(drawn) == count else _BLOCK
            self._state = (self._state + used * _GAMMA) & _MASK
        return drawn + [self.integer(lo, hi) for _ in range(count - len(drawn))]

    def uniform(self) -> float:
        """Return a multiple of 2**-53 in [0, 1)."""
        # `splitmix64` inlined, as in `integer`.
        self._state = state = (self._state + _GAMMA) & _MASK
        word = ((state ^ (state >> 30)) * _MIX_1) & _MASK
        word = ((word ^ (word >> 27)) * _MIX_2) & _MASK
        return ((word ^ (word >> 31)) >> 11) / (1 << 53)

    def chance(self, p: float) -> bool:
        """Return True with probability `p`."""
        return self.uniform() < p

    def choice(self, seq: Sequence[T]) -> T:
        """Return one element, every position equally likely."""
        if not seq:
            raise ValueError("choice() of an empty sequence")
        return seq[self.integer(0, len(seq) - 1)]

    def choices(self, seq: Sequence[T], count: int) -> list[T]:
        """Return what `count` calls of `choice` return; an element may come more than once."""
        if count and not seq:
            raise ValueError("choices() of an empty sequence")
        return [seq[index] for index in self.integers(0, len(seq) - 1, count)]

    def weighted(self, seq: Sequence[T], weights: Sequence[float]) -> T:
        """Return one element, position i with probability weights[i] / sum(weights)."""
        if len(seq) != len(weights):
            raise ValueError(f"weighted(): {len(seq)} elements but {len(weights)} weights")
        if not seq or min(weights) < 0 or sum(weights) <= 0:
            raise ValueError(f"weighted(): weights {list(weights)!r} have no positive sum")
        if all(isinstance(w, int) for w in weights):
            mark: float = self.integer(0, int(sum(weights)) - 1)
        else:
            mark = self.uniform() * sum(weights)
        last = 0
        for index, weight in enumerate(weights):
            if weight <= 0:
                continue
            last = index
            if mark < weight:
                break
            mark -= weight
        return seq[last]

    def shuffled(self, seq: Sequence[T]) -> list[T]:
        """Return the elements in random order; `seq` stays as it is."""
        return self.sample(seq, len(seq))

    def sample(self, seq: Sequence[T], k: int) -> list[T]:
        """Return `k` elements of different positions, in random order."""
        if not 0 <= k <= len(seq):
            raise ValueError(f"sample(): {k} of {len(seq)} elements")
        pool = list(seq)
        for index in range(k):
            other = self.integer(index, len(pool) - 1)
            pool[index], pool[other] = pool[other], pool[index]
        return pool[:k]

    def gauss(self, mean: float = 0.0, sigma: float = 1.0) -> float:
        """Return a normal deviate (Box-Muller in Marsaglia's polar form), same bits everywhere."""
        if self._spare is not None:
            z, self._spare = self._spare, None
            return mean + sigma * z
        while True:
            u, v = 2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0
            s = u * u + v * v
            if 0.0 < s < 1.0:
                break
        radius = math.sqrt(-2.0 * stable_log(s) / s)
        self._spare = v * radius
        return mean + sigma * (u * radius)

    def hex(self, n: int) -> str:
        """Return `n` hexadecimal digits in lower case."""
        return f"{self.bits(4 * n):0{n}x}" if n else ""

    def bytes(self, n: int) -> bytes:
        """Return `n` random bytes."""
        blocks, left = divmod(n, 8 * _BLOCK)
        out = []
        for _ in range(blocks):
            out.append(_block(self._state))
            self._state = (self._state + _BLOCK * _GAMMA) & _MASK
        return b"".join((*out, self.bits(8 * left).to_bytes(left, "big")))

    def secret(self, n: int, alphabet: str = SAFE_ALPHABET) -> str:
        """Return `n` characters; the default alphabet survives OCR and spells no word."""
        return "".join(self.choices(alphabet, n))
