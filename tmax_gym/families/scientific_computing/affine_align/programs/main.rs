use std::io::Read;

const MODE: usize = /*@mode*/0/*@*/;
const TOUCH: bool = /*@touch*/1/*@*/ == 1;
const FRONT: bool = /*@front*/0/*@*/ == 1;
const LATE: bool = /*@late*/1/*@*/ == 1;
const SPLIT: bool = /*@split*/1/*@*/ == 1;
const RUNS: bool = /*@runs*/0/*@*/ == 1;
const STRANDS: bool = /*@strands*/0/*@*/ == 1;
const ORDER: [usize; 3] = [/*@order*/2, 1, 0/*@*/];
const FIRST: [i64; 3] = [/*@firsts*/0, 6, 6/*@*/];
const FURTHER: [i64; 3] = [/*@nexts*/0, 2, 2/*@*/];
const WEIGHTS: [i64; 25] = [/*@weights*/5, -2, 0, -2, 0, -2, 5, -2, 0, 0, 0, -2, 5, -2, 0, -2, 0, -2, 5, 0, 0, 0, 0, 0, 0/*@*/];
const NONE: i64 = -100_000_000;

fn place(c: u8) -> usize {
    b"ACGTN".iter().position(|&k| k == c).unwrap()
}

fn price(before: usize, now: usize) -> i64 {
    if now == 0 {
        0
    } else if before == now {
        FURTHER[now]
    } else if before + now == 3 && !TOUCH {
        -NONE
    } else {
        FIRST[now]
    }
}

fn align(query: &[u8], target: &[u8]) -> (i64, [usize; 4], String) {
    let (mut q, mut t) = (query.to_vec(), target.to_vec());
    if FRONT {
        q.reverse();
        t.reverse();
    }
    let (m, n) = (q.len(), t.len());
    let gain = |s: usize, i: usize, j: usize| {
        if s == 0 { WEIGHTS[5 * place(q[i]) + place(t[j])] } else { 0 }
    };
    let mut value = vec![vec![vec![NONE; n + 1]; m + 1]; 4];
    for i in 0..=m {
        for j in 0..=n {
            if MODE == 2 || (i == 0 && (MODE == 1 || j == 0)) {
                value[3][i][j] = 0;
            }
            for s in 0..3 {
                let (dy, dx) = ((s != 2) as usize, (s != 1) as usize);
                if i >= dy && j >= dx {
                    let (y, x) = (i - dy, j - dx);
                    let best = (0..4).map(|b| value[b][y][x] - price(b, s)).max().unwrap();
                    value[s][i][j] = best + gain(s, y, x);
                }
            }
        }
    }
    let mut best = if MODE == 2 { 0 } else { NONE };
    let mut end: Option<(usize, usize)> = None;
    for j in (if MODE == 0 { n } else { 0 })..=n {
        for i in (if MODE == 2 { 0 } else { m })..=m {
            let v = (0..3).map(|s| value[s][i][j]).max().unwrap();
            if v > best || (LATE && v == best && end.is_some()) {
                best = v;
                end = Some((i, j));
            }
        }
    }
    let (row, column) = match end {
        Some(cell) => cell,
        None => return (0, [0; 4], "*".to_string()),
    };
    let (mut i, mut j) = (row, column);
    let mut state = *ORDER.iter().find(|&&s| value[s][i][j] == best).unwrap();
    let mut letters: Vec<u8> = Vec::new();
    while state != 3 {
        let (y, x) = (i - (state != 2) as usize, j - (state != 1) as usize);
        letters.push(match state {
            1 => b'I',
            2 => b'D',
            _ if !SPLIT => b'M',
            _ => if q[y] == t[x] { b'=' } else { b'X' },
        });
        let need = value[state][i][j] - gain(state, y, x);
        state = [3, ORDER[0], ORDER[1], ORDER[2]]
            .iter()
            .copied()
            .find(|&b| value[b][y][x] - price(b, state) == need)
            .unwrap();
        i = y;
        j = x;
    }
    let mut places = [i + 1, row, j + 1, column];
    if FRONT {
        places = [m - row + 1, m - i, n - column + 1, n - j];
    } else {
        letters.reverse();
    }
    let mut columns = String::new();
    let mut a = 0;
    while a < letters.len() {
        let run = letters[a..].iter().take_while(|&&c| c == letters[a]).count();
        let step = if RUNS { run } else { 1 };
        if RUNS {
            columns += &run.to_string();
        }
        columns.push(letters[a] as char);
        a += step;
    }
    (best, places, columns)
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut records: Vec<(String, Vec<u8>)> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix('>') {
            let name = rest.split_whitespace().next().unwrap_or("").to_string();
            records.push((name, Vec::new()));
        } else if let Some(last) = records.last_mut() {
            last.1.extend(line.trim().to_uppercase().bytes());
        }
    }
    for (name, query) in &records[1..] {
        let (mut best, mut strand) = (align(query, &records[0].1), "+");
        if STRANDS {
            let other: Vec<u8> = query.iter().rev().map(|&c| b"TGCAN"[place(c)]).collect();
            let turned = align(&other, &records[0].1);
            if turned.0 > best.0 {
                best = turned;
                strand = "-";
            }
        }
        let mut words = vec![name.clone()];
        if STRANDS {
            words.push(strand.to_string());
        }
        words.push(best.0.to_string());
        words.extend(best.1[4 - 2 * MODE..].iter().map(|p| p.to_string()));
        words.push(best.2);
        println!("{}", words.join(" "));
    }
}
