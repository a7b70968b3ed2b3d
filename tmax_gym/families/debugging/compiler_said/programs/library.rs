#![allow(dead_code)]
mod record {
//@ record
/// @doc
#[derive(Clone)]
pub struct Record {
    pub name: String,
    pub value: i64,
}

/// All lines, in order.
pub type Table = Vec<Record>;
//@
}
mod reading {
//@ reading
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
//@
}
mod report {
//@ report
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
//@
}
mod scale {
//@ scale
use super::record::Table;

/// @doc
pub fn scale(t: &mut Table, factor: i64, offset: i64) {
    for row in t.iter_mut() {
        row.value = row.value * factor + offset;
    }
}
//@
}
mod wrap {
//@ wrap
use super::record::Table;

/// @doc
pub fn wrap(t: &mut Table, size: i64) {
    for row in t.iter_mut() {
        row.value = row.value.rem_euclid(size);
    }
}
//@
}
mod merge {
//@ merge
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
//@
}
mod rank {
//@ rank
use super::record::Table;

/// @doc
pub fn rank(t: &mut Table) {
    t.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| a.name.cmp(&b.name)));
}
//@
}
mod delta {
//@ delta
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
//@
}
mod window {
//@ window
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
//@
}
mod keep {
//@ keep
use super::record::Table;

/// @doc
pub fn keep(t: &mut Table, least: i64) {
    t.retain(|row| row.value >= least);
}
//@
}
mod head {
//@ head
use super::record::Table;

/// @doc
pub fn head(t: &mut Table, most: usize) {
    t.truncate(most);
}
//@
}
mod fold {
//@ fold
use super::record::Table;

/// @doc
pub fn fold(t: &mut Table) {
    for row in t.iter_mut() {
        let lower = row.name.to_ascii_lowercase();
        row.name = lower;
    }
}
//@
}

fn main() {
    let t = reading::read_table(&mut std::io::stdin());
    report::print_table(&mut std::io::stdout(), &t);
}
