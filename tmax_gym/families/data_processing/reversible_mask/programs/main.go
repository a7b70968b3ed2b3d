package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

const (
	right, longer, named, single, backward = /*@right*/1/*@*/, /*@longer*/0/*@*/, /*@named*/1/*@*/, /*@single*/0/*@*/, /*@backward*/1/*@*/
	mix, shift, rounds                     = /*@mix*/2/*@*/, /*@shift*/12/*@*/, /*@rounds*/4/*@*/
)

var multiplier, step uint32 = /*@multiplier*/747796405/*@*/, /*@step*/40503/*@*/

type column struct {
	name                         string
	digits, letters, keep, check int
}

var known = []column{
/*@columns*/    {"signed_by", 0, 1, 0, 0},
    {"card", 1, 0, 0, 2},/*@*/
}
var key uint32
var undo bool

func mixed(h, v uint32) uint32 {
	if mix == 0 {
		h = (h ^ v) * multiplier
	} else if mix == 1 {
		h = h*multiplier + v
	} else {
		h += v
		h ^= h << 13
		h ^= h >> 17
		h ^= h << 5
	}
	return h ^ h>>shift
}

func turn(name string, base uint64, d []uint64) {
	if len(d) < 2 {
		return
	}
	middle := (len(d) + longer) / 2
	for k := 1; k <= rounds; k++ {
		r := k
		if undo && backward == 1 {
			r = rounds + 1 - k
		}
		half, other := d[:middle], d[middle:]
		if (r+1+right)%2 == 1 {
			half, other = other, half
		}
		h := key + uint32(r)*step
		if named == 1 {
			for i := 0; i < len(name); i++ {
				h = mixed(h, uint32(name[i]))
			}
		}
		for _, v := range other {
			h = mixed(h, uint32(v)+1)
		}
		if single == 1 {
			for i := range half {
				h = mixed(h, uint32(i)+1)
				by := uint64(h>>16) % base
				if undo {
					by = base - by
				}
				half[i] = (half[i] + by) % base
			}
			continue
		}
		var number, whole uint64 = 0, 1
		for _, v := range half {
			number, whole = number*base+v, whole*base
		}
		by := uint64(h) % whole
		if undo {
			by = whole - by
		}
		number = (number + by) % whole
		for i := len(half) - 1; i >= 0; i-- {
			half[i], number = number%base, number/base
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func checkDigit(kind int, text []byte) byte {
	var digits []int
	for _, c := range text {
		if isDigit(c) {
			digits = append(digits, int(c-'0'))
		}
	}
	digits = digits[:len(digits)-1]
	total := 0
	if kind == 3 {
		for i, d := range digits {
			total += (i + 1) * d
		}
		return byte('0' + total%11%10)
	}
	for i := range digits {
		value := digits[len(digits)-1-i]
		if i%2 == 0 && kind == 1 {
			value *= 2
		} else if i%2 == 0 {
			value *= 3
		}
		if kind == 1 && value > 9 {
			value -= 9
		}
		total += value
	}
	return byte('0' + (10-total%10)%10)
}

func convert(c column, cell string) string {
	text := []byte(cell)
	numbers, last, seen := 0, -1, 0
	for i, b := range text {
		if isDigit(b) {
			numbers, last = numbers+1, i
		}
	}
	if c.check == 0 {
		last = -1
	} else if numbers < 2 || text[last] != checkDigit(c.check, text) {
		return "invalid"
	}
	var places [2][]int
	var members [2][]uint64
	for i, b := range text {
		if !isDigit(b) && !isLower(b) && !isUpper(b) {
			continue
		}
		seen++
		if seen <= c.keep || i == last {
			continue
		}
		if isDigit(b) && c.digits == 1 {
			places[0], members[0] = append(places[0], i), append(members[0], uint64(b-'0'))
		} else if !isDigit(b) && c.letters == 1 {
			places[1], members[1] = append(places[1], i), append(members[1], uint64((b|32)-'a'))
		}
	}
	for kind, base := range []uint64{10, 26} {
		turn(c.name, base, members[kind])
		for k, i := range places[kind] {
			first := byte('0')
			if isLower(text[i]) {
				first = 'a'
			} else if isUpper(text[i]) {
				first = 'A'
			}
			text[i] = first + byte(members[kind][k])
		}
	}
	if c.check > 0 {
		text[last] = checkDigit(c.check, text)
	}
	return string(text)
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var word string
	fmt.Sscan(in.Text(), &word, &key)
	undo = word == "unmask"
	in.Scan()
	header := in.Text()
	fmt.Println(header)
	names := strings.Split(header, ",")
	for in.Scan() {
		cells := strings.Split(in.Text(), ",")
		for i := range cells {
			for _, c := range known {
				if i < len(names) && c.name == names[i] {
					cells[i] = convert(c, cells[i])
					break
				}
			}
		}
		fmt.Println(strings.Join(cells, ","))
	}
}
