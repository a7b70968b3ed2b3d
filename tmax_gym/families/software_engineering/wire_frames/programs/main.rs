use std::io::{self, BufRead};

type Schema = &'static [(u64, &'static str, &'static str)];
const METHODS: &[(u8, &str, Schema)] = &[
/*@methods*/    (25, "Book", &[(20, "tag", "bool"), (4, "species", "sint64"), (10, "test_kit", "string")]),
    (21, "Report", &[(22, "keeper", "fixed32"), (8, "species", "sint64")]),
    (34, "Confirm", &[(1, "keeper", "fixed64"), (15, "pump_id", "uint64"), (26, "exhibit", "uint64"), (11, "species", "fixed64")]),/*@*/
];

#[allow(dead_code)]
enum State {
    Clean,
    Repaired,
}

struct Found<'a> {
    number: u64,
    wire: u64,
    value: u64,
    raw: &'a [u8],
}

/*@guard*/fn unseal(sent: &[u8]) -> Option<(State, Vec<u8>)> {
    let n = sent.len().checked_sub(2)?;
    let (mut a, mut b) = (6u32, 9u32);
    for &byte in &sent[..n] {
        a = (a + u32::from(byte)) % 253;
        b = (b + a) % 253;
    }
    let tail = [b, a];
    if tail[0] != u32::from(sent[n]) || tail[1] != u32::from(sent[n + 1]) {
        return None;
    }
    Some((State::Clean, sent[..n].to_vec()))
}
/*@*/

fn varint<'a>(data: &mut &'a [u8]) -> Option<u64> {
    let mut value = 0u64;
    for n in 0..10 {
        let (&byte, rest) = data.split_first()?;
        *data = rest;
        value |= u64::from(byte & 127) << (7 * n);
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn parse(mut data: &[u8]) -> Option<Vec<Found>> {
    let mut all = Vec::new();
    while !data.is_empty() {
        let tag = varint(&mut data)?;
        let (number, wire) = (tag >> 3, tag & 7);
        let mut value = 0;
        let size = match wire {
            0 => {
                value = varint(&mut data)?;
                0
            }
            1 => 8,
            2 => varint(&mut data)?,
            5 => 4,
            _ => return None,
        };
        if number == 0 || size > data.len() as u64 {
            return None;
        }
        let (raw, rest) = data.split_at(size as usize);
        data = rest;
        if wire == 1 || wire == 5 {
            value = raw.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
        }
        all.push(Found { number, wire, value, raw });
    }
    Some(all)
}

fn many(all: &[Found], number: u64) -> Option<String> {
    let mut told = Vec::new();
    for one in all.iter().filter(|one| one.number == number) {
        let mut rest = one.raw;
        if one.wire == 0 {
            told.push(one.value.to_string());
        }
        while one.wire == 2 && !rest.is_empty() {
            told.push(varint(&mut rest)?.to_string());
        }
    }
    Some(format!("[{}]", told.join(",")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{:02x}", b)).collect()
}

fn shown(all: &[Found], number: u64, kind: &str) -> Option<String> {
    let wire = match kind {
        "repeated uint64" => return many(all, number),
        "fixed32" => 5,
        "fixed64" => 1,
        "string" | "bytes" => 2,
        _ => 0,
    };
    let last = all.iter().filter(|one| one.number == number && one.wire == wire).last();
    let (value, raw): (u64, &[u8]) = last.map_or((0, &[]), |one| (one.value, one.raw));
    Some(match kind {
        "string" => format!("\"{}\"", String::from_utf8_lossy(raw)),
        "bytes" => hex(raw),
        "bool" => (value != 0).to_string(),
        "sint64" => ((value >> 1) as i64 ^ -((value & 1) as i64)).to_string(),
        "int64" => (value as i64).to_string(),
        "uint32" => (value as u32).to_string(),
        _ => value.to_string(),
    })
}

fn request(name: &str, schema: Schema, data: &[u8]) -> Option<String> {
    let all = parse(data)?;
    let mut told = name.to_string();
    for (number, field, kind) in schema {
        told += &format!(" {}={}", field, shown(&all, *number, kind)?);
    }
    Some(told)
}

fn message(sent: &[u8]) {
    let (state, body) = match unseal(sent) {
        None => return println!("damaged"),
        Some(found) => found,
    };
    if let State::Repaired = state {
        println!("repaired");
    }
    if body.len() < 6 || body[2..6].iter().fold(0, |v, &b| v << 8 | b as usize) != body.len() - 6 {
        return println!("malformed");
    }
    match METHODS.iter().find(|one| one.0 == body[0]) {
        None => println!("unimplemented {}", body[0]),
        Some(_) if body[1] != 0 => println!("compressed"),
        Some((_, name, schema)) => {
            println!("{}", request(name, schema, &body[6..]).unwrap_or("malformed".to_string()))
        }
    }
}

fn refused(first: u8, second: u8, begun: bool) -> &'static str {
    match first & 15 {
        _ if first & 0x70 != 0 => "reserved",
        1 | 3..=7 | 11..=15 => "opcode",
        _ if second & 128 == 0 => "unmasked",
        8..=10 if first & 128 == 0 || second & 127 > 125 => "control",
        2 if begun => "interleaved",
        0 if !begun => "continuation",
        _ => "",
    }
}

fn capture(mut data: &[u8]) {
    let mut open: Vec<u8> = Vec::new();
    let mut begun = false;
    while !data.is_empty() {
        if data.len() < 2 {
            return println!("partial");
        }
        let (first, second) = (data[0], data[1]);
        let wrong = refused(first, second, begun);
        if !wrong.is_empty() {
            return println!("error {}", wrong);
        }
        data = &data[2..];
        let wide = match second & 127 {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        if data.len() < wide + 4 {
            return println!("partial");
        }
        let long = data[..wide].iter().fold(0u64, |v, &b| v << 8 | u64::from(b));
        let size = if wide > 0 { long } else { u64::from(second & 127) };
        data = &data[wide..];
        if ((data.len() - 4) as u64) < size {
            return println!("partial");
        }
        let (frame, rest) = data.split_at(4 + size as usize);
        data = rest;
        let payload: Vec<u8> = (4..frame.len()).map(|n| frame[n] ^ frame[n % 4]).collect();
        match first & 15 {
            8 if size > 1 => {
                return println!("close {}", u16::from_be_bytes([payload[0], payload[1]]));
            }
            8 => return println!("close none"),
            9 => println!("pong 8a{:02x}{}", size, hex(&payload)),
            0 | 2 => {
                open.extend(payload);
                begun = true;
                if /*@done*/first & 128 != 0/*@*/ {
                    message(&open);
                    open.clear();
                    begun = false;
                }
            }
            _ => (),
        }
    }
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let digits = line.trim();
        let pairs = (0..digits.len() / 2).map(|n| &digits[2 * n..2 * n + 2]);
        let data: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        capture(&data);
        println!("--");
    }
}
