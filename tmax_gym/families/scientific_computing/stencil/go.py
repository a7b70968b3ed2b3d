"""The solver of the stencil family in Go, to be filled with the numbers of a law."""

from __future__ import annotations

GO = """\
package main

import (
\t"bufio"
\t"fmt"
\t"math"
\t"os"
\t"strconv"
\t"strings"
)

const n, rounds, taper, power, wantMean = @cells, @rounds, @taper, @power, @mean

func poly(c []float64, x float64) float64 {
\tv := 0.0
\tfor i := len(c) - 1; i >= 0; i-- {
\t\tv = v*x + c[i]
\t}
\treturn v
}

func main() {
\tgiven := map[string][]float64{"section": {1}, "drift": {0}, "loss": {0}}
\tkinds := map[string]string{}
\tin := bufio.NewScanner(os.Stdin)
\tfor in.Scan() {
\t\twords := strings.Fields(in.Text())
\t\tif len(words) == 0 {
\t\t\tcontinue
\t\t}
\t\trest := words[1:]
\t\tif words[0] == "left" || words[0] == "right" {
\t\t\tkinds[words[0]], rest = rest[0], rest[1:]
\t\t}
\t\tvar list []float64
\t\tfor _, w := range rest {
\t\t\tv, _ := strconv.ParseFloat(w, 64)
\t\t\tlist = append(list, v)
\t\t}
\t\tgiven[words[0]] = list
\t}
\ta := given["span"][0]
\th := (given["span"][1] - a) / n
\tk0, k1 := given["conductivity"][0], 0.0
\tif len(given["conductivity"]) > 1 {
\t\tk1 = given["conductivity"][1]
\t}
\tspeed, rate := given["drift"][0], given["loss"][0]
\tarea := []float64{1}
\tif taper == 1 {
\t\tarea = given["section"]
\t}
\tu := make([]float64, n+1)
\tfor i := range u {
\t\tu[i] = 2
\t}
\tlow, mid := make([]float64, n+1), make([]float64, n+1)
\ttop, rest := make([]float64, n+1), make([]float64, n+1)
\tfor round := 0; round < rounds; round++ {
\t\tfor i := 0; i <= n; i++ {
\t\t\tend, name := i == 0 || i == n, "left"
\t\t\tif i == n {
\t\t\t\tname = "right"
\t\t\t}
\t\t\tif end && kinds[name] == "value" {
\t\t\t\tlow[i], mid[i], top[i], rest[i] = 0, 1, 0, given[name][0]-u[i]
\t\t\t\tcontinue
\t\t\t}
\t\t\tx, w := a+float64(i)*h, h
\t\t\tif end {
\t\t\t\tw = @half * h
\t\t\t}
\t\t\tf, m := -poly(given["source"], x), 0.0
\t\t\tvar sides [2]float64
\t\t\tfor number := range sides {
\t\t\t\tstep := float64(2*number - 1)
\t\t\t\tj := i + 2*number - 1
\t\t\t\tvar g, gi, gj float64
\t\t\t\tif j < 0 || j > n {
\t\t\t\t\tturn := 1.0
\t\t\t\t\tif i == n {
\t\t\t\t\t\tturn = @sign
\t\t\t\t\t}
\t\t\t\t\tg = given[name][0]
\t\t\t\t\tif kinds[name] == "exchange" {
\t\t\t\t\t\tgi = turn * g
\t\t\t\t\t\tg = gi * (u[i] - given[name][1])
\t\t\t\t\t}
\t\t\t\t\tg, gi = g*poly(area, x), gi*poly(area, x)
\t\t\t\t} else {
\t\t\t\t\ts, k := poly(area, x+step*h/2), k0+k1*(u[i]+u[j])/2
\t\t\t\t\td := step * (u[j] - u[i]) / h
\t\t\t\t\tg, gi, gj = s*k*d, s*(k1/2*d-step*k/h), s*(k1/2*d+step*k/h)
\t\t\t\t\tback := speed * step / (2 * h)
\t\t\t\t\tif end {
\t\t\t\t\t\tback = speed * step / h
\t\t\t\t\t\tf -= back * u[i]
\t\t\t\t\t\tm -= back
\t\t\t\t\t}
\t\t\t\t\tf += back * u[j]
\t\t\t\t\tsides[number] += back
\t\t\t\t}
\t\t\t\tf -= step * g / w
\t\t\t\tm -= step * gi / w
\t\t\t\tsides[number] -= step * gj / w
\t\t\t}
\t\t\tif power == 1 {
\t\t\t\tf += rate * u[i]
\t\t\t\tm += rate
\t\t\t} else if power == 3 {
\t\t\t\tf += rate * u[i] * u[i] * u[i]
\t\t\t\tm += 3 * rate * u[i] * u[i]
\t\t\t}
\t\t\tlow[i], mid[i], top[i], rest[i] = sides[0], m, sides[1], -f
\t\t}
\t\tfor i := 1; i <= n; i++ {
\t\t\tq := low[i] / mid[i-1]
\t\t\tmid[i] -= q * top[i-1]
\t\t\trest[i] -= q * rest[i-1]
\t\t}
\t\tlargest := 0.0
\t\tfor i := n; i >= 0; i-- {
\t\t\tif i < n {
\t\t\t\trest[i] -= top[i] * rest[i+1]
\t\t\t}
\t\t\trest[i] /= mid[i]
\t\t\tu[i] += rest[i]
\t\t\tlargest = math.Max(largest, math.Abs(rest[i]))
\t\t}
\t\tif largest < 1e-11 {
\t\t\tbreak
\t\t}
\t}
\tfor _, x := range given["at"] {
\t\tplace := (x - a) / h
\t\ti := int(place)
\t\tif i >= n {
\t\t\ti = n - 1
\t\t}
\t\tfmt.Printf("%.9f\\n", u[i]+(place-float64(i))*(u[i+1]-u[i]))
\t}
\ttotal := 0.0
\tfor i := 0; i < n; i++ {
\t\ttotal += (u[i] + u[i+1]) / 2
\t}
\tif wantMean == 1 {
\t\tfmt.Printf("%.9f\\n", total/n)
\t}
}
"""
