"""Programs as Go (1.11 or later)."""

from __future__ import annotations

from tmax_gym.world.programs.program import BYTE, Const, Emit, Op, Program, lower, walk
from tmax_gym.world.programs.renderers.walk import Dialect, literal

_IMPORTS = ("bufio", "fmt", "io/ioutil", "math/bits", "os")


class Go(Dialect):
    """Go; constants are variables, because a constant expression may not overflow."""

    tab = "\t"
    if_open, if_next = "if {cond} {{", "}} else if {cond} {{"
    loop_open = "for {name} := 0; {name} < {count}; {name}++ {{"

    def const(self, value: int) -> str:
        """Return the variable that holds this constant."""
        return f"k{value}"

    def op(self, tree: Op) -> str:
        """Return an operation; uint32 wraps by itself."""
        left = self.expr(tree.left)
        # Divisors and counts are constants by construction (`Op`); counts stay literals.
        count = tree.right.value if isinstance(tree.right, Const) else 0
        if tree.kind in ("rol", "ror"):
            return f"bits.RotateLeft32({left}, {count if tree.kind == 'rol' else -count})"
        right = str(count) if tree.kind in ("<<", ">>") else self.expr(tree.right)
        return f"({left} {tree.kind} {right})"

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value}"

    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""
        form = "d" if tree.base == 10 else f"0{tree.width}x" if tree.width else "x"
        return f'fmt.Fprintf(out, "%{form}", {self.whole(tree.value)})'

    def put(self, text: str) -> str:
        """Return the printing of a text."""
        return f"out.WriteString({literal(text)})"


def render(program: Program) -> str:
    """Return the whole source."""
    low, form = lower(program), Go()
    trees = [*walk(low.step), *walk(low.close), *walk(low.finish)]
    values = sorted({t.value for t in trees if isinstance(t, Const)})
    lines = ["package main", "", "import ("]
    lines += [f'\t"{name}"' for name in _IMPORTS]
    lines += [")", "", *(f"var k{v} uint32 = {v}" for v in values), ""]
    lines += ["var _ = bits.RotateLeft32", "var _ = fmt.Fprintf", "", "func main() {"]
    lines += ["\tdata, _ := ioutil.ReadAll(os.Stdin)", "\tout := bufio.NewWriter(os.Stdout)"]
    lines += ["\tdefer out.Flush()"]
    for r in low.registers:
        # A register that is only written would be a compile error without the second line.
        lines += [f"\tvar {r.name} uint32 = {r.start}", f"\t_ = {r.name}"]
    if low.unit == "line":
        lines += ["\tif len(data) > 0 && data[len(data)-1] != 10 {", "\t\tdata = append(data, 10)"]
        lines += ["\t}"]
    lines += [
        "\tfor _, ch := range data {",
        f"\t\tvar {BYTE} uint32 = uint32(ch)",
        f"\t\t_ = {BYTE}",
    ]
    if low.unit == "line":
        lines += [f"\t\tif {BYTE} == 10 {{", *form.block(low.close, 3)]
        lines += [f"\t\t\t{r.name} = {r.start}" for r in low.registers if r.per_line]
        lines += ["\t\t\tcontinue", "\t\t}"]
    lines += [*form.block(low.step, 2), "\t}", *form.block(low.finish, 1), "}"]
    return "\n".join(lines) + "\n"
