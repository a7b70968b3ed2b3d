package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
)

const scaling, whole, oddity, limit, mend = /*@scale@*/2/*@*/, /*@whole@*/0/*@*/, /*@odd@*/0/*@*/, /*@limit@*/87/*@*/, /*@mend@*/1/*@*/
const change, bound, window = /*@change@*/0/*@*/, /*@bound@*/250/*@*/, /*@window@*/5/*@*/
const metric, band, deal = /*@distance@*/0/*@*/, /*@band@*/2/*@*/, /*@deal@*/2/*@*/

var names []string
var rows [][]int
var all []int
var workers int

func floor(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

func sum(z []int) int {
	total := 0
	for _, v := range z {
		total += v
	}
	return total
}

func sorted(z []int) []int {
	made := append([]int{}, z...)
	sort.Ints(made)
	return made
}

func scale(given, values []int) []int {
	known := sorted(given)
	n := len(known)
	middle, size, unit := known[0], known[n-1]-known[0], 1000
	if scaling > 0 {
		unit, middle = 100, known[n/2]
		if scaling == 1 {
			middle = floor(sum(known), n)
		}
		off := make([]int, n)
		for i, v := range known {
			off[i] = abs(v - middle)
		}
		size = sorted(off)[n/2]
		if scaling == 1 {
			size = sum(off) / n
		}
	}
	if size == 0 {
		size = 1
	}
	made := make([]int, len(values))
	for i, v := range values {
		made[i] = floor(unit*(v-middle), size)
	}
	return made
}

func isOdd(z []int, i int) bool {
	switch oddity {
	case 0:
		return abs(z[i]-sorted(z)[len(z)/2]) > limit
	case 1:
		return i > 0 && i < len(z)-1 && abs(2*z[i]-z[i-1]-z[i+1]) > limit
	}
	return i >= window && abs(window*z[i]-sum(z[i-window:i])) > limit*window
}

func splits(z []int, low, high int) []int {
	n, total, head, best, place := high-low, sum(z[low:high]), 0, 0, 0
	for k := 1; k < n; k++ {
		head += z[low+k-1]
		if size := abs(n*head - k*total); size > best {
			best, place = size, k
		}
	}
	if best <= bound*n {
		return nil
	}
	cut := low + place
	if change == 0 {
		return []int{cut}
	}
	return append(append(splits(z, low, cut), cut), splits(z, cut, high)...)
}

func pairs(z []int) []int {
	var taken []int
	gone := make([]bool, len(z)+1)
	for {
		best, place := bound*window, -1
		for k := window; k+window <= len(z); k++ {
			if size := abs(sum(z[k:k+window]) - sum(z[k-window:k])); !gone[k] && size > best {
				best, place = size, k
			}
		}
		if place < 0 {
			sort.Ints(taken)
			return taken
		}
		taken = append(taken, place)
		for k := range gone {
			gone[k] = gone[k] || abs(k-place) < window
		}
	}
}

type result struct {
	odd, steps, z []int
	least, at     int
}

func look(n int) result {
	var r result
	r.z = scale(rows[n], rows[n])
	if whole == 1 {
		r.z = scale(all, rows[n])
	}
	for i := range r.z {
		if isOdd(r.z, i) {
			r.odd = append(r.odd, i)
		}
	}
	for _, i := range r.odd {
		if mend == 1 && i > 0 {
			r.z[i] = r.z[i-1]
		}
	}
	if change == 1 {
		r.steps = pairs(r.z)
	} else {
		r.steps = splits(r.z, 0, len(r.z))
	}
	return r
}

func apart(a, b []int) int {
	total, most, squares := 0, 0, 0
	for i := range a {
		d := abs(a[i] - b[i])
		total += d
		squares += d * d
		if d > most {
			most = d
		}
	}
	switch metric {
	case 0:
		return total
	case 1:
		return most
	case 2:
		return squares / len(a)
	}
	const far = 1 << 60
	above := make([]int, len(b))
	for j := range above {
		above[j] = far
	}
	for i := range a {
		row := make([]int, len(b))
		for j := range row {
			row[j] = far
			if abs(i-j) > band {
				continue
			}
			before := above[j]
			if j > 0 && row[j-1] < before {
				before = row[j-1]
			}
			if j > 0 && above[j-1] < before {
				before = above[j-1]
			}
			if i == 0 && j == 0 {
				before = 0
			}
			row[j] = abs(a[i]-b[j]) + before
		}
		above = row
	}
	return above[len(b)-1]
}

func worker(n int) int {
	if deal == 1 {
		return n / ((len(rows) + workers - 1) / workers)
	}
	if deal == 2 && n/workers%2 == 1 {
		return workers - 1 - n%workers
	}
	return n % workers
}

func spread(task func(n int)) {
	var group sync.WaitGroup
	for w := 0; w < workers; w++ {
		group.Add(1)
		go func(w int) {
			defer group.Done()
			for n := range rows {
				if worker(n) == w {
					task(n)
				}
			}
		}(w)
	}
	group.Wait()
}

func shown(places []int) string {
	if len(places) == 0 {
		return "-"
	}
	var made []string
	for _, p := range places {
		made = append(made, strconv.Itoa(p+1))
	}
	return strings.Join(made, ",")
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<20)
	in.Scan()
	workers, _ = strconv.Atoi(strings.TrimSpace(in.Text()))
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue
		}
		names = append(names, words[0])
		var row []int
		for _, word := range words[1:] {
			v, _ := strconv.Atoi(word)
			row = append(row, v)
		}
		rows = append(rows, row)
		all = append(all, row...)
	}
	found := make([]result, len(rows))
	spread(func(n int) { found[n] = look(n) })
	spread(func(n int) {
		found[n].at = -1
		for o := range found {
			d, one := apart(found[n].z, found[o].z), &found[n]
			if o != n && (one.at < 0 || d < one.least) {
				one.least, one.at = d, o
			}
		}
	})
	for n, r := range found {
		fmt.Println(names[n], shown(r.odd), shown(r.steps), names[r.at], r.least, worker(n)+1)
	}
	for w := 0; w < workers; w++ {
		count, odd, steps := 0, 0, 0
		for n, r := range found {
			if worker(n) == w {
				count, odd, steps = count+1, odd+len(r.odd), steps+len(r.steps)
			}
		}
		fmt.Printf("worker %d: %d %d %d\n", w+1, count, odd, steps)
	}
}
