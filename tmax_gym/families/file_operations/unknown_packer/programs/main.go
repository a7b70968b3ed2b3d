package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func main() {
	number := 0
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line, last, place := in.Text(), /*@start*/243/*@*/, 0
		var out []byte
		for i := 0; i+2 <= len(line); i += 2 {
			digits, _ := strconv.ParseInt(line[i:i+2], 16, 32)
			code, c := int(digits), 0
/*@undo*/			c = code
			last = code/*@*/
			out = append(out, byte(c&255))
			place++
		}
		fmt.Println(string(out))
		_ = last
		number++
	}
}
