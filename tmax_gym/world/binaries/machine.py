"""Translate program trees to x86-64 machine code for Linux, without a compiler.

Covers every tree of `program`; the code ends with the routines of `assembler`.  Does not cover
optimisation or other processors: agents read the stripped binary with a disassembler.
"""

from __future__ import annotations

from tmax_gym.world.binaries.assembler import (
    BSS,
    CALL,
    IF_NEGATIVE,
    IF_NOT_ZERO,
    IF_ZERO,
    JUMP,
    OUT,
    RODATA,
    Code,
    runtime,
    word,
)
from tmax_gym.world.programs.program import (
    BYTE,
    Cond,
    Const,
    Emit,
    Expr,
    If,
    Op,
    Program,
    Put,
    Repeat,
    Set,
    Stmt,
    Test,
    Var,
    lower,
)

# op eax, imm32 / op eax, [rbx+disp32] / op eax, ecx
_ARITH = {
    "+": (b"\x05", b"\x03\x83", b"\x01\xc8"),
    "-": (b"\x2d", b"\x2b\x83", b"\x29\xc8"),
    "&": (b"\x25", b"\x23\x83", b"\x21\xc8"),
    "|": (b"\x0d", b"\x0b\x83", b"\x09\xc8"),
    "^": (b"\x35", b"\x33\x83", b"\x31\xc8"),
    "*": (b"\x69\xc0", b"\x0f\xaf\x83", b"\x0f\xaf\xc1"),
    "cmp": (b"\x3d", b"\x3b\x83", b"\x39\xc8"),
}
_SHIFTS = {"<<": b"\xc1\xe0", ">>": b"\xc1\xe8", "rol": b"\xc1\xc0", "ror": b"\xc1\xc8"}
# Second opcode byte of the unsigned conditional jump that is taken if the test holds.
_JUMPS = {"==": 0x84, "!=": 0x85, "<": 0x82, "<=": 0x86, ">": 0x87, ">=": 0x83}


class Machine(Code):
    """Machine code for the trees of one program."""

    __slots__ = ()

    def with_right(self, kind: str, left: Expr, right: Expr) -> None:
        """Compute `left kind right` in eax, or compare them."""
        immediate, memory, register = _ARITH[kind]
        if isinstance(right, Const):
            self.expr(left)
            self.put(immediate, word(right.value))
        elif isinstance(right, Var):
            self.expr(left)
            if right.name == BYTE:
                self.put(b"\x89\xe9", register)  # mov ecx, ebp
            else:
                self.put(memory, self.slot(right.name))
        else:
            self.expr(left)
            self.put(b"\x50")  # push rax
            self.expr(right)
            self.put(b"\x89\xc1\x58", register)  # mov ecx, eax; pop rax

    def expr(self, tree: Expr) -> None:
        """Compute an expression in eax; ecx and edx are lost."""
        if isinstance(tree, Const):
            self.put(b"\xb8", word(tree.value))
        elif isinstance(tree, Var):
            if tree.name == BYTE:
                self.put(b"\x89\xe8")  # mov eax, ebp
            else:
                self.put(b"\x8b\x83", self.slot(tree.name))
        elif tree.kind in _ARITH:
            self.with_right(tree.kind, tree.left, tree.right)
        elif isinstance(tree.right, Const):
            self.expr(tree.left)
            self.by_constant(tree, tree.right.value)

    def by_constant(self, tree: Op, value: int) -> None:
        """Shift, turn or divide eax by a constant."""
        if tree.kind in _SHIFTS:
            self.put(_SHIFTS[tree.kind], bytes([value]))
        else:
            # mov ecx, value; xor edx, edx; div ecx
            self.put(b"\xb9", word(value), b"\x31\xd2\xf7\xf1")
            self.put(b"\x89\xd0" if tree.kind == "%" else b"")  # mov eax, edx

    def branch(self, tree: Cond, target: str, *, when: bool) -> None:
        """Jump to `target` if the condition has the value `when`."""
        if isinstance(tree, Test):
            self.with_right("cmp", tree.left, tree.right)
            # The opposite condition is the neighbouring opcode.
            self.go(bytes([0x0F, _JUMPS[tree.kind] ^ (not when)]), target)
        elif (tree.kind == "or") is when:
            self.branch(tree.left, target, when=when)
            self.branch(tree.right, target, when=when)
        else:
            skip = self.fresh()
            self.branch(tree.left, skip, when=not when)
            self.branch(tree.right, target, when=when)
            self.label(skip)

    def block(self, body: tuple[Stmt, ...], depth: int = 0) -> None:
        """Append statements; `depth` counts the loops around them."""
        for tree in body:
            if isinstance(tree, Set):
                self.expr(tree.value)
                self.put(b"\x89\x83", self.slot(tree.name))
            elif isinstance(tree, If):
                self.conditional(tree, depth)
            elif isinstance(tree, Repeat):
                top, counter = self.fresh(), self.slot(f"loop {depth}")
                self.put(b"\xc7\x83", counter, word(tree.count))
                self.label(top)
                self.block(tree.body, depth + 1)
                self.put(b"\xff\x8b", counter)  # dec dword [rbx+counter]
                self.go(IF_NOT_ZERO, top)
            else:
                self.output(tree)

    def conditional(self, tree: If, depth: int) -> None:
        """Append a branch."""
        other, end = self.fresh(), self.fresh()
        self.branch(tree.cond, other, when=False)
        self.block(tree.then, depth)
        if tree.other:
            self.go(JUMP, end)
        self.label(other)
        self.block(tree.other, depth)
        self.label(end)

    def output(self, tree: Emit | Put) -> None:
        """Append the printing of a number or text."""
        if isinstance(tree, Emit):
            self.expr(tree.value)
            if tree.base == 16:
                self.put(b"\xb9", word(tree.width))
            self.go(CALL, "decimal" if tree.base == 10 else "hexadecimal")
            return
        text = tree.text.encode()
        at = self.rodata.find(text)
        if at < 0:
            at = len(self.rodata)
            self.rodata += text
        # mov esi, address; mov ecx, length
        self.put(b"\xbe", word(RODATA + at), b"\xb9", word(len(text)))
        self.go(CALL, "text")


def _depth(body: tuple[Stmt, ...]) -> int:
    """Return how deep loops nest."""
    deepest = 0
    for tree in body:
        if isinstance(tree, Repeat):
            deepest = max(deepest, 1 + _depth(tree.body))
        elif isinstance(tree, If):
            deepest = max(deepest, _depth(tree.then), _depth(tree.other))
    return deepest


def assemble(program: Program) -> tuple[bytes, bytes]:
    """Return (code for TEXT, constants for RODATA); the entry is the first byte of the code."""
    low = lower(program)
    loops = max(map(_depth, (low.step, low.close, low.finish)))
    names = [r.name for r in low.registers] + [f"loop {i}" for i in range(loops)] + ["pending"]
    code = Machine({name: 4 * index for index, name in enumerate(names)})
    code.put(b"\xbb", word(BSS), b"\x41\xbe", word(OUT), b"\x45\x31\xe4\x45\x31\xed")
    for register in low.registers:
        code.put(b"\xc7\x83", code.slot(register.name), word(register.start))
    code.label("loop")
    code.go(CALL, "byte")
    code.put(b"\x85\xc0")
    code.go(IF_NEGATIVE, "end")
    if low.unit == "line":
        code.put(b"\x83\xf8\x0a")  # cmp eax, 10
        code.go(IF_ZERO, "newline")
        code.put(b"\xc7\x83", code.slot("pending"), word(1))
    code.put(b"\x89\xc5")  # mov ebp, eax
    code.block(low.step)
    code.go(JUMP, "loop")
    code.label("newline")
    code.go(CALL, "close")
    code.go(JUMP, "loop")
    code.label("end")
    code.put(b"\x83\xbb", code.slot("pending"), b"\0")
    code.go(IF_ZERO, "finish")
    code.go(CALL, "close")
    code.label("finish")
    code.block(low.finish)
    code.go(CALL, "flush")
    code.put(b"\x31\xff\xb8", word(60), b"\x0f\x05")  # exit(0)
    code.label("close")
    code.block(low.close)
    for register in low.registers:
        if register.per_line:
            code.put(b"\xc7\x83", code.slot(register.name), word(register.start))
    code.put(b"\xc7\x83", code.slot("pending"), word(0), b"\xc3")
    runtime(code)
    return code.linked(), bytes(code.rodata)
