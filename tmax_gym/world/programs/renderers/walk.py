"""Render expressions and statements of a program tree in the syntax of a dialect.

Each language has a module that writes the frame around them (reading standard input, declaring
registers).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tmax_gym.world.programs.program import (
    Cond,
    Const,
    Emit,
    Expr,
    If,
    Logic,
    Op,
    Put,
    Repeat,
    Set,
    Stmt,
    Test,
    Var,
)


class Dialect(ABC):
    """The syntax of one language; the defaults are those of the family of C."""

    tab = "    "
    if_open, if_next = "if ({cond}) {{", "}} else if ({cond}) {{"
    if_else, if_close = "}} else {{", "}}"
    loop_open, loop_close = "for (int {name} = 0; {name} < {count}; {name}++) {{", "}}"
    both, either = "{left} && {right}", "{left} || {right}"
    nothing = ""
    """The text of an empty block, in languages that need one."""

    @abstractmethod
    def const(self, value: int) -> str:
        """Return a constant operand."""

    @abstractmethod
    def op(self, tree: Op) -> str:
        """Return an operation; in parentheses if it is written with an infix operator."""

    @abstractmethod
    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""

    @abstractmethod
    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""

    @abstractmethod
    def put(self, text: str) -> str:
        """Return the printing of a text."""

    def expr(self, tree: Expr) -> str:
        """Return an operand."""
        if isinstance(tree, Const):
            return self.const(tree.value)
        if isinstance(tree, Var):
            return self.name(tree.name)
        return self.op(tree)

    def name(self, name: str) -> str:
        """Return a variable as an operand."""
        return name

    def whole(self, tree: Expr) -> str:
        """Return an expression without its outer parentheses."""
        text = self.expr(tree)
        return text[1:-1] if _enclosed(text) else text

    def cond(self, tree: Cond) -> str:
        """Return a condition."""
        if isinstance(tree, Test):
            return f"{self.expr(tree.left)} {tree.kind} {self.expr(tree.right)}"
        sides = [
            f"({self.cond(side)})" if isinstance(side, Logic) else self.cond(side)
            for side in (tree.left, tree.right)
        ]
        pattern = self.both if tree.kind == "and" else self.either
        return pattern.format(left=sides[0], right=sides[1])

    def block(self, body: tuple[Stmt, ...], depth: int) -> list[str]:
        """Return the lines of a block at this depth of indentation."""
        lines = [line for tree in body for line in self.stmt(tree, depth)]
        if not lines and self.nothing:
            return [self.tab * depth + self.nothing]
        return lines

    def stmt(self, tree: Stmt, depth: int) -> list[str]:
        """Return the lines of one statement."""
        pad = self.tab * depth
        if isinstance(tree, Set):
            return [pad + self.assign(tree.name, self.whole(tree.value))]
        if isinstance(tree, Emit):
            return [pad + self.emit(tree)]
        if isinstance(tree, Put):
            return [pad + self.put(tree.text)]
        if isinstance(tree, Repeat):
            name = f"i{depth}"
            lines = [pad + self.loop_open.format(name=name, count=tree.count)]
            lines += self.block(tree.body, depth + 1)
            tail = self.loop_close.format()
            return [*lines, pad + tail] if tail else lines
        return self._branch(tree, depth)

    def _branch(self, tree: If, depth: int) -> list[str]:
        pad = self.tab * depth
        lines = [pad + self.if_open.format(cond=self.cond(tree.cond))]
        lines += self.block(tree.then, depth + 1)
        while len(tree.other) == 1 and isinstance(tree.other[0], If):
            tree = tree.other[0]
            lines.append(pad + self.if_next.format(cond=self.cond(tree.cond)))
            lines += self.block(tree.then, depth + 1)
        if tree.other:
            lines += [pad + self.if_else.format(), *self.block(tree.other, depth + 1)]
        tail = self.if_close.format()
        return [*lines, pad + tail] if tail else lines


def _enclosed(text: str) -> bool:
    """Return whether the first parenthesis is closed by the last character."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return character == ")" and position == len(text) - 1
    return False


def literal(text: str) -> str:
    """Return a `Put` text as a double-quoted literal; its alphabet needs no other escape."""
    return '"' + text.replace("\n", "\\n") + '"'
