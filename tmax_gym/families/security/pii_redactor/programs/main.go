package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

type rule struct {
	kind, style, count int
	sign               byte
	before, after      string
}
type country struct {
	code string
	size int
}

var RULES = []rule{/*@RULES*/
    {3, 3, 4, '#', "__tel__", ""},
/*@*/}
var COUNTRIES = []country{/*@COUNTRIES*/{"--", 0}/*@*/}
var GROUPS = []int{/*@GROUPS*/0/*@*/}
var WEIGHTS = []int{/*@WEIGHTS*/0/*@*/}

const CHECKS, PREFIX, JOINT, DIGITS = /*@CHECKS*/"-"/*@*/, /*@PREFIX*/"--"/*@*/, /*@JOINT*/"-"/*@*/, "0123456789"

var SEEN [6]map[string]int

func digit(c byte) bool   { return c >= '0' && c <= '9' }
func capital(c byte) bool { return c >= 'A' && c <= 'Z' }
func alnum(c byte) bool   { return digit(c) || capital(c) || c >= 'a' && c <= 'z' }
func part(c byte) bool    { return alnum(c) || strings.IndexByte("@._+-", c) >= 0 }

func email(w string) bool {
	at := strings.IndexByte(w, '@')
	if at < 1 || !alnum(w[0]) || !alnum(w[at-1]) || strings.Contains(w[:at], "..") {
		return false
	}
	labels := strings.Split(w[at+1:], ".")
	for n, label := range labels {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range label {
			letter := alnum(label[i]) && !digit(label[i])
			if !alnum(label[i]) && label[i] != '-' || n == len(labels)-1 && !letter {
				return false
			}
		}
	}
	return len(labels) > 1 && len(labels[len(labels)-1]) > 1 && w[at+1:] != /*@KEPT*/""/*@*/
}

func card(w string) bool {
	digits := strings.ReplaceAll(w, "-", "")
	if digits == "" || strings.Trim(digits, DIGITS) != "" || len(digits) != /*@SIZE*/0/*@*/ {
		return false
	}
	if groups := strings.Split(w, "-"); len(groups) > 1 {
		if len(groups) != len(GROUPS) {
			return false
		}
		for n, group := range groups {
			if len(group) != GROUPS[n] {
				return false
			}
		}
	}
	total := 0
	for i := range digits {
		v := int(digits[len(digits)-1-i]-'0') * (1 + i%2)
		if v > 9 {
			v -= 9
		}
		total += v
	}
	return total%10 == 0 || /*@LUHN*/1/*@*/ == 0
}

func iban(w string) bool {
	right, rest := false, 0
	for _, c := range COUNTRIES {
		right = right || len(w) == c.size && w[:2] == c.code && digit(w[2]) && digit(w[3])
	}
	for i := 0; right && i < len(w); i++ {
		c := w[(i+4)%len(w)]
		switch {
		case digit(c):
			rest = (rest*10 + int(c-'0')) % 97
		case capital(c):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return right && (rest == 1 || /*@MOD97*/1/*@*/ == 0)
}

func phone(w string) bool {
	if len(w) < 2 || w[0] != '+' || !digit(w[1]) || w[1] == '0' {
		return false
	}
	n := 0
	for i := 1; i < len(w); i++ {
		if digit(w[i]) {
			n++
		} else if w[i] != '-' || i+1 == len(w) || !digit(w[i+1]) {
			return false
		}
	}
	return n >= /*@LOW*/10/*@*/ && n <= /*@HIGH*/13/*@*/
}

func ipv4(w string) bool {
	parts := strings.Split(w, ".")
	if len(parts) != 4 {
		return false
	}
	var number [4]int
	for n, p := range parts {
		if len(p) < 1 || len(p) > 3 || strings.Trim(p, DIGITS) != "" || len(p) > 1 && p[0] == '0' {
			return false
		}
		for i := range p {
			number[n] = number[n]*10 + int(p[i]-'0')
		}
		if number[n] > 255 {
			return false
		}
	}
	inside := number[0] == 10 || number[0] == 192 && number[1] == 168
	return !(/*@PRIVATE*/0/*@*/ == 1 && inside)
}

func house(w string) bool {
	parts := strings.Split(w, JOINT)
	if len(parts) != 3 || parts[0] != PREFIX || len(parts[2]) != 1 {
		return false
	}
	if len(parts[1]) != len(WEIGHTS) {
		return false
	}
	total := 0
	for i, weight := range WEIGHTS {
		if !digit(parts[1][i]) {
			return false
		}
		total += weight * int(parts[1][i]-'0')
	}
	found := strings.Index(CHECKS, parts[2])
	return found >= 0 && (found == total%/*@MODULUS*/1/*@*/ || /*@WEIGHED*/1/*@*/ == 0)
}

var VALID = []func(string) bool{email, card, iban, phone, ipv4, house}

func masked(w string, r rule) string {
	sign := string(rune(r.sign))
	switch {
	case r.style == 0:
		return r.before
	case r.style == 1:
		if SEEN[r.kind] == nil {
			SEEN[r.kind] = map[string]int{}
		}
		if SEEN[r.kind][w] == 0 {
			SEEN[r.kind][w] = len(SEEN[r.kind]) + 1
		}
		return fmt.Sprint(r.before, SEEN[r.kind][w]) + r.after
	case r.style == 4 && r.kind == 0:
		return strings.Repeat(sign, 3) + w[strings.IndexByte(w, '@'):]
	case r.style == 4:
		parts := strings.Split(w, ".")
		return strings.Join([]string{parts[0], parts[1], sign, sign}, ".")
	}
	all, at := 0, 0
	for i := range w {
		if alnum(w[i]) {
			all++
		}
	}
	done := []byte(w)
	for i := range done {
		if !alnum(done[i]) {
			continue
		}
		stays := at < r.count
		if r.style == 2 {
			stays = at >= all-r.count
		}
		if at++; !stays {
			done[i] = r.sign
		}
	}
	return string(done)
}

func turned(raw string) string {
	left := strings.TrimLeft(raw, "._-")
	core := strings.TrimRight(left, "._-+")
	for _, r := range RULES {
		if core != "" && VALID[r.kind](core) {
			return raw[:len(raw)-len(left)] + masked(core, r) + left[len(core):]
		}
	}
	return raw
}

func main() {
	text, _ := io.ReadAll(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && part(text[end]) {
			end++
		}
		if end > i {
			out.WriteString(turned(string(text[i:end])))
			i = end
		} else {
			out.WriteByte(text[i])
			i++
		}
	}
}
