#![allow(dead_code)]
use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};
//@ frame
//HERE

/// One row of a batch.
#[derive(Clone)]
struct Row {
    name: String,
    value: i64,
}

/// Reads the lines "name value" up to a line "end"; `None` where none are left.
fn read_batch(lines: &mut io::Lines<io::StdinLock>) -> io::Result<Option<Vec<Row>>> {
    let mut rows = Vec::new();
    for line in lines {
        let line = line?;
        if line == "end" {
            return Ok(Some(rows));
        }
        let (name, value) = line.split_once(' ').expect("a name and a value");
        let value = value.parse().expect("a whole number");
        rows.push(Row { name: name.to_string(), value });
    }
    Ok(if rows.is_empty() { None } else { Some(rows) })
}

/// Prints every row, and then how many there are and their sum.
fn print_batch(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let mut total = 0;
    for row in rows {
        writeln!(out, "{} {}", row.name, row.value)?;
        total += row.value;
    }
    writeln!(out, "= {} {}", rows.len(), total)
}
//@ tally
/// @doc
fn tally(rows: Vec<Row>) -> Vec<Row> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        match places.get(&row.name) {
            Some(&place) => kept[place].value += row.value,
            None => {
                places.insert(row.name.clone(), kept.len());
                kept.push(row);
            }
        }
    }
    kept
}
//@ window
/// @doc
fn window(mut rows: Vec<Row>, length: usize) -> Vec<Row> {
    let mut ring = VecDeque::new();
    let mut sum = 0;
    for row in rows.iter_mut() {
        if ring.len() == length {
            sum -= ring.pop_front().unwrap_or(0);
        }
        sum += row.value;
        ring.push_back(row.value);
        row.value = sum;
    }
    rows
}
//@ expand
/// @doc
fn expand(rows: Vec<Row>, most: i64) -> Vec<Row> {
    let mut grown = Vec::new();
    for row in rows {
        for _ in 0..row.value.abs() % most {
            grown.push(row.clone());
        }
        grown.push(row);
    }
    grown
}
//@ drop
/// @doc
fn drop(mut rows: Vec<Row>, least: i64) -> Vec<Row> {
    let mut at = 0;
    while at < rows.len() {
        if rows[at].value < least {
            rows.remove(at);
        } else {
            at += 1;
        }
    }
    rows
}
//@ join
/// @doc
fn join(rows: Vec<Row>) -> Vec<Row> {
    let mut made = Vec::new();
    let mut rest = rows.into_iter();
    while let Some(left) = rest.next() {
        match rest.next() {
            None => made.push(left),
            Some(right) => {
                let name = format!("{}-{}", left.name, right.name);
                made.push(Row { name, value: left.value + right.value });
            }
        }
    }
    made
}
//@ recent
/// @doc
fn recent(rows: Vec<Row>, room: usize) -> Vec<Row> {
    let mut kept: VecDeque<Row> = VecDeque::new();
    for row in rows {
        let old = kept.iter().position(|other| other.name == row.name);
        if let Some(place) = old {
            kept.remove(place);
        }
        kept.push_front(row);
        kept.truncate(room);
    }
    kept.into_iter().collect()
}
//@ spread
/// @doc
fn spread(rows: Vec<Row>, size: i64) -> Vec<Row> {
    let mut counts = vec![0; size as usize];
    for row in &rows {
        let count = &mut counts[row.value.rem_euclid(size) as usize];
        *count += 1;
    }
    let label = |at: usize| format!("b{}", at);
    counts
        .into_iter()
        .enumerate()
        .map(|(at, value)| Row { name: label(at), value })
        .collect()
}
//@ digest
/// @doc
fn digest(mut rows: Vec<Row>) -> Vec<Row> {
    let mut h: u32 = 7;
    for row in &rows {
        for byte in row.name.bytes() {
            h = h.wrapping_mul(31).wrapping_add(u32::from(byte));
        }
        h = h.wrapping_add(row.value as u32);
    }
    rows.push(Row { name: "digest".to_string(), value: i64::from(h) });
    rows
}
//@ rank
/// @doc
fn rank(mut rows: Vec<Row>, most: usize) -> Vec<Row> {
    rows.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| a.name.cmp(&b.name)));
    rows.truncate(most);
    rows
}
//@
fn main() {}
