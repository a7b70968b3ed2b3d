#![allow(unused_variables)]
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let code: Vec<i64> =
        text.split_whitespace().map(|w| i64::from_str_radix(w, 16).unwrap()).collect();
    let (mut r, mut at, mut steps) = ([0i64; 4], 0i64, 0);
    while at < (code.len() / 3) as i64 {
        if steps == /*@limit*/600/*@*/ {
            println!("limit");
            return;
        }
        steps += 1;
        let row = &code[3 * at as usize..];
        let (op, x, y) = (row[0], row[1], row[2]);
        let (a, b) = ((x % 4) as usize, (y % 4) as usize);
        match op {
/*@cases*/            0x68 => { r[a] = y; } // SET
            0x60 => { r[a] += r[b]; } // ADD
            0xE0 => { println!("{}", r[a]); } // OUT
            0xE6 => { r[a] = (r[a] - 1) & 65535; if r[a] != 0 { at = y - 1; } } // DJN
            0xF0 => { r[a] -= r[b]; } // SUB
            0xA1 => { r[a] ^= r[b]; } // XOR/*@*/
            _ => {
                println!("trap {}", at);
                return;
            }
        }
        r[a] &= 65535;
        at += 1;
    }
}
