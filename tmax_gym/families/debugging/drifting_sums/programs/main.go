// @about
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

/*@routines*/// Return the integral by Simpson's rule, from the step and an odd number of ordinates.
// There are three ordinates or more, a step apart.
func simpson(x []float64) float64 {
	last := len(x) - 1
	s := x[1] + x[last]
	for i := 2; i < last; i++ {
		if i % 2 == 0 {
			s += 4.0 * x[i]
		} else {
			s += 2.0 * x[i]
		}
	}
	return s * x[0] / 3.0
}

// Return how many of lo, lo + step, lo + 2 step and so on do not exceed hi.
// From lo, hi and step; a point counts as hi if it misses it by a millionth of a step or less.
func points(x []float64) float64 {
	steps := (x[1] - x[0]) / x[2]
	return math.Floor(steps + 1e-06) + 1.0
}

// Return the height of an arc over its chord, from the radius and the whole chord.
// The radius may be millions of times the chord, as that of the earth.
func sag(x []float64) float64 {
	r := x[0]
	h := x[1] / 2.0
	return r - math.Sqrt(r * r - h * h)
}

// Return the arithmetic-geometric mean of two positive numbers of any size.
// Both are replaced at once by their arithmetic and their geometric mean, until they agree.
func agm(x []float64) float64 {
	a := x[0]
	b := x[1]
	for turn := 0; turn < 80; turn++ {
		if math.Abs(a - b) <= 1e-14 * a {
			return a
		}
		half := (a + b) / 2.0
		b = math.Sqrt(a * b)
		a = half
	}
	return math.NaN()
}

// Return the sum of the numbers.
// Large ones may cancel and leave the small ones: 4e15 2.5 -4e15 makes 2.5.
func total(x []float64) float64 {
	s := 0.0
	lost := 0.0
	for _, v := range x {
		t := s + v
		if math.Abs(s) >= math.Abs(v) {
			lost += s - t + v
		} else {
			lost += v - t + s
		}
		s = t
	}
	return s + lost
}

// Return half the logarithm of (1 + z) / (1 - z), as z + z^3 / 3 + z^5 / 5 and so on.
// z is not 0 and lies between -0.99 and 0.99.
func artanh(x []float64) float64 {
	power := x[0]
	s := 0.0
	k := 1
	for turn := 0; turn < 5000; turn++ {
		term := power / float64(k)
		s += term
		if math.Abs(term) <= 1e-16 * math.Abs(s) {
			return s
		}
		power *= x[0] * x[0]
		k += 2
	}
	return math.NaN()
}/*@*/

func answer(name string, x []float64) float64 {
	switch name {
/*@chosen*/	case "simpson":
		return simpson(x)
	case "points":
		return points(x)
	case "sag":
		return sag(x)
	case "agm":
		return agm(x)
	case "total":
		return total(x)
	case "artanh":
		return artanh(x)/*@*/
	}
	return math.NaN()
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		var x []float64
		for _, word := range words[1:] {
			v, _ := strconv.ParseFloat(word, 64)
			x = append(x, v)
		}
		found := answer(words[0], x)
		if math.IsNaN(found) || math.IsInf(found, 0) {
			fmt.Println("none")
		} else {
			fmt.Printf("%.12e\n", found)
		}
	}
}
