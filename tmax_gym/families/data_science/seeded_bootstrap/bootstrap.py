"""The prescribed bootstrap of the seeded-bootstrap family: evaluator and six programs.

Everything is a whole number: statistics are thousandths, cut off.  Multipliers are small enough
that a product stays exact even where numbers are doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tmax_gym.axes import Language

CONSTANTS = ((1_664_525, 1_013_904_223), (69_069, 1), (214_013, 2_531_011))
"""Multiplier and increment of generators modulo 2^32."""
Sample = Sequence[tuple[str, int]]
"""(stratum, value) of every observation, in order."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is prescribed."""

    multiplier: int
    increment: int
    strata: int
    """1 if every stratum is drawn from by itself."""
    trim: int
    """Per cent of a resample that is dropped at each end."""
    tail: int
    """Per mille below the lower and above the upper bound."""


def bounds(plan: Plan, seed: int, *, replicates: int, sample: Sample) -> str:
    """Return `low middle high`."""
    groups: dict[str, list[int]] = {}
    for stratum, value in sample:
        groups.setdefault(stratum if plan.strata else "", []).append(value)
    state, size = seed % 2**32, len(sample)
    drop = size * plan.trim // 100
    ordered = [groups[name] for name in sorted(groups)]
    found = []
    for _ in range(replicates):
        picked = []
        for values in ordered:
            count = len(values)
            for _ in range(count):
                state = (plan.multiplier * state + plan.increment) & 0xFFFFFFFF
                picked.append(values[(state >> 16) % count])
        picked.sort()
        kept = picked[drop : size - drop]
        found.append(1000 * sum(kept) // len(kept))
    found.sort()
    places = (plan.tail, 500, 1000 - plan.tail)
    return " ".join(str(found[replicates * place // 1000]) for place in places)


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    body = _PROGRAMS[language]
    for name, value in asdict(plan).items():
        body = body.replace(f"@{name}", str(value))
    return body


_PROGRAMS = {
    "python": """\
import sys
seed, replicates = map(int, sys.stdin.readline().split())
rows = [line.split() for line in sys.stdin if line.strip()]
groups = {}
for stratum, value in rows:
    groups.setdefault(stratum if @strata else "", []).append(int(value))
x, n, found = seed, len(rows), []
drop = n * @trim // 100
for _ in range(replicates):
    picked = []
    for name in sorted(groups):
        values = groups[name]
        for _ in values:
            x = (@multiplier * x + @increment) % 2**32
            picked.append(values[(x >> 16) % len(values)])
    picked.sort()
    kept = picked[drop:n - drop]
    found.append(1000 * sum(kept) // len(kept))
found.sort()
print(*(found[replicates * p // 1000] for p in (@tail, 500, 1000 - @tail)))
""",
    "c": """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { char name[64]; long long value; int at; } Row;
static int by_name(const void *a, const void *b) {
  const Row *x = a, *y = b;
  int c = @strata ? strcmp(x->name, y->name) : 0;
  return c ? c : x->at - y->at;
}
static int by_value(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}
static Row rows[4096];
static long long picked[4096], found[65536];
int main(void) {
  unsigned long long seed;
  int replicates, n = 0;
  if (scanf("%llu %d", &seed, &replicates) != 2) return 1;
  while (scanf("%63s %lld", rows[n].name, &rows[n].value) == 2) { rows[n].at = n; n++; }
  qsort(rows, n, sizeof(Row), by_name);
  uint32_t x = (uint32_t)seed;
  int drop = n * @trim / 100;
  for (int b = 0; b < replicates; b++) {
    for (int start = 0, end; start < n; start = end) {
      end = start;
      while (end < n && (!@strata || !strcmp(rows[end].name, rows[start].name))) end++;
      for (int i = start; i < end; i++) {
        x = @multiplieru * x + @incrementu;
        picked[i] = rows[start + (x >> 16) % (end - start)].value;
      }
    }
    qsort(picked, n, sizeof(long long), by_value);
    long long total = 0;
    for (int i = drop; i < n - drop; i++) total += picked[i];
    found[b] = 1000 * total / (n - 2 * drop);
  }
  qsort(found, replicates, sizeof(long long), by_value);
  printf("%lld %lld %lld\\n", found[replicates * @tail / 1000], found[replicates * 500 / 1000],
         found[replicates * (1000 - @tail) / 1000]);
  return 0;
}
""",
    "cpp": """\
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

int main() {
    std::uint64_t seed;
    std::size_t replicates;
    std::cin >> seed >> replicates;
    std::map<std::string, std::vector<long long>> groups;
    std::string stratum;
    std::size_t n = 0;
    for (long long value; std::cin >> stratum >> value; ++n)
        groups[@strata ? stratum : ""].push_back(value);
    std::uint32_t x = static_cast<std::uint32_t>(seed);
    std::size_t drop = n * @trim / 100;
    std::vector<long long> found;
    for (std::size_t b = 0; b < replicates; ++b) {
        std::vector<long long> picked;
        for (const auto &[name, values] : groups)
            for (std::size_t i = 0; i < values.size(); ++i) {
                x = @multiplieru * x + @incrementu;
                picked.push_back(values[(x >> 16) % values.size()]);
            }
        std::sort(picked.begin(), picked.end());
        long long total = std::accumulate(picked.begin() + drop, picked.end() - drop, 0LL);
        found.push_back(1000 * total / static_cast<long long>(n - 2 * drop));
    }
    std::sort(found.begin(), found.end());
    std::cout << found[replicates * @tail / 1000] << ' ' << found[replicates * 500 / 1000] << ' '
              << found[replicates * (1000 - @tail) / 1000] << '\\n';
}
""",
    "go": """\
package main

import (
\t"bufio"
\t"fmt"
\t"os"
\t"sort"
)

func main() {
\tin := bufio.NewReader(os.Stdin)
\tvar seed uint64
\tvar replicates, value, n int
\tvar stratum string
\tfmt.Fscan(in, &seed, &replicates)
\tgroups := map[string][]int{}
\tfor {
\t\tif got, _ := fmt.Fscan(in, &stratum, &value); got != 2 {
\t\t\tbreak
\t\t}
\t\tif @strata == 0 {
\t\t\tstratum = ""
\t\t}
\t\tgroups[stratum] = append(groups[stratum], value)
\t\tn++
\t}
\tvar names []string
\tfor name := range groups {
\t\tnames = append(names, name)
\t}
\tsort.Strings(names)
\tx, drop := uint32(seed), n*@trim/100
\tvar found []int
\tfor b := 0; b < replicates; b++ {
\t\tvar picked []int
\t\tfor _, name := range names {
\t\t\tvalues := groups[name]
\t\t\tfor range values {
\t\t\t\tx = @multiplier*x + @increment
\t\t\t\tpicked = append(picked, values[int((x >> 16))%len(values)])
\t\t\t}
\t\t}
\t\tsort.Ints(picked)
\t\ttotal := 0
\t\tfor _, v := range picked[drop : n-drop] {
\t\t\ttotal += v
\t\t}
\t\tfound = append(found, 1000 * total/(n-2*drop))
\t}
\tsort.Ints(found)
\tfmt.Println(found[replicates*@tail/1000], found[replicates*500/1000],
\t\tfound[replicates*(1000-@tail)/1000])
}
""",
    "rust": """\
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
        let name = if @strata == 1 { name } else { "" };
        groups.entry(name).or_default().push(value.parse().unwrap());
        n += 1;
    }
    let drop = n * @trim / 100;
    let mut found: Vec<i64> = Vec::new();
    for _ in 0..replicates {
        let mut picked: Vec<i64> = Vec::new();
        for values in groups.values() {
            for _ in values {
                x = x.wrapping_mul(@multiplier).wrapping_add(@increment);
                picked.push(values[(x >> 16) as usize % values.len()]);
            }
        }
        picked.sort();
        let total: i64 = picked[drop..n - drop].iter().sum();
        found.push(1000 * total / (n - 2 * drop) as i64);
    }
    found.sort();
    println!("{} {} {}", found[replicates * @tail / 1000], found[replicates * 500 / 1000],
        found[replicates * (1000 - @tail) / 1000]);
}
""",
    "bash": """\
export LC_ALL=C
exec gawk '
NR == 1 { x = $1; replicates = $2; next }
NF == 2 { name = @strata ? "s" $1 : "s"; values[name][++size[name]] = $2; n++ }
END {
  drop = int(n * @trim / 100)
  strata = asorti(size, order)
  for (b = 1; b <= replicates; b++) {
    delete picked
    k = 0
    for (s = 1; s <= strata; s++) {
      count = size[order[s]]
      for (i = 0; i < count; i++) {
        x = (@multiplier * x + @increment) % 4294967296
        picked[++k] = values[order[s]][int(x / 65536) % count + 1] + 0
      }
    }
    asort(picked)
    total = 0
    for (i = drop + 1; i <= n - drop; i++) total += picked[i]
    found[b] = int(1000 * total / (n - 2 * drop))
  }
  asort(found)
  print found[int(replicates * @tail / 1000) + 1], found[int(replicates / 2) + 1], \\
    found[int(replicates * (1000 - @tail) / 1000) + 1]
}'
""",
}
