package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
)

var code = regexp.MustCompile("(?s)%[0-9A-Fa-f]{2}")

func decode(found []byte) []byte {
	value, _ := strconv.ParseUint(string(found[1:]), 16, 8)
	return []byte{byte(value)}
}

func main() {
	name, _ := io.ReadAll(os.Stdin)
	name = bytes.TrimSuffix(name, []byte("\n"))
	for {
		decoded := code.ReplaceAllFunc(name, decode)
		if bytes.Equal(decoded, name) {
			break
		}
		name = decoded
	}
	name = bytes.ReplaceAll(name, []byte("\\"), []byte("/"))
	for i, c := range name {
		if c < 32 || c == 127 || (i == 0 && c == '/') {
			os.Exit(1)
		}
	}
	depth := 0
	for _, part := range bytes.Split(name, []byte("/")) {
		switch string(part) {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			os.Exit(1)
		}
	}
	if depth == 0 {
		os.Exit(1)
	}
}
