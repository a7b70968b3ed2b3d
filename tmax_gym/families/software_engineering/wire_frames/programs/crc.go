package main
//@ guard
func unseal(sent []byte) (string, []byte) {
	if len(sent) < /*@size*/2/*@*/ {
		return "damaged", nil
	}
	body := sent[:len(sent)-/*@size*/2/*@*/]
	var reg uint32 = /*@start*/0xffff/*@*/
	for _, b := range body {
		reg ^= uint32(b) << /*@shift*/8/*@*/
		for k := 0; k < 8; k++ {
			out := reg & /*@outbit*/0x8000/*@*/
			reg = (reg /*@move*/<</*@*/ 1) & /*@full*/0xffff/*@*/
			if out != 0 {
				reg ^= /*@poly*/0x1021/*@*/
			}
		}
	}
	reg ^= /*@final*/0/*@*/
	for i, b := range sent[len(body):] {
		if b != byte(reg>>(8*(/*@index*/1 - i/*@*/))) {
			return "damaged", nil
		}
	}
	return "clean", body
}
//@

func main() {
	unseal(nil)
}
