"""Programs as Bash scripts, which read bytes with `od` from coreutils, also NUL."""

from __future__ import annotations

from tmax_gym.world.programs.program import BYTE, M32, Emit, Op, Program, lower
from tmax_gym.world.programs.renderers.walk import Dialect

_HEAD = """\
#!/usr/bin/env bash
export LC_ALL=C
out=
pending=0
"""


class Bash(Dialect):
    """Bash arithmetic has 64 signed bits: every value is kept below 2**32."""

    if_open, if_next = "if (( {cond} )); then", "elif (( {cond} )); then"
    if_else, if_close = "else", "fi"
    loop_open, loop_close = "for (( {name} = 0; {name} < {count}; {name}++ )); do", "done"
    nothing = ":"

    def const(self, value: int) -> str:
        """Return a decimal literal."""
        return str(value)

    def op(self, tree: Op) -> str:
        """Return an operation, masked where it may overflow."""
        left, right = self.expr(tree.left), self.expr(tree.right)
        if tree.kind in ("rol", "ror") and right.isdigit():
            # At most 63 bits; `turn` holds the product so that `left` is evaluated once.
            count = int(right) if tree.kind == "rol" else 32 - int(right)
            return f"(turn = {left} << {count}, (turn | turn >> 32) & {M32})"
        text = f"({left} {tree.kind} {right})"
        return f"({text} & {M32})" if tree.kind in ("+", "-", "*", "<<") else text

    def assign(self, name: str, value: str) -> str:
        """Return an assignment; `$(( ))` never fails, unlike `(( ))` with the value 0."""
        return f"{name}=$(( {value} ))"

    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""
        value = f"$(( {self.whole(tree.value)} ))"
        if tree.base == 10:
            return f"out+={value}"
        form = f"%0{tree.width}x" if tree.width else "%x"
        return f"printf -v digits '{form}' {value}; out+=$digits"

    def put(self, text: str) -> str:
        """Return the printing of a text."""
        return "out+=$'" + text.replace("\n", "\\n") + "'"


def render(program: Program) -> str:
    """Return the whole script."""
    low, form = lower(program), Bash()
    lines = [f"{r.name}={r.start}" for r in low.registers]
    # A pipe would run the loop in a subshell, and its registers would be lost.
    loop = [f"while read -r {BYTE}; do", f"    {BYTE}=$(( 10#${BYTE} ))"]
    tail = ["done < <(od -An -v -tu1 -w1)"]
    if low.unit == "line":
        reset = [f"    {r.name}={r.start}" for r in low.registers if r.per_line]
        lines += ["close_line() {", *form.block(low.close, 1), *reset, "    pending=0", "}"]
        loop += [f"    if (( {BYTE} == 10 )); then", "        close_line", "        continue"]
        loop += ["    fi", "    pending=1"]
        tail += ["if (( pending )); then", "    close_line", "fi"]
    lines += [*loop, *form.block(low.step, 1), *tail]
    lines += form.block(low.finish, 0) if low.finish else []
    return _HEAD + "\n".join(lines) + "\nprintf '%s' \"$out\"\n"
