"""Short constructors of program trees, whose operands may be names or numbers."""

from __future__ import annotations

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import (
    BYTE,
    Arith,
    Cond,
    Const,
    Expr,
    Logic,
    Op,
    Order,
    Set,
    Test,
    Var,
)

Operand = Expr | str | int


def ex(operand: Operand) -> Expr:
    """Return a name as a variable and a number as a constant."""
    if isinstance(operand, str):
        return Var(operand)
    return Const(operand) if isinstance(operand, int) else operand


def op(left: Operand, kind: Arith, right: Operand) -> Op:
    """Return `left kind right`."""
    return Op(kind, ex(left), ex(right))


def let(name: str, value: Operand) -> Set:
    """Return `name := value`."""
    return Set(name, ex(value))


def bump(name: str, by: Operand = 1) -> Set:
    """Return `name := name + by`."""
    return let(name, op(name, "+", by))


def is_(left: Operand, kind: Order, right: Operand) -> Test:
    """Return a comparison."""
    return Test(kind, ex(left), ex(right))


def within(lo: str, hi: str, operand: Operand = BYTE) -> Cond:
    """Return whether a byte is one of the characters `lo` to `hi`."""
    return Logic("and", is_(operand, ">=", ord(lo)), is_(operand, "<=", ord(hi)))


def odd(rng: Rng, lo: int, hi: int) -> int:
    """Return a random odd number: multiplying by it loses no bit."""
    return rng.integer(lo // 2, (hi - 1) // 2) * 2 + 1
