"""What stands around the routines of the drifting-sums family, in five languages.

Covers reading requests from standard input, the choice of a routine, and printing.  Does not
cover the routines.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language

SIGNATURES: Mapping[Language, str] = {
    "python": "def @(x):",
    "c": "static double @(const double *x, long count)\n{",
    "cpp": "static double @(const std::vector<double> &x)\n{",
    "go": "func @(x []float64) float64 {",
    "rust": "fn @(x: &[f64]) -> f64 {",
}
DISPATCH: Mapping[Language, str] = {
    "python": '    "@": @,',
    "c": '    if (strcmp(name, "@") == 0)\n        return @(x, count);',
    "cpp": '    if (name == "@")\n        return @(x);',
    "go": '\tcase "@":\n\t\treturn @(x)',
    "rust": '        "@" => @(x),',
}
MAINS: Mapping[Language, str] = {
    "python": '''\
"""@about"""

import math
import sys


@routines


FIGURES = {
@chosen
}


def main():
    for line in sys.stdin:
        name, *words = line.split()
        try:
            found = FIGURES[name]([float(word) for word in words])
        except (ArithmeticError, ValueError):
            found = math.nan
        print(f"{found:.12e}" if math.isfinite(found) else "none")


main()
''',
    "c": """\
// @about
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@routines

static double answer(const char *name, const double *x, long count)
{
@chosen
    return NAN;
}

int main(void)
{
    static char line[16384];
    while (fgets(line, sizeof line, stdin)) {
        double x[256];
        long count = 0;
        char *name = strtok(line, " \\n"), *word;
        while (name && count < 256 && (word = strtok(NULL, " \\n")))
            x[count++] = strtod(word, NULL);
        double found = name ? answer(name, x, count) : NAN;
        if (isfinite(found))
            printf("%.12e\\n", found);
        else
            puts("none");
    }
    return 0;
}
""",
    "cpp": """\
// @about
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

@routines

static double answer(const std::string &name, const std::vector<double> &x)
{
@chosen
    return NAN;
}

int main()
{
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string name, word;
        std::vector<double> x;
        words >> name;
        while (words >> word)
            x.push_back(std::stod(word));
        double found = answer(name, x);
        if (std::isfinite(found))
            std::printf("%.12e\\n", found);
        else
            std::puts("none");
    }
}
""",
    "go": """\
// @about
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

@routines

func answer(name string, x []float64) float64 {
	switch name {
@chosen
	}
	return math.NaN()
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		var x []float64
		for _, word := range words[1:] {
			v, _ := strconv.ParseFloat(word, 64)
			x = append(x, v)
		}
		found := answer(words[0], x)
		if math.IsNaN(found) || math.IsInf(found, 0) {
			fmt.Println("none")
		} else {
			fmt.Printf("%.12e\\n", found)
		}
	}
}
""",
    "rust": """\
//! @about

use std::io::{self, BufRead};

@routines

fn answer(name: &str, x: &[f64]) -> f64 {
    match name {
@chosen
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
""",
}
