package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var seed uint64
	var replicates, value, n int
	var stratum string
	fmt.Fscan(in, &seed, &replicates)
	groups := map[string][]int{}
	for {
		if got, _ := fmt.Fscan(in, &stratum, &value); got != 2 {
			break
		}
		if /*@strata*/0/*@*/ == 0 {
			stratum = ""
		}
		groups[stratum] = append(groups[stratum], value)
		n++
	}
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	sort.Strings(names)
	x, drop := uint32(seed), n*/*@trim*/5/*@*//100
	var found []int
	for b := 0; b < replicates; b++ {
		var picked []int
		for _, name := range names {
			values := groups[name]
			for range values {
				x = /*@multiplier*/69069/*@*/*x + /*@increment*/1/*@*/
				picked = append(picked, values[int((x >> 16))%len(values)])
			}
		}
		sort.Ints(picked)
		total := 0
		for _, v := range picked[drop : n-drop] {
			total += v
		}
		found = append(found, 1000 * total/(n-2*drop))
	}
	sort.Ints(found)
	fmt.Println(found[replicates*/*@tail*/50/*@*//1000], found[replicates*500/1000],
		found[replicates*(1000-/*@tail*/50/*@*/)/1000])
}
