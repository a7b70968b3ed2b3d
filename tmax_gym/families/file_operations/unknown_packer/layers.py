"""Layers of the unknown packer, each as a piece of a program tree with its inverse.

Covers the packer as a tree (from which its machine code and the verifier's runs come) and the
unpacker in five languages.  Does not cover compression: every byte becomes two hexadecimal digits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import BYTE, Emit, Program, Put, Register, Stmt
from tmax_gym.world.programs.sugar import bump, ex, let, odd, op

PYTHON = program_text(__package__, "main.py")
C = program_text(__package__, "main.c")
CPP = program_text(__package__, "main.cpp")
GO = program_text(__package__, "main.go")
RUST = program_text(__package__, "main.rs")


@dataclass(frozen=True, slots=True)
class Layers:
    """A packer and how it is undone."""

    program: Program
    names: tuple[str, ...]
    """The layers in the order in which the packer applies them."""
    undo: tuple[str, ...]
    """One statement a layer, valid in Python and Go and (with a semicolon) in C and Rust."""
    start: int


def layers(rng: Rng, count: int) -> Layers:
    """Return a packer of so many layers out of five."""
    chosen = sorted(rng.sample(range(5), count))
    if chosen == [3]:
        chosen = [1]  # a turn alone leaves repeated letters easy to read
    mask, turn = rng.integer(33, 254), rng.integer(2, 6)
    slope, lift = odd(rng, 5, 61), odd(rng, 5, 61)
    start = rng.integer(1, 254)
    steps: list[Stmt] = [let("code", BYTE)]
    undo: list[str] = []
    names = ("place", "mask", "number", "turn", "chain")
    for layer in chosen:
        if layer == 0:
            steps.append(let("code", op(op("code", "+", op("place", "*", slope)), "&", 255)))
            undo.append(f"c = c - place * {slope}")
        elif layer == 1:
            steps.append(let("code", op("code", "^", mask)))
            undo.append(f"c = c ^ {mask}")
        elif layer == 2:
            steps.append(let("code", op(op("code", "+", op("number", "*", lift)), "&", 255)))
            undo.append(f"c = c - number * {lift}")
        elif layer == 3:
            low, high = op("code", "<<", turn), op("code", ">>", 8 - turn)
            steps.append(let("code", op(op(low, "|", high), "&", 255)))
            undo.append(f"c = (c & 255) >> {turn} | (c << {8 - turn} & 255)")
        else:
            steps += [let("code", op("code", "^", "last")), let("last", "code")]
            undo.append("c = c ^ last")
    steps += [Emit(ex("code"), 16, 2), bump("place")]
    registers = (
        Register("code", 0, True),
        Register("place", 0, True),
        Register("last", start, True),
        Register("number", 0, False),
    )
    program = Program(
        "packer", "line", registers, tuple(steps), (Put("\n"), bump("number")), alphabet=PLAIN
    )
    return Layers(program, tuple(names[n] for n in chosen), tuple(undo), start)


PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.-"


def unpacker(how: Layers, language: str, *, skip: str = "") -> str:
    """Return the program that undoes all layers but one."""
    pairs = list(zip(how.names, how.undo, strict=True))
    statements = [statement for name, statement in reversed(pairs) if name != skip]
    body, pad, end = {
        "python": (PYTHON, " " * 8, ""),
        "c": (C, " " * 6, ";"),
        "cpp": (CPP, " " * 12, ";"),
        "go": (GO, "\t" * 3, ""),
        "rust": (RUST, " " * 12, ";"),
    }[language]
    lines = "\n".join(f"{pad}{s}{end}" for s in ["c = code", *statements, "last = code"])
    return body.replace("@undo", lines).replace("@start", str(how.start))
