"""The Rust of the compiler-said family: a library of modules, and tools upon it."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.debugging.compiler_said.kit import Call, Kit, Slip


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


_SECTIONS = {
    "record": """\
/// @doc
#[derive(Clone)]
pub struct Record {
    pub name: String,
    pub value: i64,
}

/// All lines, in order.
pub type Table = Vec<Record>;
""",
    "reading": """\
use super::record::{Record, Table};
use std::io::Read;

/// @doc
pub fn read_table(from: &mut impl Read) -> Table {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let mut made = Table::new();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        made.push(Record { name: name.to_string(), value: value.parse().unwrap() });
    }
    made
}
""",
    "report": """\
use super::record::Table;
use std::io::Write;

/// @doc
pub fn print_table(to: &mut impl Write, shown: &Table) {
    let mut total = 0;
    for one in shown {
        writeln!(to, "{} {}", one.name, one.value).unwrap();
        total += one.value;
    }
    writeln!(to, "rows {} total {}", shown.len(), total).unwrap();
}
""",
    "scale": """\
use super::record::Table;

/// @doc
pub fn scale(t: &mut Table, factor: i64, offset: i64) {
    for row in t.iter_mut() {
        row.value = row.value * factor + offset;
    }
}
""",
    "wrap": """\
use super::record::Table;

/// @doc
pub fn wrap(t: &mut Table, size: i64) {
    for row in t.iter_mut() {
        row.value = row.value.rem_euclid(size);
    }
}
""",
    "merge": """\
use super::record::Table;
use std::collections::HashMap;

/// @doc
pub fn merge(t: &mut Table) {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept = Table::new();
    for row in t.iter() {
        match places.get(&row.name) {
            Some(&place) => kept[place].value += row.value,
            None => {
                places.insert(row.name.clone(), kept.len());
                kept.push(row.clone());
            }
        }
    }
    *t = kept;
}
""",
    "rank": """\
use super::record::Table;

/// @doc
pub fn rank(t: &mut Table) {
    t.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| a.name.cmp(&b.name)));
}
""",
    "delta": """\
use super::record::Table;

/// @doc
pub fn delta(t: &mut Table) {
    let mut before = t.first().map_or(0, |row| row.value);
    for row in t.iter_mut() {
        let now = row.value;
        row.value = now - before;
        before = now;
    }
}
""",
    "window": """\
use super::record::Table;

/// @doc
pub fn window(t: &mut Table, length: usize) {
    for i in (0..t.len()).rev() {
        for back in 1..length.min(i + 1) {
            let more = t[i - back].value;
            t[i].value += more;
        }
    }
}
""",
    "keep": """\
use super::record::Table;

/// @doc
pub fn keep(t: &mut Table, least: i64) {
    t.retain(|row| row.value >= least);
}
""",
    "head": """\
use super::record::Table;

/// @doc
pub fn head(t: &mut Table, most: usize) {
    t.truncate(most);
}
""",
    "fold": """\
use super::record::Table;

/// @doc
pub fn fold(t: &mut Table) {
    for row in t.iter_mut() {
        let lower = row.name.to_ascii_lowercase();
        row.name = lower;
    }
}
""",
}
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
