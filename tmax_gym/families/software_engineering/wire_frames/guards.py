"""Guards of the wire-frames family: checksums that notice damage, and codes that undo it.

Covers sealing, opening and describing four kinds, each with drawn parameters.  Does not cover the
programs that do the same: see `rendering`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tmax_gym.rng import Rng

Kind = Literal["crc", "sums", "nibbles", "twins"]
KINDS: tuple[Kind, ...] = ("crc", "sums", "nibbles", "twins")
State = Literal["clean", "repaired", "damaged"]
_POLYNOMIALS: Mapping[int, tuple[int, ...]] = {
    8: (0x07, 0x1D, 0x2F, 0x9B, 0xD5),
    16: (0x1021, 0x8005, 0x8BB7, 0x3D65, 0xC867),
    32: (0x04C11DB7, 0x1EDC6F41, 0xA833982B, 0x814141AB),
}
"""By width, in use somewhere: Koopman and Chakravarty, DSN 2004, and the RFCs they cite."""
_FIELDS = (0x11D, 0x12B, 0x12D, 0x14D, 0x15F, 0x163, 0x165, 0x169, 0x171, 0x187, 0x18D, 0x1CF)
"""Primitive polynomials of degree 8: the powers of 2 are 255 different elements."""
_BITS = tuple(1 << bit for bit in range(8))
_COLUMNS = (0b011, 0b101, 0b110, 0b111)


@dataclass(frozen=True, slots=True)
class Guard:
    """One guard; each kind uses its own fields."""

    kind: Kind
    width: int = 8
    polynomial: int = 0
    start: int = 0
    final: int = 0
    low_first: bool = False
    """CRC: bytes enter at the low end and the register shifts right."""
    little: bool = False
    """CRC: the low byte is sent first.  Sums: the second sum.  Nibbles: the low one."""
    modulus: int = 255
    columns: tuple[int, ...] = _COLUMNS
    """Nibbles: which of the three parities count each data bit, from the highest bit down."""
    odd: bool = False
    """Nibbles: whether every code byte has an odd number of ones."""
    backward: bool = False
    """Twins: whether powers are counted from the last byte."""
    blind: bool = False
    """True for a mistake: no damage is noticed."""

    @property
    def reversed_polynomial(self) -> int:
        """Return the polynomial for a register that shifts right."""
        return int(f"{self.polynomial:0{self.width}b}"[::-1], 2)

    @property
    def words(self) -> tuple[int, ...]:
        """Return the code byte of every nibble."""
        return _code_words(self.columns, self.odd)

    def seal(self, body: bytes) -> bytes:
        """Return the sealed message of a body."""
        if self.kind == "nibbles":
            words = self.words
            pairs = ((b & 15, b >> 4) if self.little else (b >> 4, b & 15) for b in body)
            return bytes(words[nibble] for pair in pairs for nibble in pair)
        return body + self._tail(body)

    def open(self, sent: bytes) -> tuple[State, bytes]:
        """Return the state of a sealed message, and its body."""
        if self.kind == "nibbles":
            return self._nibbles(sent)
        size = {"crc": self.width // 8, "sums": 2, "twins": 2}[self.kind]
        if len(sent) < size:
            return "damaged", b""
        body, tail = sent[:-size], sent[-size:]
        if self.blind or self._tail(body) == tail:
            return "clean", body
        return _mended(self, body, tail) if self.kind == "twins" else ("damaged", b"")

    def _tail(self, body: bytes) -> bytes:
        if self.kind == "crc":
            order: Literal["little", "big"] = "little" if self.little else "big"
            return self._crc(body).to_bytes(self.width // 8, order)
        if self.kind == "sums":
            first, second = self.start % self.modulus, self.final % self.modulus
            for byte in body:
                first = (first + byte) % self.modulus
                second = (second + first) % self.modulus
            return bytes((second, first) if self.little else (first, second))
        return bytes(self.syndromes(body))

    def _crc(self, body: bytes) -> int:
        register, full = self.start, (1 << self.width) - 1
        if self.low_first:
            table = _shifted_right(self.reversed_polynomial)
            for byte in body:
                register = register >> 8 ^ table[(register ^ byte) & 255]
        else:
            table, above = _shifted_left(self.polynomial, self.width), self.width - 8
            for byte in body:
                register = (register << 8 & full) ^ table[register >> above ^ byte]
        return register ^ self.final

    def syndromes(self, body: bytes) -> tuple[int, int]:
        """Return the two bytes that twins are checked by."""
        plain = powered = 0
        for byte in body if self.backward else body[::-1]:
            plain ^= byte
            powered = self.doubled(powered) ^ byte
        return plain, powered

    def doubled(self, element: int) -> int:
        """Return an element of the field times 2."""
        return element << 1 ^ (self.polynomial if element & 128 else 0)

    def _nibbles(self, sent: bytes) -> tuple[State, bytes]:
        if len(sent) % 2:
            return "damaged", b""
        words, nibbles, repaired = self.words, [], False
        near = _near(words)
        for code in sent:
            nibble = code >> 4 if self.blind else near.get(code)
            if nibble is None:
                return "damaged", b""
            repaired |= words[nibble] != code
            nibbles.append(nibble)
        pairs = zip(nibbles[::2], nibbles[1::2], strict=True)
        body = bytes(b << 4 | a if self.little else a << 4 | b for a, b in pairs)
        return "repaired" if repaired and not self.blind else "clean", body


# Thousands of messages are sealed and opened for one task, so the tables are kept.
@functools.lru_cache(64)
def _shifted_right(polynomial: int) -> tuple[int, ...]:
    """Return by which value eight shifts to the right change a register, by its low byte."""
    table = list(range(256))
    for _ in range(8):
        table = [value >> 1 ^ (polynomial if value & 1 else 0) for value in table]
    return tuple(table)


@functools.lru_cache(64)
def _shifted_left(polynomial: int, width: int) -> tuple[int, ...]:
    """Return by which value eight shifts to the left change a register, by its high byte."""
    full, top = (1 << width) - 1, 1 << (width - 1)
    table = [byte << (width - 8) for byte in range(256)]
    for _ in range(8):
        table = [(v << 1 & full) ^ (polynomial if v & top else 0) for v in table]
    return tuple(table)


@functools.lru_cache(64)
def _code_words(columns: tuple[int, ...], odd: bool) -> tuple[int, ...]:
    words = []
    for nibble in range(16):
        parity = 0
        for at, column in enumerate(columns):
            parity ^= column if nibble >> (3 - at) & 1 else 0
        word = nibble << 4 | parity << 1
        words.append(word | (word.bit_count() % 2 != odd))
    return tuple(words)


@functools.lru_cache(64)
def _near(words: tuple[int, ...]) -> dict[int, int]:
    """Return the nibble of every byte in which at most one bit of a code byte is wrong."""
    return {w ^ flipped: n for n, w in enumerate(words) for flipped in (0, *_BITS)}


def _mended(guard: Guard, body: bytes, tail: bytes) -> tuple[State, bytes]:
    """Return a body in which at most one wrong byte was corrected."""
    plain, powered = (a ^ b for a, b in zip(guard.syndromes(body), tail, strict=True))
    if not plain or not powered:
        return "repaired", body
    product = plain
    for power in range(len(body)):
        if product == powered:
            at = len(body) - 1 - power if guard.backward else power
            return "repaired", body[:at] + bytes([body[at] ^ plain]) + body[at + 1 :]
        product = guard.doubled(product)
    return "damaged", b""


def drawn(rng: Rng, kind: Kind) -> Guard:
    """Return a guard of a kind."""
    if kind == "crc":
        width = rng.choice((8, 16, 16, 32))
        full = (1 << width) - 1
        return Guard(
            kind,
            width=width,
            polynomial=rng.choice(_POLYNOMIALS[width]),
            start=rng.choice((0, full, rng.integer(1, full))),
            final=rng.choice((0, full, rng.integer(1, full))),
            low_first=rng.chance(0.5),
            little=rng.chance(0.5),
        )
    if kind == "sums":
        modulus = rng.choice((255, 251, 253, 256, 241))
        return Guard(
            kind,
            modulus=modulus,
            start=rng.integer(0, 9),
            final=rng.integer(0, 9),
            little=rng.chance(0.5),
        )
    if kind == "nibbles":
        return Guard(
            kind,
            columns=tuple(rng.shuffled(_COLUMNS)),
            odd=rng.chance(0.5),
            little=rng.chance(0.5),
        )
    return Guard(kind, polynomial=rng.choice(_FIELDS), backward=rng.chance(0.5))


def described(guard: Guard) -> Iterator[str]:
    """Yield the sentences by which a sheet describes a guard."""
    yield from _TEXTS[guard.kind](guard)


def _crc_text(guard: Guard) -> Iterator[str]:
    low = guard.low_first
    used = guard.reversed_polynomial if low else guard.polynomial
    digits, size = guard.width // 4, guard.width // 8
    yield f"A register of {guard.width} bits starts as 0x{guard.start:0{digits}x}. For every byte"
    yield f"of the body, XOR the byte into the {'lowest' if low else 'highest'} 8 bits of the"
    yield "register, and then do the following 8 times: shift the register"
    yield f"{'right' if low else 'left'} by one bit, and if the bit that was shifted out is 1, XOR"
    yield f"0x{used:0{digits}x} into the register. At the end, XOR 0x{guard.final:0{digits}x} into"
    yield "it. The result is sent after the body, in"
    order = "lowest" if guard.little else "highest"
    yield f"{size} bytes with the {order} byte first." if size > 1 else "one byte."
    yield "If it is wrong or missing, the message is damaged."


def _sums_text(guard: Guard) -> Iterator[str]:
    order = "B and then A" if guard.little else "A and then B"
    yield f"There are two sums modulo {guard.modulus}. A starts as {guard.start}, and B starts as"
    yield f"{guard.final}. For every byte of the body in turn, add the byte to A, and then add the"
    yield f"new A to B. After the body come two bytes, {order}. If they are wrong or missing, the"
    yield "message is damaged."


def _nibbles_text(guard: Guard) -> Iterator[str]:
    first = "lower" if guard.little else "upper"
    yield f"Every byte of the body is sent as two code bytes, the one for its {first} four bits"
    yield "first. A code byte has the bits d3 d2 d1 d0 p2 p1 p0 q from the highest to the lowest,"
    yield "where d3 to d0 are the four bits from the highest to the lowest, and"
    for parity in (2, 1, 0):
        counted = [f"d{3 - at}" for at, c in enumerate(guard.columns) if c >> parity & 1]
        yield f"`p{parity} = {' XOR '.join(counted)}`{'.' if not parity else ','}"
    yield f"The bit q makes the number of ones in the code byte {'odd' if guard.odd else 'even'}."
    yield "If one of the eight bits of a code byte is wrong, correct it; the message then counts as"
    yield "repaired. If two bits of a code byte are wrong, or if the number of code bytes is odd,"
    yield "the message is damaged. No code byte ever has more than two wrong bits."


def _twins_text(guard: Guard) -> Iterator[str]:
    where = "last byte has i = 0, the one before it has i = 1" if guard.backward else (
        "first byte has i = 0, the next one has i = 1"
    )  # fmt: skip
    yield "After the body come two bytes, P and then Q. P is the XOR of all bytes of the body. Q is"
    yield f"the XOR of byte * 2^i over all bytes, in GF(256) modulo 0x{guard.polynomial:x},"
    yield f"where the {where}, and so on. If P and Q are both right, the message is clean. If only"
    yield "one of them is right, the other one was damaged; the body is right, and the message"
    yield "counts as repaired. If neither is right, one byte of the body is wrong: find it and"
    yield "correct it, and the message counts as repaired. If no single wrong byte explains both,"
    yield "or if P and Q are missing, the message is damaged. No body has more than 250 bytes."


_TEXTS: Mapping[Kind, Callable[[Guard], Iterator[str]]] = {
    "crc": _crc_text,
    "sums": _sums_text,
    "nibbles": _nibbles_text,
    "twins": _twins_text,
}
