"""The runner of the dag-runner family in Go, to be filled with the numbers of its rules."""

from __future__ import annotations

GO = """\
package main

import (
\t"bufio"
\t"fmt"
\t"os"
\t"sort"
\t"strconv"
\t"strings"
)

const order, delay, pause, halt, byStart, resume = @order, @delay, @pause, @halt, @starts, @resume

type step struct {
\tnumber       map[string]int
\tneeds, wants []string
}

type attempt struct{ end, started int }

var steps = map[string]*step{}
var names []string
var settled = map[string]string{}

func has(list []string, name string) bool {
\tfor _, other := range list {
\t\tif other == name {
\t\t\treturn true
\t\t}
\t}
\treturn false
}

func behind(name string) []string {
\tvar found []string
\tfor _, other := range names {
\t\tif has(steps[other].needs, name) || has(steps[other].wants, name) {
\t\t\tfound = append(found, other)
\t\t}
\t}
\treturn found
}

func path(name string) int {
\tlongest := 0
\tfor _, other := range behind(name) {
\t\tif p := path(other); p > longest {
\t\t\tlongest = p
\t\t}
\t}
\treturn steps[name].number["cost"] + longest
}

func urgency(name string) int {
\tswitch order {
\tcase 0:
\t\treturn steps[name].number["rank"]
\tcase 1:
\t\treturn -steps[name].number["rank"]
\tcase 2:
\t\treturn -path(name)
\tcase 3:
\t\treturn -len(behind(name))
\t}
\treturn steps[name].number["cost"]
}

func split(text string) []string {
\tif text == "-" {
\t\treturn nil
\t}
\treturn strings.Split(text, ",")
}

func stuck() []string {
\tleft := append([]string{}, names...)
\tfor {
\t\tvar kept []string
\t\tfor _, name := range left {
\t\t\tfor _, n := range append(append([]string{}, steps[name].needs...), steps[name].wants...) {
\t\t\t\tif has(left, n) {
\t\t\t\t\tkept = append(kept, name)
\t\t\t\t\tbreak
\t\t\t\t}
\t\t\t}
\t\t}
\t\tif len(kept) == len(left) {
\t\t\treturn left
\t\t}
\t\tleft = kept
\t}
}

func skipBehind(name string, now int) {
\tlost := map[string]bool{}
\tmore := []string{name}
\tfor len(more) > 0 {
\t\tvar next []string
\t\tfor _, other := range names {
\t\t\tfor _, n := range steps[other].needs {
\t\t\t\tif has(more, n) && !lost[other] && settled[other] == "" {
\t\t\t\t\tlost[other] = true
\t\t\t\t\tnext = append(next, other)
\t\t\t\t}
\t\t\t}
\t\t}
\t\tmore = next
\t}
\tfor _, other := range names {
\t\tif lost[other] {
\t\t\tsettled[other] = "skipped"
\t\t\tfmt.Println(now, "skipped", other)
\t\t}
\t}
}

func main() {
\tworkers := 1
\tkept := map[string]bool{}
\tin := bufio.NewScanner(os.Stdin)
\tfor in.Scan() {
\t\twords := strings.Fields(in.Text())
\t\tswitch words[0] {
\t\tcase "workers":
\t\t\tworkers, _ = strconv.Atoi(words[1])
\t\tcase "kept":
\t\t\tkept[words[1]] = true
\t\tcase "step":
\t\t\ts := &step{number: map[string]int{}}
\t\t\tfor _, item := range words[2:] {
\t\t\t\tpair := strings.SplitN(item, "=", 2)
\t\t\t\tif pair[0] == "needs" {
\t\t\t\t\ts.needs = split(pair[1])
\t\t\t\t} else if pair[0] == "wants" {
\t\t\t\t\ts.wants = split(pair[1])
\t\t\t\t} else {
\t\t\t\t\ts.number[pair[0]], _ = strconv.Atoi(pair[1])
\t\t\t\t}
\t\t\t}
\t\t\tsteps[words[1]] = s
\t\t\tnames = append(names, words[1])
\t\t}
\t}
\tsort.Strings(names)
\tif left := stuck(); len(left) > 0 {
\t\tfmt.Println("cycle", strings.Join(left, " "))
\t\treturn
\t}
\tfor moved := resume == 2; moved; {
\t\tmoved = false
\t\tfor _, name := range names {
\t\t\tfor _, n := range steps[name].needs {
\t\t\t\tif kept[name] && !kept[n] {
\t\t\t\t\tkept[name], moved = false, true
\t\t\t\t}
\t\t\t}
\t\t}
\t}
\trank, free, attempts := map[string]int{}, map[string]int{}, map[string]int{}
\trunning := map[string]attempt{}
\tfor _, name := range names {
\t\trank[name] = urgency(name)
\t\tif resume > 0 && kept[name] {
\t\t\tsettled[name] = "kept"
\t\t\tfmt.Println(0, "kept", name)
\t\t}
\t}
\tnow, starts, halted := 0, 0, false
\tfor {
\t\tvar over []string
\t\tfor _, name := range names {
\t\t\tif run, ok := running[name]; ok && run.end == now {
\t\t\t\tover = append(over, name)
\t\t\t}
\t\t}
\t\tif byStart == 1 {
\t\t\tsort.Slice(over, func(a, b int) bool {
\t\t\t\treturn running[over[a]].started < running[over[b]].started
\t\t\t})
\t\t}
\t\tfor _, name := range over {
\t\t\tdelete(running, name)
\t\t\tcount := attempts[name]
\t\t\tif count > steps[name].number["fails"] {
\t\t\t\tsettled[name] = "done"
\t\t\t\tfmt.Println(now, "done", name)
\t\t\t} else if count < steps[name].number["tries"] && !halted {
\t\t\t\tfactor := []int{1, count, 1 << uint(count-1)}[delay]
\t\t\t\tfree[name] = now + pause*factor
\t\t\t\tfmt.Println(now, "retry", name)
\t\t\t} else {
\t\t\t\tsettled[name] = "failed"
\t\t\t\tfmt.Println(now, "failed", name)
\t\t\t\tif halt == 1 {
\t\t\t\t\thalted = true
\t\t\t\t} else {
\t\t\t\t\tskipBehind(name, now)
\t\t\t\t}
\t\t\t}
\t\t}
\t\tvar ready []string
\t\tnext := -1
\t\tfor _, name := range names {
\t\t\tif _, busy := running[name]; busy || halted || settled[name] != "" {
\t\t\t\tcontinue
\t\t\t}
\t\t\tfit := true
\t\t\tfor _, n := range steps[name].needs {
\t\t\t\tfit = fit && (settled[n] == "done" || settled[n] == "kept")
\t\t\t}
\t\t\tfor _, n := range steps[name].wants {
\t\t\t\tfit = fit && settled[n] != ""
\t\t\t}
\t\t\tif free[name] > now {
\t\t\t\tif next < 0 || free[name] < next {
\t\t\t\t\tnext = free[name]
\t\t\t\t}
\t\t\t} else if fit {
\t\t\t\tready = append(ready, name)
\t\t\t}
\t\t}
\t\tsort.SliceStable(ready, func(a, b int) bool { return rank[ready[a]] < rank[ready[b]] })
\t\tfor _, name := range ready {
\t\t\tif len(running) >= workers {
\t\t\t\tbreak
\t\t\t}
\t\t\tfmt.Println(now, "start", name)
\t\t\tstarts++
\t\t\tattempts[name]++
\t\t\trunning[name] = attempt{now + steps[name].number["cost"], starts}
\t\t}
\t\tfor _, run := range running {
\t\t\tif next < 0 || run.end < next {
\t\t\t\tnext = run.end
\t\t\t}
\t\t}
\t\tif next < 0 {
\t\t\tbreak
\t\t}
\t\tnow = next
\t}
\tcount := map[string]int{}
\tfor _, name := range names {
\t\tif settled[name] == "" {
\t\t\tsettled[name] = "skipped"
\t\t\tfmt.Println(now, "skipped", name)
\t\t}
\t\tcount[settled[name]]++
\t}
\tfmt.Printf("%d end done=%d kept=%d failed=%d skipped=%d\\n", now, count["done"],
\t\tcount["kept"], count["failed"], count["skipped"])
}
"""
