"""Programs as Python 3 scripts, standard library only."""

from __future__ import annotations

from tmax_gym.world.programs.program import BYTE, Emit, Op, Program, lower
from tmax_gym.world.programs.renderers.walk import Dialect, literal

_INFIX = {"/": "//"}
# These can leave the range of 32 bits; the others cannot.
_WRAPS = frozenset(("+", "-", "*", "<<"))

_HEAD = """\
import sys

M32 = 0xFFFFFFFF


def rol(x, n):
    return (x << n | x >> (32 - n)) & M32


def ror(x, n):
    return (x >> n | x << (32 - n)) & M32


def main():
    data = sys.stdin.buffer.read()
    out = []
"""


class Python(Dialect):
    """Python 3."""

    if_open, if_next, if_else, if_close = "if {cond}:", "elif {cond}:", "else:", ""
    loop_open, loop_close = "for {name} in range({count}):", ""
    both, either = "{left} and {right}", "{left} or {right}"
    nothing = "pass"

    def const(self, value: int) -> str:
        """Return a decimal literal."""
        return str(value)

    def op(self, tree: Op) -> str:
        """Return an operation, masked where it may overflow."""
        left, right = self.expr(tree.left), self.expr(tree.right)
        if tree.kind in ("rol", "ror"):
            return f"{tree.kind}({left}, {right})"
        text = f"({left} {_INFIX.get(tree.kind, tree.kind)} {right})"
        return f"({text} & M32)" if tree.kind in _WRAPS else text

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value}"

    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""
        if tree.base == 10:
            return f"out.append(str({self.whole(tree.value)}))"
        form = f"%0{tree.width}x" if tree.width else "%x"
        return f'out.append("{form}" % ({self.whole(tree.value)}))'

    def put(self, text: str) -> str:
        """Return the printing of a text."""
        return f"out.append({literal(text)})"


def render(program: Program) -> str:
    """Return the whole script."""
    low, form = lower(program), Python()
    lines = [f"    {r.name} = {r.start}" for r in low.registers]
    if low.unit == "line":
        lines += ['    if data and not data.endswith(b"\\n"):', '        data += b"\\n"']
        lines += [f"    for {BYTE} in data:", f"        if {BYTE} == 10:"]
        lines += form.block(low.close, 3)
        lines += [f"            {r.name} = {r.start}" for r in low.registers if r.per_line]
        lines += ["        else:", *form.block(low.step, 3)]
    else:
        lines += [f"    for {BYTE} in data:", *form.block(low.step, 2)]
    lines += form.block(low.finish, 1) if low.finish else []
    tail = '    sys.stdout.write("".join(out))\n\n\nmain()\n'
    return _HEAD + "\n".join(lines) + "\n" + tail
