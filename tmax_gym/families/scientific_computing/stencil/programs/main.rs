use std::collections::HashMap;
use std::io::Read;

const N: usize = /*@cells*/10/*@*/;
const ROUNDS: usize = /*@rounds*/60/*@*/;
const TAPER: bool = /*@taper*/1/*@*/ == 1;
const POWER: i32 = /*@power*/0/*@*/;
const MEAN: bool = /*@mean*/1/*@*/ == 1;

fn poly(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |v, k| v * x + k)
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut given: HashMap<&str, Vec<f64>> = HashMap::new();
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let name = match words.next() {
            Some(word) => word,
            None => continue,
        };
        if name == "left" || name == "right" {
            kinds.insert(name, words.next().unwrap());
        }
        given.insert(name, words.map(|w| w.parse().unwrap()).collect());
    }
    let first = |name: &str| given.get(name).map_or(0.0, |list| list[0]);
    let a = given["span"][0];
    let h = (given["span"][1] - a) / N as f64;
    let (k0, k1) = (given["conductivity"][0], *given["conductivity"].get(1).unwrap_or(&0.0));
    let (speed, rate) = (first("drift"), first("loss"));
    let whole = vec![1.0];
    let area = given.get("section").filter(|_| TAPER).unwrap_or(&whole);
    let mut u = vec![2.0; N + 1];
    let (mut low, mut mid, mut top, mut rest) =
        (vec![0.0; N + 1], vec![0.0; N + 1], vec![0.0; N + 1], vec![0.0f64; N + 1]);
    for _ in 0..ROUNDS {
        for i in 0..=N {
            let end = i == 0 || i == N;
            let name = if i == N { "right" } else { "left" };
            if end && kinds[name] == "value" {
                low[i] = 0.0;
                mid[i] = 1.0;
                top[i] = 0.0;
                rest[i] = given[name][0] - u[i];
                continue;
            }
            let x = a + i as f64 * h;
            let w = if end { /*@half*/0.5/*@*/ * h } else { h };
            let mut f = -poly(&given["source"], x);
            let mut m = 0.0;
            let mut sides = [0.0; 2];
            for number in 0..2 {
                let step = 2.0 * number as f64 - 1.0;
                let (mut g, mut gi, mut gj) = (0.0, 0.0, 0.0);
                if (i == 0 && number == 0) || (i == N && number == 1) {
                    let turn = if i == N { /*@sign*/-1.0/*@*/ } else { 1.0 };
                    g += given[name][0];
                    if kinds[name] == "exchange" {
                        gi = turn * g;
                        g = gi * (u[i] - given[name][1]);
                    }
                    g *= poly(area, x);
                    gi *= poly(area, x);
                } else {
                    let j = i + 2 * number - 1;
                    let s = poly(area, x + step * h / 2.0);
                    let k = k0 + k1 * (u[i] + u[j]) / 2.0;
                    let d = step * (u[j] - u[i]) / h;
                    g += s * k * d;
                    gi += s * (k1 / 2.0 * d - step * k / h);
                    gj += s * (k1 / 2.0 * d + step * k / h);
                    let mut back = speed * step / (2.0 * h);
                    if end {
                        back = speed * step / h;
                        f -= back * u[i];
                        m -= back;
                    }
                    f += back * u[j];
                    sides[number] += back;
                }
                f -= step * g / w;
                m -= step * gi / w;
                sides[number] -= step * gj / w;
            }
            if POWER == 1 {
                f += rate * u[i];
                m += rate;
            } else if POWER == 3 {
                f += rate * u[i].powi(3);
                m += 3.0 * rate * u[i] * u[i];
            }
            low[i] = sides[0];
            mid[i] = m;
            top[i] = sides[1];
            rest[i] = -f;
        }
        for i in 1..=N {
            let q = low[i] / mid[i - 1];
            mid[i] -= q * top[i - 1];
            rest[i] -= q * rest[i - 1];
        }
        let mut largest = 0.0f64;
        for i in (0..=N).rev() {
            if i < N {
                rest[i] -= top[i] * rest[i + 1];
            }
            rest[i] /= mid[i];
            u[i] += rest[i];
            largest = largest.max(rest[i].abs());
        }
        if largest < 1e-11 {
            break;
        }
    }
    for x in &given["at"] {
        let place = (x - a) / h;
        let i = (place as usize).min(N - 1);
        println!("{:.9}", u[i] + (place - i as f64) * (u[i + 1] - u[i]));
    }
    let total: f64 = (0..N).map(|i| (u[i] + u[i + 1]) / 2.0).sum();
    if MEAN {
        println!("{:.9}", total / N as f64);
    }
}
