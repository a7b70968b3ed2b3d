"""The document of the wire-frames family: frames, guard, envelope and what is printed.

Covers everything that the wanted program must know beside the schema.
"""

from __future__ import annotations

from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.software_engineering.wire_frames import guards
from tmax_gym.families.software_engineering.wire_frames.protocol import Wire

_SHEET = """# Wire protocol of {service}, package {package}

## Frames

The protocol uses WebSocket frames as in RFC 6455. A capture is what one client sent after the
handshake. A frame consists of:

- Byte 1: FIN (0x80), three reserved bits (0x70) and the opcode (0x0f).
- Byte 2: MASK (0x80) and the length of the payload (0x7f). If the length is 126, the real length is
  in the next two bytes, and if it is 127, in the next eight bytes, with the highest byte first. A
  longer form than necessary is allowed.
- The key: four bytes.
- The payload. Byte n of the payload, counted from 0, is XORed with key byte n mod 4.

Opcode 2 begins a message, opcode 0 continues it, and the frame with FIN ends it. The unmasked
payloads of these frames, joined, are the message as it was sent. Frames with opcode 8 (close), 9
(ping) or 10 (pong) can come between the frames of a message.

A frame is refused for the first of these errors that applies. The checks are made as soon as the
first two bytes of a frame are there, even if the rest of the frame is missing:

- `reserved`: One of the reserved bits is set.
- `opcode`: The opcode is none of 0, 2, 8, 9 and 10. There are no text frames.
- `unmasked`: MASK is not set.
- `control`: The opcode is 8, 9 or 10, but FIN is not set or the length in byte 2 is above 125.
- `interleaved`: The opcode is 2, but the previous message is not finished yet.
- `continuation`: The opcode is 0, but there is no unfinished message.

## Guard

Each message is protected by a guard before it is split into frames.

{guard}

## Calls

The body of a message consists of a method byte, a flag byte, the length of the request in four
bytes with the highest byte first, and the request, which is a protobuf message of the schema.
Fields can come in any order. If a field occurs more than once, its last occurrence counts. A
missing field is 0, false or empty. Skip fields with an unknown number, and known fields whose wire
type is not the one of the schema. Repeated numbers can be packed, one by one, or both;
all of them count, in the order in which they come. Varints are taken modulo 2^64, including those
of tags and lengths, and values of the type uint32 modulo 2^32.

## Output

Each line of hexadecimal digits in the input is a capture. For a capture, print these lines in the
order of its frames:

- `error WORD` for a frame that is refused, where WORD is the name of the error in the list above.
  The capture ends there.
- `partial` if a frame is cut off, even after its first byte. The capture ends there.
- `close CODE` for a close frame, where CODE is the number in its first two payload bytes, the
  highest byte first, or `none` if the payload is shorter. The capture ends there.
- `pong HEX` for a ping, where HEX is the whole frame that answers it, with FIN set, without a mask
  or key, and with the same payload.
- Nothing for a pong frame, and nothing for a message that is not finished.

When a message is finished, check its guard first:

- If the message is damaged, print `damaged` and nothing else for this message.
{repaired}

Unless it is damaged, print the first of these lines that applies:

- `malformed` if the body has fewer than 6 bytes, or if the length in it is not the number of bytes
  that follow.
- `unimplemented N` if the method byte is N and the schema has no such method.
- `compressed` if the flag byte is not 0.
- `malformed` if the request is not a protobuf message: it is cut off, or it has a varint of more
  than 10 bytes, the field number 0, or a wire type of 3, 4, 6 or 7. The same goes for
  varints inside packed numbers.
- `METHOD NAME=VALUE ...` with every field of the request, in the order of the schema. Print numbers
  in decimal, booleans as true or false, strings in double quotes without escapes, bytes as
  hexadecimal digits, and repeated numbers as `[1,2,3]` or `[]`.

Hexadecimal digits in the output are in lower case.

Print a line `--` after each capture.
"""


def sheet(wire: Wire) -> str:
    """Return the document."""
    guard = " ".join(guards.described(wire.guard))
    repairs = wire.guard.kind in ("nibbles", "twins")
    repaired = "- If the message counts as repaired, print the line `repaired`, and then go on."
    fill = {"guard": guard, "repaired": repaired if repairs else ""}
    return flowed(_SHEET.format(service=wire.service, package=wire.package, **fill))
