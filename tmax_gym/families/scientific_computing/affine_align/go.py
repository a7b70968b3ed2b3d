"""The aligner of the affine-align family in Go, to be filled with the numbers of a plan."""

from __future__ import annotations

GO = """\
package main

import (
\t"bufio"
\t"fmt"
\t"os"
\t"strings"
)

const (
\tmode, none = @mode, -100000000
\ttouch, front, late, split, runs, strands = @touch, @front, @late, @split, @runs, @strands
)

var order, first, further = [3]int{@order}, [3]int{@firsts}, [3]int{@nexts}
var weights = [25]int{@weights}

type found struct {
\tscore  int
\tplaces [4]int
\tcols   string
}

func price(before, now int) int {
\tif now == 0 {
\t\treturn 0
\t}
\tif before == now {
\t\treturn further[now]
\t}
\tif before+now == 3 && touch == 0 {
\t\treturn -none
\t}
\treturn first[now]
}

func flip(b []byte) []byte {
\tmade := make([]byte, len(b))
\tfor i, c := range b {
\t\tmade[len(b)-1-i] = c
\t}
\treturn made
}

func back(s, i, j int) (int, int) {
\tif s != 2 {
\t\ti--
\t}
\tif s != 1 {
\t\tj--
\t}
\treturn i, j
}

func align(q, t []byte) found {
\tif front == 1 {
\t\tq, t = flip(q), flip(t)
\t}
\tm, n := len(q), len(t)
\tgain := func(s, i, j int) int {
\t\tif s != 0 {
\t\t\treturn 0
\t\t}
\t\treturn weights[5*strings.IndexByte("ACGTN", q[i])+strings.IndexByte("ACGTN", t[j])]
\t}
\tvar value [4][][]int
\tfor s := range value {
\t\tvalue[s] = make([][]int, m+1)
\t\tfor i := range value[s] {
\t\t\tvalue[s][i] = make([]int, n+1)
\t\t}
\t}
\tfor i := 0; i <= m; i++ {
\t\tfor j := 0; j <= n; j++ {
\t\t\tif !(mode == 2 || (i == 0 && (mode == 1 || j == 0))) {
\t\t\t\tvalue[3][i][j] = none
\t\t\t}
\t\t\tfor s := 0; s < 3; s++ {
\t\t\t\ty, x := back(s, i, j)
\t\t\t\tbest := none
\t\t\t\tif y >= 0 && x >= 0 {
\t\t\t\t\tfor b := 0; b < 4; b++ {
\t\t\t\t\t\tif v := value[b][y][x] - price(b, s) + gain(s, y, x); v > best {
\t\t\t\t\t\t\tbest = v
\t\t\t\t\t\t}
\t\t\t\t\t}
\t\t\t\t}
\t\t\t\tvalue[s][i][j] = best
\t\t\t}
\t\t}
\t}
\tbest, row, column := none, -1, -1
\tif mode == 2 {
\t\tbest = 0
\t}
\tfor j := 0; j <= n; j++ {
\t\tfor i := 0; i <= m; i++ {
\t\t\tif (mode == 0 && j < n) || (mode < 2 && i < m) {
\t\t\t\tcontinue
\t\t\t}
\t\t\tfor s := 0; s < 3; s++ {
\t\t\t\tif v := value[s][i][j]; v > best || (late == 1 && v == best && row >= 0) {
\t\t\t\t\tbest, row, column = v, i, j
\t\t\t\t}
\t\t\t}
\t\t}
\t}
\tif row < 0 {
\t\treturn found{cols: "*"}
\t}
\ti, j, state := row, column, -1
\tfor o := 2; o >= 0; o-- {
\t\tif value[order[o]][i][j] == best {
\t\t\tstate = order[o]
\t\t}
\t}
\tvar letters []byte
\tfor state != 3 {
\t\ty, x := back(state, i, j)
\t\tkind := "MID"[state]
\t\tif split == 1 && state == 0 {
\t\t\tkind = 'X'
\t\t\tif q[y] == t[x] {
\t\t\t\tkind = '='
\t\t\t}
\t\t}
\t\tletters = append(letters, kind)
\t\tneed, before := value[state][i][j]-gain(state, y, x), 3
\t\tif value[3][y][x]-price(3, state) != need {
\t\t\tfor o := 2; o >= 0; o-- {
\t\t\t\tif value[order[o]][y][x]-price(order[o], state) == need {
\t\t\t\t\tbefore = order[o]
\t\t\t\t}
\t\t\t}
\t\t}
\t\tstate, i, j = before, y, x
\t}
\tplaces := [4]int{i + 1, row, j + 1, column}
\tif front == 1 {
\t\tplaces = [4]int{m - row + 1, m - i, n - column + 1, n - j}
\t} else {
\t\tletters = flip(letters)
\t}
\tcols := string(letters)
\tif runs == 1 {
\t\tcols = ""
\t\tfor a, b := 0, 0; a < len(letters); a = b {
\t\t\tfor b = a; b < len(letters) && letters[b] == letters[a]; b++ {
\t\t\t}
\t\t\tcols += fmt.Sprintf("%d%c", b-a, letters[a])
\t\t}
\t}
\treturn found{best, places, cols}
}

func main() {
\tvar names []string
\tvar seqs [][]byte
\tin := bufio.NewScanner(os.Stdin)
\tfor in.Scan() {
\t\tline := strings.TrimSpace(in.Text())
\t\tif strings.HasPrefix(line, ">") {
\t\t\tnames = append(names, strings.Fields(line[1:])[0])
\t\t\tseqs = append(seqs, nil)
\t\t} else if len(seqs) > 0 {
\t\t\tlast := len(seqs) - 1
\t\t\tseqs[last] = append(seqs[last], strings.ToUpper(line)...)
\t\t}
\t}
\tfor r := 1; r < len(seqs); r++ {
\t\tbest, strand := align(seqs[r], seqs[0]), "+"
\t\tif strands == 1 {
\t\t\tother := flip(seqs[r])
\t\t\tfor i, c := range other {
\t\t\t\tother[i] = "TGCAN"[strings.IndexByte("ACGTN", c)]
\t\t\t}
\t\t\tif turned := align(other, seqs[0]); turned.score > best.score {
\t\t\t\tbest, strand = turned, "-"
\t\t\t}
\t\t}
\t\tfmt.Print(names[r], " ")
\t\tif strands == 1 {
\t\t\tfmt.Print(strand, " ")
\t\t}
\t\tfmt.Print(best.score, " ")
\t\tfor _, p := range best.places[4-2*mode:] {
\t\t\tfmt.Print(p, " ")
\t\t}
\t\tfmt.Println(best.cols)
\t}
}
"""
