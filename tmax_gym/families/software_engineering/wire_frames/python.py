"""The wanted program of the wire-frames family in Python."""

from __future__ import annotations

from collections.abc import Mapping

MAIN = """\
import sys

METHODS = @methods
FULL = (1 << 64) - 1


class Malformed(Exception):
    pass


@guard

def varint(data, at):
    value = 0
    for n in range(10):
        if at + n >= len(data):
            raise Malformed
        value |= (data[at + n] & 127) << (7 * n)
        if data[at + n] < 128:
            return value & FULL, at + n + 1
    raise Malformed


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire, value, raw = tag >> 3, tag & 7, 0, b""
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 2, 5):
            size = {1: 8, 5: 4}.get(wire, 0)
            if wire == 2:
                size, at = varint(data, at)
            raw, at = data[at:at + size], at + size
            value = int.from_bytes(raw, "little")
        if number == 0 or wire in (3, 4, 6, 7) or at > len(data):
            raise Malformed
        yield number, wire, value, raw


def shown(kind, own):
    if kind == "repeated uint64":
        found = []
        for _, wire, value, raw in own:
            at = 0
            while wire == 2 and at < len(raw):
                one, at = varint(raw, at)
                found.append(one)
            if wire == 0:
                found.append(value)
        return "[" + ",".join(map(str, found)) + "]"
    wires = {"fixed32": 5, "fixed64": 1, "string": 2, "bytes": 2}
    own = [one for one in own if one[1] == wires.get(kind, 0)]
    value, raw = own[-1][2:] if own else (0, b"")
    if kind == "string":
        return '"' + raw.decode("ascii") + '"'
    if kind == "bytes":
        return raw.hex()
    if kind == "bool":
        return "true" if value else "false"
    if kind == "sint64":
        value = (value >> 1) ^ -(value & 1)
    if kind == "int64" and value >> 63:
        value -= 1 << 64
    if kind == "uint32":
        value &= 0xFFFFFFFF
    return str(value)


def message(sent):
    state, body = unseal(sent)
    if state == "damaged":
        print("damaged")
        return
    if state == "repaired":
        print("repaired")
    if len(body) < 6 or int.from_bytes(body[2:6], "big") != len(body) - 6:
        print("malformed")
    elif body[0] not in METHODS:
        print("unimplemented", body[0])
    elif body[1]:
        print("compressed")
    else:
        name, schema = METHODS[body[0]]
        try:
            found = list(fields(body[6:]))
            told = [f"{f}={shown(k, [o for o in found if o[0] == n])}" for n, f, k in schema]
            print(" ".join([name, *told]))
        except Malformed:
            print("malformed")


def refused(first, second, open_):
    code = first & 15
    if first & 0x70:
        return "reserved"
    if code not in (0, 2, 8, 9, 10):
        return "opcode"
    if not second & 128:
        return "unmasked"
    if code & 8:
        return "" if first & 128 and second & 127 < 126 else "control"
    if code == 2 and open_ is not None:
        return "interleaved"
    return "continuation" if code == 0 and open_ is None else ""


def capture(data):
    at, open_ = 0, None
    while at < len(data):
        head = data[at:at + 2]
        if len(head) < 2:
            return print("partial")
        wrong = refused(head[0], head[1], open_)
        if wrong:
            return print("error", wrong)
        at += 2
        size = head[1] & 127
        if size > 125:
            wide = 2 if size == 126 else 8
            if len(data) - at < wide:
                return print("partial")
            size, at = int.from_bytes(data[at:at + wide], "big"), at + wide
        if len(data) - at < 4 + size:
            return print("partial")
        key, masked = data[at:at + 4], data[at + 4:at + 4 + size]
        at += 4 + size
        payload = bytes(b ^ key[n % 4] for n, b in enumerate(masked))
        code = head[0] & 15
        if code == 8:
            return print("close", int.from_bytes(payload[:2], "big") if size > 1 else "none")
        if code == 9:
            print("pong", (bytes([0x8A, size]) + payload).hex())
        elif code != 10:
            open_ = (open_ or b"") + payload
            if @done:
                message(open_)
                open_ = None


for line in sys.stdin.read().split():
    capture(bytes.fromhex(line))
    print("--")
"""
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
