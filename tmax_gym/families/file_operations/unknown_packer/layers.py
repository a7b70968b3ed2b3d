"""Layers of the unknown packer, each as a piece of a program tree and as what undoes it.

Covers the packer as a tree (from which its machine code and the verifier's runs come) and the
unpacker in five languages.  Does not cover compression: every byte becomes two hexadecimal digits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import BYTE, Emit, Program, Put, Register, Stmt
from tmax_gym.world.programs.sugar import bump, ex, let, odd, op

PYTHON = """\
import sys
number = 0
for line in sys.stdin.read().split("\\n")[:-1]:
    last, place, out = @start, 0, ""
    for i in range(0, len(line) // 2 * 2, 2):
        code = int(line[i:i + 2], 16)
@undo
        out += chr(c & 255)
        place += 1
    print(out)
    number += 1
"""
C = """\
#include <stdio.h>
#include <string.h>
static char line[100000];
int main(void) {
  unsigned number = 0;
  while (fgets(line, sizeof line, stdin)) {
    unsigned last = @start, place = 0, code, c;
    for (size_t i = 0; i + 2 <= strcspn(line, "\\n"); i += 2) {
      sscanf(line + i, "%2x", &code);
@undo
      putchar(c & 255);
      place++;
    }
    putchar('\\n');
    number++;
  }
  return 0;
}
"""
CPP = """\
#include <iostream>
#include <string>

int main() {
    int number = 0;
    for (std::string line; std::getline(std::cin, line); ++number) {
        int last = @start, place = 0, code, c;
        for (std::size_t i = 0; i + 2 <= line.size(); i += 2, ++place) {
            code = std::stoi(line.substr(i, 2), nullptr, 16);
@undo
            std::cout << static_cast<char>(c & 255);
        }
        std::cout << '\\n';
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
\tnumber := 0
\tin := bufio.NewScanner(os.Stdin)
\tin.Buffer(nil, 1<<20)
\tfor in.Scan() {
\t\tline, last, place := in.Text(), @start, 0
\t\tvar out []byte
\t\tfor i := 0; i+2 <= len(line); i += 2 {
\t\t\tdigits, _ := strconv.ParseInt(line[i:i+2], 16, 32)
\t\t\tcode, c := int(digits), 0
@undo
\t\t\tout = append(out, byte(c&255))
\t\t\tplace++
\t\t}
\t\tfmt.Println(string(out))
\t\t_ = last
\t\tnumber++
\t}
}
"""
RUST = """\
#![allow(unused_assignments, unused_variables)]
use std::io::BufRead;

fn main() {
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let (line, number) = (line.unwrap(), number as i64);
        let (mut last, mut place, mut out) = (@start, 0i64, String::new());
        for at in (0..line.len() / 2 * 2).step_by(2) {
            let code = i64::from_str_radix(&line[at..at + 2], 16).unwrap();
            let mut c: i64;
@undo
            out.push((c & 255) as u8 as char);
            place += 1;
        }
        println!("{}", out);
    }
}
"""


@dataclass(frozen=True, slots=True)
class Layers:
    """A packer and how it is undone."""

    program: Program
    names: tuple[str, ...]
    """The layers in the order in which the packer applies them."""
    undo: tuple[str, ...]
    """One statement a layer, valid in Python and Go and (with a semicolon) in C and Rust."""
    start: int


def layers(rng: Rng, count: int) -> Layers:
    """Return a packer of so many layers out of five."""
    chosen = sorted(rng.sample(range(5), count))
    if chosen == [3]:
        chosen = [1]  # a turn alone leaves repeated letters easy to read
    mask, turn = rng.integer(33, 254), rng.integer(2, 6)
    slope, lift = odd(rng, 5, 61), odd(rng, 5, 61)
    start = rng.integer(1, 254)
    steps: list[Stmt] = [let("code", BYTE)]
    undo: list[str] = []
    names = ("place", "mask", "number", "turn", "chain")
    for layer in chosen:
        if layer == 0:
            steps.append(let("code", op(op("code", "+", op("place", "*", slope)), "&", 255)))
            undo.append(f"c = c - place * {slope}")
        elif layer == 1:
            steps.append(let("code", op("code", "^", mask)))
            undo.append(f"c = c ^ {mask}")
        elif layer == 2:
            steps.append(let("code", op(op("code", "+", op("number", "*", lift)), "&", 255)))
            undo.append(f"c = c - number * {lift}")
        elif layer == 3:
            low, high = op("code", "<<", turn), op("code", ">>", 8 - turn)
            steps.append(let("code", op(op(low, "|", high), "&", 255)))
            undo.append(f"c = (c & 255) >> {turn} | (c << {8 - turn} & 255)")
        else:
            steps += [let("code", op("code", "^", "last")), let("last", "code")]
            undo.append("c = c ^ last")
    steps += [Emit(ex("code"), 16, 2), bump("place")]
    registers = (
        Register("code", 0, True),
        Register("place", 0, True),
        Register("last", start, True),
        Register("number", 0, False),
    )
    program = Program(
        "packer", "line", registers, tuple(steps), (Put("\n"), bump("number")), alphabet=PLAIN
    )
    return Layers(program, tuple(names[n] for n in chosen), tuple(undo), start)


PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.-"


def unpacker(how: Layers, language: str, *, skip: str = "") -> str:
    """Return the program that undoes all layers but one."""
    pairs = list(zip(how.names, how.undo, strict=True))
    told = [statement for name, statement in reversed(pairs) if name != skip]
    body, pad, end = {
        "python": (PYTHON, " " * 8, ""),
        "c": (C, " " * 6, ";"),
        "cpp": (CPP, " " * 12, ";"),
        "go": (GO, "\t" * 3, ""),
        "rust": (RUST, " " * 12, ";"),
    }[language]
    lines = "\n".join(f"{pad}{s}{end}" for s in ["c = code", *told, "last = code"])
    return body.replace("@undo", lines).replace("@start", str(how.start))
