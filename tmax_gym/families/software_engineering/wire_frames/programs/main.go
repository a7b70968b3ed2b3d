package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
/*@imports*//*@*/	"os"
	"strings"
)

type field struct {
	number     uint64
	name, kind string
}

type method struct {
	name   string
	fields []field
}

type found struct {
	number, wire, value uint64
	raw                 []byte
}

var methods = map[byte]method{
/*@methods*/	23: {"Book", []field{{15, "reference", "int64"}, {5, "creator", "uint64"}, {2, "series", "bool"}}},
	6: {"Move", []field{{10, "box_no", "bool"}, {4, "reference", "int64"}, {2, "shelf", "uint64"}}},/*@*/
}

var errMalformed = errors.New("malformed")

/*@guard*/func unseal(sent []byte) (string, []byte) {
	if len(sent) < 2 {
		return "damaged", nil
	}
	a, c := 1, 4
	for _, x := range sent[:len(sent)-2] {
		a = (a + int(x)) % 241
		c = (c + a) % 241
	}
	tail := []int{c, a}
	if int(sent[len(sent)-2]) != tail[0] || int(sent[len(sent)-1]) != tail[1] {
		return "damaged", nil
	}
	return "clean", sent[:len(sent)-2]
}
/*@*/

func varint(data []byte) (uint64, []byte, error) {
	var value uint64
	for n := 0; n < 10 && n < len(data); n++ {
		value |= uint64(data[n]&127) << (7 * n)
		if data[n] < 128 {
			return value, data[n+1:], nil
		}
	}
	return 0, nil, errMalformed
}

func parse(data []byte) ([]found, error) {
	var all []found
	for len(data) > 0 {
		tag, rest, err := varint(data)
		if err != nil || tag>>3 == 0 {
			return nil, errMalformed
		}
		one := found{number: tag >> 3, wire: tag & 7}
		size := map[uint64]uint64{1: 8, 5: 4}[one.wire]
		switch one.wire {
		case 0:
			one.value, rest, err = varint(rest)
		case 1, 5:
		case 2:
			size, rest, err = varint(rest)
		default:
			err = errMalformed
		}
		if err != nil || size > uint64(len(rest)) {
			return nil, errMalformed
		}
		one.raw, data = rest[:size], rest[size:]
		for n := len(one.raw) - 1; n >= 0 && one.wire != 2; n-- {
			one.value = one.value<<8 | uint64(one.raw[n])
		}
		all = append(all, one)
	}
	return all, nil
}

func many(all []found, number uint64) (string, error) {
	var told []string
	for _, one := range all {
		if one.number != number {
			continue
		}
		if one.wire == 0 {
			told = append(told, fmt.Sprint(one.value))
		}
		for rest := one.raw; one.wire == 2 && len(rest) > 0; {
			value, left, err := varint(rest)
			if err != nil {
				return "", err
			}
			told, rest = append(told, fmt.Sprint(value)), left
		}
	}
	return "[" + strings.Join(told, ",") + "]", nil
}

func shown(all []found, f field) (string, error) {
	if f.kind == "repeated uint64" {
		return many(all, f.number)
	}
	var last found
	wire := map[string]uint64{"fixed32": 5, "fixed64": 1, "string": 2, "bytes": 2}[f.kind]
	for _, one := range all {
		if one.number == f.number && one.wire == wire {
			last = one
		}
	}
	switch f.kind {
	case "string":
		return "\"" + string(last.raw) + "\"", nil
	case "bytes":
		return hex.EncodeToString(last.raw), nil
	case "bool":
		return fmt.Sprint(last.value != 0), nil
	case "sint64":
		return fmt.Sprint(int64(last.value>>1) ^ -int64(last.value&1)), nil
	case "int64":
		return fmt.Sprint(int64(last.value)), nil
	case "uint32":
		return fmt.Sprint(uint32(last.value)), nil
	}
	return fmt.Sprint(last.value), nil
}

func request(m method, data []byte) string {
	all, err := parse(data)
	told := m.name
	for _, f := range m.fields {
		one, wrong := shown(all, f)
		if err != nil || wrong != nil {
			return "malformed"
		}
		told += " " + f.name + "=" + one
	}
	return told
}

func message(sent []byte) {
	state, body := unseal(sent)
	if state == "damaged" {
		fmt.Println(state)
		return
	}
	if state == "repaired" {
		fmt.Println(state)
	}
	if len(body) < 6 || int(binary.BigEndian.Uint32(body[2:])) != len(body)-6 {
		fmt.Println("malformed")
	} else if m, known := methods[body[0]]; !known {
		fmt.Println("unimplemented", body[0])
	} else if body[1] != 0 {
		fmt.Println("compressed")
	} else {
		fmt.Println(request(m, body[6:]))
	}
}

func refused(first, second byte, begun bool) string {
	code := first & 15
	switch {
	case first&0x70 != 0:
		return "reserved"
	case code != 0 && code != 2 && code != 8 && code != 9 && code != 10:
		return "opcode"
	case second&128 == 0:
		return "unmasked"
	case code&8 != 0 && (first&128 == 0 || second&127 > 125):
		return "control"
	case code == 2 && begun:
		return "interleaved"
	case code == 0 && !begun:
		return "continuation"
	}
	return ""
}

func capture(data []byte) string {
	var open []byte
	begun := false
	for len(data) > 0 {
		if len(data) < 2 {
			return "partial\n"
		}
		first, second := data[0], data[1]
		if wrong := refused(first, second, begun); wrong != "" {
			return "error " + wrong + "\n"
		}
		data = data[2:]
		size, wide := uint64(second&127), map[byte]int{126: 2, 127: 8}[second&127]
		if len(data) < wide {
			return "partial\n"
		}
		if wide > 0 {
			size = 0
		}
		for ; wide > 0; wide-- {
			size, data = size<<8|uint64(data[0]), data[1:]
		}
		if len(data) < 4 || uint64(len(data)-4) < size {
			return "partial\n"
		}
		payload := make([]byte, size)
		for n := range payload {
			payload[n] = data[4+n] ^ data[n%4]
		}
		data = data[4+size:]
		switch first & 15 {
		case 8:
			if size > 1 {
				return fmt.Sprintln("close", binary.BigEndian.Uint16(payload))
			}
			return "close none\n"
		case 9:
			fmt.Printf("pong 8a%02x%x\n", size, payload)
		case 0, 2:
			open, begun = append(open, payload...), true
			if /*@done*/true/*@*/ {
				message(open)
				open, begun = nil, false
			}
		}
	}
	return ""
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		data, _ := hex.DecodeString(strings.TrimSpace(in.Text()))
		fmt.Print(capture(data))
		fmt.Println("--")
	}
}
