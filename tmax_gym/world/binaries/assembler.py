"""Assemble x86-64 code with labels, and the routines that every binary needs.

Covers labels with 32-bit displacements, and buffered input and output by the system calls read and
write.  `machine` chooses the instructions for a tree.
Encodings: Intel SDM, volume 2.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

TEXT, RODATA, BSS = 0x401000, 0x500000, 0x600000
"""Fixed addresses: the executable is not relocatable."""
BUFFER = 1 << 16
_STATE = 4096
"""Bytes for registers and loop counters; the input and the output buffer follow."""
_IN, OUT = BSS + _STATE, BSS + _STATE + BUFFER
BSS_SIZE = _STATE + 2 * BUFFER

JUMP, CALL = b"\xe9", b"\xe8"
IF_NEGATIVE, IF_ZERO, IF_NOT_POSITIVE = b"\x0f\x88", b"\x0f\x84", b"\x0f\x8e"
IF_NOT_ZERO, IF_BELOW = b"\x0f\x85", b"\x0f\x82"


def word(value: int) -> bytes:
    """Return the lowest 32 bits of a number as an operand."""
    return struct.pack("<I", value & 0xFFFFFFFF)


@dataclass(slots=True)
class Code:
    """Machine code under construction."""

    slots: dict[str, int]
    """Register name to its offset from rbx."""
    text: bytearray = field(default_factory=bytearray)
    rodata: bytearray = field(default_factory=bytearray)
    labels: dict[str, int] = field(default_factory=dict)
    holes: list[tuple[int, str]] = field(default_factory=list)
    """Positions of 32-bit displacements, with their labels."""
    count: int = 0

    def put(self, *parts: bytes) -> None:
        """Append bytes."""
        for part in parts:
            self.text += part

    def label(self, name: str) -> None:
        """Define a label at this position."""
        self.labels[name] = len(self.text)

    def fresh(self) -> str:
        """Return a new label name."""
        self.count += 1
        return f"L{self.count}"

    def go(self, opcode: bytes, name: str) -> None:
        """Append a jump or call."""
        self.put(opcode)
        self.holes.append((len(self.text), name))
        self.put(bytes(4))

    def linked(self) -> bytes:
        """Return the code with all displacements filled in."""
        for at, name in self.holes:
            self.text[at : at + 4] = struct.pack("<i", self.labels[name] - at - 4)
        return bytes(self.text)

    def slot(self, name: str) -> bytes:
        """Return the displacement of a register."""
        return word(self.slots[name])


def runtime(code: Code) -> None:
    """Append the routines for input and output."""
    code.label("byte")  # eax: the next byte, or -1
    code.put(b"\x4d\x39\xec")  # cmp r12, r13
    code.go(IF_BELOW, "held")
    code.put(b"\x31\xc0\x31\xff\xbe", word(_IN), b"\xba", word(BUFFER), b"\x0f\x05\x85\xc0")
    code.go(IF_NOT_POSITIVE, "none")
    code.put(b"\x41\xbc", word(_IN), b"\x4d\x8d\x2c\x04")  # r12 = buffer; r13 = r12 + rax
    code.label("held")
    code.put(b"\x41\x0f\xb6\x04\x24\x49\xff\xc4\xc3")  # movzx eax, [r12]; inc r12; ret
    code.label("none")
    code.put(b"\xb8", word(-1), b"\xc3")
    code.label("one")  # print al
    code.put(b"\x41\x88\x06\x49\xff\xc6\x49\x81\xfe", word(OUT + BUFFER))
    code.go(IF_ZERO, "flush")
    code.put(b"\xc3")
    code.label("flush")
    code.put(b"\x44\x89\xf2\xbe", word(OUT), b"\x29\xf2")  # edx = r14 - buffer
    code.label("write")
    code.put(b"\x85\xd2")
    code.go(IF_NOT_POSITIVE, "empty")
    code.put(b"\xbf", word(1), b"\xb8", word(1), b"\x0f\x05\x85\xc0")
    code.go(IF_NOT_POSITIVE, "empty")
    code.put(b"\x01\xc6\x29\xc2")  # esi += eax; edx -= eax
    code.go(JUMP, "write")
    code.label("empty")
    code.put(b"\x41\xbe", word(OUT), b"\xc3")
    _numbers(code)


def _numbers(code: Code) -> None:
    """Append the routines that print eax and texts."""
    code.label("decimal")
    code.put(b"\x31\xff")
    code.label("tens")  # divide by ten, push the digit, count it in edi
    code.put(b"\xb9", word(10), b"\x31\xd2\xf7\xf1\x83\xc2\x30\x52\xff\xc7\x85\xc0")
    code.go(IF_NOT_ZERO, "tens")
    code.label("pop")
    code.put(b"\x58\x57")
    code.go(CALL, "one")
    code.put(b"\x5f\xff\xcf")
    code.go(IF_NOT_ZERO, "pop")
    code.put(b"\xc3")
    code.label("hexadecimal")  # at least ecx digits
    code.put(b"\x31\xff")
    code.label("nibble")
    code.put(b"\x89\xc2\x83\xe2\x0f\x83\xfa\x0a")
    code.go(IF_BELOW, "figure")
    code.put(b"\x83\xc2\x27")  # from behind "9" to "a"
    code.label("figure")
    code.put(b"\x83\xc2\x30\x52\xff\xc7\xc1\xe8\x04")
    code.go(IF_NOT_ZERO, "nibble")
    code.put(b"\x39\xcf")
    code.go(IF_BELOW, "nibble")
    code.go(JUMP, "pop")
    code.label("text")  # ecx bytes at rsi
    code.put(b"\x56\x51\x8a\x06")
    code.go(CALL, "one")
    code.put(b"\x59\x5e\x48\xff\xc6\xff\xc9")
    code.go(IF_NOT_ZERO, "text")
    code.put(b"\xc3")
