#![allow(unused, clippy::all)]
use std::io::Read;

type Row = (&'static str, usize, usize, usize, usize);
const BETWEEN: &[Row] = &[/*@BETWEEN*/
    ("->", 1, 1, 1, 0),
    ("**", 1, 1, 2, 0),
    ("<<<", 2, 1, 3, 0),
    ("!!", 2, 1, 4, 0),
    ("~", 3, 1, 5, 1),/*@*/
];
const BEFORE: &[Row] = &[/*@BEFORE*/
    ("<<<", 4, 0, 6, 0),/*@*/
];
const AFTER: &[Row] = &[/*@AFTER*//*@*/
];
const BRACKETS: &[(&str, &str, usize)] = &[/*@BRACKETS*/
    ("(", ")", 0),/*@*/
];
const CALLS: &[(&str, usize)] = &[/*@CALLS*//*@*/
];
const SYMBOLS: &[&str] = &[/*@SYMBOLS*/
    "<<<",
    "!!",
    "**",
    "->",
    "(",
    ")",
    ";",
    "~",/*@*/
];
const MARKS: &[(&str, i64)] = &[/*@MARKS*/
    ("$", 16),/*@*/
];
const SUFFIXES: &[(&str, i64)] = &[/*@SUFFIXES*//*@*/
];
const WORDS: &[&str] = &[/*@words*/"syntax", "zero", "range"/*@*/];

type Fault = (usize, usize);

#[derive(Clone, Copy, PartialEq)]
enum Kind { End, Number, Name, Sign, Bad }

#[derive(Clone, Copy)]
enum Step {
    Value(i64, usize),
    Memory(usize),
    Single(usize, usize),
    Double(usize, usize, usize),
    Call(usize, usize, usize),
}

struct Parser<'a> {
    line: &'a [u8],
    at: usize,
    start: usize,
    kind: Kind,
    word: String,
    value: i64,
    steps: Vec<Step>,
}

fn down(a: i64, b: i64) -> i64 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}
fn chop(a: i64, b: i64) -> i64 { a / b }
fn low(a: i64, b: i64) -> i64 { a.min(b) }
fn high(a: i64, b: i64) -> i64 { a.max(b) }
fn less(a: i64, b: i64) -> i64 { (a < b) as i64 }
fn common(a: i64, b: i64) -> i64 { if b == 0 { a.abs() } else { common(b, a % b) } }

impl Parser<'_> {
    fn char(&self, at: usize) -> u8 { *self.line.get(at).unwrap_or(&b'\n') }

    fn digit(&self, at: usize, base: i64) -> i64 {
        let found = b"0123456789abcdef".iter().position(|&d| d == self.char(at));
        match found { Some(d) if (d as i64) < base => d as i64, _ => -1 }
    }

    fn number(&mut self) -> bool {
        let (mut base, mut here) = (10, self.at);
        for (mark, marked) in MARKS {
            if self.char(self.at) == mark.as_bytes()[0] {
                base = *marked;
                here = self.at + 1;
            }
        }
        if self.digit(here, base) < 0 { return false; }
        self.value = 0;
        while self.digit(here, base) >= 0 {
            self.value = self.value * base + self.digit(here, base);
            here += 1;
            let gap = /*@gap*/"\n"/*@*/.as_bytes()[0];
            if gap != b'\n' && self.char(here) == gap && self.digit(here + 1, base) >= 0 {
                here += 1;
            }
        }
        for (letter, factor) in SUFFIXES {
            if base == 10 && self.char(here) == letter.as_bytes()[0] {
                self.value *= factor;
                here += 1;
                break;
            }
        }
        self.kind = Kind::Number;
        self.at = here;
        true
    }

    fn advance(&mut self) {
        while self.char(self.at) == b' ' { self.at += 1; }
        self.start = self.at;
        self.kind = Kind::End;
        self.word.clear();
        if self.at == self.line.len() || self.number() { return; }
        let rest = &self.line[self.at..];
        let size = rest.iter().take_while(|c| c.is_ascii_lowercase()).count();
        if size > 0 {
            self.kind = Kind::Name;
            self.word = String::from_utf8_lossy(&rest[..size]).into_owned();
        } else if let Some(sign) = SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes())) {
            self.kind = Kind::Sign;
            self.word = sign.to_string();
        } else {
            self.kind = Kind::Bad;
        }
        self.at += self.word.len();
    }

    fn found(&self, table: &[Row]) -> Option<Row> {
        table.iter().find(|row| self.kind == Kind::Sign && row.0 == self.word).copied()
    }

    fn inside(&mut self, closing: &str, many: bool) -> Result<usize, Fault> {
        let mut count = 0;
        loop {
            self.advance();
            self.expression(1)?;
            count += 1;
            if !(many && self.kind == Kind::Sign && self.word == /*@separator*/";"/*@*/) { break; }
        }
        if self.kind != Kind::Sign || self.word != closing { return Err((0, self.start)); }
        self.advance();
        Ok(count)
    }

    fn operand(&mut self) -> Result<(), Fault> {
        let here = self.start;
        if let Some(row) = self.found(BEFORE) {
            self.advance();
            self.expression(row.1)?;
            self.steps.push(Step::Single(row.3, here));
            return Ok(());
        }
        let call = CALLS.iter().find(|c| self.kind == Kind::Name && c.0 == self.word);
        let pair = BRACKETS.iter().find(|b| self.kind == Kind::Sign && b.0 == self.word);
        if self.kind == Kind::Number {
            self.steps.push(Step::Value(self.value, here));
            self.advance();
        } else if self.kind == Kind::Name && self.word == /*@memory*/""/*@*/ {
            self.steps.push(Step::Memory(here));
            self.advance();
        } else if let Some(call) = call {
            self.advance();
            if self.word != "(" { return Err((0, self.start)); }
            let takes = self.inside(")", true)?;
            self.steps.push(Step::Call(call.1, takes, here));
        } else if let Some(pair) = pair {
            self.inside(pair.1, false)?;
            if pair.2 != 0 { self.steps.push(Step::Single(pair.2, here)); }
        } else {
            return Err((0, here));
        }
        while let Some(row) = self.found(AFTER) {
            self.steps.push(Step::Single(row.3, self.start));
            self.advance();
        }
        Ok(())
    }

    fn expression(&mut self, least: usize) -> Result<(), Fault> {
        self.operand()?;
        let mut lonely = 0;
        while let Some((_, level, ties, code, divides)) = self.found(BETWEEN) {
            if level < least { break; }
            let here = self.start;
            if level == lonely { return Err((0, here)); }
            self.advance();
            self.expression(if ties == 1 { level } else { level + 1 })?;
            self.steps.push(Step::Double(code, here, divides));
            lonely = if ties == 2 { level } else { 0 };
        }
        Ok(())
    }
}

fn single(code: usize, a: i64) -> i64 {
    match code {
/*@case_unary*/        6 => less(0, a) - less(a, 0),/*@*/
        _ => a,
    }
}

fn double(code: usize, a: i64, b: i64) -> i64 {
    match code {
/*@case_binary*/        1 => 10 * a + b,
        2 => less(a, b),
        3 => down(a + b, 2),
        4 => low(a, b),
        5 => a - b * down(a, b),/*@*/
        _ => a + b,
    }
}

fn called(code: usize, args: &[i64]) -> i64 {
    let (least, most) = (*args.iter().min().unwrap(), *args.iter().max().unwrap());
    let (total, count) = (args.iter().sum::<i64>(), args.len() as i64);
    let turns: i64 = args.iter().enumerate().map(|(i, v)| if i % 2 == 0 { *v } else { -v }).sum();
    match code {
/*@case_calls*//*@*/
        _ => total,
    }
}

fn fitted(v: i64, here: usize) -> Result<i64, Fault> {
    let v = /*@fitted*/v/*@*/;
    if /*@limited*/1/*@*/ == 1 && v.abs() > /*@bound*/1000000000000000/*@*/ { Err((2, here)) } else { Ok(v) }
}

fn computed(steps: &[Step], memory: i64) -> Result<i64, Fault> {
    let mut stack: Vec<i64> = Vec::new();
    for step in steps {
        let made = match *step {
            Step::Value(v, here) => fitted(v, here)?,
            Step::Memory(here) => fitted(memory, here)?,
            Step::Single(code, here) => fitted(single(code, stack.pop().unwrap()), here)?,
            Step::Double(code, here, divides) => {
                let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                if divides == 1 && b == 0 { return Err((1, here)); }
                fitted(double(code, a, b), here)?
            }
            Step::Call(code, takes, here) => {
                let args = stack.split_off(stack.len() - takes);
                fitted(called(code, &args), here)?
            }
        };
        stack.push(made);
    }
    Ok(stack[0])
}

fn answer(line: &str, memory: i64) -> Result<i64, Fault> {
    let mut parser = Parser {
        line: line.as_bytes(), at: 0, start: 0, kind: Kind::End, word: String::new(), value: 0,
        steps: Vec::new(),
    };
    parser.advance();
    parser.expression(1)?;
    if parser.kind != Kind::End { return Err((0, parser.start)); }
    computed(&parser.steps, memory)
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut memory = 0;
    for line in text.split('\n').filter(|line| !line.trim_matches(' ').is_empty()) {
        match answer(line, memory) {
            Ok(value) => {
                memory = value;
                println!("{}", value);
            }
            Err((what, place)) => {
                let (said, at) = (WORDS[what].to_string(), (place + /*@column*/0/*@*/).to_string());
                let (one, two) = if /*@word_first*/0/*@*/ == 1 { (said, at) } else { (at, said) };
                println!("{}{}{}{}{}", /*@before*/"! "/*@*/, one, /*@middle*/" "/*@*/, two, /*@last*/""/*@*/);
            }
        }
    }
}
