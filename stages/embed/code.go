package embed

import "sentweave/stages/encoder"

// code returns the sparse code of a lens's vector: a bit for each number, eight to a byte and the
// lowest bit first.
func code(vector []float32) []byte {
	bits := make([]byte, (len(vector)+7)/8)
	for i, x := range vector {
		if encoder.InCode(x) {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}
