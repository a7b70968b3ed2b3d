"""Simplify program trees: the output stays the same, and every remaining step has an effect.

Covers constant folding, neutral and absorbing operands, decided branches, empty blocks and
registers that nothing reads.  Does not cover common subexpressions or loops' invariants.
"""

from __future__ import annotations

from dataclasses import replace

from tmax_gym.world.programs.evaluate import apply
from tmax_gym.world.programs.program import (
    M32,
    Cond,
    Const,
    Emit,
    Expr,
    If,
    Logic,
    Op,
    Program,
    Repeat,
    Set,
    Stmt,
    Test,
    Var,
    walk,
)

_COMMUTES = frozenset(("+", "*", "&", "|", "^"))


def expression(tree: Expr) -> Expr:
    """Return an equal expression, which is smaller if one of the laws applies."""
    if not isinstance(tree, Op):
        return tree
    left, right = expression(tree.left), expression(tree.right)
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(apply(tree.kind, left.value, right.value))
    if isinstance(left, Const) and tree.kind in _COMMUTES:
        left, right = right, left
    if isinstance(right, Const):
        known = _with_constant(tree, left, right.value)
        if known is not None:
            return known
    if left == right:
        if tree.kind in ("-", "^"):
            return Const(0)
        if tree.kind in ("&", "|"):
            return left
    return Op(tree.kind, left, right)


def _with_constant(tree: Op, left: Expr, value: int) -> Expr | None:
    """Return the value of `left kind value` if a law applies."""
    neutral = {"+": 0, "-": 0, "^": 0, "|": 0, "*": 1, "/": 1, "&": M32}
    if neutral.get(tree.kind) == value:
        return left
    absorbing = {"*": (0, 0), "&": (0, 0), "%": (1, 0), "|": (M32, M32)}
    if tree.kind in absorbing and absorbing[tree.kind][0] == value:
        return Const(absorbing[tree.kind][1])
    same = isinstance(left, Op) and left.kind == tree.kind and isinstance(left.right, Const)
    if same and tree.kind in ("+", "^", "&", "|", "*") and isinstance(left, Op):
        inner = left.right.value if isinstance(left.right, Const) else 0
        return expression(Op(tree.kind, left.left, Const(apply(tree.kind, inner, value))))
    return None


def condition(tree: Cond) -> Cond | bool:
    """Return an equal condition, or its truth value if constants decide it."""
    if isinstance(tree, Test):
        left, right = expression(tree.left), expression(tree.right)
        if isinstance(left, Const) and isinstance(right, Const):
            return bool(apply(tree.kind, left.value, right.value))
        if left == right:
            return tree.kind in ("==", "<=", ">=")
        if right == Const(0) and tree.kind in ("<", ">="):
            return tree.kind == ">="
        return Test(tree.kind, left, right)
    first, second = condition(tree.left), condition(tree.right)
    decides = tree.kind == "or"
    if isinstance(first, bool):
        return first if first is decides else second
    if isinstance(second, bool):
        return second if second is decides else first
    return first if first == second else Logic(tree.kind, first, second)


def block(body: tuple[Stmt, ...], used: frozenset[str]) -> tuple[Stmt, ...]:
    """Return an equal block; assignments to names outside `used` have no effect."""
    out: list[Stmt] = []
    for tree in body:
        if isinstance(tree, Set):
            value = expression(tree.value)
            if value != Var(tree.name) and tree.name in used:
                out.append(Set(tree.name, value))
        elif isinstance(tree, If):
            out += _branch(tree, used)
        elif isinstance(tree, Repeat):
            inner = block(tree.body, used)
            out += inner if tree.count == 1 else (Repeat(tree.count, inner),) if inner else ()
        elif isinstance(tree, Emit):
            out.append(replace(tree, value=expression(tree.value)))
        else:
            out.append(tree)
    return tuple(out)


def _branch(tree: If, used: frozenset[str]) -> tuple[Stmt, ...]:
    cond = condition(tree.cond)
    then, other = block(tree.then, used), block(tree.other, used)
    if isinstance(cond, bool):
        return then if cond else other
    if then == other:
        return then
    if not then:
        return (If(_opposite(cond), other),)
    return (If(cond, then, other),)


def _opposite(cond: Cond) -> Cond:
    if isinstance(cond, Logic):
        kind = "or" if cond.kind == "and" else "and"
        return Logic(kind, _opposite(cond.left), _opposite(cond.right))  # type: ignore[arg-type]
    flip = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
    return Test(flip[cond.kind], cond.left, cond.right)  # type: ignore[arg-type]


def _live(program: Program) -> frozenset[str]:
    """Return the names whose values can affect the output."""
    bodies = (program.step, program.close, program.finish)
    trees = [tree for body in bodies for tree in walk(body)]
    live: set[str] = set()
    for tree in trees:
        if isinstance(tree, Test):
            live |= _names(tree.left) | _names(tree.right)
        elif isinstance(tree, Emit):
            live |= _names(tree.value)
    before = -1
    while before != len(live):
        before = len(live)
        for tree in trees:
            if isinstance(tree, Set) and tree.name in live:
                live |= _names(tree.value)
    return frozenset(live)


def _names(tree: Expr) -> set[str]:
    return {t.name for t in walk(tree) if isinstance(t, Var)}


def simplify(program: Program) -> Program:
    """Return the fixpoint of all laws, without the registers that nothing reads."""
    while True:
        bodies = (program.step, program.close, program.finish)
        used = _live(program)
        step, close, finish = (block(b, used) for b in bodies)
        kept = tuple(r for r in program.registers if r.name in used)
        smaller = replace(program, registers=kept, step=step, close=close, finish=finish)
        if smaller == program:
            return smaller
        program = smaller
