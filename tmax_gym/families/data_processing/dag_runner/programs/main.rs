use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

const ORDER: usize = /*@order*/1/*@*/;
const DELAY: usize = /*@delay*/2/*@*/;
const PAUSE: i64 = /*@pause*/1/*@*/;
const HALT: bool = /*@halt*/1/*@*/ == 1;
const BY_START: bool = /*@starts*/1/*@*/ == 1;
const RESUME: usize = /*@resume*/2/*@*/;

type Names = BTreeSet<String>;

#[derive(Default)]
struct Step {
    number: BTreeMap<String, i64>,
    needs: Names,
    wants: Names,
}

impl Step {
    fn waits_for(&self, name: &str) -> bool {
        self.needs.contains(name) || self.wants.contains(name)
    }
}

type Steps = BTreeMap<String, Step>;

fn split(text: &str) -> Names {
    text.split(',').filter(|n| *n != "-").map(|n| n.to_string()).collect()
}

fn path(steps: &Steps, name: &str) -> i64 {
    let longest = steps
        .iter()
        .filter(|(_, s)| s.waits_for(name))
        .map(|(other, _)| path(steps, other))
        .max();
    steps[name].number["cost"] + longest.unwrap_or(0)
}

fn urgency(steps: &Steps, name: &str) -> i64 {
    let number = &steps[name].number;
    match ORDER {
        0 => number["rank"],
        1 => -number["rank"],
        2 => -path(steps, name),
        3 => -(steps.values().filter(|s| s.waits_for(name)).count() as i64),
        _ => number["cost"],
    }
}

fn skip_behind(steps: &Steps, settled: &mut BTreeMap<String, &'static str>, name: &str, now: i64) {
    let mut lost = Names::new();
    let mut more: Names = [name.to_string()].into_iter().collect();
    while !more.is_empty() {
        let next: Names = steps
            .iter()
            .filter(|(other, s)| {
                s.needs.intersection(&more).next().is_some()
                    && !lost.contains(*other)
                    && !settled.contains_key(*other)
            })
            .map(|(other, _)| other.clone())
            .collect();
        lost.extend(next.iter().cloned());
        more = next;
    }
    for other in lost {
        println!("{} skipped {}", now, other);
        settled.insert(other, "skipped");
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut workers = 1;
    let mut kept = Names::new();
    let mut steps = Steps::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "workers" => workers = words[1].parse::<usize>().unwrap(),
            "kept" => {
                kept.insert(words[1].to_string());
            }
            _ => {
                let mut step = Step::default();
                for item in &words[2..] {
                    let (key, value) = item.split_once('=').unwrap();
                    match key {
                        "needs" => step.needs = split(value),
                        "wants" => step.wants = split(value),
                        _ => {
                            step.number.insert(key.to_string(), value.parse().unwrap());
                        }
                    }
                }
                steps.insert(words[1].to_string(), step);
            }
        }
    }
    let mut left: Names = steps.keys().cloned().collect();
    loop {
        let stay: Names = left
            .iter()
            .filter(|n| steps[*n].needs.union(&steps[*n].wants).any(|m| left.contains(m)))
            .cloned()
            .collect();
        if stay.len() == left.len() {
            break;
        }
        left = stay;
    }
    if !left.is_empty() {
        println!("cycle {}", left.into_iter().collect::<Vec<_>>().join(" "));
        return;
    }
    while RESUME == 2 {
        let stay: Names = kept
            .iter()
            .filter(|n| steps[*n].needs.iter().all(|m| kept.contains(m)))
            .cloned()
            .collect();
        if stay.len() == kept.len() {
            break;
        }
        kept = stay;
    }
    let mut settled: BTreeMap<String, &'static str> = BTreeMap::new();
    if RESUME > 0 {
        for name in &kept {
            println!("0 kept {}", name);
            settled.insert(name.clone(), "kept");
        }
    }
    let ranks: BTreeMap<String, i64> =
        steps.keys().map(|n| (n.clone(), urgency(&steps, n))).collect();
    let mut running: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let mut free_at: BTreeMap<String, i64> = BTreeMap::new();
    let mut attempts: BTreeMap<String, i64> = BTreeMap::new();
    let (mut now, mut starts, mut halted) = (0, 0, false);
    loop {
        let mut over: Vec<(i64, String)> = running
            .iter()
            .filter(|(_, run)| run.0 == now)
            .map(|(n, run)| (if BY_START { run.1 } else { 0 }, n.clone()))
            .collect();
        over.sort();
        for (_, name) in over {
            running.remove(&name);
            let count = attempts[&name];
            let number = &steps[&name].number;
            if count > number["fails"] {
                println!("{} done {}", now, name);
                settled.insert(name, "done");
            } else if count < number["tries"] && !halted {
                println!("{} retry {}", now, name);
                let factor = [1, count, 1 << (count - 1)][DELAY];
                free_at.insert(name, now + PAUSE * factor);
            } else {
                println!("{} failed {}", now, name);
                settled.insert(name.clone(), "failed");
                if HALT {
                    halted = true;
                } else {
                    skip_behind(&steps, &mut settled, &name, now);
                }
            }
        }
        let mut next: Option<i64> = None;
        let mut ready: Vec<(i64, &String)> = Vec::new();
        for (name, step) in &steps {
            if halted || settled.contains_key(name) || running.contains_key(name) {
                continue;
            }
            let at = *free_at.get(name).unwrap_or(&0);
            if at > now {
                next = Some(next.map_or(at, |n| n.min(at)));
                continue;
            }
            let fed = step.needs.iter().all(|m| matches!(settled.get(m), Some(&"done" | &"kept")));
            if fed && step.wants.iter().all(|m| settled.contains_key(m)) {
                ready.push((ranks[name], name));
            }
        }
        ready.sort();
        for (_, name) in ready {
            if running.len() >= workers {
                break;
            }
            println!("{} start {}", now, name);
            starts += 1;
            *attempts.entry(name.clone()).or_insert(0) += 1;
            running.insert(name.clone(), (now + steps[name].number["cost"], starts));
        }
        for (end, _) in running.values() {
            next = Some(next.map_or(*end, |n| n.min(*end)));
        }
        match next {
            Some(at) => now = at,
            None => break,
        }
    }
    for name in steps.keys() {
        if !settled.contains_key(name) {
            println!("{} skipped {}", now, name);
            settled.insert(name.clone(), "skipped");
        }
    }
    let count = |kind: &str| settled.values().filter(|k| **k == kind).count();
    println!(
        "{} end done={} kept={} failed={} skipped={}",
        now, count("done"), count("kept"), count("failed"), count("skipped")
    );
}
