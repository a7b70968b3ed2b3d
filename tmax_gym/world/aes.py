"""AES-256 in CBC mode with PKCS#7 padding (FIPS 197, SP 800-38A).

Encrypts fixtures, which must have the same bytes on every machine; the standard library has no
block cipher.  Does not cover decryption, which is the agent's task, or resistance to timing
attacks, because nothing here is secret from the host.
"""

from __future__ import annotations

import functools
import struct


@functools.cache
def _sbox() -> tuple[int, ...]:
    """Return the S-box: inverse in GF(2^8), then the affine map (FIPS 197, 5.1.1)."""
    box = [0] * 256
    p = q = 1
    while True:
        # p runs through all powers of the generator 3, q through their inverses.
        p ^= (p << 1) ^ (0x11B if p & 0x80 else 0)
        p &= 0xFF
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q | q << 8
        box[p] = (q ^ turned >> 7 ^ turned >> 6 ^ turned >> 5 ^ turned >> 4) & 0xFF ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    return tuple(box)


@functools.cache
def _tables() -> tuple[tuple[int, ...], ...]:
    """Return SubBytes and MixColumns of one byte, for each of the four rows."""
    rows: list[list[int]] = [[], [], [], []]
    for s in _sbox():
        double = (s << 1 ^ (0x1B if s & 0x80 else 0)) & 0xFF
        word = double << 24 | s << 16 | s << 8 | double ^ s
        for row in range(4):
            rows[row].append((word >> 8 * row | word << (32 - 8 * row)) & 0xFFFFFFFF)
    return tuple(tuple(r) for r in rows)


@functools.cache
def _last() -> tuple[tuple[int, ...], ...]:
    """Return SubBytes of one byte, shifted to each of the four rows, for the last round."""
    return tuple(tuple(s << shift for s in _sbox()) for shift in (24, 16, 8, 0))


def _sub(word: int) -> int:
    box = _sbox()
    return (
        box[word >> 24] << 24
        | box[word >> 16 & 255] << 16
        | box[word >> 8 & 255] << 8
        | box[word & 255]
    )


def _schedule(key: bytes) -> list[int]:
    """Return the 60 round-key words (FIPS 197, 5.2, Nk = 8)."""
    if len(key) != 32:
        raise ValueError(f"AES-256 needs a key of 32 bytes, not {len(key)}")
    words = list(struct.unpack(">8I", key))
    rcon = 1
    for i in range(8, 60):
        last = words[-1]
        if i % 8 == 0:
            last = _sub((last << 8 | last >> 24) & 0xFFFFFFFF) ^ rcon << 24
            rcon <<= 1
        elif i % 8 == 4:
            last = _sub(last)
        words.append(words[i - 8] ^ last)
    return words


def _encrypt(state: tuple[int, int, int, int], w: list[int]) -> tuple[int, int, int, int]:
    """Return one encrypted block of four big-endian words; `w` is the key schedule."""
    t0, t1, t2, t3 = _tables()
    a, b, c, d = state[0] ^ w[0], state[1] ^ w[1], state[2] ^ w[2], state[3] ^ w[3]
    for i in range(4, 56, 4):
        a, b, c, d = (
            t0[a >> 24] ^ t1[b >> 16 & 255] ^ t2[c >> 8 & 255] ^ t3[d & 255] ^ w[i],
            t0[b >> 24] ^ t1[c >> 16 & 255] ^ t2[d >> 8 & 255] ^ t3[a & 255] ^ w[i + 1],
            t0[c >> 24] ^ t1[d >> 16 & 255] ^ t2[a >> 8 & 255] ^ t3[b & 255] ^ w[i + 2],
            t0[d >> 24] ^ t1[a >> 16 & 255] ^ t2[b >> 8 & 255] ^ t3[c & 255] ^ w[i + 3],
        )
    s0, s1, s2, s3 = _last()
    return (
        s0[a >> 24] ^ s1[b >> 16 & 255] ^ s2[c >> 8 & 255] ^ s3[d & 255] ^ w[56],
        s0[b >> 24] ^ s1[c >> 16 & 255] ^ s2[d >> 8 & 255] ^ s3[a & 255] ^ w[57],
        s0[c >> 24] ^ s1[d >> 16 & 255] ^ s2[a >> 8 & 255] ^ s3[b & 255] ^ w[58],
        s0[d >> 24] ^ s1[a >> 16 & 255] ^ s2[b >> 8 & 255] ^ s3[c & 255] ^ w[59],
    )


def encrypt_block(block: bytes, key: bytes) -> bytes:
    """Return one encrypted block of 16 bytes."""
    a, b, c, d = struct.unpack(">4I", block)
    return struct.pack(">4I", *_encrypt((a, b, c, d), _schedule(key)))


def encrypt_cbc(data: bytes, key: bytes, iv: bytes) -> bytes:
    """Return `data` padded to whole blocks and encrypted."""
    pad = 16 - len(data) % 16
    schedule = _schedule(key)
    a, b, c, d = struct.unpack(">4I", iv)
    out = []
    for e, f, g, h in struct.iter_unpack(">4I", data + bytes([pad]) * pad):
        a, b, c, d = _encrypt((a ^ e, b ^ f, c ^ g, d ^ h), schedule)
        out.append(struct.pack(">4I", a, b, c, d))
    return b"".join(out)
