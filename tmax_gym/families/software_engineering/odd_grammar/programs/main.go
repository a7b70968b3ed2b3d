package main

import ("bufio"; "fmt"; "os"; "strings")

type row struct {
	sign                         string
	level, ties, code, divides int
}

var BETWEEN = []row{/*@BETWEEN*/
    {"<<<", 1, 0, 1, 0},
    {":=", 1, 0, 2, 0},
    {"?", 2, 1, 3, 0},
    {"||", 2, 1, 4, 0},
    {"&&", 3, 1, 5, 0},
    {"-", 3, 1, 6, 1},/*@*/
}
var BEFORE = []row{/*@BEFORE*/
    {"&", 4, 0, 7, 0},/*@*/
}
var AFTER = []row{/*@AFTER*//*@*/
}
var BRACKETS = []struct{ open, close string; code int }{/*@BRACKETS*/
    {"(", ")", 0},/*@*/
}
var CALLS = []struct{ name string; code int }{/*@CALLS*//*@*/
}
var SYMBOLS = []string{/*@SYMBOLS*/
    "<<<",
    "&&",
    ":=",
    "||",
    "&",
    "(",
    ")",
    ",",
    "-",
    "?",/*@*/
}
var MARKS = []struct{ mark string; base int }{/*@MARKS*/
    {"$", 5},/*@*/
}
var SUFFIXES = []struct{ letter string; factor int64 }{/*@SUFFIXES*//*@*/
}
var WORDS = []string{/*@words*/"E1", "E2", "E3"/*@*/}

const END, NUMBER, NAME, SIGN, BAD = 0, 1, 2, 3, 4
const VALUE, MEMORY, CODE, CALL = 0, 1, 2, 3

type fault struct{ what, where int }
type step struct {
	what, code, where, takes, divides int
	value                             int64
}

var (
	line, word      string
	at, start, kind int
	value, memory   int64
	steps           []step
)

func fail(what, where int) { panic(fault{what, where}) }

func down(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) { q-- }
	return q
}

func chop(a, b int64) int64 { return a / b }

func low(a, b int64) int64 {
	if a < b { return a }
	return b
}

func high(a, b int64) int64 { return a + b - low(a, b) }

func less(a, b int64) int64 {
	if a < b { return 1 }
	return 0
}

func common(a, b int64) int64 {
	for b != 0 { a, b = b, a%b }
	return high(a, 0-a)
}

func char(where int) string {
	if where < len(line) { return line[where : where+1] }
	return "\n"
}

func digit(where, base int) int64 {
	found := strings.Index("0123456789abcdef", char(where))
	if found < base { return int64(found) }
	return -1
}

func number() bool {
	base, here := 10, at
	for _, m := range MARKS {
		if char(at) == m.mark {
			base, here = m.base, at+1
		}
	}
	if digit(here, base) < 0 { return false }
	value = 0
	for digit(here, base) >= 0 {
		value = value*int64(base) + digit(here, base)
		here++
		if char(here) == /*@gap*/"\n"/*@*/ && digit(here+1, base) >= 0 { here++ }
	}
	for _, s := range SUFFIXES {
		if base == 10 && char(here) == s.letter {
			value *= s.factor
			here++
			break
		}
	}
	kind, at = NUMBER, here
	return true
}

func advance() {
	for char(at) == " " { at++ }
	start, kind, word = at, END, ""
	if at == len(line) || number() { return }
	end := at
	for end < len(line) && line[end] >= 'a' && line[end] <= 'z' { end++ }
	kind, word = NAME, line[at:end]
	if word == "" {
		kind = BAD
		for _, s := range SYMBOLS {
			if strings.HasPrefix(line[at:], s) {
				kind, word = SIGN, s
				break
			}
		}
	}
	at += len(word)
}

func found(table []row) *row {
	for i := range table {
		if kind == SIGN && table[i].sign == word { return &table[i] }
	}
	return nil
}

func leave(what, code, where, takes, divides int) {
	steps = append(steps, step{what, code, where, takes, divides, value})
}

func inside(closing string, many bool) int {
	for n := 1; ; n++ {
		advance()
		expression(1)
		if many && kind == SIGN && word == /*@separator*/","/*@*/ { continue }
		if kind != SIGN || word != closing { fail(0, start) }
		advance()
		return n
	}
}

func operand() {
	here := start
	if row := found(BEFORE); row != nil {
		advance()
		expression(row.level)
		leave(CODE, row.code, here, 1, 0)
		return
	}
	switch {
	case kind == NUMBER:
		leave(VALUE, 0, here, 0, 0)
		advance()
	case kind == NAME && word == /*@memory*/""/*@*/:
		leave(MEMORY, 0, here, 0, 0)
		advance()
	default:
		named(here)
	}
	for row := found(AFTER); row != nil; row = found(AFTER) {
		leave(CODE, row.code, start, 1, 0)
		advance()
	}
}

func named(here int) {
	for _, c := range CALLS {
		if kind == NAME && word == c.name {
			advance()
			if word != "(" { fail(0, start) }
			leave(CALL, c.code, here, inside(")", true), 0)
			return
		}
	}
	for _, b := range BRACKETS {
		if kind == SIGN && word == b.open {
			inside(b.close, false)
			if b.code != 0 { leave(CODE, b.code, here, 1, 0) }
			return
		}
	}
	fail(0, here)
}

func expression(least int) {
	operand()
	lonely := 0
	for row := found(BETWEEN); row != nil && row.level >= least; row = found(BETWEEN) {
		here, next := start, row.level+1
		if row.level == lonely { fail(0, here) }
		if row.ties == 1 { next-- }
		advance()
		expression(next)
		leave(CODE, row.code, here, 2, row.divides)
		lonely = 0
		if row.ties == 2 { lonely = row.level }
	}
}

func single(code int, a int64) int64 {
	switch code {
/*@case_unary*/	case 7:
		return 2 * a/*@*/
	}
	return a
}

func twofold(code int, a, b int64) int64 {
	switch code {
/*@case_binary*/	case 1:
		return common(a, b)
	case 2:
		return a | b
	case 3:
		return a - b
	case 4:
		return high(a, b)
	case 5:
		return a * b
	case 6:
		return a - b * down(a, b)/*@*/
	}
	return a + b
}

func called(code int, args []int64) int64 {
	least, most, total, turns, count := args[0], args[0], int64(0), int64(0), int64(len(args))
	for i, v := range args {
		least, most = low(least, v), high(most, v)
		total += v
		turns += v * int64(1-i%2*2)
	}
	switch code {
/*@case_calls*//*@*/
	}
	return least + most + total + turns + count
}

func fitted(v int64, where int) int64 {
	v = /*@fitted*/v/*@*/
	if /*@limited*/1/*@*/ == 1 && high(v, 0-v) > /*@bound*/1000000000000000/*@*/ { fail(2, where) }
	return v
}

func computed() int64 {
	var stack []int64
	for _, s := range steps {
		args := stack[len(stack)-s.takes:]
		var v int64
		switch {
		case s.what == VALUE:
			v = s.value
		case s.what == MEMORY:
			v = memory
		case s.what == CALL:
			v = called(s.code, args)
		case s.takes == 1:
			v = single(s.code, args[0])
		default:
			if s.divides == 1 && args[1] == 0 { fail(1, s.where) }
			v = twofold(s.code, args[0], args[1])
		}
		stack = append(stack[:len(stack)-s.takes], fitted(v, s.where))
	}
	return stack[0]
}

func answer() {
	defer func() {
		if wrong := recover(); wrong != nil {
			f := wrong.(fault)
			one, two := WORDS[f.what], fmt.Sprint(f.where+/*@column*/0/*@*/)
			if /*@word_first*/1/*@*/ == 0 { one, two = two, one }
			fmt.Println(/*@before*/"?"/*@*/ + one + /*@middle*/" ("/*@*/ + two + /*@last*/")"/*@*/)
		}
	}()
	at, steps = 0, nil
	advance()
	expression(1)
	if kind != END { fail(0, start) }
	memory = computed()
	fmt.Println(memory)
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line = in.Text()
		if strings.Trim(line, " ") != "" { answer() }
	}
}
