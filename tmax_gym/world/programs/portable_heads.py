"""The syntax of the five languages of `portable`, and the head of a program in each.

Covers reading bytes, printing, sorting, and the smaller and larger of two numbers.  Does not
cover the walk over a source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tmax_gym.axes import Language


@dataclass(frozen=True, slots=True)
class Dialect:
    """Patterns of one language; most are those of the family of C."""

    head: str
    function: str = "static long long {name}({params}) {{"
    procedure: str = "static void {name}({params}) {{"
    main: str = "int main(void) {{"
    ending: str = ""
    """The last statement of `main`."""
    list_param: str = "long long *{name}"
    int_param: str = "long long {name}"
    pass_list: str = "{name}"
    declare: str = "long long {name} = {value};"
    assign: str = "{name} = {value};"
    zeros: str = "long long *{name} = calloc({size}, sizeof *{name});"
    table: str = "long long {name}[] = {{{items}}};"
    read: str = "long long *{name} = slurp();"
    item: str = "{name}[{index}]"
    store: str = "{name}[{index}] = {value};"
    test: str = "if ({test}) {{"
    loop: str = "while ({test}) {{"
    up: str = "for (long long {name} = {first}; {name} < {last}; {name}++) {{"
    down: str = "for (long long {name} = {first}; {name} > {last}; {name}--) {{"
    say: str = 'printf("{text}")'
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of calls that differ from Python's."""
    tab: str = "    "
    stop: str = ";"


_C = r"""#include <stdio.h>
#include <stdlib.h>

static long long *slurp(void) {
    long long room = 4096, n = 0, *bytes = malloc(room * sizeof *bytes);
    for (int c; (c = getchar()) != EOF; bytes[n++] = c)
        if (n + 2 > room) bytes = realloc(bytes, (room *= 2) * sizeof *bytes);
    bytes[n] = 0;
    return bytes;
}

static int by_value(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static inline void order(long long *a, long long n) { qsort(a, n, sizeof *a, by_value); }
static inline long long smaller(long long a, long long b) { return a < b ? a : b; }
static inline long long larger(long long a, long long b) { return a > b ? a : b; }
static inline void put(long long x) { printf("%lld", x); }
static inline void span(const long long *a, long long i, long long j) {
    while (i < j) putchar((int)a[i++]);
}
"""
_CPP = r"""#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <vector>

using list = std::vector<long long>;

static list slurp() {
    list bytes;
    for (std::istreambuf_iterator<char> at(std::cin), end; at != end; ++at)
        bytes.push_back(static_cast<unsigned char>(*at));
    bytes.push_back(0);
    return bytes;
}

static inline void order(list &a, long long n) { std::sort(a.begin(), a.begin() + n); }
static inline void put(long long x) { std::cout << x; }
static inline void span(const list &a, long long i, long long j) {
    while (i < j) std::cout << static_cast<char>(a[i++]);
}
"""
_GO = r"""package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sort"
)

var out = bufio.NewWriter(os.Stdout)

func slurp() []int64 {
	raw, _ := io.ReadAll(os.Stdin)
	bytes := make([]int64, len(raw)+1)
	for i, c := range raw {
		bytes[i] = int64(c)
	}
	return bytes
}

func order(a []int64, n int64) {
	part := a[:n]
	sort.Slice(part, func(i, j int) bool { return part[i] < part[j] })
}

func smaller(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func larger(a, b int64) int64 { return -smaller(-a, -b) }

func magnitude(a int64) int64 { return larger(a, -a) }

func put(x int64) { fmt.Fprint(out, x) }

func span(a []int64, i, j int64) {
	for ; i < j; i++ {
		out.WriteByte(byte(a[i]))
	}
}
"""
_RUST = r"""#![allow(unused)]
use std::cmp::{max, min};
use std::io::{Read, Write};

fn slurp() -> Vec<i64> {
    let mut raw = Vec::new();
    std::io::stdin().read_to_end(&mut raw).unwrap();
    raw.push(0);
    raw.into_iter().map(i64::from).collect()
}

fn order(a: &mut [i64], n: i64) {
    a[..n as usize].sort();
}

fn magnitude(a: i64) -> i64 {
    a.abs()
}

fn put(x: i64) {
    print!("{}", x);
}

fn span(a: &[i64], i: i64, j: i64) {
    let bytes: Vec<u8> = a[i as usize..j as usize].iter().map(|&c| c as u8).collect();
    std::io::stdout().write_all(&bytes).unwrap();
}
"""
_PYTHON = """\
import sys


def read():
    return [*sys.stdin.buffer.read(), 0]


def array(n):
    return [0] * n


def order(a, n):
    a[:n] = sorted(a[:n])


def put(x):
    sys.stdout.write(str(x))


def say(text):
    sys.stdout.write(text)


def span(a, i, j):
    sys.stdout.write(bytes(a[i:j]).decode())

"""
_C_NAMES = {"min": "smaller", "max": "larger", "abs": "llabs"}
HEADS: Mapping[Language, Dialect] = {
    "python": Dialect(_PYTHON),
    "c": Dialect(_C, ending="return 0;", names=_C_NAMES),
    "cpp": Dialect(
        _CPP,
        main="int main() {{",
        list_param="list &{name}",
        zeros="list {name}({size});",
        table="list {name} = {{{items}}};",
        read="list {name} = slurp();",
        say='std::cout << "{text}"',
        names={"min": "std::min<long long>", "max": "std::max<long long>", "abs": "std::llabs"},
    ),
    "go": Dialect(
        _GO,
        function="func {name}({params}) int64 {{",
        procedure="func {name}({params}) {{",
        main="func main() {{",
        ending="out.Flush()",
        list_param="{name} []int64",
        int_param="{name} int64",
        declare="var {name} int64 = {value}",
        assign="{name} = {value}",
        zeros="{name} := make([]int64, {size})",
        table="{name} := []int64{{{items}}}",
        read="{name} := slurp()",
        store="{name}[{index}] = {value}",
        test="if {test} {{",
        loop="for {test} {{",
        up="for {name} := int64({first}); {name} < {last}; {name}++ {{",
        down="for {name} := int64({first}); {name} > {last}; {name}-- {{",
        say='out.WriteString("{text}")',
        names={"min": "smaller", "max": "larger", "abs": "magnitude"},
        tab="\t",
        stop="",
    ),
    "rust": Dialect(
        _RUST,
        function="fn {name}({params}) -> i64 {{",
        procedure="fn {name}({params}) {{",
        main="fn main() {{",
        list_param="{name}: &mut [i64]",
        int_param="mut {name}: i64",
        pass_list="&mut {name}[..]",
        declare="let mut {name}: i64 = {value};",
        zeros="let mut {name} = vec![0i64; ({size}) as usize];",
        table="let mut {name}: Vec<i64> = vec![{items}];",
        read="let mut {name} = slurp();",
        item="{name}[({index}) as usize]",
        store="{{ let new_ = {value}; let at_ = ({index}) as usize; {name}[at_] = new_; }}",
        test="if {test} {{",
        loop="while {test} {{",
        up="for {name} in {first}..{last} {{",
        down="for {name} in ({last} + 1..={first}).rev() {{",
        say='print!("{text}")',
        names={"abs": "magnitude"},
    ),
}
