"""Classic NetCDF files for the grid-archive family: a writer, and a reader as a solution.

Covers CDF-1 with fixed and record dimensions, attributes of numbers and text, and shorts, ints
and floats.  Does not cover CDF-2, CDF-5 or HDF5.  Format: NetCDF User's Guide, appendix B.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text

SHORT, INT, FLOAT = 3, 4, 5
_CODES = {SHORT: "h", INT: "i", FLOAT: "f"}
_SIZES = {SHORT: 2, INT: 4, FLOAT: 4}


@dataclass(frozen=True, slots=True)
class Variable:
    """One array."""

    name: str
    dims: tuple[int, ...]
    """Indexes of its dimensions."""
    kind: int
    values: tuple[float, ...]
    attributes: tuple[tuple[str, int, object], ...] = ()
    """(name, kind, number), or (name, 2, text)."""


def _name(name: str) -> bytes:
    raw = name.encode()
    return struct.pack(">I", len(raw)) + raw + bytes(-len(raw) % 4)


def _packed(kind: int, values: Sequence[float]) -> bytes:
    whole = values if kind == FLOAT else [int(v) for v in values]
    body = struct.pack(f">{len(values)}{_CODES[kind]}", *whole)
    return body + bytes(-len(body) % 4)


def _attributes(items: Sequence[tuple[str, int, object]]) -> bytes:
    if not items:
        return bytes(8)
    out = struct.pack(">II", 12, len(items))
    for name, kind, value in items:
        out += _name(name)
        if kind == 2:
            out += struct.pack(">I", 2) + _name(str(value))
        else:
            assert isinstance(value, int | float)
            out += struct.pack(">II", kind, 1) + _packed(kind, [value])
    return out


def netcdf(
    dims: Sequence[tuple[str, int]], variables: Sequence[Variable], *, records: int, title: str
) -> bytes:
    """Return the file; a dimension of length 0 is the record dimension, of `records` records."""

    def header(begins: Sequence[int]) -> bytes:
        out = b"CDF\x01" + struct.pack(">I", records) + struct.pack(">II", 10, len(dims))
        out += b"".join(_name(name) + struct.pack(">I", size) for name, size in dims)
        out += _attributes([("title", 2, title)]) + struct.pack(">II", 11, len(variables))
        for variable, begin in zip(variables, begins, strict=True):
            out += _name(variable.name) + struct.pack(">I", len(variable.dims))
            out += struct.pack(f">{len(variable.dims)}I", *variable.dims)
            out += _attributes(variable.attributes)
            out += struct.pack(">III", variable.kind, _bytes(dims, variable), begin)
        return out

    begins, at = [0] * len(variables), len(header([0] * len(variables)))
    body = b""
    for number, variable in enumerate(variables):
        if not _recorded(dims, variable):
            begins[number] = at + len(body)
            body += _packed(variable.kind, variable.values)
    shared = [v for v in variables if _recorded(dims, v)]
    for variable in shared:
        begins[variables.index(variable)] = (
            at + len(body) + sum(_bytes(dims, v) for v in shared[: shared.index(variable)])
        )
    for record in range(records):
        for variable in shared:
            size = len(variable.values) // records
            part = variable.values[record * size : (record + 1) * size]
            body += _packed(variable.kind, part)
    return header(begins) + body


def _recorded(dims: Sequence[tuple[str, int]], variable: Variable) -> bool:
    return bool(variable.dims) and dims[variable.dims[0]][1] == 0


def _bytes(dims: Sequence[tuple[str, int]], variable: Variable) -> int:
    size = _SIZES[variable.kind]
    for at in variable.dims:
        size *= dims[at][1] or 1
    return (size + 3) // 4 * 4


READ = program_text(__package__, "read.py")
