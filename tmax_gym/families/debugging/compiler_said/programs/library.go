package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)
//@ record

// Record: @doc
type Record struct {
	name  string
	value int64
}

// Table: all lines, in order.
type Table []Record
//@ reading

// @doc
func readTable(from io.Reader) Table {
	made := Table{}
	in := bufio.NewReader(from)
	for {
		var next Record
		if _, err := fmt.Fscan(in, &next.name, &next.value); err != nil {
			return made
		}
		made = append(made, next)
	}
}
//@ report

// @doc
func printTable(to io.Writer, shown Table) {
	var total int64
	for _, one := range shown {
		fmt.Fprintln(to, one.name, one.value)
		total += one.value
	}
	fmt.Fprintln(to, "rows", len(shown), "total", total)
}
//@ scale

// @doc
func scale(t Table, factor, offset int64) Table {
	for i := range t {
		t[i].value = t[i].value*factor + offset
	}
	return t
}
//@ wrap

// @doc
func wrap(t Table, size int64) Table {
	for i := range t {
		rest := t[i].value % size
		if rest < 0 {
			rest += size
		}
		t[i].value = rest
	}
	return t
}
//@ merge

// @doc
func merge(t Table) Table {
	places := map[string]int{}
	kept := Table{}
	for _, row := range t {
		place, found := places[row.name]
		if !found {
			place = len(kept)
			places[row.name] = place
			kept = append(kept, Record{row.name, 0})
		}
		kept[place].value += row.value
	}
	return kept
}
//@ rank

// @doc
func rank(t Table) Table {
	sort.Slice(t, func(a, b int) bool {
		if t[a].value != t[b].value {
			return t[a].value > t[b].value
		}
		return t[a].name < t[b].name
	})
	return t
}
//@ delta

// @doc
func delta(t Table) Table {
	var before int64
	for i, row := range t {
		if i == 0 {
			before = row.value
		}
		t[i].value = row.value - before
		before = row.value
	}
	return t
}
//@ window

// @doc
func window(t Table, length int) Table {
	for i := len(t) - 1; i >= 0; i-- {
		for back := 1; back < length && back <= i; back++ {
			t[i].value += t[i-back].value
		}
	}
	return t
}
//@ keep

// @doc
func keep(t Table, least int64) Table {
	var kept Table
	for _, row := range t {
		if row.value >= least {
			kept = append(kept, row)
		}
	}
	return kept
}
//@ head

// @doc
func head(t Table, most int) Table {
	if len(t) > most {
		return t[:most]
	}
	return t
}
//@ fold

// @doc
func fold(t Table) Table {
	for i, row := range t {
		t[i].name = strings.ToLower(row.name)
	}
	return t
}
//@

func main() {
	printTable(os.Stdout, readTable(os.Stdin))
}
