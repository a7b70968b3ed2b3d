package main
//@ guard
func twice(x int) int {
	if x&128 != 0 {
		return x<<1 ^ /*@poly*/0x11d/*@*/
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
		x := int(body[/*@far*/n-1-i/*@*/])
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
			body[/*@near*/i/*@*/] ^= byte(p)
			return "repaired", body
		}
		wanted = twice(wanted)
	}
	return "damaged", nil
}
//@

func main() {
	unseal(nil)
}
