package main

import "math/bits"
//@ guard
var words = []byte{/*@words*/0x0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff/*@*/}

func unseal(sent []byte) (string, []byte) {
	if len(sent)%2 != 0 {
		return "damaged", nil
	}
	state, body := "clean", make([]byte, len(sent)/2)
	for i, code := range sent {
		nibble := -1
		for n, word := range words {
			wrong := bits.OnesCount8(word ^ code)
			if wrong < 2 {
				nibble = n
			}
			if wrong == 1 {
				state = "repaired"
			}
		}
		if nibble < 0 {
			return "damaged", nil
		}
		if i%2 == /*@high*/0/*@*/ {
			nibble <<= 4
		}
		body[i/2] |= byte(nibble)
	}
	return state, body
}
//@

func main() {
	unseal(nil)
}
