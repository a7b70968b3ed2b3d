use std::io::Read;

const SCALE: i64 = /*@scale@*/2/*@*/;
const WHOLE: i64 = /*@whole@*/1/*@*/;
const ODD: i64 = /*@odd@*/2/*@*/;
const LIMIT: i64 = /*@limit@*/75/*@*/;
const MEND: i64 = /*@mend@*/1/*@*/;
const CHANGE: i64 = /*@change@*/1/*@*/;
const BOUND: i64 = /*@bound@*/150/*@*/;
const WINDOW: usize = /*@window@*/3/*@*/;
const DISTANCE: i64 = /*@distance@*/2/*@*/;
const BAND: usize = /*@band@*/3/*@*/;
const DEAL: i64 = /*@deal@*/0/*@*/;

#[derive(Clone, Default)]
struct Found {
    odd: Vec<usize>,
    steps: Vec<usize>,
    z: Vec<i64>,
}

fn sum(z: &[i64]) -> i64 {
    z.iter().sum()
}

fn scale(given: &[i64], values: &[i64]) -> Vec<i64> {
    let mut known = given.to_vec();
    known.sort();
    let n = known.len();
    let (mut middle, mut size, mut unit) = (known[0], known[n - 1] - known[0], 1000);
    if SCALE > 0 {
        unit = 100;
        middle = if SCALE == 1 { sum(&known).div_euclid(n as i64) } else { known[n / 2] };
        let mut off: Vec<i64> = known.iter().map(|v| (v - middle).abs()).collect();
        off.sort();
        size = if SCALE == 1 { sum(&off) / n as i64 } else { off[n / 2] };
    }
    values.iter().map(|v| (unit * (v - middle)).div_euclid(size.max(1))).collect()
}

fn is_odd(z: &[i64], middle: i64, i: usize) -> bool {
    match ODD {
        0 => (z[i] - middle).abs() > LIMIT,
        1 => i > 0 && i + 1 < z.len() && (2 * z[i] - z[i - 1] - z[i + 1]).abs() > LIMIT,
        _ => {
            let w = WINDOW as i64;
            i >= WINDOW && (w * z[i] - sum(&z[i - WINDOW..i])).abs() > LIMIT * w
        }
    }
}

fn split(z: &[i64], low: usize, high: usize, into: &mut Vec<usize>) {
    let (n, total) = ((high - low) as i64, sum(&z[low..high]));
    let (mut head, mut best, mut place) = (0, 0, 0);
    for k in 1..high - low {
        head += z[low + k - 1];
        let size = (n * head - k as i64 * total).abs();
        if size > best {
            best = size;
            place = k;
        }
    }
    if best <= BOUND * n {
        return;
    }
    if CHANGE == 2 {
        split(z, low, low + place, into);
    }
    into.push(low + place);
    if CHANGE == 2 {
        split(z, low + place, high, into);
    }
}

fn pairs(z: &[i64]) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    loop {
        let (mut best, mut place) = (BOUND * WINDOW as i64, None);
        for k in WINDOW..(z.len() + 1).saturating_sub(WINDOW) {
            let size = (sum(&z[k..k + WINDOW]) - sum(&z[k - WINDOW..k])).abs();
            let gone = taken.iter().any(|&t| (t as i64 - k as i64).abs() < WINDOW as i64);
            if !gone && size > best {
                best = size;
                place = Some(k);
            }
        }
        match place {
            Some(k) => taken.push(k),
            None => break,
        }
    }
    taken.sort();
    taken
}

fn look(all: &[i64], row: &[i64]) -> Found {
    let mut one = Found::default();
    one.z = scale(if WHOLE == 1 { all } else { row }, row);
    let mut sorted = one.z.clone();
    sorted.sort();
    one.odd = (0..row.len()).filter(|&i| is_odd(&one.z, sorted[sorted.len() / 2], i)).collect();
    for &i in &one.odd {
        if MEND == 1 && i > 0 {
            one.z[i] = one.z[i - 1];
        }
    }
    if CHANGE == 1 {
        one.steps = pairs(&one.z);
    } else {
        split(&one.z, 0, row.len(), &mut one.steps);
    }
    one
}

fn apart(a: &[i64], b: &[i64]) -> i64 {
    let each: Vec<i64> = a.iter().zip(b).map(|(x, y)| (x - y).abs()).collect();
    match DISTANCE {
        0 => return sum(&each),
        1 => return *each.iter().max().unwrap(),
        2 => return each.iter().map(|e| e * e).sum::<i64>() / each.len() as i64,
        _ => {}
    }
    let (far, n) = (1i64 << 60, a.len());
    let mut above = vec![far; n];
    for i in 0..n {
        let mut row = vec![far; n];
        for j in i.saturating_sub(BAND)..n.min(i + BAND + 1) {
            let mut before = above[j];
            if j > 0 {
                before = before.min(row[j - 1]).min(above[j - 1]);
            }
            row[j] = (a[i] - b[j]).abs() + if i + j == 0 { 0 } else { before };
        }
        above = row;
    }
    above[n - 1]
}

fn worker(n: usize, workers: usize, count: usize) -> usize {
    match DEAL {
        1 => n / ((count + workers - 1) / workers),
        2 if n / workers % 2 == 1 => workers - 1 - n % workers,
        _ => n % workers,
    }
}

fn spread<T: Send, F: Fn(usize) -> T + Sync>(workers: usize, count: usize, task: F) -> Vec<T> {
    let mut made: Vec<(usize, T)> = Vec::new();
    std::thread::scope(|scope| {
        let task = &task;
        let handles: Vec<_> = (0..workers)
            .map(|w| {
                scope.spawn(move || {
                    let own = (0..count).filter(|&n| worker(n, workers, count) == w);
                    own.map(|n| (n, task(n))).collect::<Vec<_>>()
                })
            })
            .collect();
        for handle in handles {
            made.extend(handle.join().unwrap());
        }
    });
    made.sort_by_key(|pair| pair.0);
    made.into_iter().map(|pair| pair.1).collect()
}

fn shown(places: &[usize]) -> String {
    if places.is_empty() {
        return "-".to_string();
    }
    places.iter().map(|p| (p + 1).to_string()).collect::<Vec<_>>().join(",")
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let workers: usize = lines.next().unwrap().trim().parse().unwrap();
    let (mut names, mut rows) = (Vec::new(), Vec::<Vec<i64>>::new());
    for line in lines {
        let mut words = line.split_whitespace();
        if let Some(name) = words.next() {
            names.push(name);
            rows.push(words.map(|w| w.parse().unwrap()).collect());
        }
    }
    let (all, count) = (rows.concat(), rows.len());
    let found = spread(workers, count, |n| look(&all, &rows[n]));
    let near = spread(workers, count, |n| {
        let others = (0..count).filter(|&o| o != n);
        others.map(|o| (apart(&found[n].z, &found[o].z), o)).min().unwrap()
    });
    for n in 0..count {
        let (odd, steps) = (shown(&found[n].odd), shown(&found[n].steps));
        let (least, at) = near[n];
        println!("{} {} {} {} {} {}", names[n], odd, steps, names[at], least,
            worker(n, workers, count) + 1);
    }
    for w in 0..workers {
        let own: Vec<&Found> =
            (0..count).filter(|&n| worker(n, workers, count) == w).map(|n| &found[n]).collect();
        let odd: usize = own.iter().map(|o| o.odd.len()).sum();
        let steps: usize = own.iter().map(|o| o.steps.len()).sum();
        println!("worker {}: {} {} {}", w + 1, own.len(), odd, steps);
    }
}
