"""The draw of the wire-frames family: a protocol, its documents, and captures of connections.

Covers what a client sends, sound and faulty.  Does not cover what is to be printed for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tmax_gym.families.contract import Context
from tmax_gym.families.software_engineering.wire_frames import guards
from tmax_gym.families.software_engineering.wire_frames.protocol import (
    CLOSE,
    DATA,
    PING,
    PONG,
    Field,
    Method,
    Type,
    Value,
    Wire,
    call,
    packed,
    varint,
    with_mask,
)
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import slugged

EASY: tuple[Type, ...] = ("uint64", "bool", "string", "sint64")
HARD: tuple[Type, ...] = (
    "uint64", "uint32", "int64", "sint64", "bool", "fixed32", "fixed64", "string", "bytes",
    "repeated uint64",
)  # fmt: skip
LATER: tuple[Type, ...] = ("string", "fixed32", "uint64", "fixed64")
"""Types of fields that only a later schema has."""
VERBS = ("Report", "Register", "Move", "Book", "Confirm", "Release", "Inspect", "Count")
ROOM = 240
"""Most bytes of a request: with the envelope fewer than GF(256) has powers of 2, so that the
place of a wrong byte is certain."""
BREAKS = (
    "reserved", "opcode", "unmasked", "control", "interleaved", "continuation", "partial", "close",
)  # fmt: skip
"""How a capture may end."""
ODD = ("damaged", "hit", "malformed", "unimplemented", "compressed")
"""Faults that a message may have."""


def drawn(ctx: Context, rng: Rng) -> Wire:
    """Return a protocol; harder ones have more methods, fields and types."""
    types = (*EASY, *rng.sample([t for t in HARD if t not in EASY], ctx.knob(1, 6)))
    names = sorted({slugged(name) for name in ctx.skin.columns})
    methods = []
    picked = rng.sample(VERBS, ctx.knob(2, 5))
    thing = "".join(part.title() for part in slugged(ctx.skin.thing(rng).singular).split("_"))
    numbers = rng.sample(range(1, 40), len(picked))
    for verb, number in zip(picked, numbers, strict=True):
        count = rng.integer(2, ctx.knob(3, 6))
        tags = sorted(rng.sample(range(1, ctx.knob(16, 60)), count))
        own = rng.sample(names, count)
        fields = [Field(t, n, rng.choice(types)) for t, n in zip(tags, own, strict=True)]
        methods.append(Method(number, verb, f"{verb}{thing}", tuple(rng.shuffled(fields))))
    kind = rng.choice(guards.KINDS)
    package = slugged(rng.choice(ctx.skin.stems))
    return Wire(package, f"{thing}Service", tuple(methods), guards.drawn(rng.fork("guard"), kind))


def schema(wire: Wire) -> str:
    """Return the schema as protoc would take it."""
    lines = ['syntax = "proto3";', "", f"package {wire.package};", "", f"service {wire.service} {{"]
    for method in wire.methods:
        lines.append(f"  // method byte {method.number}")
        lines.append(f"  rpc {method.name}({method.request}) returns (Done);")
    lines.append("}")
    for method in wire.methods:
        lines += ["", f"message {method.request} {{"]
        lines += [f"  {f.type} {f.name} = {f.number};" for f in method.fields]
        lines.append("}")
    return "\n".join([*lines, "", "message Done {}"]) + "\n"


def captures(wire: Wire, rng: Rng, kinds: Sequence[str]) -> str:
    """Return lines of hexadecimal digits, a capture each.

    Args:
        wire: The protocol.
        rng: Decides everything.
        kinds: What happens in each: an entry of `BREAKS` or of `ODD`, or "sound".
    """
    return "".join(f"{_capture(wire, rng.fork(n), k).hex()}\n" for n, k in enumerate(kinds))


def _capture(wire: Wire, rng: Rng, kind: str) -> bytes:
    capture = b""
    for number in range(rng.integer(1, 3)):
        capture += _sent(rng.fork(number), _message(wire, rng.fork("m", number), ""))
        if rng.chance(0.3):
            code = rng.choice((PING, PONG, PING))
            capture += _frame(rng, code, rng.bytes(rng.integer(0, 9)))
    last = rng.fork("last")
    message = _message(wire, last, kind if kind in ODD else "")
    if kind in ODD or kind == "sound":
        return capture + _sent(last, message)
    return capture + _broken(last, message, kind)


def _broken(rng: Rng, message: bytes, kind: str) -> bytes:
    """Return frames that end a connection, and some that must not be read any more."""
    if kind == "partial":
        sent = _sent(rng, message)
        return sent[: rng.integer(max(1, len(sent) - 9), len(sent) - 1)]
    if kind == "close":
        reason = rng.choice(
            ((1000).to_bytes(2, "big"), (1001).to_bytes(2, "big") + b"bye", b"", b"\x03",
             rng.integer(3000, 4999).to_bytes(2, "big"))
        )  # fmt: skip
        frames = _frame(rng, CLOSE, reason)
    elif kind == "reserved":
        frames = _frame(rng, DATA, message, extra=rng.choice((0x40, 0x20, 0x10)))
    elif kind == "opcode":
        frames = _frame(rng, rng.choice((1, 3, 7, 11, 15)), message)
    elif kind == "unmasked":
        frames = bytes([0x82, min(len(message), 125)]) + message[:125]
    elif kind == "control":
        large = rng.chance(0.5)
        frames = _frame(rng, PING, rng.bytes(130 if large else 3), last=large)
    elif kind == "interleaved":
        frames = _frame(rng, DATA, message[:4], last=False) + _frame(rng, DATA, message)
    else:
        frames = _frame(rng, 0, message)
    return frames + _sent(rng, message)


def _sent(rng: Rng, message: bytes) -> bytes:
    """Return a message in one frame or several, with control frames between them."""
    count = rng.choice((1, 1, 2, 3))
    cuts = [0, *sorted(rng.integer(0, len(message)) for _ in range(count - 1)), len(message)]
    frames = b""
    for number, (start, end) in enumerate(pairwise(cuts)):
        code = 0 if number else DATA
        frames += _frame(rng, code, message[start:end], last=number == count - 1)
        if number < count - 1 and rng.chance(0.4):
            frames += _frame(rng, PING, rng.bytes(rng.integer(0, 4)))
    return frames


def _frame(rng: Rng, code: int, payload: bytes, *, last: bool = True, extra: int = 0) -> bytes:
    """Return a masked frame; its length takes the short form or, at times, a longer one."""
    size, key = len(payload), rng.bytes(4)
    long = 0 if code & 8 and size < 126 else rng.weighted((0, 2, 8), (6, 2, 1))
    if size > 125 and not long:
        long = 2
    if long:
        length = bytes([126 if long == 2 else 127]) + size.to_bytes(long, "big")
    else:
        length = bytes([size])
    masked = with_mask(key, payload)
    first = (0x80 if last else 0) | extra | code
    return bytes([first, length[0] | 128]) + length[1:] + key + masked


def _message(wire: Wire, rng: Rng, odd: str) -> bytes:
    """Return a sealed message, with a fault if one is wanted."""
    method = rng.choice(wire.methods)
    request = _request(method, rng)
    number = method.number
    if odd == "malformed":
        cut = request + varint(7 << 3 | 2) + b"\x0a\x01"
        request = rng.choice((cut, request + b"\x0b", request + b"\x80"))
    if odd == "unimplemented":
        number = rng.choice([n for n in range(41, 90) if n != number])
    body = call(number, request, flag=odd == "compressed")
    if odd == "malformed" and rng.chance(0.3):
        body = body[: rng.integer(3, len(body) - 1)]
    sealed = bytearray(wire.guard.seal(body))
    mends = wire.guard.kind in ("nibbles", "twins")
    if odd in ("damaged", "hit") or (mends and rng.chance(0.3)):
        at = rng.integer(0, len(sealed) - 1)
        bits = rng.sample(range(8), 2 if odd == "damaged" else 1)
        for bit in bits:
            sealed[at] ^= 1 << bit
        if odd == "damaged" and wire.guard.kind == "twins":
            sealed[(at + 1) % len(sealed)] ^= rng.integer(1, 255)
    while odd == "damaged" and wire.guard.open(bytes(sealed))[0] != "damaged":
        sealed[rng.integer(0, len(sealed) - 1)] ^= rng.integer(1, 255)  # looked like one byte
    return bytes(sealed)


def _request(method: Method, rng: Rng) -> bytes:
    """Return a request: fields in any order, some absent, twice, or of a later schema."""
    parts = []
    for field in method.fields:
        if rng.chance(0.15):
            continue
        for _ in range(1 + rng.chance(0.12)):
            together = rng.chance(0.7)
            parts.append(packed(field, _value(field.type, rng), together=together))
    if rng.chance(0.3):
        kind = rng.choice(LATER)
        unknown = Field(rng.integer(70, 900), "", kind)
        parts.append(packed(unknown, _value(kind, rng)))
    while sum(map(len, parts)) > ROOM:
        parts.pop()
    return b"".join(rng.shuffled(parts))


def _value(kind: Type, rng: Rng) -> Value:
    wide = rng.choice((6, 12, 31, 45, 63))
    match kind:
        case "string":
            letters = rng.integer(0, 12) if rng.chance(0.9) else rng.integer(40, 90)
            return rng.secret(letters).encode()
        case "bytes":
            return rng.bytes(rng.integer(0, 10))
        case "repeated uint64":
            return tuple(rng.bits(rng.choice((5, 9, 40))) for _ in range(rng.integer(0, 5)))
        case "bool":
            return rng.integer(0, 1)
        case "sint64" | "int64":
            return rng.bits(wide) * rng.choice((1, -1))
        case "fixed32":
            return rng.bits(32)
        case _:
            return rng.bits(rng.choice((6, 12, 31, 45, 64)))
