"""Programs as Rust (2018 edition, no crates)."""

from __future__ import annotations

from tmax_gym.world.programs.program import BYTE, Emit, Op, Program, lower
from tmax_gym.world.programs.renderers.walk import Dialect, literal

_HEAD = """\
#![allow(unused_mut, unused_variables, unused_assignments, unused_parens, unused_imports)]
use std::io::{Read, Write};

fn main() {
    let mut data: Vec<u8> = Vec::new();
    std::io::stdin().read_to_end(&mut data).unwrap();
    let mut out: Vec<u8> = Vec::new();
"""
_METHODS = {"+": "wrapping_add", "-": "wrapping_sub", "*": "wrapping_mul"}
_TURNS = {"rol": "rotate_left", "ror": "rotate_right"}


class Rust(Dialect):
    """Rust; wrapping is asked for, since a debug build panics on overflow."""

    if_open, if_next = "if {cond} {{", "}} else if {cond} {{"
    loop_open = "for _ in 0..{count} {{"

    def const(self, value: int) -> str:
        """Return a typed literal."""
        return f"{value}u32"

    def op(self, tree: Op) -> str:
        """Return an operation; methods bind tighter than any operator."""
        left, right = self.expr(tree.left), self.expr(tree.right)
        if tree.kind in _METHODS:
            return f"{left}.{_METHODS[tree.kind]}({self.whole(tree.right)})"
        if tree.kind in _TURNS:
            return f"{left}.{_TURNS[tree.kind]}({right})"
        return f"({left} {tree.kind} {right})"

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value};"

    def emit(self, tree: Emit) -> str:
        """Return the printing of a number."""
        form = "{}" if tree.base == 10 else f"{{:0{tree.width}x}}" if tree.width else "{:x}"
        return f'write!(out, "{form}", {self.whole(tree.value)}).unwrap();'

    def put(self, text: str) -> str:
        """Return the printing of a text."""
        return f"out.extend_from_slice(b{literal(text)});"


def render(program: Program) -> str:
    """Return the whole source."""
    low, form = lower(program), Rust()
    lines = [f"    let mut {r.name}: u32 = {r.start};" for r in low.registers]
    if low.unit == "line":
        lines += ["    if !data.is_empty() && data[data.len() - 1] != 10 {"]
        lines += ["        data.push(10);", "    }"]
    lines += ["    for &ch in data.iter() {", f"        let {BYTE}: u32 = ch as u32;"]
    if low.unit == "line":
        lines += [f"        if {BYTE} == 10 {{", *form.block(low.close, 3)]
        lines += [f"            {r.name} = {r.start};" for r in low.registers if r.per_line]
        lines += ["            continue;", "        }"]
    lines += [*form.block(low.step, 2), "    }", *form.block(low.finish, 1)]
    lines += ["    std::io::stdout().write_all(&out).unwrap();", "}"]
    return _HEAD + "\n".join(lines) + "\n"
