"""The protocol of the wire-frames family: messages of a drawn schema, sealed, in WebSocket frames.

Covers the schema, packing and reading messages, and what the wanted program prints for a capture.
Does not cover guards (`guards`), the draw (`draw`) or the wanted program itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.software_engineering.wire_frames.guards import Guard

Type = Literal[
    "uint64", "uint32", "int64", "sint64", "bool", "fixed32", "fixed64", "string", "bytes",
    "repeated uint64",
]  # fmt: skip
Value = int | bytes | tuple[int, ...]
WIRE: Mapping[Type, int] = {
    "uint64": 0, "uint32": 0, "int64": 0, "sint64": 0, "bool": 0, "fixed32": 5, "fixed64": 1,
    "string": 2, "bytes": 2, "repeated uint64": 0,
}  # fmt: skip
"""The wire type of each; a repeated number may come packed, as 2, too."""
DATA, CLOSE, PING, PONG = 2, 8, 9, 10
FULL = (1 << 64) - 1


class Malformed(Exception):
    """A message that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    number: int
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Method:
    """One call of the service, with the fields of its request."""

    number: int
    name: str
    request: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol."""

    package: str
    service: str
    methods: tuple[Method, ...]
    guard: Guard
    joins: bool = True
    """False for a mistake: every fragment is taken for a message."""


def varint(number: int) -> bytes:
    """Return a number of 64 bits, seven bits in each byte."""
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def packed(field: Field, value: Value, *, together: bool = True) -> bytes:
    """Return a field as the program prints it."""

    def tag(wire: int) -> bytes:
        return varint(field.number << 3 | wire)

    if isinstance(value, bytes):
        return tag(2) + varint(len(value)) + value
    if isinstance(value, tuple):
        parts = [varint(one) for one in value]
        if not together:
            return b"".join(tag(0) + part for part in parts)
        body = b"".join(parts)
        return tag(2) + varint(len(body)) + body
    if field.type in ("fixed32", "fixed64"):
        return tag(WIRE[field.type]) + value.to_bytes(4 if field.type == "fixed32" else 8, "little")
    if field.type == "sint64":
        value = value << 1 if value >= 0 else -value * 2 - 1
    return tag(0) + varint(value & FULL)


def call(method: int, message: bytes, *, flag: int = 0) -> bytes:
    """Return the body of a message: which method, and the request in gRPC's envelope."""
    return bytes([method, flag]) + len(message).to_bytes(4, "big") + message


def with_mask(key: bytes, payload: bytes) -> bytes:
    """Return a payload with the four bytes of a key laid over it; twice gives the payload again."""
    size = len(payload)
    stream = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big")).to_bytes(size, "big")


def answers(wire: Wire, captures: str) -> str:
    """Return the output of the program for lines of hexadecimal digits."""
    lines = []
    for line in captures.split():
        lines += [*_Connection(wire, bytes.fromhex(line)).lines(), "--"]
    return "".join(f"{line}\n" for line in lines)


class _Connection:
    """The frames of one capture, read in order."""

    def __init__(self, wire: Wire, data: bytes) -> None:
        self._wire, self._data, self._at = wire, data, 0
        self._open: bytes | None = None

    def lines(self) -> list[str]:
        """Return the output."""
        lines: list[str] = []
        while self._at < len(self._data):
            frame = self._frame()
            lines += frame
            if frame and frame[-1].startswith(("partial", "error", "close")):
                break
        return lines

    def _take(self, count: int) -> bytes | None:
        if len(self._data) - self._at < count:
            return None
        self._at += count
        return self._data[self._at - count : self._at]

    def _frame(self) -> list[str]:
        head = self._take(2)
        if head is None:
            return ["partial"]
        if wrong := self._wrong(head[0], head[1]):
            return [f"error {wrong}"]
        size: int | None = head[1] & 127
        if size in (126, 127):
            long = self._take(2 if size == 126 else 8)
            size = None if long is None else int.from_bytes(long, "big")
        key = self._take(4) if size is not None else None
        masked = self._take(size) if key is not None and size is not None else None
        if key is None or masked is None:
            return ["partial"]
        payload = with_mask(key, masked)
        return self._handled(head[0] & 15, bool(head[0] & 128), payload)

    def _wrong(self, first: int, second: int) -> str:
        code, control = first & 15, bool(first & 8)
        if first & 0x70:
            return "reserved"
        if code not in (0, DATA, CLOSE, PING, PONG):
            return "opcode"
        if not second & 128:
            return "unmasked"
        if control:
            return "control" if not first & 128 or second & 127 > 125 else ""
        if code == DATA:
            return "interleaved" if self._open is not None else ""
        return "continuation" if self._open is None else ""

    def _handled(self, code: int, last: bool, payload: bytes) -> list[str]:
        if code == CLOSE:
            known = len(payload) > 1
            return [f"close {int.from_bytes(payload[:2], 'big')}" if known else "close none"]
        if code == PING:
            return [f"pong {bytes([0x8A, len(payload)]).hex()}{payload.hex()}"]
        if code == PONG:
            return []
        whole = (self._open or b"") + payload if self._wire.joins else payload
        self._open = None if last else whole
        return _message(self._wire, whole) if last or not self._wire.joins else []


def _message(wire: Wire, sent: bytes) -> list[str]:
    state, body = wire.guard.open(sent)
    if state == "damaged":
        return ["damaged"]
    prefix = ["repaired"] if state == "repaired" else []
    if len(body) < 6 or int.from_bytes(body[2:6], "big") != len(body) - 6:
        return [*prefix, "malformed"]
    method = next((m for m in wire.methods if m.number == body[0]), None)
    if method is None:
        return [*prefix, f"unimplemented {body[0]}"]
    if body[1]:
        return [*prefix, "compressed"]
    try:
        fields = _fields(body[6:])
        shown = "".join(f" {f.name}={_shown(f, fields)}" for f in method.fields)
    except Malformed:
        return [*prefix, "malformed"]
    return [*prefix, method.name + shown]


def _fields(message: bytes) -> list[tuple[int, int, int, bytes]]:
    """Return number, wire type, value and bytes of every field, in order."""
    fields, at = [], 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, wire, value, raw = tag >> 3, tag & 7, 0, b""
        if wire == 0:
            value, at = _varint(message, at)
        elif wire in (1, 2, 5):
            size = 8 if wire == 1 else 4
            if wire == 2:
                size, at = _varint(message, at)
            raw, at = message[at : at + size], at + size
            value = int.from_bytes(raw, "little") if wire != 2 else 0
        if not number or wire in (3, 4, 6, 7) or at > len(message):
            raise Malformed
        fields.append((number, wire, value, raw))
    return fields


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count in range(10):
        if at + count >= len(message):
            raise Malformed
        value |= (message[at + count] & 127) << 7 * count
        if message[at + count] < 128:
            return value & FULL, at + count + 1
    raise Malformed


def _shown(field: Field, fields: Sequence[tuple[int, int, int, bytes]]) -> str:
    own = [one for one in fields if one[0] == field.number]
    if field.type == "repeated uint64":
        numbers: list[int] = []
        for _, wire, value, raw in own:
            numbers += [value] if wire == 0 else _run(raw) if wire == 2 else []
        return f"[{','.join(map(str, numbers))}]"
    own = [one for one in own if one[1] == WIRE[field.type]]
    value, raw = own[-1][2:] if own else (0, b"")
    match field.type:
        case "string":
            return f'"{raw.decode("ascii", "replace")}"'
        case "bytes":
            return raw.hex()
        case "bool":
            return "true" if value else "false"
        case "sint64":
            return str(value >> 1 if not value & 1 else -(value >> 1) - 1)
        case "int64":
            return str(value - (1 << 64) if value >> 63 else value)
        case "uint32":
            return str(value & 0xFFFFFFFF)
        case _:
            return str(value)


def _run(raw: bytes) -> list[int]:
    values, at = [], 0
    while at < len(raw):
        value, at = _varint(raw, at)
        values.append(value)
    return values
