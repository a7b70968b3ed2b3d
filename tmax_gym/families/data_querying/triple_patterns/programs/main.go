package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

type pair struct{ a, b string }
type relation map[pair]bool

var triples [][]string

func chained(one, two relation) relation {
	from := map[string][]string{}
	for p := range two {
		from[p.a] = append(from[p.a], p.b)
	}
	made := relation{}
	for p := range one {
		for _, end := range from[p.b] {
			made[pair{p.a, end}] = true
		}
	}
	return made
}

func step(text string) relation {
	back := strings.HasPrefix(text, "@inverse")
	star := strings.HasSuffix(text, "@star")
	many := star || strings.HasSuffix(text, "@plus")
	if back {
		text = text[1:]
	}
	if many {
		text = text[:len(text)-1]
	}
	pairs := relation{}
	for _, t := range triples {
		if t[1] == text && back {
			pairs[pair{t[2], t[0]}] = true
		} else if t[1] == text {
			pairs[pair{t[0], t[2]}] = true
		}
	}
	for size := 0; many && len(pairs) > size; {
		size = len(pairs)
		for p := range chained(pairs, pairs) {
			pairs[p] = true
		}
	}
	if star {
		for _, t := range triples {
			pairs[pair{t[0], t[0]}] = true
			pairs[pair{t[2], t[2]}] = true
		}
	}
	return pairs
}

func path(text string) relation {
	found := relation{}
	for _, part := range strings.Split(text, "@either") {
		steps := strings.Split(part, "@sequence")
		pairs := step(steps[0])
		for _, more := range steps[1:] {
			pairs = chained(pairs, step(more))
		}
		for p := range pairs {
			found[p] = true
		}
	}
	return found
}

func hops(start, end string, pairs relation) string {
	next := map[string][]string{}
	for p := range pairs {
		next[p.a] = append(next[p.a], p.b)
		if /*@both*/1/*@*/ == 1 {
			next[p.b] = append(next[p.b], p.a)
		}
	}
	seen := map[string]int{start: 0}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		if here == end {
			return strconv.Itoa(seen[here])
		}
		for _, node := range next[here] {
			if _, known := seen[node]; !known {
				seen[node] = seen[here] + 1
				queue = append(queue, node)
			}
		}
	}
	return "-"
}

func bind(binding map[string]string, name, value string) bool {
	if !strings.HasPrefix(name, "?") {
		return name == value
	}
	if old, known := binding[name]; known {
		return old == value
	}
	binding[name] = value
	return true
}

func late(part []string) bool {
	return part[0] == "not" || part[1] == "!=" || part[1] == "<"
}

func value(binding map[string]string, name string) string {
	if old, known := binding[name]; known {
		return old
	}
	return name
}

func fits(binding map[string]string, part []string) bool {
	if part[0] == "not" {
		return !path(part[2])[pair{value(binding, part[1]), value(binding, part[3])}]
	}
	left, right := value(binding, part[0]), value(binding, part[2])
	if part[1] == "!=" {
		return left != right
	}
	return left < right
}

func rows(head []string, parts [][]string) string {
	found := []map[string]string{{}}
	for _, part := range parts {
		if late(part) {
			continue
		}
		var more []map[string]string
		pairs := path(part[1])
		for _, binding := range found {
			for p := range pairs {
				new := map[string]string{}
				for k, v := range binding {
					new[k] = v
				}
				if bind(new, part[0], p.a) && bind(new, part[2], p.b) {
					more = append(more, new)
				}
			}
		}
		found = more
	}
	var made []string
	known := map[string]bool{}
next:
	for _, binding := range found {
		for _, part := range parts {
			if late(part) && !fits(binding, part) {
				continue next
			}
		}
		var row []string
		for _, name := range head {
			row = append(row, binding[name])
		}
		said := strings.Join(row, ",")
		if /*@bag*/1/*@*/ == 1 || !known[said] {
			made = append(made, said)
		}
		known[said] = true
	}
	if len(made) == 0 {
		return "none"
	}
	sort.Strings(made)
	return strings.Join(made, " ")
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() && in.Text() != "?" {
		triples = append(triples, strings.Fields(in.Text()))
	}
	for in.Scan() {
		cut := strings.SplitN(in.Text(), " : ", 2)
		head := strings.Fields(cut[0])
		if head[0] == "hops" {
			fmt.Println(hops(head[1], head[2], path(cut[1])))
			continue
		}
		var parts [][]string
		for _, part := range strings.Split(cut[1], " . ") {
			parts = append(parts, strings.Fields(part))
		}
		fmt.Println(rows(head, parts))
	}
}
