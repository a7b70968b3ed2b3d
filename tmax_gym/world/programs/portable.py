"""Translate algorithms from a small subset of Python to five languages.

Covers functions of whole numbers (64 signed bits) and of lists of them, loops, branches, and
input as bytes.  `//`, `%` and shifts are for operands that are not negative, where all
languages agree.  Does not cover text, records, recursion on lists, or checks of the source.

Besides its own functions a source may call: `read()`, which gives the bytes of standard input and a
0; `array(n)` gives n zeros; `put(x)` prints a number, `say("text")` a text, `span(a, i, j)` the
bytes a[i] to a[j - 1]; `order(a, n)` sorts the first n; `min`, `max` and `abs` are as usual.
Lists are passed by reference; a parameter says `list`, a result `int`, or nothing for none.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from textwrap import indent

from tmax_gym.axes import Language
from tmax_gym.world.programs.portable_heads import HEADS, Dialect

OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "&&",
    ast.Or: "||",
}


@lru_cache(maxsize=64)
def render(source: str, language: Language) -> str:
    """Return a complete program, which starts with `main` of the source.

    Raises:
        ValueError: The source uses what the module does not cover.
    """
    dialect = HEADS[language]
    if language == "python":
        return f"{dialect.head}\n{source.strip()}\n\n\nmain()\n"
    body = ast.parse(source).body
    lines = [line for function in body for line in _function(function, dialect)]
    return dialect.head + "\n" + "\n".join(lines) + "\n"


def filled(source: str, pieces: Mapping[str, str], numbers: Mapping[str, int]) -> str:
    """Return a source with its marks replaced.

    Args:
        source: Text with marks.
        pieces: By name, the text for `@name`; alone on a line it has that line's indentation, and
            an empty piece removes the line.
        numbers: By word, the number that replaces it.
    """
    for name, piece in pieces.items():
        out = []
        for line in source.split("\n"):
            if line.strip() == f"@{name}":
                margin = line[: len(line) - len(line.lstrip())]
                out += [indent(piece.rstrip("\n"), margin)] if piece else []
            else:
                out.append(line.replace(f"@{name}", piece))
        source = "\n".join(out)
    for word, number in numbers.items():
        source = source.replace(word, str(number))
    return source


def _function(tree: ast.stmt, dialect: Dialect) -> list[str]:
    """Return the lines of one function."""
    if not isinstance(tree, ast.FunctionDef):
        raise ValueError(f"line {tree.lineno}: only functions may stand outside functions")
    params, lists = [], set()
    for arg in tree.args.args:
        listed = isinstance(arg.annotation, ast.Name) and arg.annotation.id == "list"
        lists |= {arg.arg} if listed else set()
        params.append((dialect.list_param if listed else dialect.int_param).format(name=arg.arg))
    opening = dialect.function if tree.returns is not None else dialect.procedure
    if tree.name == "main":
        opening = dialect.main
    writer = _Writer(dialect, known={arg.arg for arg in tree.args.args}, lists=lists)
    lines = [opening.format(name=tree.name, params=", ".join(params))]
    for name in writer.late(tree.body):
        lines.append(dialect.tab + dialect.declare.format(name=name, value="0"))
    lines += writer.block(tree.body, 1)
    lines += [dialect.tab + dialect.ending] if tree.name == "main" and dialect.ending else []
    return [*lines, "}", ""]


@dataclass(slots=True)
class _Writer:
    """Translates one function."""

    dialect: Dialect
    known: set[str]
    """Declared names."""
    lists: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    """Names that are declared by their first assignment, which is still to come."""

    def late(self, body: list[ast.stmt]) -> list[str]:
        """Declare the names whose first assignment is inside loops and branches."""
        first: list[str] = []
        for outer in body:
            for tree in ast.walk(outer):
                if not isinstance(tree, ast.Assign) or not isinstance(tree.targets[0], ast.Name):
                    continue
                name = tree.targets[0].id
                if tree is not outer and name not in self.known:
                    first.append(name)
                    self.known.add(name)
            if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name):
                self.fresh |= {outer.targets[0].id} - self.known
                self.known.add(outer.targets[0].id)
        return first

    def block(self, body: list[ast.stmt], depth: int) -> list[str]:
        """Return the lines of a block."""
        return [line for tree in body for line in self.statement(tree, depth)]

    def statement(self, tree: ast.stmt, depth: int) -> list[str]:
        """Return the lines of one statement."""
        pad, end = self.dialect.tab * depth, self.dialect.stop
        if isinstance(tree, ast.Assign):
            return [pad + self.assigned(tree.targets[0], tree.value)]
        if isinstance(tree, ast.AugAssign):
            whole = ast.BinOp(_loaded(tree.target), tree.op, tree.value)
            return [pad + self.assigned(tree.target, whole)]
        if isinstance(tree, ast.Expr):
            return [pad + self.expression(tree.value) + end]
        if isinstance(tree, ast.Return):
            return [pad + (f"return {self.bare(tree.value)}" if tree.value else "return") + end]
        if isinstance(tree, ast.Break | ast.Continue):
            return [pad + type(tree).__name__.lower() + end]
        if isinstance(tree, ast.If):
            return self.branch(tree, depth)
        if isinstance(tree, ast.While):
            head = self.dialect.loop.format(test=self.bare(tree.test))
        elif isinstance(tree, ast.For):
            head = self.counted(tree)
        else:
            raise ValueError(f"line {tree.lineno}: {type(tree).__name__} is not covered")
        return [pad + head, *self.block(tree.body, depth + 1), pad + "}"]

    def branch(self, tree: ast.If, depth: int) -> list[str]:
        """Return the lines of a branch, `elif` in one chain."""
        pad, test = self.dialect.tab * depth, self.dialect.test
        lines = [pad + test.format(test=self.bare(tree.test))]
        lines += self.block(tree.body, depth + 1)
        while len(tree.orelse) == 1 and isinstance(tree.orelse[0], ast.If):
            tree = tree.orelse[0]
            lines.append(f"{pad}}} else " + test.format(test=self.bare(tree.test)))
            lines += self.block(tree.body, depth + 1)
        if tree.orelse:
            lines += [pad + "} else {", *self.block(tree.orelse, depth + 1)]
        return [*lines, pad + "}"]

    def counted(self, tree: ast.For) -> str:
        """Return the head of a loop over `range(a, b)` or `range(a, b, -1)`."""
        if not isinstance(tree.iter, ast.Call) or not isinstance(tree.target, ast.Name):
            raise ValueError(f"line {tree.lineno}: a loop runs over a range")
        first, last, *step = (self.bare(part) for part in tree.iter.args)
        form = self.dialect.down if step else self.dialect.up
        return form.format(name=tree.target.id, first=first, last=last)

    def assigned(self, target: ast.expr, value: ast.expr) -> str:
        """Return an assignment, or a declaration if it is the first one."""
        dialect = self.dialect
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            return dialect.store.format(
                name=target.value.id, index=self.bare(target.slice), value=self.bare(value)
            )
        if not isinstance(target, ast.Name):
            raise ValueError(f"line {target.lineno}: assign to one name or item")
        name, fresh = target.id, target.id in self.fresh
        self.fresh.discard(name)
        if isinstance(value, ast.List):
            self.lists.add(name)
            items = ", ".join(self.bare(item) for item in value.elts)
            return dialect.table.format(name=name, items=items)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            called, args = value.func.id, [self.bare(arg) for arg in value.args]
            if called in ("array", "read"):
                self.lists.add(name)
                form = dialect.zeros if called == "array" else dialect.read
                return form.format(name=name, size="".join(args))
        form = dialect.declare if fresh else dialect.assign
        return form.format(name=name, value=self.bare(value))

    def bare(self, tree: ast.expr) -> str:
        """Return an expression without its outer parentheses."""
        text = self.expression(tree)
        whole = isinstance(tree, ast.BinOp | ast.BoolOp | ast.Compare)
        return text[1:-1] if whole else text

    def expression(self, tree: ast.expr) -> str:
        """Return an operand, in parentheses if it is an operation."""
        if isinstance(tree, ast.Constant):
            return str(tree.value)
        if isinstance(tree, ast.Name):
            return self.dialect.pass_list.format(name=tree.id) if tree.id in self.lists else tree.id
        if isinstance(tree, ast.BinOp):
            sides = self.expression(tree.left), self.expression(tree.right)
            return f"({sides[0]} {OPERATORS[type(tree.op)]} {sides[1]})"
        if isinstance(tree, ast.Compare):
            sides = self.expression(tree.left), self.expression(tree.comparators[0])
            return f"({sides[0]} {OPERATORS[type(tree.ops[0])]} {sides[1]})"
        if isinstance(tree, ast.BoolOp):
            mark = f" {OPERATORS[type(tree.op)]} "
            return f"({mark.join(self.expression(side) for side in tree.values)})"
        if isinstance(tree, ast.UnaryOp):
            mark = "-" if isinstance(tree.op, ast.USub) else "!"
            return f"({mark}{self.expression(tree.operand)})"
        if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name):
            return self.dialect.item.format(name=tree.value.id, index=self.bare(tree.slice))
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            return self.called(tree.func.id, tree.args)
        raise ValueError(f"line {tree.lineno}: {type(tree).__name__} is not covered")

    def called(self, name: str, args: list[ast.expr]) -> str:
        """Return a call; a text must be its only argument."""
        if name == "say" and isinstance(args[0], ast.Constant):
            text = str(args[0].value).replace("\n", "\\n")
            return self.dialect.say.format(text=text)
        given = ", ".join(self.bare(arg) for arg in args)
        return f"{self.dialect.names.get(name, name)}({given})"


def _loaded(tree: ast.expr) -> ast.expr:
    """Return the target of an assignment as an operand."""
    if isinstance(tree, ast.Subscript):
        return ast.Subscript(tree.value, tree.slice, ast.Load())
    return tree
