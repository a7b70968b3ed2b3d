//! @about

use std::io::{self, BufRead};

/*@routines*//// Return the cube root of a number other than 0, of any size from 1e-30 to 1e30.
fn cuberoot(x: &[f64]) -> f64 {
    let a: f64 = x[0];
    let mut r: f64 = a;
    for _ in 0..500 {
        let step: f64 = (r * r * r - a) / (3.0 * r * r);
        r -= step;
        if step.abs() <= 1e-07 {
            return r;
        }
    }
    return f64::NAN;
}

/// Return the sum of the numbers.
/// Large ones may cancel and leave the small ones: 4e15 2.5 -4e15 makes 2.5.
fn total(x: &[f64]) -> f64 {
    let mut s: f64 = 0.0;
    let mut lost: f64 = 0.0;
    for &v in x {
        let t: f64 = s + v;
        if s.abs() >= v.abs() {
            lost += s - t + v;
        } else {
            lost += v - t + s;
        }
        s = t;
    }
    return s + lost;
}

/// Return what 1 gains at compound interest, from the rate and the number of periods.
/// Rates go down to 1e-13, and there are up to 400 periods.
fn growth(x: &[f64]) -> f64 {
    let rate: f64 = x[0];
    let periods: i64 = x[1] as i64;
    let mut gain: f64 = 0.0;
    for _ in 0..periods {
        gain += rate + gain * rate;
    }
    return gain;
}

/// Return the mean of values by positive weights, from v1 w1 v2 w2 and so on.
fn weighted(x: &[f64]) -> f64 {
    let n: i64 = (x.len() as i64) / 2;
    let mut s: f64 = 0.0;
    let mut weights: f64 = 0.0;
    for i in 0..n {
        s += x[(2 * i) as usize] * x[(2 * i + 1) as usize];
        weights += x[(2 * i + 1) as usize];
    }
    return s / weights;
}

/// Return the geometric mean of the numbers: up to 80 of them, from 1e-30 to 1e30.
fn geomean(x: &[f64]) -> f64 {
    let mut s: f64 = 0.0;
    for &v in x {
        s += v.ln();
    }
    return (s / ((x.len() as i64) as f64)).exp();
}

/// Return how many products equal a target to twelve digits, from target a1 b1 a2 b2 on.
fn matches(x: &[f64]) -> f64 {
    let mut found: f64 = 0.0;
    for i in 1..(x.len() as i64) / 2 + 1 {
        if (x[(2 * i - 1) as usize] * x[(2 * i) as usize] - x[0]).abs() <= 1e-12 * x[0].abs() {
            found += 1.0;
        }
    }
    return found;
}/*@*/

fn answer(name: &str, x: &[f64]) -> f64 {
    match name {
/*@chosen*/        "cuberoot" => cuberoot(x),
        "total" => total(x),
        "growth" => growth(x),
        "weighted" => weighted(x),
        "geomean" => geomean(x),
        "matches" => matches(x),/*@*/
        _ => f64::NAN,
    }
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let x: Vec<f64> = words[1..].iter().map(|w| w.parse().unwrap()).collect();
        let found = answer(words[0], &x);
        if found.is_finite() {
            println!("{:.12e}", found);
        } else {
            println!("none");
        }
    }
}
