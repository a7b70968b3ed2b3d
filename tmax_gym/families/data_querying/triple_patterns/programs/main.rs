use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

type Pairs<'a> = BTreeSet<(&'a str, &'a str)>;
type Triple<'a> = (&'a str, &'a str, &'a str);
type Binding<'a> = BTreeMap<&'a str, &'a str>;

fn chained<'a>(one: &Pairs<'a>, two: &Pairs<'a>) -> Pairs<'a> {
    let mut made = Pairs::new();
    for (a, b) in one {
        for (_, d) in two.iter().filter(|(c, _)| c == b) {
            made.insert((*a, *d));
        }
    }
    made
}

fn step<'a>(triples: &[Triple<'a>], text: &str) -> Pairs<'a> {
    let (back, star) = (text.starts_with('/*@inverse*/#/*@*/'), text.ends_with('/*@star*/#/*@*/'));
    let many = star || text.ends_with('/*@plus*/#/*@*/');
    let name = &text[back as usize..text.len() - many as usize];
    let named = triples.iter().filter(|t| t.1 == name);
    let mut pairs: Pairs = named.map(|t| if back { (t.2, t.0) } else { (t.0, t.2) }).collect();
    let mut size = 0;
    while many && pairs.len() > size {
        size = pairs.len();
        let more = chained(&pairs, &pairs);
        pairs.extend(more);
    }
    if star {
        pairs.extend(triples.iter().flat_map(|t| [(t.0, t.0), (t.2, t.2)]));
    }
    pairs
}

fn path<'a>(triples: &[Triple<'a>], text: &str) -> Pairs<'a> {
    let mut found = Pairs::new();
    for part in text.split('/*@either*/|/*@*/') {
        let mut steps = part.split('/*@sequence*/#/*@*/').map(|one| step(triples, one));
        let first = steps.next().unwrap();
        found.extend(steps.fold(first, |pairs, more| chained(&pairs, &more)));
    }
    found
}

fn hops(start: &str, end: &str, mut pairs: Pairs) -> String {
    if /*@both*/1/*@*/ == 1 {
        let turned: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        pairs.extend(turned);
    }
    let mut here = BTreeSet::from([start]);
    let mut seen = here.clone();
    let mut count = 0;
    while !here.is_empty() {
        if here.contains(end) {
            return count.to_string();
        }
        let next: BTreeSet<&str> =
            pairs.iter().filter(|p| here.contains(p.0)).map(|p| p.1).collect();
        here = next.difference(&seen).copied().collect();
        seen.extend(here.iter().copied());
        count += 1;
    }
    "-".to_string()
}

fn late(part: &[&str]) -> bool {
    part[0] == "not" || part[1] == "!=" || part[1] == "<"
}

fn bind<'a>(binding: &mut Binding<'a>, name: &'a str, value: &'a str) -> bool {
    if name.starts_with('?') {
        *binding.entry(name).or_insert(value) == value
    } else {
        name == value
    }
}

fn fits<'a>(triples: &[Triple<'a>], binding: &Binding<'a>, part: &[&'a str]) -> bool {
    let value = |name: &'a str| -> &'a str { binding.get(name).copied().unwrap_or(name) };
    if part[0] == "not" {
        return !path(triples, part[2]).contains(&(value(part[1]), value(part[3])));
    }
    let (left, right) = (value(part[0]), value(part[2]));
    if part[1] == "!=" { left != right } else { left < right }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let mut triples: Vec<Triple> = Vec::new();
    for line in lines.by_ref().take_while(|line| *line != "?") {
        let words: Vec<&str> = line.split_whitespace().collect();
        triples.push((words[0], words[1], words[2]));
    }
    for line in lines {
        let (head, tail) = line.split_once(" : ").unwrap();
        let head: Vec<&str> = head.split_whitespace().collect();
        if head[0] == "hops" {
            println!("{}", hops(head[1], head[2], path(&triples, tail)));
            continue;
        }
        let parts: Vec<Vec<&str>> =
            tail.split(" . ").map(|part| part.split_whitespace().collect()).collect();
        let mut found = vec![Binding::new()];
        for part in parts.iter().filter(|part| !late(part)) {
            let pairs = path(&triples, part[1]);
            let mut more = Vec::new();
            for binding in &found {
                for (a, b) in &pairs {
                    let mut new = binding.clone();
                    if bind(&mut new, part[0], a) && bind(&mut new, part[2], b) {
                        more.push(new);
                    }
                }
            }
            found = more;
        }
        let mut rows: Vec<String> = Vec::new();
        for binding in &found {
            if parts.iter().all(|part| !late(part) || fits(&triples, binding, part)) {
                let row: Vec<&str> = head.iter().map(|name| binding[name]).collect();
                rows.push(row.join(","));
            }
        }
        rows.sort();
        if /*@bag*/0/*@*/ == 0 {
            rows.dedup();
        }
        println!("{}", if rows.is_empty() { "none".to_string() } else { rows.join(" ") });
    }
}
