#![allow(unused_assignments, unused_variables)]
use std::io::BufRead;

fn main() {
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let (line, number) = (line.unwrap(), number as i64);
        let (mut last, mut place, mut out) = (/*@start*/74/*@*/, 0i64, String::new());
        for at in (0..line.len() / 2 * 2).step_by(2) {
            let code = i64::from_str_radix(&line[at..at + 2], 16).unwrap();
            let mut c: i64;
/*@undo*/            c = code;
            last = code;/*@*/
            out.push((c & 255) as u8 as char);
            place += 1;
        }
        println!("{}", out);
    }
}
