package embed

// code returns the sparse code of a lens's vector: a bit for each number, set where it is
// above 1, eight to a byte and the lowest bit first (Kiros 2020, section 4.6).
func code(vector []float32) []byte {
	bits := make([]byte, (len(vector)+7)/8)
	for i, x := range vector {
		if x > 1 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}
