"""The Rust of the compiler-said family: a library of modules, and tools that use it."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip
from tmax_gym.families.shared.programs import program_sections


def _main(lib: str, calls: Sequence[Call]) -> str:
    names = ("reading", "record", "report", *(call.stage for call in calls))
    mods = "".join(f"    pub mod {name};\n" for name in sorted(names))
    steps = "".join(
        f"    {lib}::{call.stage}::{call.stage}"
        f"({', '.join(('&mut t', *map(str, call.numbers)))});\n"
        for call in calls
    )
    return (
        f"mod {lib} {{\n{mods}}}\n\nfn main() {{\n"
        f"    let mut t = {lib}::reading::read_table(&mut std::io::stdin());\n{steps}"
        f"    {lib}::report::print_table(&mut std::io::stdout(), &t);\n}}\n"
    )


def _main_slips(lib: str, calls: Sequence[Call]) -> tuple[Slip, ...]:
    first, last = calls[0].stage, calls[-1].stage
    return (
        (f"    pub mod {first};\n", ""),
        ("    pub mod record;\n", "    pub mod records;\n"),
        (f"{last}::{last}(&mut t", f"{last}::{last}(t"),
        ("let mut t =", "let t ="),
        ("stdout(), &t)", "stdout(), t)"),
    )


_SECTIONS = program_sections(__package__, "library.rs")
_SLIPS: dict[str, tuple[Slip, ...]] = {
    "record": (
        ("pub value", "value"),
        ("pub type Table", "type Table"),
        ("pub struct Record", "struct Record"),
        ("name: String", "name: str"),
        ("name: String", "name: &str"),
        ("value: i64,\n}", "value: i64,\n"),
    ),
    "reading": (
        ("from: &mut impl Read", "from: &impl Read"),
        ("let mut words", "let words"),
        ("name: name.to_string()", "name"),
        ("    made\n}", "    made;\n}"),
        ("use std::io::Read;\n", ""),
        ("text.split_whitespace()", "String::new().split_whitespace()"),
    ),
    "report": (
        ("in shown {", "in *shown {"),
        ("let mut total", "let total"),
        ("use std::io::Write;", "use std::fmt::Write;"),
        ("shown: &Table", "shown: Table"),
    ),
    "scale": (("t.iter_mut()", "t.iter()"), ("offset: i64", "offset: i32")),
    "wrap": (("t: &mut Table", "t: &Table"), ("size: i64", "size: u64")),
    "merge": (
        ("kept.push(row.clone())", "kept.push(row)"),
        ("*t = kept;", "t = kept;"),
        ("insert(row.name.clone()", "insert(row.name"),
        ("use std::collections::HashMap;\n", ""),
    ),
    "rank": (("cmp(&a.value)", "cmp(a.value)"), ("|a, b|", "|a|"), ("&b.name)));", "&b.name));")),
    "delta": (("let mut before", "let before"), (".map_or(0, |row| row.value)", "")),
    "window": (
        ("let more = t[i - back].value;", "let more = &t[i - back];"),
        ("length: usize", "length: i64"),
    ),
    "keep": (("least: i64", "least: usize"), (">= least", ">= &least"), ("|row|", "row")),
    "head": (("most: usize", "most: i64"), ("t: &mut Table", "t: &Table")),
    "fold": (
        ("let lower = row.name.to", "let name = row.name;\n        let lower = name.to"),
        ("row.name = lower", "row.name = &lower"),
    ),
}
KIT = Kit(sections=_SECTIONS, slips=_SLIPS, main=_main, main_slips=_main_slips, suffix="rs")
