"""Routines of the drifting-sums family in five languages, and the tools around them.

Covers the few kinds of statement and expression that `programs/routines.py` has, with every
operation in its order: floating point allows no other.  Does not cover any Python beyond that.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tmax_gym.axes import Language
from tmax_gym.families.debugging.drifting_sums.mains import DISPATCH, MAINS, SIGNATURES

_LEVEL: Mapping[type[ast.operator], int] = {
    ast.Add: 5,
    ast.Sub: 5,
    ast.Mult: 6,
    ast.Div: 6,
    ast.FloorDiv: 6,
    ast.Mod: 6,
}
_SIGN: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
_TYPES: Mapping[Language, Mapping[str, str]] = {
    "c": {"float": "double", "int": "long"},
    "cpp": {"float": "double", "int": "long"},
    "go": {"float": "float64", "int": "int"},
    "rust": {"float": "f64", "int": "i64"},
}
_CASTS: Mapping[Language, Mapping[str, str]] = {
    "python": {"float": "float(@)", "int": "int(@)"},
    "c": {"float": "(double)@", "int": "(long)@", "single": "(float)@", "short": "(int)@"},
    "cpp": {
        "float": "static_cast<double>(@)",
        "int": "static_cast<long>(@)",
        "single": "static_cast<float>(@)",
        "short": "static_cast<int>(@)",
    },
    "go": {
        "float": "float64(@)",
        "int": "int(@)",
        "single": "float64(float32(@))",
        "short": "int(int32(@))",
    },
    "rust": {
        "float": "(@ as f64)",
        "int": "(@ as i64)",
        "single": "(@ as f32 as f64)",
        "short": "(@ as i32 as i64)",
    },
}
_LENGTH: Mapping[Language, str] = {
    "python": "len(x)",
    "c": "count",
    "cpp": "static_cast<long>(x.size())",
    "go": "len(x)",
    "rust": "(x.len() as i64)",
}
_NONE: Mapping[Language, str] = {
    "python": "math.nan",
    "c": "NAN",
    "cpp": "NAN",
    "go": "math.NaN()",
    "rust": "f64::NAN",
}
_METHODS = {"log": "ln", "abs": "abs", "expm1": "exp_m1", "log1p": "ln_1p", "pow": "powf"}
"""Functions with another name in Rust."""
_COMMENT: Mapping[Language, str] = {"c": "//", "cpp": "//", "go": "//", "rust": "///"}
_STOP: Mapping[Language, str] = {"c": ";", "cpp": ";", "go": "", "rust": ";"}


@dataclass(frozen=True, slots=True)
class _Pen:
    """One language, and the names that a routine assigns to again."""

    language: Language
    changed: frozenset[str]

    def function(self, tree: ast.FunctionDef) -> list[str]:
        """Return a routine with its comment."""
        doc_lines = textwrap.dedent(f"    {ast.get_docstring(tree)}").strip().splitlines()
        head = SIGNATURES[self.language].replace("@", tree.name)
        body = self.block(tree.body[1:])
        if self.language == "python":
            doc = ['    """' + doc_lines[0], *(f"    {line}".rstrip() for line in doc_lines[1:])]
            doc = [*doc[:-1], doc[-1] + '"""'] if len(doc) == 1 else [*doc, '    """']
            return [head, *doc, *body]
        mark = _COMMENT[self.language]
        return [*(f"{mark} {line}".rstrip() for line in doc_lines if line), head, *body, "}"]

    def block(self, statements: Sequence[ast.stmt]) -> list[str]:
        """Return statements, one level further in."""
        tab = "\t" if self.language == "go" else "    "
        return [tab + line for one in statements for line in self.statement(one)]

    def statement(self, one: ast.stmt) -> list[str]:
        """Return a statement."""
        stop = _STOP.get(self.language, "")
        match one:
            case ast.AnnAssign(target=ast.Name(name), annotation=ast.Name(kind), value=value):
                return [self.declared(name, kind, self.whole(value)) + stop]
            case ast.Assign(targets=[target], value=value):
                return [f"{self.text(target)} = {self.text(value)}{stop}"]
            case ast.AugAssign(target=target, op=op, value=value):
                return [f"{self.text(target)} {_SIGN[type(op)]}= {self.text(value)}{stop}"]
            case ast.Return(value=value):
                return [f"return {self.whole(value)}{stop}"]
            case ast.For(target=ast.Name(name), iter=over, body=body):
                done = self.braced(self.loop(name, over), body)
                if self.language == "c" and isinstance(over, ast.Name):
                    done.insert(1, f"    double {name} = x[at];")
                return done
            case ast.While(test=test, body=body):
                word = "for" if self.language == "go" else "while"
                return self.braced(self.headed(word, self.text(test)), body)
            case ast.If(test=test, body=body, orelse=other):
                done = self.braced(self.headed("if", self.text(test)), body)
                return self.otherwise(done, other) if other else done
        raise ValueError(f"a routine has {ast.unparse(one)!r}, which no language is given for")

    def declared(self, name: str, kind: str, value: str) -> str:
        """Return a declaration, without its end."""
        if self.language == "python":
            return f"{name} = {value}"
        if self.language == "go":
            return f"{name} := {value}"
        typed = _TYPES[self.language][kind]
        if self.language == "rust":
            return f"let {'mut ' if name in self.changed else ''}{name}: {typed} = {value}"
        return f"{typed} {name} = {value}"

    def headed(self, word: str, test: str) -> str:
        """Return a head without its brace."""
        return f"{word} ({test})" if self.language in ("c", "cpp") else f"{word} {test}"

    def braced(self, head: str, body: Sequence[ast.stmt]) -> list[str]:
        """Return a head and what depends on it."""
        if self.language == "python":
            return [f"{head}:", *self.block(body)]
        return [f"{head} {{", *self.block(body), "}"]

    def otherwise(self, done: list[str], body: Sequence[ast.stmt]) -> list[str]:
        """Return a choice with its second half."""
        if self.language == "python":
            return [*done, "else:", *self.block(body)]
        return [*done[:-1], "} else {", *self.block(body), "}"]

    def loop(self, name: str, over: ast.expr) -> str:
        """Return the head of a loop over all numbers or over a range."""
        if isinstance(over, ast.Name):
            return {
                "python": f"for {name} in x",
                "c": "for (long at = 0; at < count; at++)",
                "cpp": f"for (double {name} : x)",
                "go": f"for _, {name} := range x",
                "rust": f"for &{name} in x",
            }[self.language]
        assert isinstance(over, ast.Call)
        ends = [self.text(one) for one in over.args]
        low, high = ends if len(ends) == 2 else ("0", ends[0])
        if self.language == "python":
            return f"for {name} in range({', '.join(ends)})"
        if self.language == "rust":
            return f"for {name} in {low}..{high}"
        name = "turn" if name == "_" else name
        if self.language == "go":
            return f"for {name} := {low}; {name} < {high}; {name}++"
        return f"for (long {name} = {low}; {name} < {high}; {name}++)"

    def whole(self, one: ast.expr | None) -> str:
        """Return an expression that stands alone: its own parentheses go."""
        text = self.text(one)
        alone = text.startswith("(") and text.find(")") == len(text) - 1
        return text[1:-1] if alone or text == "(x.len() as i64)" else text

    def text(self, one: ast.expr | None, least: int = 0) -> str:
        """Return an expression, in parentheses where it binds less than is asked for."""
        match one:
            case ast.BinOp(left=left, op=op, right=right):
                level, sign = _LEVEL[type(op)], _SIGN[type(op)]
                if self.language == "python" and isinstance(op, ast.FloorDiv):
                    sign = "//"
                # Sums and products of doubles are not associative: the right side keeps its own.
                text = f"{self.text(left, level)} {sign} {self.text(right, level + 1)}"
                return f"({text})" if level < least else text
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return f"{self.text(left, 5)} {_SIGN[type(op)]} {self.text(right, 5)}"
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                text = f"-{self.text(inner, 8)}"
                return f"({text})" if least > 7 else text
            case ast.Name("NONE"):
                return _NONE[self.language]
            case ast.Name(name):
                return name
            case ast.Constant(value=value):
                return repr(value)
            case ast.Subscript(slice=at):
                whole = self.language != "rust" or isinstance(at, ast.Constant)
                return f"x[{self.text(at)}]" if whole else f"x[{self.text(at, 8)} as usize]"
            case ast.Call(func=func, args=args):
                return self.call(func, args)
        raise ValueError(f"a routine has {one and ast.unparse(one)!r}, which no language is given")

    def call(self, func: ast.expr, args: Sequence[ast.expr]) -> str:
        """Return a conversion, the number of numbers, or a call of the library."""
        name = func.attr if isinstance(func, ast.Attribute) else ast.unparse(func)
        if name == "len":
            return _LENGTH[self.language]
        if form := _CASTS[self.language].get(name):
            tight = self.language in ("c", "rust")
            return form.replace("@", self.text(args[0], 8 if tight else 0))
        operands = [self.text(one) for one in args]
        match self.language:
            case "python":
                return f"{'' if name == 'abs' else 'math.'}{name}({', '.join(operands)})"
            case "go":
                return f"math.{name[0].upper()}{name[1:]}({', '.join(operands)})"
            case "rust":
                plain = isinstance(args[0], ast.Name | ast.Subscript | ast.Call)
                first = operands[0] if plain else f"({operands[0]})"
                return f"{first}.{_METHODS.get(name, name)}({', '.join(operands[1:])})"
        prefix = "std::" if self.language == "cpp" else ""
        return f"{prefix}{'fabs' if name == 'abs' else name}({', '.join(operands)})"


def _changed(tree: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a routine assigns to after their declaration."""
    names = set()
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AugAssign) else targets
        names |= {t.id for t in targets if isinstance(t, ast.Name)}
    return frozenset(names)


@lru_cache(maxsize=1024)
def _routine(language: Language, source: str) -> str:
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return "\n".join(_Pen(language, _changed(tree)).function(tree))


def tool(language: Language, routines: Mapping[str, str], about: str) -> str:
    """Return a whole program that answers requests for these routines.

    Args:
        language: What it is written in.
        routines: Python source by name, in their order.
        about: What the head of the file says.
    """
    parts = [_routine(language, source) for source in routines.values()]
    gap = "\n\n\n" if language == "python" else "\n\n"
    chosen = "\n".join(DISPATCH[language].replace("@", name) for name in routines)
    program = MAINS[language].replace("@about", about)
    return program.replace("@chosen", chosen).replace("@routines", gap.join(parts))
