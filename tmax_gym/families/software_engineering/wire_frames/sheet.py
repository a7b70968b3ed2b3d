"""The document of the wire-frames family: frames, guard, envelope and what is printed.

Covers everything that the wanted program must know beside the schema.
"""

from __future__ import annotations

from tmax_gym.families.software_engineering.wire_frames import guards
from tmax_gym.families.software_engineering.wire_frames.protocol import Wire
from tmax_gym.rng import Rng

_FRAMES = """\
WebSocket frames as in RFC 6455; a capture is what one client sent after the handshake.
  byte 1: FIN (0x80), three reserved bits (0x70), opcode (0x0f)
  byte 2: MASK (0x80), length (0x7f).  Length 126: two more bytes hold it, 127: eight more, the
  highest byte first; a long form may hold a small number as well.
  Then four key bytes, then the payload; byte n of it (from 0) is XORed with key byte n mod 4.
Opcodes: 2 begins a message, 0 continues it, FIN ends it; its payloads joined are what was sent.
8 close, 9 ping, 10 pong may stand between the frames of a message.
As soon as the first two bytes of a frame are there, look in this order for
  reserved       one of the reserved bits is set
  opcode         it is none of 0, 2, 8, 9, 10 (there are no text frames)
  unmasked       MASK is not set
  control        opcode 8, 9 or 10 without FIN, or with a length (second byte) above 125
  interleaved    opcode 2 while a message is not finished
  continuation   opcode 0 while no message has begun"""
_CALLS = """\
The body of a message is a method byte, a flag byte, the length of the request in four bytes (the
highest first), and the request: a protobuf message of the schema.  Fields come in any order; of
one that comes more than once the last counts; one that does not come is 0, false or empty; an
unknown number is skipped, and so is a known one with another wire type.  A repeated number comes
packed or one by one, or both, and all of them count, in order.  Numbers are taken modulo 2^64,
those of uint32 modulo 2^32."""
_PRINTED = """\
  error WORD      for a frame that is refused, WORD from the list above; the capture ends
  partial         where a frame is cut off; the capture ends
  close CODE      for a close frame: its first two payload bytes as a number, or `none` where
                  there are fewer; the capture ends
  pong HEX        for a ping: the whole frame that answers it, FIN set, not masked, same payload
  nothing         for a pong frame, and for a message not finished
and for every finished message, after the guard was looked at:
  damaged         and no more than that, where the guard says so
  repaired        a line of its own before the next, where the guard says so
  malformed       the body is shorter than 6 bytes, its length is not what follows, or the
                  request is no protobuf message (cut off, a varint of more than 10 bytes,
                  field number 0, wire type 3, 4, 6 or 7)
  unimplemented N for a method byte N that the schema does not have
  compressed      for a flag byte that is not 0
                  (the first of these three that applies; but an unknown or compressed request
                  is not looked into)
  METHOD NAME=VALUE ...
                  else: every field of the request, in the order of the schema; numbers in
                  decimal, true or false, strings in double quotes as they are, bytes in
                  hexadecimal digits, repeated numbers as [1,2,3] or []
After each capture a line --."""


def sheet(wire: Wire, rng: Rng) -> str:
    """Return the document."""
    heads = rng.choice(
        (
            ("FRAMES", "GUARD", "CALLS", "OUTPUT"),
            ("1. Frames", "2. What guards a message", "3. Calls", "4. What is printed"),
            ("Transport", "Protection", "Requests", "Report"),
        )
    )
    parts = (
        _FRAMES,
        "Each message is sealed before it is cut into frames.\n"
        + "\n".join(guards.described(wire.guard)),
        _CALLS,
        "For a line of hexadecimal digits (a capture) these lines, as things happen:\n" + _PRINTED,
    )
    title = f"Wire protocol of {wire.service}, package {wire.package}"
    return (
        title + "\n\n" + "\n\n".join(f"{h}\n{p}" for h, p in zip(heads, parts, strict=True)) + "\n"
    )
