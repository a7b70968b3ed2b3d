"""Programs as numbered sentences, precise enough to implement from.

Covers every tree of `program`.  Does not cover wording for a skin or a register: these lines are
the specification that a task's text points to.
"""

from __future__ import annotations

from tmax_gym.world.program import (
    Cond,
    Const,
    Expr,
    If,
    Logic,
    Program,
    Put,
    Register,
    Repeat,
    Set,
    Stmt,
    Test,
    Var,
    walk,
)

_WORDS = {
    "==": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
}
_SIGNS = {"&": "AND", "|": "OR", "^": "XOR", "<<": "SHL", ">>": "SHR", "rol": "ROL", "ror": "ROR"}
_MEANINGS = {
    "+": "+, - and * keep the lowest 32 bits of the result.",
    "/": "/ drops the fraction.",
    "%": "% is the remainder of the division.",
    "&": "AND, OR and XOR work bit by bit.",
    "<<": "a SHL n shifts a by n bits to the left; bits beyond the 32nd are lost.",
    ">>": "a SHR n shifts a by n bits to the right and fills with zeros.",
    "rol": "a ROL n rotates the 32 bits of a by n to the left.",
    "ror": "a ROR n rotates the 32 bits of a by n to the right.",
}
_SHARED = {"-": "+", "*": "+", "|": "&", "^": "&"}
_INPUT = {
    "byte": (
        "Read standard input to its end, byte by byte; a newline is a byte like any other.",
        "For every byte c, in order:",
    ),
    "line": (
        "Read standard input to its end. Every line ends with a newline (byte 10), which is not "
        "part of the line; a last line without its newline counts too if it has any byte.",
        "For every byte c of a line, in order:",
    ),
    "record": (
        "Read standard input to its end. A line holds decimal numbers; every byte that is not a "
        "digit separates them. Numbers are taken modulo 4294967296, missing numbers are 0, "
        "surplus ones are ignored, and lines without a digit are skipped.",
        "",
    ),
}


def expression(tree: Expr) -> str:
    """Return an expression with every inner operation in parentheses."""
    if isinstance(tree, Const):
        return str(tree.value)
    if isinstance(tree, Var):
        return tree.name
    sides = [
        expression(side) if isinstance(side, Const | Var) else f"({expression(side)})"
        for side in (tree.left, tree.right)
    ]
    return f"{sides[0]} {_SIGNS.get(tree.kind, tree.kind)} {sides[1]}"


def condition(tree: Cond) -> str:
    """Return a condition as a clause."""
    if isinstance(tree, Test):
        return f"{expression(tree.left)} {_WORDS[tree.kind]} {expression(tree.right)}"
    sides = [
        f"[{condition(side)}]" if isinstance(side, Logic) else condition(side)
        for side in (tree.left, tree.right)
    ]
    return f"{sides[0]}, {tree.kind} {sides[1]}"


def _shown(text: str) -> str:
    """Return a text in quotes, with its line ends named behind them."""
    body = text.rstrip("\n")
    if "\n" in body:
        return ", ".join(_shown(line + "\n") for line in text.splitlines())
    parts = [f'"{body}"'] if body else []
    return " and ".join(parts + ["a newline"] * (len(text) - len(body)))


def sentences(body: tuple[Stmt, ...], number: str = "") -> list[str]:
    """Return the steps of a block; `number` is the number of the step around it."""
    out: list[str] = []
    for position, tree in enumerate(body, 1):
        mark = f"{number}{position}."
        pad = "  " * number.count(".")
        out.append(f"{pad}{mark} {_head(tree)}")
        if isinstance(tree, If):
            out += _branches(tree, pad, mark)
        elif isinstance(tree, Repeat):
            out += sentences(tree.body, mark)
    return out


def _branches(tree: If, pad: str, mark: str) -> list[str]:
    """Return the blocks of a branch; a lone branch in the last one is a further case of it."""
    out = sentences(tree.then, mark)
    while len(tree.other) == 1 and isinstance(tree.other[0], If):
        tree = tree.other[0]
        out.append(f"{pad}{mark} Otherwise, if {condition(tree.cond)}:")
        out += sentences(tree.then, mark)
    if tree.other:
        out += [f"{pad}{mark} Otherwise:", *sentences(tree.other, mark)]
    return out


def _head(tree: Stmt) -> str:
    if isinstance(tree, Set):
        return f"Set {tree.name} to {expression(tree.value)}."
    if isinstance(tree, Put):
        return f"Print {_shown(tree.text)}."
    if isinstance(tree, If):
        return f"If {condition(tree.cond)}:"
    if isinstance(tree, Repeat):
        return f"Do {tree.count} times:"
    if tree.base == 10:
        return f"Print {expression(tree.value)} in decimal."
    least = f", padded with zeros to at least {tree.width} digits" if tree.width else ""
    return f"Print {expression(tree.value)} in lower-case hexadecimal{least}."


def _register(register: Register) -> str:
    said = f" ({register.meaning})" if register.meaning else ""
    again = "; every line starts with this value again" if register.per_line else ""
    return f"{register.name}{said} starts as {register.start}{again}."


def describe(program: Program) -> list[str]:
    """Return the specification of a program, line by line; sub-steps are indented."""
    source, each = _INPUT[program.unit]
    bodies = (program.step, program.close, program.finish)
    kinds = {t.kind for b in bodies for t in walk(b) if hasattr(t, "kind") and hasattr(t, "left")}
    used = [sign for sign in _MEANINGS if sign in {_SHARED.get(k, k) for k in kinds}]
    out = [source]
    if program.fields:
        named = [f"{f.name} ({f.meaning})" if f.meaning else f.name for f in program.fields]
        out.append(f"The numbers of a line are, in order: {', '.join(named)}.")
    out.append("All values are unsigned 32-bit integers; comparisons are unsigned.")
    out += [_MEANINGS[sign] for sign in used]
    if program.step:
        out.append("c is a number: the value of the byte, 0 to 255.")
    out += [_register(r) for r in program.registers]
    if program.step:
        out += [each, *sentences(program.step)]
    if program.close:
        name = "that is not skipped" if program.unit == "record" else "(also an empty one)"
        out += [f"At the end of every line {name}:", *sentences(program.close)]
    if program.finish:
        out += ["After all input:", *sentences(program.finish)]
    out.append("Print nothing else: no spaces, no newlines beyond those named.")
    return out
