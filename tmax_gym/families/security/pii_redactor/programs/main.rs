#![allow(unused)]
use std::collections::HashMap;
use std::io::{Read, Write};

type Rule = (usize, usize, usize, char, &'static str, &'static str);
const RULES: &[Rule] = &[/*@RULES*/
    (0, 0, 2, '?', "<EMAIL>", ""),
/*@*/];
const COUNTRIES: &[(&str, usize)] = &[/*@COUNTRIES*/("--", 0)/*@*/];
const GROUPS: &[usize] = &[/*@GROUPS*/0/*@*/];
const WEIGHTS: &[u32] = &[/*@WEIGHTS*/0/*@*/];
const CHECKS: &str = /*@CHECKS*/"-"/*@*/;

fn digits(w: &str) -> bool { !w.is_empty() && w.bytes().all(|c| c.is_ascii_digit()) }

fn email(w: &str) -> bool {
    let (local, domain) = match w.split_once('@') { Some(pair) => pair, None => return false };
    let bytes = local.as_bytes();
    if bytes.is_empty() || !bytes[0].is_ascii_alphanumeric() { return false; }
    if !bytes[bytes.len() - 1].is_ascii_alphanumeric() || local.contains("..") { return false; }
    let labels: Vec<&str> = domain.split('.').collect();
    let sound = labels.iter().all(|label| {
        !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
            && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
    });
    let last = labels[labels.len() - 1];
    sound && labels.len() > 1 && last.len() > 1
        && last.bytes().all(|c| c.is_ascii_alphabetic()) && domain != /*@KEPT*/""/*@*/
}

fn card(w: &str) -> bool {
    let plain = w.replace('-', "");
    if !digits(&plain) || plain.len() != /*@SIZE*/0/*@*/ { return false; }
    let groups: Vec<usize> = w.split('-').map(|g| g.len()).collect();
    if groups.len() > 1 && groups != GROUPS { return false; }
    let total: u32 = plain.bytes().rev().enumerate().map(|(i, c)| {
        let v = (c - b'0') as u32 * (1 + i as u32 % 2);
        if v > 9 { v - 9 } else { v }
    }).sum();
    total % 10 == 0 || /*@LUHN*/1/*@*/ == 0
}

fn iban(w: &str) -> bool {
    if !COUNTRIES.iter().any(|(code, size)| w.starts_with(code) && w.len() == *size) {
        return false;
    }
    if !digits(&w[2..4]) { return false; }
    let mut rest = 0;
    for c in w[4..].bytes().chain(w[..4].bytes()) {
        rest = match c {
            b'0'..=b'9' => (rest * 10 + (c - b'0') as u32) % 97,
            b'A'..=b'Z' => (rest * 100 + (c - b'A') as u32 + 10) % 97,
            _ => return false,
        };
    }
    rest == 1 || /*@MOD97*/1/*@*/ == 0
}

fn phone(w: &str) -> bool {
    let body = match w.strip_prefix('+') { Some(body) => body, None => return false };
    let count = body.bytes().filter(|c| c.is_ascii_digit()).count();
    !body.starts_with('0') && body.split('-').all(digits) && count >= /*@LOW*/1/*@*/ && count <= /*@HIGH*/0/*@*/
}

fn ipv4(w: &str) -> bool {
    let parts: Vec<&str> = w.split('.').collect();
    let form = |p: &&str| digits(p) && p.len() < 4 && (p.len() == 1 || !p.starts_with('0'));
    if parts.len() != 4 || !parts.iter().all(form) { return false; }
    let numbers: Vec<u32> = parts.iter().map(|p| p.parse().unwrap()).collect();
    let inside = numbers[0] == 10 || (numbers[0] == 192 && numbers[1] == 168);
    numbers.iter().all(|n| *n < 256) && !(/*@PRIVATE*/0/*@*/ == 1 && inside)
}

fn house(w: &str) -> bool {
    let parts: Vec<&str> = w.split(/*@JOINT*/"-"/*@*/).collect();
    if parts.len() != 3 || parts[0] != /*@PREFIX*/"--"/*@*/ || !digits(parts[1]) { return false; }
    if parts[1].len() != WEIGHTS.len() || parts[2].len() != 1 { return false; }
    let total: u32 = parts[1].bytes().zip(WEIGHTS).map(|(c, w)| (c - b'0') as u32 * w).sum();
    match CHECKS.find(parts[2]) {
        Some(found) => found as u32 == total % /*@MODULUS*/1/*@*/ || /*@WEIGHED*/1/*@*/ == 0,
        None => false,
    }
}

fn valid(kind: usize, w: &str) -> bool {
    [email, card, iban, phone, ipv4, house][kind](w)
}

fn masked(w: &str, rule: &Rule, seen: &mut Vec<HashMap<String, usize>>) -> String {
    let (kind, style, count, sign, before, after) = *rule;
    match style {
        0 => return before.to_string(),
        1 => {
            let next = seen[kind].len() + 1;
            let number = *seen[kind].entry(w.to_string()).or_insert(next);
            return format!("{}{}{}", before, number, after);
        }
        4 if kind == 0 => {
            let at = w.find('@').unwrap();
            return format!("{}{}{}{}", sign, sign, sign, &w[at..]);
        }
        4 => {
            let parts: Vec<&str> = w.split('.').collect();
            return format!("{}.{}.{}.{}", parts[0], parts[1], sign, sign);
        }
        _ => {}
    }
    let all = w.bytes().filter(|c| c.is_ascii_alphanumeric()).count();
    let mut at = 0;
    w.chars().map(|c| {
        if !c.is_ascii_alphanumeric() { return c; }
        at += 1;
        let stays = if style == 2 { at > all - count } else { at <= count };
        if stays { c } else { sign }
    }).collect()
}

fn turned(raw: &str, seen: &mut Vec<HashMap<String, usize>>) -> String {
    let left = raw.trim_start_matches(|c| "._-".contains(c));
    let core = left.trim_end_matches(|c| "._-+".contains(c));
    match RULES.iter().find(|rule| valid(rule.0, core)) {
        Some(rule) => {
            let head = &raw[..raw.len() - left.len()];
            format!("{}{}{}", head, masked(core, rule, seen), &left[core.len()..])
        }
        None => raw.to_string(),
    }
}

fn main() {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).unwrap();
    let mut seen: Vec<HashMap<String, usize>> = vec![HashMap::new(); 6];
    let mut out: Vec<u8> = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let part = |c: &&u8| c.is_ascii_alphanumeric() || b"@._+-".contains(c);
        let size = text[i..].iter().take_while(part).count();
        if size == 0 {
            out.push(text[i]);
            i += 1;
        } else {
            let raw = std::str::from_utf8(&text[i..i + size]).unwrap().to_string();
            out.extend(turned(&raw, &mut seen).bytes());
            i += size;
        }
    }
    std::io::stdout().write_all(&out).unwrap();
}
