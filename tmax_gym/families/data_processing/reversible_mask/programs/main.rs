use std::io::Read;

type Column = (&'static str, u8, u8, usize, u8);
const COLUMNS: [Column; /*@count*/2/*@*/] = [
/*@columns*/    ("owner", 0, 1, 0, 0),
    ("meter_no", 1, 0, 0, 3),/*@*/
];
const RIGHT: u32 = /*@right*/1/*@*/;
const LONGER: usize = /*@longer*/0/*@*/;
const NAMED: bool = /*@named*/0/*@*/ == 1;
const SINGLE: bool = /*@single*/0/*@*/ == 1;
const BACKWARD: bool = /*@backward*/0/*@*/ == 1;
const MIX: u32 = /*@mix*/2/*@*/;
const MULTIPLIER: u32 = /*@multiplier*/22695477/*@*/;
const STEP: u32 = /*@step*/40503/*@*/;
const SHIFT: u32 = /*@shift*/11/*@*/;
const ROUNDS: u32 = /*@rounds*/5/*@*/;

fn mixed(mut h: u32, v: u32) -> u32 {
    if MIX == 0 {
        h = (h ^ v).wrapping_mul(MULTIPLIER);
    } else if MIX == 1 {
        h = h.wrapping_mul(MULTIPLIER).wrapping_add(v);
    } else {
        h = h.wrapping_add(v);
        h ^= h << 13;
        h ^= h >> 17;
        h ^= h << 5;
    }
    h ^ (h >> SHIFT)
}

fn turn(name: &str, base: u64, d: &mut [u64], key: u32, undo: bool) {
    if d.len() < 2 {
        return;
    }
    let middle = (d.len() + LONGER) / 2;
    for k in 1..=ROUNDS {
        let r = if undo && BACKWARD { ROUNDS + 1 - k } else { k };
        let (left, right) = d.split_at_mut(middle);
        let (half, other) = if (r + 1 + RIGHT) % 2 == 1 { (right, left) } else { (left, right) };
        let mut h = key.wrapping_add(r.wrapping_mul(STEP));
        if NAMED {
            for b in name.bytes() {
                h = mixed(h, b as u32);
            }
        }
        for v in other.iter() {
            h = mixed(h, *v as u32 + 1);
        }
        if SINGLE {
            for (i, v) in half.iter_mut().enumerate() {
                h = mixed(h, i as u32 + 1);
                let by = (h >> 16) as u64 % base;
                *v = (*v + if undo { base - by } else { by }) % base;
            }
            continue;
        }
        let whole = base.pow(half.len() as u32);
        let mut number = half.iter().fold(0, |n, v| n * base + v);
        let by = h as u64 % whole;
        number = (number + if undo { whole - by } else { by }) % whole;
        for v in half.iter_mut().rev() {
            *v = number % base;
            number /= base;
        }
    }
}

fn check_digit(kind: u8, text: &[u8]) -> u8 {
    let mut digits: Vec<u32> = text.iter().filter(|c| c.is_ascii_digit())
        .map(|c| (c - b'0') as u32).collect();
    digits.pop();
    if kind == 3 {
        let total: u32 = digits.iter().enumerate().map(|(i, d)| (i as u32 + 1) * d).sum();
        return b'0' + (total % 11 % 10) as u8;
    }
    let mut total = 0;
    for (i, d) in digits.iter().rev().enumerate() {
        let weight = if i % 2 == 1 { 1 } else if kind == 1 { 2 } else { 3 };
        let value = d * weight;
        total += if kind == 1 && value > 9 { value - 9 } else { value };
    }
    b'0' + ((10 - total % 10) % 10) as u8
}

fn convert(column: &Column, cell: &str, key: u32, undo: bool) -> String {
    let (name, digits, letters, keep, check) = *column;
    let mut text = cell.as_bytes().to_vec();
    let numbers: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_digit()).collect();
    let mut last = usize::MAX;
    if check > 0 {
        if numbers.len() < 2 {
            return "invalid".to_string();
        }
        last = numbers[numbers.len() - 1];
        if text[last] != check_digit(check, &text) {
            return "invalid".to_string();
        }
    }
    let free: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_alphanumeric())
        .skip(keep).filter(|&i| i != last).collect();
    for (base, wanted) in [(10, digits), (26, letters)] {
        if wanted == 0 {
            continue;
        }
        let at: Vec<usize> = free.iter().copied()
            .filter(|&i| text[i].is_ascii_digit() == (base == 10)).collect();
        let zero = |c: u8| match c {
            b'0'..=b'9' => b'0',
            b'A'..=b'Z' => b'A',
            _ => b'a',
        };
        let mut members: Vec<u64> = at.iter().map(|&i| (text[i] - zero(text[i])) as u64).collect();
        turn(name, base, &mut members, key, undo);
        for (&i, &v) in at.iter().zip(&members) {
            text[i] = zero(text[i]) + v as u8;
        }
    }
    if check > 0 {
        text[last] = check_digit(check, &text);
    }
    String::from_utf8(text).unwrap()
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let mut first = lines.next().unwrap().split_whitespace();
    let undo = first.next().unwrap() == "unmask";
    let key: u32 = first.next().unwrap().parse().unwrap();
    let header = lines.next().unwrap();
    println!("{}", header);
    let columns: Vec<Option<&Column>> =
        header.split(',').map(|name| COLUMNS.iter().find(|c| c.0 == name)).collect();
    for line in lines {
        let cells: Vec<String> = line.split(',').zip(&columns).map(|(cell, column)| match column {
            Some(c) => convert(c, cell, key, undo),
            None => cell.to_string(),
        }).collect();
        println!("{}", cells.join(","));
    }
}
