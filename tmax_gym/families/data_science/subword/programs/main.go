package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

const (
	fold, mark, tie, least, types   = /*@fold*/0/*@*/, /*@mark*/0/*@*/, /*@tie*/0/*@*/, /*@least*/3/*@*/, /*@types*/0/*@*/
	digits, limit, greedy, numbers = /*@digits*/1/*@*/, /*@limit*/999/*@*/, /*@greedy*/1/*@*/, /*@numbers*/1/*@*/
)

type pair struct{ left, right string }
type part struct {
	tokens []string
	times  int
}

func words(line string) []string {
	if fold == 1 {
		line = strings.ToLower(line)
	}
	made := strings.Fields(line)
	for i := range made {
		if mark == 1 {
			made[i] = "_" + made[i]
		}
		if mark == 2 {
			made[i] += "_"
		}
	}
	return made
}

func digit(token string) bool { return token[0] >= '0' && token[0] <= '9' }

func fits(p pair) bool {
	if digits == 1 && digit(p.left) != digit(p.right) {
		return false
	}
	return len(p.left)+len(p.right) <= limit
}

func beats(a, b pair) bool {
	if tie == 2 {
		return false
	}
	la, lb := len(a.left+a.right), len(b.left+b.right)
	if tie == 3 && la != lb {
		return la < lb
	}
	if tie == 4 && la != lb {
		return la > lb
	}
	less := a.left < b.left || a.left == b.left && a.right < b.right
	return less != (tie == 1)
}

func joined(word []string, p pair) []string {
	var made []string
	for i := 0; i < len(word); i++ {
		if i+1 < len(word) && word[i] == p.left && word[i+1] == p.right {
			made = append(made, word[i]+word[i+1])
			i++
		} else {
			made = append(made, word[i])
		}
	}
	return made
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	in.Scan()
	wanted, _ := strconv.Atoi(strings.TrimSpace(in.Text()))
	places := map[string]int{}
	var parts []part
	var known []string
	number := map[string]int{}
	for in.Scan() && in.Text() != "%" {
		for _, word := range words(in.Text()) {
			if _, found := places[word]; !found {
				places[word] = len(parts)
				parts = append(parts, part{strings.Split(word, ""), 0})
			}
			parts[places[word]].times++
			for _, c := range strings.Split(word, "") {
				if _, found := number[c]; !found {
					number[c] = 0
					known = append(known, c)
				}
			}
		}
	}
	sort.Strings(known)
	var merges []pair
	for len(merges) < wanted {
		counts := map[pair]int{}
		var seen []pair
		for _, one := range parts {
			for i := 0; i+1 < len(one.tokens); i++ {
				p := pair{one.tokens[i], one.tokens[i+1]}
				if !fits(p) {
					continue
				}
				if counts[p] == 0 {
					seen = append(seen, p)
				}
				if types == 1 {
					counts[p]++
				} else {
					counts[p] += one.times
				}
			}
		}
		if len(seen) == 0 {
			break
		}
		best := seen[0]
		for _, p := range seen[1:] {
			if counts[p] > counts[best] || counts[p] == counts[best] && beats(p, best) {
				best = p
			}
		}
		if counts[best] < least {
			break
		}
		merges = append(merges, best)
		for i := range parts {
			parts[i].tokens = joined(parts[i].tokens, best)
		}
		fmt.Fprintln(out, best.left, best.right)
	}
	for i, c := range known {
		number[c] = i
	}
	for _, p := range merges {
		if _, found := number[p.left+p.right]; !found {
			number[p.left+p.right] = len(number)
		}
	}
	total, made, unknown := 0, 0, 0
	for in.Scan() {
		var said []string
		for _, word := range words(in.Text()) {
			var tokens []string
			if greedy == 1 {
				for len(word) > 0 {
					size := len(word)
					for ; size > 1; size-- {
						if _, found := number[word[:size]]; found {
							break
						}
					}
					tokens = append(tokens, word[:size])
					word = word[size:]
				}
			} else {
				tokens = strings.Split(word, "")
				for _, p := range merges {
					tokens = joined(tokens, p)
				}
			}
			total++
			for _, token := range tokens {
				n, found := number[token]
				if made++; !found {
					n = -1
					unknown++
				}
				if numbers == 1 {
					token = strconv.Itoa(n)
				}
				said = append(said, token)
			}
		}
		fmt.Fprintln(out, strings.Join(said, " "))
	}
	fmt.Fprintln(out, "words", total, "tokens", made, "unknown", unknown)
}
