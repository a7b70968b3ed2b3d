package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

const (
	mode, none = /*@mode*/1/*@*/, -100000000
	touch, front, late, split, runs, strands = /*@touch*/1/*@*/, /*@front*/1/*@*/, /*@late*/1/*@*/, /*@split*/1/*@*/, /*@runs*/1/*@*/, /*@strands*/0/*@*/
)

var order, first, further = [3]int{/*@order*/0, 1, 2/*@*/}, [3]int{/*@firsts*/0, 5, 6/*@*/}, [3]int{/*@nexts*/0, 1, 1/*@*/}
var weights = [25]int{/*@weights*/3, -4, -4, -4, 0, -4, 3, -4, -4, 0, -4, -4, 3, -4, 0, -4, -4, -4, 3, 0, 0, 0, 0, 0, 0/*@*/}

type found struct {
	score  int
	places [4]int
	cols   string
}

func price(before, now int) int {
	if now == 0 {
		return 0
	}
	if before == now {
		return further[now]
	}
	if before+now == 3 && touch == 0 {
		return -none
	}
	return first[now]
}

func flip(b []byte) []byte {
	made := make([]byte, len(b))
	for i, c := range b {
		made[len(b)-1-i] = c
	}
	return made
}

func back(s, i, j int) (int, int) {
	if s != 2 {
		i--
	}
	if s != 1 {
		j--
	}
	return i, j
}

func align(q, t []byte) found {
	if front == 1 {
		q, t = flip(q), flip(t)
	}
	m, n := len(q), len(t)
	gain := func(s, i, j int) int {
		if s != 0 {
			return 0
		}
		return weights[5*strings.IndexByte("ACGTN", q[i])+strings.IndexByte("ACGTN", t[j])]
	}
	var value [4][][]int
	for s := range value {
		value[s] = make([][]int, m+1)
		for i := range value[s] {
			value[s][i] = make([]int, n+1)
		}
	}
	for i := 0; i <= m; i++ {
		for j := 0; j <= n; j++ {
			if !(mode == 2 || (i == 0 && (mode == 1 || j == 0))) {
				value[3][i][j] = none
			}
			for s := 0; s < 3; s++ {
				y, x := back(s, i, j)
				best := none
				if y >= 0 && x >= 0 {
					for b := 0; b < 4; b++ {
						if v := value[b][y][x] - price(b, s) + gain(s, y, x); v > best {
							best = v
						}
					}
				}
				value[s][i][j] = best
			}
		}
	}
	best, row, column := none, -1, -1
	if mode == 2 {
		best = 0
	}
	for j := 0; j <= n; j++ {
		for i := 0; i <= m; i++ {
			if (mode == 0 && j < n) || (mode < 2 && i < m) {
				continue
			}
			for s := 0; s < 3; s++ {
				if v := value[s][i][j]; v > best || (late == 1 && v == best && row >= 0) {
					best, row, column = v, i, j
				}
			}
		}
	}
	if row < 0 {
		return found{cols: "*"}
	}
	i, j, state := row, column, -1
	for o := 2; o >= 0; o-- {
		if value[order[o]][i][j] == best {
			state = order[o]
		}
	}
	var letters []byte
	for state != 3 {
		y, x := back(state, i, j)
		kind := "MID"[state]
		if split == 1 && state == 0 {
			kind = 'X'
			if q[y] == t[x] {
				kind = '='
			}
		}
		letters = append(letters, kind)
		need, before := value[state][i][j]-gain(state, y, x), 3
		if value[3][y][x]-price(3, state) != need {
			for o := 2; o >= 0; o-- {
				if value[order[o]][y][x]-price(order[o], state) == need {
					before = order[o]
				}
			}
		}
		state, i, j = before, y, x
	}
	places := [4]int{i + 1, row, j + 1, column}
	if front == 1 {
		places = [4]int{m - row + 1, m - i, n - column + 1, n - j}
	} else {
		letters = flip(letters)
	}
	cols := string(letters)
	if runs == 1 {
		cols = ""
		for a, b := 0, 0; a < len(letters); a = b {
			for b = a; b < len(letters) && letters[b] == letters[a]; b++ {
			}
			cols += fmt.Sprintf("%d%c", b-a, letters[a])
		}
	}
	return found{best, places, cols}
}

func main() {
	var names []string
	var seqs [][]byte
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if strings.HasPrefix(line, ">") {
			names = append(names, strings.Fields(line[1:])[0])
			seqs = append(seqs, nil)
		} else if len(seqs) > 0 {
			last := len(seqs) - 1
			seqs[last] = append(seqs[last], strings.ToUpper(line)...)
		}
	}
	for r := 1; r < len(seqs); r++ {
		best, strand := align(seqs[r], seqs[0]), "+"
		if strands == 1 {
			other := flip(seqs[r])
			for i, c := range other {
				other[i] = "TGCAN"[strings.IndexByte("ACGTN", c)]
			}
			if turned := align(other, seqs[0]); turned.score > best.score {
				best, strand = turned, "-"
			}
		}
		fmt.Print(names[r], " ")
		if strands == 1 {
			fmt.Print(strand, " ")
		}
		fmt.Print(best.score, " ")
		for _, p := range best.places[4-2*mode:] {
			fmt.Print(p, " ")
		}
		fmt.Println(best.cols)
	}
}
