use std::collections::{BTreeSet, HashMap};
use std::io::Read;

const FOLD: bool = /*@fold*/0/*@*/ == 1;
const MARK: i32 = /*@mark*/1/*@*/;
const TIE: i32 = /*@tie*/1/*@*/;
const LEAST: u64 = /*@least*/3/*@*/;
const TYPES: bool = /*@types*/0/*@*/ == 1;
const DIGITS: bool = /*@digits*/0/*@*/ == 1;
const LIMIT: usize = /*@limit*/999/*@*/;
const GREEDY: bool = /*@greedy*/0/*@*/ == 1;
const NUMBERS: bool = /*@numbers*/0/*@*/ == 1;
type Pair = (String, String);

fn words(line: &str) -> Vec<String> {
    let line = if FOLD { line.to_ascii_lowercase() } else { line.to_string() };
    let (before, after) = (if MARK == 1 { "_" } else { "" }, if MARK == 2 { "_" } else { "" });
    line.split_whitespace().map(|w| format!("{}{}{}", before, w, after)).collect()
}

fn letters(word: &str) -> Vec<String> {
    word.chars().map(|c| c.to_string()).collect()
}

fn digit(token: &str) -> bool {
    token.as_bytes()[0].is_ascii_digit()
}

fn fits(left: &str, right: &str) -> bool {
    (!DIGITS || digit(left) == digit(right)) && left.len() + right.len() <= LIMIT
}

fn beats(a: &Pair, b: &Pair) -> bool {
    let (la, lb) = (a.0.len() + a.1.len(), b.0.len() + b.1.len());
    match TIE {
        1 => a > b,
        2 => false,
        3 if la != lb => la < lb,
        4 if la != lb => la > lb,
        _ => a < b,
    }
}

fn joined(word: &[String], pair: &Pair) -> Vec<String> {
    let (mut made, mut i) = (Vec::new(), 0);
    while i < word.len() {
        if i + 1 < word.len() && word[i] == pair.0 && word[i + 1] == pair.1 {
            made.push(format!("{}{}", word[i], word[i + 1]));
            i += 2;
        } else {
            made.push(word[i].clone());
            i += 1;
        }
    }
    made
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let wanted: usize = lines.next().unwrap().trim().parse().unwrap();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut parts: Vec<(Vec<String>, u64)> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line == "%" {
            break;
        }
        for word in words(line) {
            let at = *places.entry(word.clone()).or_insert_with(|| {
                parts.push((letters(&word), 0));
                parts.len() - 1
            });
            parts[at].1 += 1;
            known.extend(letters(&word));
        }
    }
    let mut merges: Vec<Pair> = Vec::new();
    while merges.len() < wanted {
        let mut at: HashMap<Pair, usize> = HashMap::new();
        let mut seen: Vec<(Pair, u64)> = Vec::new();
        for (word, times) in &parts {
            for two in word.windows(2) {
                if !fits(&two[0], &two[1]) {
                    continue;
                }
                let pair = (two[0].clone(), two[1].clone());
                let place = *at.entry(pair.clone()).or_insert_with(|| {
                    seen.push((pair, 0));
                    seen.len() - 1
                });
                seen[place].1 += if TYPES { 1 } else { *times };
            }
        }
        let mut best = 0;
        for i in 1..seen.len() {
            let (a, b) = (&seen[i], &seen[best]);
            if a.1 > b.1 || a.1 == b.1 && beats(&a.0, &b.0) {
                best = i;
            }
        }
        if seen.is_empty() || seen[best].1 < LEAST {
            break;
        }
        let pair = seen[best].0.clone();
        println!("{} {}", pair.0, pair.1);
        for part in parts.iter_mut() {
            part.0 = joined(&part.0, &pair);
        }
        merges.push(pair);
    }
    let mut number: HashMap<String, usize> = HashMap::new();
    for token in known.into_iter().chain(merges.iter().map(|p| format!("{}{}", p.0, p.1))) {
        let next = number.len();
        number.entry(token).or_insert(next);
    }
    let (mut total, mut made, mut unknown) = (0, 0, 0);
    for line in lines {
        let mut said: Vec<String> = Vec::new();
        for word in words(line) {
            let mut tokens = letters(&word);
            if GREEDY {
                tokens.clear();
                let mut rest = &word[..];
                while !rest.is_empty() {
                    let mut size = rest.len();
                    while size > 1 && !number.contains_key(&rest[..size]) {
                        size -= 1;
                    }
                    tokens.push(rest[..size].to_string());
                    rest = &rest[size..];
                }
            } else {
                for pair in &merges {
                    tokens = joined(&tokens, pair);
                }
            }
            total += 1;
            for token in tokens {
                made += 1;
                unknown += !number.contains_key(&token) as u32;
                said.push(match (NUMBERS, number.get(&token)) {
                    (false, _) => token,
                    (true, Some(n)) => n.to_string(),
                    (true, None) => "-1".to_string(),
                });
            }
        }
        println!("{}", said.join(" "));
    }
    println!("words {} tokens {} unknown {}", total, made, unknown);
}
