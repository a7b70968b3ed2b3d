"""Make inputs for programs, and reject random programs that are too simple.

Covers inputs in three sizes with edge cases (no input, blank lines, a last line without its
newline), and the measures `fault` and `divergence`.  Inputs are printable ASCII, which every
language and shell reads alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.program import Program

SIZES = {"small": (1, 4), "middle": (5, 20), "large": (60, 120)}
"""Number of lines of an input, by size class."""
# 23 of 24: one accidental collision is no reason to reject a program.
_PROBES, _DISTINCT = 24, 23
# Inputs that are changed part by part; the output must change for a third of them.
_MOVED = 8


def sample_input(program: Program, rng: Rng, size: str = "middle") -> bytes:
    """Return one random input."""
    count = rng.integer(*SIZES[size])
    if program.unit == "record":
        lines = _records(program, rng, count)
    else:
        lines = [_line(program.alphabet, rng) for _ in range(count)]
    text = "\n".join(lines)
    return (text if rng.chance(0.15) else text + "\n").encode()


def _line(alphabet: str, rng: Rng) -> str:
    if rng.chance(0.06):
        return ""
    return "".join(rng.choices(alphabet, rng.integer(1, 40)))


def _records(program: Program, rng: Rng, count: int) -> list[str]:
    lines, clock = [], 0
    for _ in range(count):
        if rng.chance(0.04):
            lines.append("")
            continue
        row = []
        for field in program.fields:
            value = rng.integer(field.lo, field.hi)
            if field.name == program.ramp:
                clock += value
                value = clock
            row.append(str(value))
        lines.append(rng.weighted((" ", ";", "  "), (12, 1, 1)).join(row))
    return lines


def inputs(program: Program, rng: Rng, count: int) -> list[bytes]:
    """Return `count` inputs: the empty one, then the three sizes in turn."""
    sizes = sorted(SIZES)
    sized = [
        sample_input(program, rng.fork("input", i), sizes[i % len(sizes)]) for i in range(count - 1)
    ]
    return [b"", *sized][:count]


def divergence(first: Program, second: Program, cases: Sequence[bytes]) -> float:
    """Return the share of inputs for which two programs have different outputs."""
    return sum(run(first, case) != run(second, case) for case in cases) / len(cases)


def fault(program: Program, rng: Rng) -> str:
    """Return why a program is too simple for a task; empty if it is not.

    At least 23 of 24 random inputs give different outputs, and every field, or every part of a
    line, changes the output when it changes.
    """
    cases = [sample_input(program, rng.fork("case", i)) for i in range(_PROBES)]
    outputs = [run(program, case) for case in cases]
    distinct = len(set(outputs))
    if distinct < _DISTINCT:
        return f"{distinct} distinct outputs of {_PROBES} inputs"
    columns = len(program.fields) or 3
    for column in range(columns):
        moved = 0
        for i, (case, output) in enumerate(zip(cases[:_MOVED], outputs[:_MOVED], strict=True)):
            changed = _changed(program, case, column, rng=rng.fork("change", column, i))
            moved += run(program, changed) != output
        if moved * 3 < _MOVED:
            return f"input part {column} moved {moved} of {_MOVED} outputs"
    return ""


def _changed(program: Program, case: bytes, column: int, *, rng: Rng) -> bytes:
    """Return the input with one field, or one of three parts of every line, drawn again."""
    lines = case.decode().split("\n")
    for index, line in enumerate(lines):
        if program.unit == "record":
            row = line.replace(";", " ").split()
            if len(row) > column:
                field = program.fields[column]
                # A clock must not fall: all times move by the same amount of the first.
                shift = 7 * index if field.name == program.ramp else 0
                new = int(row[column]) + shift if shift else rng.integer(field.lo, field.hi)
                row[column] = str(new)
            lines[index] = " ".join(row)
        elif line:
            at = len(line) * column // 3
            lines[index] = line[:at] + rng.choice(program.alphabet) + line[at + 1 :]
    return "\n".join(lines).encode()
