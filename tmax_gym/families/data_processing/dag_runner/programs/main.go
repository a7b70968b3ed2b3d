package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

const order, delay, pause, halt, byStart, resume = /*@order*/0/*@*/, /*@delay*/0/*@*/, /*@pause*/0/*@*/, /*@halt*/1/*@*/, /*@starts*/1/*@*/, /*@resume*/0/*@*/

type step struct {
	number       map[string]int
	needs, wants []string
}

type attempt struct{ end, started int }

var steps = map[string]*step{}
var names []string
var settled = map[string]string{}

func has(list []string, name string) bool {
	for _, other := range list {
		if other == name {
			return true
		}
	}
	return false
}

func behind(name string) []string {
	var found []string
	for _, other := range names {
		if has(steps[other].needs, name) || has(steps[other].wants, name) {
			found = append(found, other)
		}
	}
	return found
}

func path(name string) int {
	longest := 0
	for _, other := range behind(name) {
		if p := path(other); p > longest {
			longest = p
		}
	}
	return steps[name].number["cost"] + longest
}

func urgency(name string) int {
	switch order {
	case 0:
		return steps[name].number["rank"]
	case 1:
		return -steps[name].number["rank"]
	case 2:
		return -path(name)
	case 3:
		return -len(behind(name))
	}
	return steps[name].number["cost"]
}

func split(text string) []string {
	if text == "-" {
		return nil
	}
	return strings.Split(text, ",")
}

func stuck() []string {
	left := append([]string{}, names...)
	for {
		var kept []string
		for _, name := range left {
			for _, n := range append(append([]string{}, steps[name].needs...), steps[name].wants...) {
				if has(left, n) {
					kept = append(kept, name)
					break
				}
			}
		}
		if len(kept) == len(left) {
			return left
		}
		left = kept
	}
}

func skipBehind(name string, now int) {
	lost := map[string]bool{}
	more := []string{name}
	for len(more) > 0 {
		var next []string
		for _, other := range names {
			for _, n := range steps[other].needs {
				if has(more, n) && !lost[other] && settled[other] == "" {
					lost[other] = true
					next = append(next, other)
				}
			}
		}
		more = next
	}
	for _, other := range names {
		if lost[other] {
			settled[other] = "skipped"
			fmt.Println(now, "skipped", other)
		}
	}
}

func main() {
	workers := 1
	kept := map[string]bool{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "workers":
			workers, _ = strconv.Atoi(words[1])
		case "kept":
			kept[words[1]] = true
		case "step":
			s := &step{number: map[string]int{}}
			for _, item := range words[2:] {
				pair := strings.SplitN(item, "=", 2)
				if pair[0] == "needs" {
					s.needs = split(pair[1])
				} else if pair[0] == "wants" {
					s.wants = split(pair[1])
				} else {
					s.number[pair[0]], _ = strconv.Atoi(pair[1])
				}
			}
			steps[words[1]] = s
			names = append(names, words[1])
		}
	}
	sort.Strings(names)
	if left := stuck(); len(left) > 0 {
		fmt.Println("cycle", strings.Join(left, " "))
		return
	}
	for moved := resume == 2; moved; {
		moved = false
		for _, name := range names {
			for _, n := range steps[name].needs {
				if kept[name] && !kept[n] {
					kept[name], moved = false, true
				}
			}
		}
	}
	rank, free, attempts := map[string]int{}, map[string]int{}, map[string]int{}
	running := map[string]attempt{}
	for _, name := range names {
		rank[name] = urgency(name)
		if resume > 0 && kept[name] {
			settled[name] = "kept"
			fmt.Println(0, "kept", name)
		}
	}
	now, starts, halted := 0, 0, false
	for {
		var over []string
		for _, name := range names {
			if run, ok := running[name]; ok && run.end == now {
				over = append(over, name)
			}
		}
		if byStart == 1 {
			sort.Slice(over, func(a, b int) bool {
				return running[over[a]].started < running[over[b]].started
			})
		}
		for _, name := range over {
			delete(running, name)
			count := attempts[name]
			if count > steps[name].number["fails"] {
				settled[name] = "done"
				fmt.Println(now, "done", name)
			} else if count < steps[name].number["tries"] && !halted {
				factor := []int{1, count, 1 << uint(count-1)}[delay]
				free[name] = now + pause*factor
				fmt.Println(now, "retry", name)
			} else {
				settled[name] = "failed"
				fmt.Println(now, "failed", name)
				if halt == 1 {
					halted = true
				} else {
					skipBehind(name, now)
				}
			}
		}
		var ready []string
		next := -1
		for _, name := range names {
			if _, busy := running[name]; busy || halted || settled[name] != "" {
				continue
			}
			fit := true
			for _, n := range steps[name].needs {
				fit = fit && (settled[n] == "done" || settled[n] == "kept")
			}
			for _, n := range steps[name].wants {
				fit = fit && settled[n] != ""
			}
			if free[name] > now {
				if next < 0 || free[name] < next {
					next = free[name]
				}
			} else if fit {
				ready = append(ready, name)
			}
		}
		sort.SliceStable(ready, func(a, b int) bool { return rank[ready[a]] < rank[ready[b]] })
		for _, name := range ready {
			if len(running) >= workers {
				break
			}
			fmt.Println(now, "start", name)
			starts++
			attempts[name]++
			running[name] = attempt{now + steps[name].number["cost"], starts}
		}
		for _, run := range running {
			if next < 0 || run.end < next {
				next = run.end
			}
		}
		if next < 0 {
			break
		}
		now = next
	}
	count := map[string]int{}
	for _, name := range names {
		if settled[name] == "" {
			settled[name] = "skipped"
			fmt.Println(now, "skipped", name)
		}
		count[settled[name]]++
	}
	fmt.Printf("%d end done=%d kept=%d failed=%d skipped=%d\n", now, count["done"],
		count["kept"], count["failed"], count["skipped"])
}
