package main
//@ guard
func unseal(sent []byte) (string, []byte) {
	if len(sent) < 2 {
		return "damaged", nil
	}
	a, c := /*@start*/1/*@*/, /*@final*/8/*@*/
	for _, x := range sent[:len(sent)-2] {
		a = (a + int(x)) % /*@modulus*/255/*@*/
		c = (c + a) % /*@modulus*/255/*@*/
	}
	tail := []int{/*@pair*/a, c/*@*/}
	if int(sent[len(sent)-2]) != tail[0] || int(sent[len(sent)-1]) != tail[1] {
		return "damaged", nil
	}
	return "clean", sent[:len(sent)-2]
}
//@

func main() {
	unseal(nil)
}
