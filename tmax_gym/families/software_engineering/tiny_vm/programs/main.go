package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Split(bufio.ScanWords)
	var code []int
	for in.Scan() {
		v, _ := strconv.ParseInt(in.Text(), 16, 32)
		code = append(code, int(v))
	}
	var r [4]int
	for at, steps := 0, 0; at < len(code)/3; at, steps = at+1, steps+1 {
		if steps == /*@limit*/600/*@*/ {
			fmt.Println("limit")
			return
		}
		op, x, y := code[3*at], code[3*at+1], code[3*at+2]
		a, b := x%4, y%4
		_ = b
		switch op {
/*@cases*/		case 0x45: // SET
			r[a] = y;
		case 0x1A: // ADD
			r[a] += r[b];
		case 0x77: // OUT
			fmt.Println(r[a])
		case 0xE6: // DJN
			if r[a] = (r[a] - 1) & 65535; r[a] != 0 {
				at = y - 1
			}
		case 0xDA: // SUB
			r[a] -= r[b];/*@*/
		default:
			fmt.Println("trap", at)
			return
		}
		r[a] &= 65535
	}
}
