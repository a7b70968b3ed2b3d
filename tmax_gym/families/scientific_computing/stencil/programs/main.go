package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

const n, rounds, taper, power, wantMean = /*@cells*/50/*@*/, /*@rounds*/60/*@*/, /*@taper*/1/*@*/, /*@power*/0/*@*/, /*@mean*/1/*@*/

func poly(c []float64, x float64) float64 {
	v := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		v = v*x + c[i]
	}
	return v
}

func main() {
	given := map[string][]float64{"section": {1}, "drift": {0}, "loss": {0}}
	kinds := map[string]string{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue
		}
		rest := words[1:]
		if words[0] == "left" || words[0] == "right" {
			kinds[words[0]], rest = rest[0], rest[1:]
		}
		var list []float64
		for _, w := range rest {
			v, _ := strconv.ParseFloat(w, 64)
			list = append(list, v)
		}
		given[words[0]] = list
	}
	a := given["span"][0]
	h := (given["span"][1] - a) / n
	k0, k1 := given["conductivity"][0], 0.0
	if len(given["conductivity"]) > 1 {
		k1 = given["conductivity"][1]
	}
	speed, rate := given["drift"][0], given["loss"][0]
	area := []float64{1}
	if taper == 1 {
		area = given["section"]
	}
	u := make([]float64, n+1)
	for i := range u {
		u[i] = 2
	}
	low, mid := make([]float64, n+1), make([]float64, n+1)
	top, rest := make([]float64, n+1), make([]float64, n+1)
	for round := 0; round < rounds; round++ {
		for i := 0; i <= n; i++ {
			end, name := i == 0 || i == n, "left"
			if i == n {
				name = "right"
			}
			if end && kinds[name] == "value" {
				low[i], mid[i], top[i], rest[i] = 0, 1, 0, given[name][0]-u[i]
				continue
			}
			x, w := a+float64(i)*h, h
			if end {
				w = /*@half*/1.0/*@*/ * h
			}
			f, m := -poly(given["source"], x), 0.0
			var sides [2]float64
			for number := range sides {
				step := float64(2*number - 1)
				j := i + 2*number - 1
				var g, gi, gj float64
				if j < 0 || j > n {
					turn := 1.0
					if i == n {
						turn = /*@sign*/-1.0/*@*/
					}
					g = given[name][0]
					if kinds[name] == "exchange" {
						gi = turn * g
						g = gi * (u[i] - given[name][1])
					}
					g, gi = g*poly(area, x), gi*poly(area, x)
				} else {
					s, k := poly(area, x+step*h/2), k0+k1*(u[i]+u[j])/2
					d := step * (u[j] - u[i]) / h
					g, gi, gj = s*k*d, s*(k1/2*d-step*k/h), s*(k1/2*d+step*k/h)
					back := speed * step / (2 * h)
					if end {
						back = speed * step / h
						f -= back * u[i]
						m -= back
					}
					f += back * u[j]
					sides[number] += back
				}
				f -= step * g / w
				m -= step * gi / w
				sides[number] -= step * gj / w
			}
			if power == 1 {
				f += rate * u[i]
				m += rate
			} else if power == 3 {
				f += rate * u[i] * u[i] * u[i]
				m += 3 * rate * u[i] * u[i]
			}
			low[i], mid[i], top[i], rest[i] = sides[0], m, sides[1], -f
		}
		for i := 1; i <= n; i++ {
			q := low[i] / mid[i-1]
			mid[i] -= q * top[i-1]
			rest[i] -= q * rest[i-1]
		}
		largest := 0.0
		for i := n; i >= 0; i-- {
			if i < n {
				rest[i] -= top[i] * rest[i+1]
			}
			rest[i] /= mid[i]
			u[i] += rest[i]
			largest = math.Max(largest, math.Abs(rest[i]))
		}
		if largest < 1e-11 {
			break
		}
	}
	for _, x := range given["at"] {
		place := (x - a) / h
		i := int(place)
		if i >= n {
			i = n - 1
		}
		fmt.Printf("%.9f\n", u[i]+(place-float64(i))*(u[i+1]-u[i]))
	}
	total := 0.0
	for i := 0; i < n; i++ {
		total += (u[i] + u[i+1]) / 2
	}
	if wantMean == 1 {
		fmt.Printf("%.9f\n", total/n)
	}
}
