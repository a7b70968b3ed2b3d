"""The guards of the wire-frames family in Go."""

from __future__ import annotations

from collections.abc import Mapping

GUARDS: Mapping[str, str] = {
    "crc": """\
func unseal(sent []byte) (string, []byte) {
	if len(sent) < @size {
		return "damaged", nil
	}
	body := sent[:len(sent)-@size]
	var reg uint32 = @start
	for _, b := range body {
		reg ^= uint32(b) << @shift
		for k := 0; k < 8; k++ {
			out := reg & @outbit
			reg = (reg @move 1) & @full
			if out != 0 {
				reg ^= @poly
			}
		}
	}
	reg ^= @final
	for i, b := range sent[len(body):] {
		if b != byte(reg>>(8*(@index))) {
			return "damaged", nil
		}
	}
	return "clean", body
}
""",
    "sums": """\
func unseal(sent []byte) (string, []byte) {
	if len(sent) < 2 {
		return "damaged", nil
	}
	a, c := @start, @final
	for _, x := range sent[:len(sent)-2] {
		a = (a + int(x)) % @modulus
		c = (c + a) % @modulus
	}
	tail := []int{@pair}
	if int(sent[len(sent)-2]) != tail[0] || int(sent[len(sent)-1]) != tail[1] {
		return "damaged", nil
	}
	return "clean", sent[:len(sent)-2]
}
""",
    "nibbles": """\
var words = []byte{@words}

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
		if i%2 == @high {
			nibble <<= 4
		}
		body[i/2] |= byte(nibble)
	}
	return state, body
}
""",
    "twins": """\
func twice(x int) int {
	if x&128 != 0 {
		return x<<1 ^ @poly
	}
	return x << 1
}

func unseal(sent []byte) (string, []byte) {
	if len(sent) < 2 {
		return "damaged", nil
	}
	n := len(sent) - 2
	body := append([]byte{}, sent[:n]...)
	p, q := 0, 0
	for i := range body {
		x := int(body[@far])
		p, q = p^x, twice(q)^x
	}
	p, q = p^int(sent[n]), q^int(sent[n+1])
	if p == 0 && q == 0 {
		return "clean", body
	}
	if p == 0 || q == 0 {
		return "repaired", body
	}
	wanted := p
	for i := range body {
		if wanted == q {
			body[@near] ^= byte(p)
			return "repaired", body
		}
		wanted = twice(wanted)
	}
	return "damaged", nil
}
""",
}
