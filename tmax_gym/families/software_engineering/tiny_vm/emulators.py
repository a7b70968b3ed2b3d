"""Reference emulators of the tiny-vm family in five languages.

Covers the loop around the instructions; what each does is in `machine.py`, as Python and as
C, and here where the line of C will not do.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.software_engineering.tiny_vm.machine import OPERATIONS, STEPS

PYTHON = """\
import sys

data = [int(word, 16) for word in sys.stdin.read().split()]
code = [data[i : i + 3] for i in range(0, len(data) - 2, 3)]
r, at, steps = [0] * 4, 0, 0
while at < len(code):
    if steps == @limit:
        print("limit")
        break
    steps += 1
    op, x, y = code[at]
    a, b = x % 4, y % 4
@cases
    else:
        print(f"trap {at}")
        break
    r[a] %= 65536
    at += 1
"""
C = """\
#include <stdio.h>

int main(void) {
    static unsigned code[65536];
    unsigned r[4] = {0}, v, t = 0;
    long n = 0, at, steps = 0;
    while (n < 65536 && scanf("%x", &v) == 1) code[n++] = v;
    (void)t;
    for (at = 0; at < n / 3; at++) {
        if (steps++ == @limit) { puts("limit"); return 0; }
        unsigned op = code[3 * at], x = code[3 * at + 1], y = code[3 * at + 2];
        unsigned a = x % 4, b = y % 4;
        (void)b;
        switch (op) {
@cases
        default: printf("trap %ld\\n", at); return 0;
        }
        r[a] %= 65536;
    }
    return 0;
}
"""
CPP = """\
#include <cstdio>
#include <iostream>
#include <vector>

int main() {
    std::vector<unsigned> code;
    std::cin >> std::hex;
    for (unsigned v; std::cin >> v;) code.push_back(v);
    unsigned r[4] = {0}, t = 0;
    static_cast<void>(t);
    long steps = 0;
    for (long at = 0; at < static_cast<long>(code.size() / 3); at++) {
        if (steps++ == @limit) { puts("limit"); return 0; }
        unsigned op = code[3 * at], x = code[3 * at + 1], y = code[3 * at + 2];
        unsigned a = x % 4, b = y % 4;
        static_cast<void>(b);
        switch (op) {
@cases
        default: printf("trap %ld\\n", at); return 0;
        }
        r[a] %= 65536;
    }
}
"""
GO = """\
package main

import (
\t"bufio"
\t"fmt"
\t"os"
\t"strconv"
)

func main() {
\tin := bufio.NewScanner(os.Stdin)
\tin.Split(bufio.ScanWords)
\tvar code []int
\tfor in.Scan() {
\t\tv, _ := strconv.ParseInt(in.Text(), 16, 32)
\t\tcode = append(code, int(v))
\t}
\tvar r [4]int
\tfor at, steps := 0, 0; at < len(code)/3; at, steps = at+1, steps+1 {
\t\tif steps == @limit {
\t\t\tfmt.Println("limit")
\t\t\treturn
\t\t}
\t\top, x, y := code[3*at], code[3*at+1], code[3*at+2]
\t\ta, b := x%4, y%4
\t\t_ = b
\t\tswitch op {
@cases
\t\tdefault:
\t\t\tfmt.Println("trap", at)
\t\t\treturn
\t\t}
\t\tr[a] &= 65535
\t}
}
"""
RUST = """\
#![allow(unused_variables)]
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let code: Vec<i64> =
        text.split_whitespace().map(|w| i64::from_str_radix(w, 16).unwrap()).collect();
    let (mut r, mut at, mut steps) = ([0i64; 4], 0i64, 0);
    while at < (code.len() / 3) as i64 {
        if steps == @limit {
            println!("limit");
            return;
        }
        steps += 1;
        let row = &code[3 * at as usize..];
        let (op, x, y) = (row[0], row[1], row[2]);
        let (a, b) = ((x % 4) as usize, (y % 4) as usize);
        match op {
@cases
            _ => {
                println!("trap {}", at);
                return;
            }
        }
        r[a] &= 65535;
        at += 1;
    }
}
"""
BODIES = {"c": C, "cpp": CPP, "go": GO, "rust": RUST}
CASES = {
    "c": "        case 0x{code:02X}: {does} break; /* {name} */",
    "cpp": "        case 0x{code:02X}: {does} break; // {name}",
    "go": "\t\tcase 0x{code:02X}: // {name}\n\t\t\t{does}",
    "rust": "            0x{code:02X} => {{ {does} }} // {name}",
}
OTHERWISE: Mapping[str, Mapping[str, str]] = {
    "go": {
        "DJN": "if r[a] = (r[a] - 1) & 65535; r[a] != 0 {\n\t\t\t\tat = y - 1\n\t\t\t}",
        "HEX": 'fmt.Printf("%04x\\n", r[a])',
        "JLT": "if r[a] < r[(a+1)%4] {\n\t\t\t\tat = y - 1\n\t\t\t}",
        "OUT": "fmt.Println(r[a])",
        "SWP": "r[a], r[b] = r[b], r[a]",
    },
    "rust": {
        "DJN": "r[a] = (r[a] - 1) & 65535; if r[a] != 0 { at = y - 1; }",
        "HEX": 'println!("{:04x}", r[a]);',
        "JLT": "if r[a] < r[(a + 1) % 4] { at = y - 1; }",
        "OUT": 'println!("{}", r[a]);',
        "SWP": "r.swap(a, b);",
    },
}
"""What an instruction is in a language in which the line of C will not do."""


def emulator(codes: Mapping[str, int], language: str) -> str:
    """Return the emulator of a machine."""
    if language == "python":
        cases = "\n".join(
            f"    {'el' if n else ''}if op == 0x{code:02X}:  # {name}\n        "
            f"{OPERATIONS[name].python}"
            for n, (name, code) in enumerate(codes.items())
        )
        body = PYTHON
    else:
        others = OTHERWISE.get(language, {})
        cases = "\n".join(
            CASES[language].format(code=code, name=name, does=others.get(name, OPERATIONS[name].c))
            for name, code in codes.items()
        )
        body = BODIES[language]
    return body.replace("@cases", cases).replace("@limit", str(STEPS))
