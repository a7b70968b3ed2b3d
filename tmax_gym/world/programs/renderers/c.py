"""Programs as C (C99) and as C++ (C++11); the two differ in their headers and namespaces only."""

from __future__ import annotations

from tmax_gym.world.programs.program import BYTE, Emit, Op, Program, lower
from tmax_gym.world.programs.renderers.walk import Dialect, literal

_HEAD = """\
{includes}

static inline uint32_t rol(uint32_t x, int n) {{ return x << n | x >> (32 - n); }}
static inline uint32_t ror(uint32_t x, int n) {{ return x >> n | x << (32 - n); }}

int main({void}) {{
    int ch, pending = 0;
"""


class C(Dialect):
    """C99; `std` is the prefix of library names in C++."""

    def __init__(self, std: str = "") -> None:
        self.std = std

    def const(self, value: int) -> str:
        """Return an unsigned literal, so that no operation is signed."""
        return f"{value}u"

    def op(self, tree: Op) -> str:
        """Return an operation; uint32_t wraps by itself."""
        left, right = self.expr(tree.left), self.expr(tree.right)
        if tree.kind in ("rol", "ror"):
            return f"{tree.kind}({left}, {right})"
        return f"({left} {tree.kind} {right})"

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value};"

    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""
        form = "u" if tree.base == 10 else f"0{tree.width}x" if tree.width else "x"
        return f'{self.std}printf("%{form}", (unsigned)({self.whole(tree.value)}));'

    def put(self, text: str) -> str:
        """Return the printing of a text, whose alphabet has no `%`."""
        return f"{self.std}fputs({literal(text)}, stdout);"


def render(program: Program, *, cpp: bool = False) -> str:
    """Return the whole source."""
    low, form = lower(program), C("std::" if cpp else "")
    names = ("cstdint", "cstdio") if cpp else ("stdint.h", "stdio.h")
    lines = [f"    uint32_t {r.name} = {r.start}u;" for r in low.registers]
    if low.unit == "line":
        # At the end of input an open line is closed once, then the loop is left.
        lines += [f"    while ((ch = {form.std}getchar()) != EOF || pending) {{"]
        lines += ["        if (ch == '\\n' || ch == EOF) {", *form.block(low.close, 3)]
        lines += [f"            {r.name} = {r.start}u;" for r in low.registers if r.per_line]
        lines += ["            pending = 0;", "            continue;", "        }"]
        lines += ["        pending = 1;"]
    else:
        lines += [f"    while ((ch = {form.std}getchar()) != EOF) {{", "        (void)pending;"]
    lines += [f"        uint32_t {BYTE} = (uint32_t)ch;", f"        (void){BYTE};"]
    lines += [*form.block(low.step, 2), "    }", *form.block(low.finish, 1)]
    lines += ["    return 0;", "}"]
    head = _HEAD.format(
        includes="\n".join(f"#include <{n}>" for n in names), void="" if cpp else "void"
    )
    return head + "\n".join(lines) + "\n"
