"""The guards of the wire-frames family in Python."""

from __future__ import annotations

from collections.abc import Mapping

GUARDS: Mapping[str, str] = {
    "crc": """\
def check(body):
    register = @start
    for byte in body:
        register ^= byte << @shift
        for _ in range(8):
            out = register & @outbit
            register = (register @move 1) & @full
            if out:
                register ^= @poly
    return (register ^ @final).to_bytes(@size, "@order")


def unseal(sent):
    if len(sent) < @size or check(sent[:-@size]) != sent[-@size:]:
        return "damaged", b""
    return "clean", sent[:-@size]
""",
    "sums": """\
def unseal(sent):
    if len(sent) < 2:
        return "damaged", b""
    a, b = @start, @final
    for byte in sent[:-2]:
        a = (a + byte) % @modulus
        b = (b + a) % @modulus
    return ("clean" if sent[-2:] == bytes((@pair)) else "damaged"), sent[:-2]
""",
    "nibbles": """\
WORDS = [@words]


def unseal(sent):
    if len(sent) % 2:
        return "damaged", b""
    found, state = [], "clean"
    for code in sent:
        near = min(range(16), key=lambda n: bin(WORDS[n] ^ code).count("1"))
        wrong = bin(WORDS[near] ^ code).count("1")
        if wrong > 1:
            return "damaged", b""
        if wrong:
            state = "repaired"
        found.append(near)
    return state, bytes(found[n + @high] << 4 | found[n + @low] for n in range(0, len(found), 2))
""",
    "twins": """\
def double(x):
    return x << 1 ^ (@poly if x & 128 else 0)


def unseal(sent):
    if len(sent) < 2:
        return "damaged", b""
    body, p, q = bytearray(sent[:-2]), 0, 0
    order = list(range(len(body)))@turned
    for at in reversed(order):
        p, q = p ^ body[at], double(q) ^ body[at]
    p, q = p ^ sent[-2], q ^ sent[-1]
    if p == q == 0:
        return "clean", bytes(body)
    if p == 0 or q == 0:
        return "repaired", bytes(body)
    wanted = p
    for at in order:
        if wanted == q:
            body[at] ^= p
            return "repaired", bytes(body)
        wanted = double(wanted)
    return "damaged", b""
""",
}
