use std::collections::BTreeMap;
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let mut x = words.next().unwrap().parse::<u64>().unwrap() as u32;
    let replicates: usize = words.next().unwrap().parse().unwrap();
    let mut groups: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let mut n = 0;
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        let name = if /*@strata*/0/*@*/ == 1 { name } else { "" };
        groups.entry(name).or_default().push(value.parse().unwrap());
        n += 1;
    }
    let drop = n * /*@trim*/10/*@*/ / 100;
    let mut found: Vec<i64> = Vec::new();
    for _ in 0..replicates {
        let mut picked: Vec<i64> = Vec::new();
        for values in groups.values() {
            for _ in values {
                x = x.wrapping_mul(/*@multiplier*/214013/*@*/).wrapping_add(/*@increment*/2531011/*@*/);
                picked.push(values[(x >> 16) as usize % values.len()]);
            }
        }
        picked.sort();
        let total: i64 = picked[drop..n - drop].iter().sum();
        found.push(1000 * total / (n - 2 * drop) as i64);
    }
    found.sort();
    println!("{} {} {}", found[replicates * /*@tail*/50/*@*/ / 1000], found[replicates * 500 / 1000],
        found[replicates * (1000 - /*@tail*/50/*@*/) / 1000]);
}
