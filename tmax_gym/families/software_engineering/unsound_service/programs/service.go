//@ frame
package main

import (
/*@imports*/	"bufio"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
/*@*/)

const lanes = 4

//@ desk
// BEGIN desk
// Desk stands for the server of another team.  It answers in groups: a call is held until
// lanes of them are open, or as many as are still expected.
type Desk struct {
	mu       sync.Mutex
	expected int
	open     []chan struct{}
}

// Expect says how many calls are to come, once before them.
func (d *Desk) Expect(calls int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expected = calls
}

// Ask returns the fee of a name.
func (d *Desk) Ask(name string) int64 {
	held := make(chan struct{})
	d.mu.Lock()
	d.open = append(d.open, held)
	if len(d.open) == lanes || len(d.open) == d.expected {
		d.expected -= len(d.open)
		for _, call := range d.open {
			close(call)
		}
		d.open = nil
	}
	d.mu.Unlock()
	<-held
	return int64(len(name))
}

// END desk
//@ rows

var desk Desk

// Row is one row of a batch.
type Row struct {
	name  string
	value int64
}

// readBatch reads the lines "name value" up to a line "end"; false where none are left.
func readBatch(in *bufio.Scanner) ([]Row, bool) {
	rows := []Row{}
	for in.Scan() {
		var row Row
		if in.Text() == "end" {
			return rows, true
		}
		fmt.Sscan(in.Text(), &row.name, &row.value)
		rows = append(rows, row)
	}
	return rows, len(rows) > 0
}

// printBatch prints every row, then how many there are, their sum, and how many goroutines
// the batch has left behind.
func printBatch(rows []Row) {
	var total int64
	for _, row := range rows {
		fmt.Println(row.name, row.value)
		total += row.value
	}
	for tries := 0; runtime.NumGoroutine() > 1 && tries < 100; tries++ {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("=", len(rows), total, "left", runtime.NumGoroutine()-1)
}
//@ price
// @doc
func price(rows []Row, factor int64) []Row {
	desk.Expect(len(rows))
	jobs := make(chan int)
	var crew sync.WaitGroup
	for lane := 0; lane < lanes; lane++ {
		crew.Add(1)
		go func() {
			defer crew.Done()
			for at := range jobs {
				rows[at].value = rows[at].value*factor + desk.Ask(rows[at].name)
			}
		}()
	}
	for at := range rows {
		jobs <- at
	}
	close(jobs)
	crew.Wait()
	return rows
}
//@ fee
// @doc
func fee(rows []Row, factor int64) []Row {
	type answer struct {
		at  int
		fee int64
	}
	desk.Expect(len(rows))
	answers := make(chan answer)
	for at, row := range rows {
		go func(at int, name string) {
			got := desk.Ask(name)
			answers <- answer{at, got}
		}(at, row.name)
	}
	for range rows {
		got := <-answers
		rows[got.at].value += factor * got.fee
	}
	return rows
}
//@ tally
// Store holds sums by name; several may use it at once.
type Store struct {
	mu   sync.Mutex
	sums map[string]int64
}

// Add adds a row to the sum of its name.
func (s *Store) Add(row Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[row.name] += row.value
}

// Take hands a sum out, once.
func (s *Store) Take(name string) (int64, bool) {
	s.mu.Lock()
	sum, there := s.sums[name]
	delete(s.sums, name)
	s.mu.Unlock()
	return sum, there
}

// @doc
func tally(rows []Row) []Row {
	store := &Store{sums: map[string]int64{}}
	var crew sync.WaitGroup
	for lane := 0; lane < lanes; lane++ {
		crew.Add(1)
		go func(lane int) {
			defer crew.Done()
			for at := lane; at < len(rows); at += lanes {
				store.Add(rows[at])
			}
		}(lane)
	}
	crew.Wait()
	made := []Row{}
	for _, row := range rows {
		if sum, there := store.Take(row.name); there {
			made = append(made, Row{row.name, sum})
		}
	}
	return made
}
//@ drop
// @doc
func drop(rows []Row, least int64) []Row {
	raw, kept := make(chan Row), make(chan Row)
	go func() {
		defer close(raw)
		for _, row := range rows {
			raw <- row
		}
	}()
	go func() {
		defer close(kept)
		for row := range raw {
			if row.value >= least {
				kept <- row
			}
		}
	}()
	made := []Row{}
	for row := range kept {
		made = append(made, row)
	}
	return made
}
//@ head
// @doc
func head(rows []Row, most int) []Row {
	source, done := make(chan Row), make(chan struct{})
	go func() {
		defer close(source)
		for _, row := range rows {
			select {
			case source <- row:
			case <-done:
				return
			}
		}
	}()
	made := []Row{}
	for row := range source {
		made = append(made, row)
		if len(made) == most {
			break
		}
	}
	close(done)
	return made
}
//@ spread
// @doc
func spread(rows []Row, size int64) []Row {
	parts := make(chan []int64)
	for lane := 0; lane < lanes; lane++ {
		go func(lane int) {
			counts := make([]int64, size)
			for at := lane; at < len(rows); at += lanes {
				counts[(rows[at].value%size+size)%size]++
			}
			parts <- counts
		}(lane)
	}
	totals := make([]int64, size)
	for lane := 0; lane < lanes; lane++ {
		for at, count := range <-parts {
			totals[at] += count
		}
	}
	made := []Row{}
	for at, total := range totals {
		made = append(made, Row{fmt.Sprint("b", at), total})
	}
	return made
}
//@ rank
func better(a, b Row) bool {
	if a.value != b.value {
		return a.value > b.value
	}
	return a.name < b.name
}

// sorted sorts a copy of some rows and sends it, the best first.
func sorted(rows []Row, to chan<- []Row) {
	part := append([]Row{}, rows...)
	sort.Slice(part, func(a, b int) bool { return better(part[a], part[b]) })
	to <- part
}

// @doc
func rank(rows []Row, most int) []Row {
	left, right := make(chan []Row), make(chan []Row)
	go sorted(rows[:len(rows)/2], left)
	go sorted(rows[len(rows)/2:], right)
	a, b := <-left, <-right
	made := []Row{}
	for len(a)+len(b) > 0 && len(made) < most {
		if len(b) == 0 || len(a) > 0 && better(a[0], b[0]) {
			made, a = append(made, a[0]), a[1:]
		} else {
			made, b = append(made, b[0]), b[1:]
		}
	}
	return made
}
//@
func main() {
	printBatch(nil)
	fmt.Fprintln(os.Stderr)
}
