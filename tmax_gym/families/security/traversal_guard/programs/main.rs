use std::io::Read;
use std::process::exit;

fn digit(c: u8) -> Option<u8> {
    (c as char).to_digit(16).map(|d| d as u8)
}

fn decode(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < name.len() {
        if name[i] == b'%' && i + 2 < name.len() {
            if let (Some(high), Some(low)) = (digit(name[i + 1]), digit(name[i + 2])) {
                out.push(16 * high + low);
                i += 3;
                continue;
            }
        }
        out.push(name[i]);
        i += 1;
    }
    out
}

fn main() {
    let mut name = Vec::new();
    std::io::stdin().read_to_end(&mut name).unwrap();
    if name.last() == Some(&b'\n') {
        name.pop();
    }
    loop {
        let decoded = decode(&name);
        if decoded == name {
            break;
        }
        name = decoded;
    }
    let bad = |c: &u8| *c < 32 || *c == 127;
    if name.iter().any(bad) || name.first() == Some(&b'/') || name.first() == Some(&b'\\') {
        exit(1);
    }
    let mut depth = 0;
    for part in name.split(|c| *c == b'/' || *c == b'\\') {
        match part {
            b"" | b"." => (),
            b".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            exit(1);
        }
    }
    exit(if depth > 0 { 0 } else { 1 });
}
