"""The intermediate representation of programs: integer transducers from input to output.

A program reads bytes, lines or records (lines of decimal numbers), keeps unsigned 32-bit
registers and prints numbers and fixed texts.  From one tree come the verifier's evaluator, the
renderings in six languages, a machine-code binary, prose and mutants.
Covers wrapping arithmetic, shifts, rotations, comparisons, branches and counted loops.  Does not
cover memory, signed or floating numbers, unbounded loops or NUL-terminated strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

M32 = 0xFFFFFFFF

Arith = Literal["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "rol", "ror"]
Order = Literal["==", "!=", "<", "<=", ">", ">="]
Unit = Literal["byte", "line", "record"]

BYTE = "c"
"""The name of the current byte in `step`."""
COLUMN, INSIDE = "column", "inside"
"""Registers that `lower` adds to parse records."""


@dataclass(frozen=True, slots=True)
class Const:
    """An unsigned 32-bit constant."""

    value: int

    def __post_init__(self) -> None:
        if not 0 <= self.value <= M32:
            raise ValueError(f"Const({self.value}) does not fit 32 unsigned bits")


@dataclass(frozen=True, slots=True)
class Var:
    """The value of a register, a field, or the current byte."""

    name: str


@dataclass(frozen=True, slots=True)
class Op:
    """Arithmetic modulo 2**32; `/` and `%` truncate."""

    kind: Arith
    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        # Constant divisors and counts keep every language free of traps and undefined shifts.
        if self.kind in ("/", "%") and not (isinstance(self.right, Const) and self.right.value):
            raise ValueError(f"{self.kind} needs a constant divisor above 0, not {self.right}")
        count = self.kind in ("<<", ">>", "rol", "ror")
        if count and not (isinstance(self.right, Const) and 1 <= self.right.value <= 31):
            raise ValueError(f"{self.kind} needs a constant count of 1 to 31, not {self.right}")


@dataclass(frozen=True, slots=True)
class Test:
    """An unsigned comparison."""

    kind: Order
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logic:
    """Both or either of two conditions; neither has side effects."""

    kind: Literal["and", "or"]
    left: Cond
    right: Cond


@dataclass(frozen=True, slots=True)
class Set:
    """Assignment to a register."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    """A branch."""

    cond: Cond
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop of `count` >= 1 rounds."""

    count: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Emit:
    """Print a number: decimal, or lower-case hexadecimal with at least `width` digits."""

    value: Expr
    base: Literal[10, 16] = 10
    width: int = 0


@dataclass(frozen=True, slots=True)
class Put:
    """Print a fixed text; newlines allowed."""

    text: str

    def __post_init__(self) -> None:
        # No quote, backslash, % or $: the text is the same literal in all six languages.
        if not re.fullmatch(r"[A-Za-z0-9 _:=,.;/+\-\n]+", self.text):
            raise ValueError(f"Put({self.text!r}): only letters, digits, ' _:=,.;/+-' and newline")


Expr: TypeAlias = Const | Var | Op
Cond: TypeAlias = Test | Logic
Stmt: TypeAlias = Set | If | Repeat | Emit | Put
Tree: TypeAlias = Const | Var | Op | Test | Logic | Set | If | Repeat | Emit | Put


@dataclass(frozen=True, slots=True)
class Register:
    """One unsigned 32-bit variable."""

    name: str
    start: int = 0
    per_line: bool = False
    """Whether every line begins with `start` again."""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One number of a record, in the order of the line."""

    name: str
    lo: int
    hi: int
    """The range from which hidden inputs are drawn."""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A transducer; see the module."""

    kind: str
    """The grammar from which it was drawn."""
    unit: Unit
    registers: tuple[Register, ...]
    step: tuple[Stmt, ...] = ()
    """Per byte; in units of lines, the newline itself is not seen.  Empty for records."""
    close: tuple[Stmt, ...] = ()
    """At the end of every line, also of a last one without a newline.  Empty for bytes."""
    finish: tuple[Stmt, ...] = ()
    """Once, after the last byte."""
    fields: tuple[Field, ...] = ()
    alphabet: str = ""
    """The characters of hidden inputs of bytes and lines, without the newline."""
    ramp: str = ""
    """The field that never decreases from line to line in hidden inputs: a clock."""

    def __post_init__(self) -> None:
        names = [r.name for r in self.registers] + [f.name for f in self.fields]
        bad = [n for n in names if not re.fullmatch("[a-z][a-z_]*[a-z]", n) or n in RESERVED]
        if bad or len(set(names)) != len(names):
            raise ValueError(f"names {names}: {bad or 'repeated ones'} cannot be used")
        if (self.unit == "record") != bool(self.fields) or (self.fields and self.step):
            raise ValueError("records have fields and no step; bytes and lines have no fields")
        if self.unit == "byte" and (self.close or any(r.per_line for r in self.registers)):
            raise ValueError("a program on bytes knows no lines: no close, no per-line register")
        known = set(names)
        for part, extra in ((self.step, {BYTE}), (self.close, set()), (self.finish, set())):
            used = {n.name for n in walk(part) if isinstance(n, Var | Set)}
            if used - known - extra:
                raise ValueError(f"unknown names {sorted(used - known - extra)}")
        # The last line may lack its newline; nothing must depend on that.
        gone = {r.name for r in self.registers if r.per_line} | {f.name for f in self.fields}
        if gone & {n.name for n in walk(self.finish) if isinstance(n, Var | Set)}:
            raise ValueError(f"finish uses {sorted(gone)}, which live no longer than a line")


# Reserved words: keywords of the target languages, and variables of their frames.
RESERVED = frozenset(
    re.findall(
        "[a-z]+",
        """
    abstract alignas and any as asm async auto await become begin bitand bitor bool box break
    byte case catch chan char class compl concept const continue crate data def default defer
    del delete digits do done double dyn elif else end enum error esac except explicit export
    extern fallthrough false fi final finally float fmt fn for friend from func function global
    go goto if impl import in inline int interface io is lambda len let local long loop macro
    main map match mod move mut mutable namespace new nil none nonlocal not open operator or os
    out override package pass pending priv private protected pub public raise range read ref
    register requires return rol ror select self short signed sizeof static string struct super
    switch sys template then this throw time trait true try turn type typedef typename typeof
    union unsafe unsized until use using var virtual void volatile wchar where while with write
    xor yes yield""",
    )
)


def walk(tree: Tree | tuple[Tree, ...]) -> Iterator[Tree]:
    """Yield every node below and including `tree`, parents first."""
    if isinstance(tree, tuple):
        for item in tree:
            yield from walk(item)
        return
    yield tree
    for field in fields(tree):
        value = getattr(tree, field.name)
        if not isinstance(value, str | int):
            yield from walk(value)


def lower(program: Program) -> Program:
    """Return the same program on lines: records become a digit parser in the IR itself."""
    if program.unit != "record":
        return program
    digit = Logic("and", Test(">=", Var(BYTE), Const(48)), Test("<=", Var(BYTE), Const(57)))
    store: tuple[Stmt, ...] = ()
    for position in range(len(program.fields) - 1, -1, -1):
        name = program.fields[position].name
        shifted = Op("+", Op("*", Var(name), Const(10)), Op("-", Var(BYTE), Const(48)))
        here = Test("==", Var(COLUMN), Const(position))
        store = (If(here, (Set(name, shifted),), store),)
    after = If(
        Test("==", Var(INSIDE), Const(1)),
        (Set(COLUMN, Op("+", Var(COLUMN), Const(1))), Set(INSIDE, Const(0))),
    )
    # A line without any digit is not a record.
    some = Test(">", Op("+", Var(COLUMN), Var(INSIDE)), Const(0))
    extra = (*(f.name for f in program.fields), COLUMN, INSIDE)
    return replace(
        program,
        unit="line",
        fields=(),
        registers=(*program.registers, *(Register(n, 0, True) for n in extra)),
        step=(If(digit, (*store, Set(INSIDE, Const(1))), (after,)),),
        close=(If(some, program.close),),
    )
