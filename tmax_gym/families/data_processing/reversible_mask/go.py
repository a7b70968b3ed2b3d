"""The program of the reversible-mask family in Go, to be filled with numbers."""

from __future__ import annotations

GO = """\
package main

import (
\t"bufio"
\t"fmt"
\t"os"
\t"strings"
)

const (
\tright, longer, named, single, backward = @right, @longer, @named, @single, @backward
\tmix, shift, rounds                     = @mix, @shift, @rounds
)

var multiplier, step uint32 = @multiplier, @step

type column struct {
\tname                         string
\tdigits, letters, keep, check int
}

var known = []column{
@columns
}
var key uint32
var undo bool

func mixed(h, v uint32) uint32 {
\tif mix == 0 {
\t\th = (h ^ v) * multiplier
\t} else if mix == 1 {
\t\th = h*multiplier + v
\t} else {
\t\th += v
\t\th ^= h << 13
\t\th ^= h >> 17
\t\th ^= h << 5
\t}
\treturn h ^ h>>shift
}

func turn(name string, base uint64, d []uint64) {
\tif len(d) < 2 {
\t\treturn
\t}
\tmiddle := (len(d) + longer) / 2
\tfor k := 1; k <= rounds; k++ {
\t\tr := k
\t\tif undo && backward == 1 {
\t\t\tr = rounds + 1 - k
\t\t}
\t\thalf, other := d[:middle], d[middle:]
\t\tif (r+1+right)%2 == 1 {
\t\t\thalf, other = other, half
\t\t}
\t\th := key + uint32(r)*step
\t\tif named == 1 {
\t\t\tfor i := 0; i < len(name); i++ {
\t\t\t\th = mixed(h, uint32(name[i]))
\t\t\t}
\t\t}
\t\tfor _, v := range other {
\t\t\th = mixed(h, uint32(v)+1)
\t\t}
\t\tif single == 1 {
\t\t\tfor i := range half {
\t\t\t\th = mixed(h, uint32(i)+1)
\t\t\t\tby := uint64(h>>16) % base
\t\t\t\tif undo {
\t\t\t\t\tby = base - by
\t\t\t\t}
\t\t\t\thalf[i] = (half[i] + by) % base
\t\t\t}
\t\t\tcontinue
\t\t}
\t\tvar number, whole uint64 = 0, 1
\t\tfor _, v := range half {
\t\t\tnumber, whole = number*base+v, whole*base
\t\t}
\t\tby := uint64(h) % whole
\t\tif undo {
\t\t\tby = whole - by
\t\t}
\t\tnumber = (number + by) % whole
\t\tfor i := len(half) - 1; i >= 0; i-- {
\t\t\thalf[i], number = number%base, number/base
\t\t}
\t}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func checkDigit(kind int, text []byte) byte {
\tvar digits []int
\tfor _, c := range text {
\t\tif isDigit(c) {
\t\t\tdigits = append(digits, int(c-'0'))
\t\t}
\t}
\tdigits = digits[:len(digits)-1]
\ttotal := 0
\tif kind == 3 {
\t\tfor i, d := range digits {
\t\t\ttotal += (i + 1) * d
\t\t}
\t\treturn byte('0' + total%11%10)
\t}
\tfor i := range digits {
\t\tvalue := digits[len(digits)-1-i]
\t\tif i%2 == 0 && kind == 1 {
\t\t\tvalue *= 2
\t\t} else if i%2 == 0 {
\t\t\tvalue *= 3
\t\t}
\t\tif kind == 1 && value > 9 {
\t\t\tvalue -= 9
\t\t}
\t\ttotal += value
\t}
\treturn byte('0' + (10-total%10)%10)
}

func convert(c column, cell string) string {
\ttext := []byte(cell)
\tnumbers, last, seen := 0, -1, 0
\tfor i, b := range text {
\t\tif isDigit(b) {
\t\t\tnumbers, last = numbers+1, i
\t\t}
\t}
\tif c.check == 0 {
\t\tlast = -1
\t} else if numbers < 2 || text[last] != checkDigit(c.check, text) {
\t\treturn "invalid"
\t}
\tvar places [2][]int
\tvar members [2][]uint64
\tfor i, b := range text {
\t\tif !isDigit(b) && !isLower(b) && !isUpper(b) {
\t\t\tcontinue
\t\t}
\t\tseen++
\t\tif seen <= c.keep || i == last {
\t\t\tcontinue
\t\t}
\t\tif isDigit(b) && c.digits == 1 {
\t\t\tplaces[0], members[0] = append(places[0], i), append(members[0], uint64(b-'0'))
\t\t} else if !isDigit(b) && c.letters == 1 {
\t\t\tplaces[1], members[1] = append(places[1], i), append(members[1], uint64((b|32)-'a'))
\t\t}
\t}
\tfor kind, base := range []uint64{10, 26} {
\t\tturn(c.name, base, members[kind])
\t\tfor k, i := range places[kind] {
\t\t\tfirst := byte('0')
\t\t\tif isLower(text[i]) {
\t\t\t\tfirst = 'a'
\t\t\t} else if isUpper(text[i]) {
\t\t\t\tfirst = 'A'
\t\t\t}
\t\t\ttext[i] = first + byte(members[kind][k])
\t\t}
\t}
\tif c.check > 0 {
\t\ttext[last] = checkDigit(c.check, text)
\t}
\treturn string(text)
}

func main() {
\tin := bufio.NewScanner(os.Stdin)
\tin.Scan()
\tvar word string
\tfmt.Sscan(in.Text(), &word, &key)
\tundo = word == "unmask"
\tin.Scan()
\theader := in.Text()
\tfmt.Println(header)
\tnames := strings.Split(header, ",")
\tfor in.Scan() {
\t\tcells := strings.Split(in.Text(), ",")
\t\tfor i := range cells {
\t\t\tfor _, c := range known {
\t\t\t\tif i < len(names) && c.name == names[i] {
\t\t\t\t\tcells[i] = convert(c, cells[i])
\t\t\t\t\tbreak
\t\t\t\t}
\t\t\t}
\t\t}
\t\tfmt.Println(strings.Join(cells, ","))
\t}
}
"""
