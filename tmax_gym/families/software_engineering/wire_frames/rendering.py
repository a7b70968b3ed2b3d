"""The wanted programs of the wire-frames family: one per language, filled in for a protocol.

Covers tables of methods and the numbers of the guard.  `programs/` has the frame of the program
(`main`) and one file for each kind of guard.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_sections, program_text
from tmax_gym.families.software_engineering.wire_frames.guards import Guard
from tmax_gym.families.software_engineering.wire_frames.protocol import Field, Method, Wire
from tmax_gym.world import toolchains

_KINDS = {
    "uint64": "U64", "uint32": "U32", "int64": "I64", "sint64": "Z64", "bool": "BOOL",
    "fixed32": "F32", "fixed64": "F64", "string": "STRING", "bytes": "BYTES",
    "repeated uint64": "MANY",
}  # fmt: skip
_DONE: Mapping[Language, tuple[str, str]] = {
    "c": ("first & 128", "1"),
    "cpp": ("first & 128", "1"),
    "go": ("first&128 != 0", "true"),
    "python": ("head[0] & 128", "True"),
    "rust": ("first & 128 != 0", "true"),
}
"""Conditions for the last frame of a message: the right one, and the mistaken one."""


def program(wire: Wire, language: Language) -> str:
    """Return the source of a program."""
    suffix = toolchains.SUFFIX["c" if language == "cpp" else language]
    guard = program_sections(__package__, f"{wire.guard.kind}.{suffix}")["guard"]
    source = program_text(__package__, f"main.{suffix}").replace("@guard", guard)
    words = {**_numbers(wire.guard, language), **_tables(wire, language)}
    words["done"] = _DONE[language][not wire.joins]
    words["imports"] = '\t"math/bits"\n' if wire.guard.kind == "nibbles" else ""
    for word, text in sorted(words.items(), key=lambda pair: -len(pair[0])):
        source = source.replace(f"@{word}", text)
    return source


def _numbers(guard: Guard, language: Language) -> dict[str, str]:
    unsigned = "u" if language in ("c", "cpp") and guard.kind == "crc" else ""
    width, low = guard.width, guard.low_first
    size, move = width // 8, ">>" if low else "<<"
    last = "n - 1 - i" if language != "go" else "n-1-i"
    return {
        "start": f"{guard.start}{unsigned}",
        "final": f"{guard.final}{unsigned}",
        "shift": str(0 if low else width - 8),
        "outbit": hex(1 if low else 1 << width - 1) + unsigned,
        "moved": f"(register {move} 1)",
        "move": move,
        "full": hex((1 << width) - 1) + unsigned,
        "poly": hex(guard.reversed_polynomial if low and width else guard.polynomial) + unsigned
        if guard.kind == "crc"
        else hex(guard.polynomial),
        "size": str(size),
        "order": '"little"' if guard.little else '"big"',
        "index": "i" if guard.little else f"{size - 1} - i",
        "modulus": str(guard.modulus),
        "pair": _pair(guard, language),
        "words": ", ".join(map(hex, guard.words)) if guard.kind == "nibbles" else "",
        "high": str(int(guard.little)),
        "low": str(int(not guard.little)),
        "places": f"list(range(len(body))){'[::-1]' if guard.backward else ''}",
        "far": "i" if guard.backward else last,
        "near": last if guard.backward else "i",
    }


def _pair(guard: Guard, language: Language) -> str:
    second = "c" if language == "go" else "b"
    return f"{second}, a" if guard.little else f"a, {second}"


def _tables(wire: Wire, language: Language) -> dict[str, str]:
    if language in ("c", "cpp"):
        rows = [(m.number, f) for m in wire.methods for f in m.fields]
        return {
            "fields": "\n".join(
                f'    {{ {n}, {f.number}, "{f.name}", {_KINDS[f.type]} }},' for n, f in rows
            ),
            "methods": "\n".join(f'    {{ {m.number}, "{m.name}" }},' for m in wire.methods),
        }
    if language == "python":
        table = {m.number: (m.name, [(f.number, f.name, f.type) for f in m.fields])
                 for m in wire.methods}  # fmt: skip
        return {"methods": repr(table)}
    return {"methods": "\n".join(_entry(m, language) for m in wire.methods)}


def _entry(method: Method, language: Language) -> str:
    def row(field: Field) -> str:
        return f'{field.number}, "{field.name}", "{field.type}"'

    if language == "go":
        rows = ", ".join(f"{{{row(f)}}}" for f in method.fields)
        return f'\t{method.number}: {{"{method.name}", []field{{{rows}}}}},'
    rows = ", ".join(f"({row(f)})" for f in method.fields)
    return f'    ({method.number}, "{method.name}", &[{rows}]),'
