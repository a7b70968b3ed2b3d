"""The tokenizer of the subword family in Go; `@name` stands for a rule's number."""

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

const (
\tfold, mark, tie, least, types   = @fold, @mark, @tie, @least, @types
\tdigits, limit, greedy, numbers = @digits, @limit, @greedy, @numbers
)

type pair struct{ left, right string }
type part struct {
\ttokens []string
\ttimes  int
}

func words(line string) []string {
\tif fold == 1 {
\t\tline = strings.ToLower(line)
\t}
\tmade := strings.Fields(line)
\tfor i := range made {
\t\tif mark == 1 {
\t\t\tmade[i] = "_" + made[i]
\t\t}
\t\tif mark == 2 {
\t\t\tmade[i] += "_"
\t\t}
\t}
\treturn made
}

func digit(token string) bool { return token[0] >= '0' && token[0] <= '9' }

func fits(p pair) bool {
\tif digits == 1 && digit(p.left) != digit(p.right) {
\t\treturn false
\t}
\treturn len(p.left)+len(p.right) <= limit
}

func beats(a, b pair) bool {
\tif tie == 2 {
\t\treturn false
\t}
\tla, lb := len(a.left+a.right), len(b.left+b.right)
\tif tie == 3 && la != lb {
\t\treturn la < lb
\t}
\tif tie == 4 && la != lb {
\t\treturn la > lb
\t}
\tless := a.left < b.left || a.left == b.left && a.right < b.right
\treturn less != (tie == 1)
}

func joined(word []string, p pair) []string {
\tvar made []string
\tfor i := 0; i < len(word); i++ {
\t\tif i+1 < len(word) && word[i] == p.left && word[i+1] == p.right {
\t\t\tmade = append(made, word[i]+word[i+1])
\t\t\ti++
\t\t} else {
\t\t\tmade = append(made, word[i])
\t\t}
\t}
\treturn made
}

func main() {
\tin := bufio.NewScanner(os.Stdin)
\tout := bufio.NewWriter(os.Stdout)
\tdefer out.Flush()
\tin.Scan()
\twanted, _ := strconv.Atoi(strings.TrimSpace(in.Text()))
\tplaces := map[string]int{}
\tvar parts []part
\tvar known []string
\tnumber := map[string]int{}
\tfor in.Scan() && in.Text() != "%" {
\t\tfor _, word := range words(in.Text()) {
\t\t\tif _, found := places[word]; !found {
\t\t\t\tplaces[word] = len(parts)
\t\t\t\tparts = append(parts, part{strings.Split(word, ""), 0})
\t\t\t}
\t\t\tparts[places[word]].times++
\t\t\tfor _, c := range strings.Split(word, "") {
\t\t\t\tif _, found := number[c]; !found {
\t\t\t\t\tnumber[c] = 0
\t\t\t\t\tknown = append(known, c)
\t\t\t\t}
\t\t\t}
\t\t}
\t}
\tsort.Strings(known)
\tvar merges []pair
\tfor len(merges) < wanted {
\t\tcounts := map[pair]int{}
\t\tvar seen []pair
\t\tfor _, one := range parts {
\t\t\tfor i := 0; i+1 < len(one.tokens); i++ {
\t\t\t\tp := pair{one.tokens[i], one.tokens[i+1]}
\t\t\t\tif !fits(p) {
\t\t\t\t\tcontinue
\t\t\t\t}
\t\t\t\tif counts[p] == 0 {
\t\t\t\t\tseen = append(seen, p)
\t\t\t\t}
\t\t\t\tif types == 1 {
\t\t\t\t\tcounts[p]++
\t\t\t\t} else {
\t\t\t\t\tcounts[p] += one.times
\t\t\t\t}
\t\t\t}
\t\t}
\t\tif len(seen) == 0 {
\t\t\tbreak
\t\t}
\t\tbest := seen[0]
\t\tfor _, p := range seen[1:] {
\t\t\tif counts[p] > counts[best] || counts[p] == counts[best] && beats(p, best) {
\t\t\t\tbest = p
\t\t\t}
\t\t}
\t\tif counts[best] < least {
\t\t\tbreak
\t\t}
\t\tmerges = append(merges, best)
\t\tfor i := range parts {
\t\t\tparts[i].tokens = joined(parts[i].tokens, best)
\t\t}
\t\tfmt.Fprintln(out, best.left, best.right)
\t}
\tfor i, c := range known {
\t\tnumber[c] = i
\t}
\tfor _, p := range merges {
\t\tif _, found := number[p.left+p.right]; !found {
\t\t\tnumber[p.left+p.right] = len(number)
\t\t}
\t}
\ttotal, made, unknown := 0, 0, 0
\tfor in.Scan() {
\t\tvar said []string
\t\tfor _, word := range words(in.Text()) {
\t\t\tvar tokens []string
\t\t\tif greedy == 1 {
\t\t\t\tfor len(word) > 0 {
\t\t\t\t\tsize := len(word)
\t\t\t\t\tfor ; size > 1; size-- {
\t\t\t\t\t\tif _, found := number[word[:size]]; found {
\t\t\t\t\t\t\tbreak
\t\t\t\t\t\t}
\t\t\t\t\t}
\t\t\t\t\ttokens = append(tokens, word[:size])
\t\t\t\t\tword = word[size:]
\t\t\t\t}
\t\t\t} else {
\t\t\t\ttokens = strings.Split(word, "")
\t\t\t\tfor _, p := range merges {
\t\t\t\t\ttokens = joined(tokens, p)
\t\t\t\t}
\t\t\t}
\t\t\ttotal++
\t\t\tfor _, token := range tokens {
\t\t\t\tn, found := number[token]
\t\t\t\tif made++; !found {
\t\t\t\t\tn = -1
\t\t\t\t\tunknown++
\t\t\t\t}
\t\t\t\tif numbers == 1 {
\t\t\t\t\ttoken = strconv.Itoa(n)
\t\t\t\t}
\t\t\t\tsaid = append(said, token)
\t\t\t}
\t\t}
\t\tfmt.Fprintln(out, strings.Join(said, " "))
\t}
\tfmt.Fprintln(out, "words", total, "tokens", made, "unknown", unknown)
}
"""
