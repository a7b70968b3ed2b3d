"""Evaluate program trees, for the verifier to compare with an agent's program.

Compiles every tree of `program`, also for records, to a Python function.  There is no limit on its
work.  It shares no code with `languages`, because a verifier that ran the rendering of a solution
could not find its faults.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

from tmax_gym.world.programs.program import (
    BYTE,
    M32,
    Arith,
    Cond,
    Const,
    Emit,
    Expr,
    If,
    Order,
    Program,
    Put,
    Set,
    Stmt,
    Test,
    Var,
    lower,
)

_WRITTEN: Mapping[Arith | Order, str] = {
    "+": "({0} + {1} & M)", "-": "({0} - {1} & M)", "*": "({0} * {1} & M)",
    "/": "({0} // {1})", "<<": "({0} << {1} & M)",
    "rol": "(({0} << {1} | {0} >> 32 - {1}) & M)",
    "ror": "(({0} >> {1} | {0} << 32 - {1}) & M)",
}  # fmt: skip
"""Operators that need more than the same Python operator; `M` is the largest value."""
_INDENT = "    "


def apply(kind: Arith | Order, left: int, right: int) -> int:
    """Return `left kind right` on unsigned 32-bit values; a comparison gives 0 or 1."""
    return int(_operator(kind)(left, right))


@functools.cache
def _operator(kind: Arith | Order) -> Callable[[int, int], int]:
    function: Callable[[int, int], int] = eval(
        f"lambda a, b: {_binary(kind, 'a', 'b')}", {"M": M32}
    )
    return function


def run(program: Program, stdin: bytes) -> bytes:
    """Return the program's output for this input."""
    return _compiled(program)(stdin)


@functools.lru_cache(maxsize=64)
def _compiled(program: Program) -> Callable[[bytes], bytes]:
    """Return the program as a function, which is called many times.

    Registers become locals with special names, so that they cannot hide Python's names.
    """
    source = "\n".join(_function(lower(program)))
    names: dict[str, Callable[[bytes], bytes]] = {}
    exec(compile(source, f"<{program.kind}>", "exec"), {"M": M32}, names)
    return names["work"]


def _function(low: Program) -> Iterator[str]:
    """Yield the lines of a function from bytes to bytes."""
    yield "def work(stdin):"
    yield f"{_INDENT}out = bytearray()"
    yield from (f"{_INDENT}{_name(r.name)} = {r.start}" for r in low.registers)
    yield f"{_INDENT}pending = False"
    lines = low.unit == "line"
    yield f"{_INDENT}for {_name(BYTE)} in stdin:"
    if lines:
        yield f"{2 * _INDENT}if {_name(BYTE)} == 10:"
        yield from _close(low, 3)
        yield f"{3 * _INDENT}pending = False"
        yield f"{3 * _INDENT}continue"
    yield from _block(low.step, 2)
    yield f"{2 * _INDENT}pending = True"
    if lines:
        yield f"{_INDENT}if pending:"
        yield from _close(low, 2)
    yield from _block(low.finish, 1)
    yield f"{_INDENT}return bytes(out)"


def _close(low: Program, depth: int) -> Iterator[str]:
    """Yield the code for the end of a line, which resets the registers of a line."""
    yield from _block(low.close, depth)
    for register in low.registers:
        if register.per_line:
            yield f"{depth * _INDENT}{_name(register.name)} = {register.start}"


def _block(block: tuple[Stmt, ...], depth: int) -> Iterator[str]:
    for statement in block:
        yield from _stmt(statement, depth)
    if not block:
        yield f"{depth * _INDENT}pass"


def _stmt(tree: Stmt, depth: int) -> Iterator[str]:
    margin = depth * _INDENT
    if isinstance(tree, Set):
        yield f"{margin}{_name(tree.name)} = {_expr(tree.value)}"
    elif isinstance(tree, Emit):
        form = "%d" if tree.base == 10 else f"%0{tree.width or 1}x"
        yield f"{margin}out += b'{form}' % {_expr(tree.value)}"
    elif isinstance(tree, Put):
        yield f"{margin}out += {tree.text.encode()!r}"
    elif isinstance(tree, If):
        yield f"{margin}if {_cond(tree.cond)}:"
        yield from _block(tree.then, depth + 1)
        if tree.other:
            yield f"{margin}else:"
            yield from _block(tree.other, depth + 1)
    else:
        yield f"{margin}for _{depth} in range({tree.count}):"
        yield from _block(tree.body, depth + 1)


def _cond(tree: Cond) -> str:
    if isinstance(tree, Test):
        return _binary(tree.kind, _expr(tree.left), _expr(tree.right))
    return f"({_cond(tree.left)} {tree.kind} {_cond(tree.right)})"


def _expr(tree: Expr) -> str:
    if isinstance(tree, Const):
        return str(tree.value)
    if isinstance(tree, Var):
        return _name(tree.name)
    return _binary(tree.kind, _expr(tree.left), _expr(tree.right))


def _binary(kind: Arith | Order, left: str, right: str) -> str:
    form = _WRITTEN.get(kind, f"({{0}} {kind} {{1}})")
    return form.format(left, right)


def _name(register: str) -> str:
    return f"r_{register}"
