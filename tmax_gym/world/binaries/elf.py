"""Write stripped static executables for x86-64 Linux from program trees.

Covers the container around `machine.assemble`: segments, and the four sections that a
disassembler looks for.  Does not cover symbols, relocation or dynamic linking.
Format: System V ABI, "Object Files"; elf(5).
"""

from __future__ import annotations

import struct

from tmax_gym.world.binaries.assembler import BSS, BSS_SIZE, RODATA, TEXT
from tmax_gym.world.binaries.machine import assemble
from tmax_gym.world.programs.program import Program

_PAGE = 0x1000
_HEAD, _SEGMENT, _SECTION = 64, 56, 64
_READ, _WRITE, _EXECUTE = 4, 2, 1
_NAMES = b"\0.text\0.rodata\0.bss\0.shstrtab\0"


def _segment(address: int, offset: int, *, size: int, flags: int, memory: int = 0) -> bytes:
    """Return a PT_LOAD entry; `memory` is its size in memory if that is larger."""
    total = max(size, memory)
    return struct.pack("<IIQQQQQQ", 1, flags, offset, address, address, size, total, _PAGE)


def _section(name: bytes, kind: int, place: tuple[int, int, int], *, flags: int) -> bytes:
    """Return a section header; `place` is (address, offset, size)."""
    return struct.pack("<IIQQQQIIQQ", _NAMES.index(name), kind, flags, *place, 0, 0, 16, 0)


def executable(program: Program) -> bytes:
    """Return the file, which needs mode 0o755."""
    text, rodata = assemble(program)
    # One byte at least: an empty segment is legal but confuses tools.
    rodata = rodata or b"\0"
    at = _PAGE + (len(text) + _PAGE - 1) // _PAGE * _PAGE
    names_at = at + len(rodata)
    table_at = (names_at + len(_NAMES) + 15) // 16 * 16
    stack = struct.pack("<IIQQQQQQ", 0x6474E551, _READ | _WRITE, 0, 0, 0, 0, 0, 16)
    segments = (
        _segment(TEXT, _PAGE, size=len(text), flags=_READ | _EXECUTE),
        _segment(RODATA, at, size=len(rodata), flags=_READ),
        _segment(BSS, 0, size=0, flags=_READ | _WRITE, memory=BSS_SIZE),
        stack,
    )
    # Section kinds 1 (contents), 3 (strings), 8 (zeros); flags 1 write, 2 in memory, 4 code.
    sections = (
        bytes(_SECTION),
        _section(b".text\0", 1, (TEXT, _PAGE, len(text)), flags=2 | 4),
        _section(b".rodata\0", 1, (RODATA, at, len(rodata)), flags=2),
        _section(b".bss\0", 8, (BSS, names_at, BSS_SIZE), flags=1 | 2),
        _section(b".shstrtab\0", 3, (0, names_at, len(_NAMES)), flags=0),
    )
    # 64 bits, little-endian, version 1; executable (2) for x86-64 (62).
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQ", 2, 62, 1, TEXT, _HEAD, table_at)
    head += struct.pack("<IHHHHHH", 0, _HEAD, _SEGMENT, len(segments), _SECTION, len(sections), 4)
    body = (head + b"".join(segments)).ljust(_PAGE, b"\0") + text
    body = (body.ljust(at, b"\0") + rodata + _NAMES).ljust(table_at, b"\0")
    return body + b"".join(sections)
