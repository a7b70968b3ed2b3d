"""The engine of the triple-patterns family in Go; `@name` stands for a rule."""

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

type pair struct{ a, b string }
type relation map[pair]bool

var triples [][]string

func chained(one, two relation) relation {
\tfrom := map[string][]string{}
\tfor p := range two {
\t\tfrom[p.a] = append(from[p.a], p.b)
\t}
\tmade := relation{}
\tfor p := range one {
\t\tfor _, end := range from[p.b] {
\t\t\tmade[pair{p.a, end}] = true
\t\t}
\t}
\treturn made
}

func step(text string) relation {
\tback := strings.HasPrefix(text, "@inverse")
\tstar := strings.HasSuffix(text, "@star")
\tmany := star || strings.HasSuffix(text, "@plus")
\tif back {
\t\ttext = text[1:]
\t}
\tif many {
\t\ttext = text[:len(text)-1]
\t}
\tpairs := relation{}
\tfor _, t := range triples {
\t\tif t[1] == text && back {
\t\t\tpairs[pair{t[2], t[0]}] = true
\t\t} else if t[1] == text {
\t\t\tpairs[pair{t[0], t[2]}] = true
\t\t}
\t}
\tfor size := 0; many && len(pairs) > size; {
\t\tsize = len(pairs)
\t\tfor p := range chained(pairs, pairs) {
\t\t\tpairs[p] = true
\t\t}
\t}
\tif star {
\t\tfor _, t := range triples {
\t\t\tpairs[pair{t[0], t[0]}] = true
\t\t\tpairs[pair{t[2], t[2]}] = true
\t\t}
\t}
\treturn pairs
}

func path(text string) relation {
\tfound := relation{}
\tfor _, part := range strings.Split(text, "@either") {
\t\tsteps := strings.Split(part, "@sequence")
\t\tpairs := step(steps[0])
\t\tfor _, more := range steps[1:] {
\t\t\tpairs = chained(pairs, step(more))
\t\t}
\t\tfor p := range pairs {
\t\t\tfound[p] = true
\t\t}
\t}
\treturn found
}

func hops(start, end string, pairs relation) string {
\tnext := map[string][]string{}
\tfor p := range pairs {
\t\tnext[p.a] = append(next[p.a], p.b)
\t\tif @both == 1 {
\t\t\tnext[p.b] = append(next[p.b], p.a)
\t\t}
\t}
\tseen := map[string]int{start: 0}
\tfor queue := []string{start}; len(queue) > 0; queue = queue[1:] {
\t\there := queue[0]
\t\tif here == end {
\t\t\treturn strconv.Itoa(seen[here])
\t\t}
\t\tfor _, node := range next[here] {
\t\t\tif _, known := seen[node]; !known {
\t\t\t\tseen[node] = seen[here] + 1
\t\t\t\tqueue = append(queue, node)
\t\t\t}
\t\t}
\t}
\treturn "-"
}

func bind(binding map[string]string, name, value string) bool {
\tif !strings.HasPrefix(name, "?") {
\t\treturn name == value
\t}
\tif old, known := binding[name]; known {
\t\treturn old == value
\t}
\tbinding[name] = value
\treturn true
}

func late(part []string) bool {
\treturn part[0] == "not" || part[1] == "!=" || part[1] == "<"
}

func value(binding map[string]string, name string) string {
\tif old, known := binding[name]; known {
\t\treturn old
\t}
\treturn name
}

func fits(binding map[string]string, part []string) bool {
\tif part[0] == "not" {
\t\treturn !path(part[2])[pair{value(binding, part[1]), value(binding, part[3])}]
\t}
\tleft, right := value(binding, part[0]), value(binding, part[2])
\tif part[1] == "!=" {
\t\treturn left != right
\t}
\treturn left < right
}

func rows(head []string, parts [][]string) string {
\tfound := []map[string]string{{}}
\tfor _, part := range parts {
\t\tif late(part) {
\t\t\tcontinue
\t\t}
\t\tvar more []map[string]string
\t\tpairs := path(part[1])
\t\tfor _, binding := range found {
\t\t\tfor p := range pairs {
\t\t\t\tnew := map[string]string{}
\t\t\t\tfor k, v := range binding {
\t\t\t\t\tnew[k] = v
\t\t\t\t}
\t\t\t\tif bind(new, part[0], p.a) && bind(new, part[2], p.b) {
\t\t\t\t\tmore = append(more, new)
\t\t\t\t}
\t\t\t}
\t\t}
\t\tfound = more
\t}
\tvar made []string
\tknown := map[string]bool{}
next:
\tfor _, binding := range found {
\t\tfor _, part := range parts {
\t\t\tif late(part) && !fits(binding, part) {
\t\t\t\tcontinue next
\t\t\t}
\t\t}
\t\tvar row []string
\t\tfor _, name := range head {
\t\t\trow = append(row, binding[name])
\t\t}
\t\tsaid := strings.Join(row, ",")
\t\tif @bag == 1 || !known[said] {
\t\t\tmade = append(made, said)
\t\t}
\t\tknown[said] = true
\t}
\tif len(made) == 0 {
\t\treturn "none"
\t}
\tsort.Strings(made)
\treturn strings.Join(made, " ")
}

func main() {
\tin := bufio.NewScanner(os.Stdin)
\tfor in.Scan() && in.Text() != "?" {
\t\ttriples = append(triples, strings.Fields(in.Text()))
\t}
\tfor in.Scan() {
\t\tcut := strings.SplitN(in.Text(), " : ", 2)
\t\thead := strings.Fields(cut[0])
\t\tif head[0] == "hops" {
\t\t\tfmt.Println(hops(head[1], head[2], path(cut[1])))
\t\t\tcontinue
\t\t}
\t\tvar parts [][]string
\t\tfor _, part := range strings.Split(cut[1], " . ") {
\t\t\tparts = append(parts, strings.Fields(part))
\t\t}
\t\tfmt.Println(rows(head, parts))
\t}
}
"""
