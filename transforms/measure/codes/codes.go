// Package codes makes small codes of vectors, of a byte or a bit for each number, and says how many of the nearest
// neighbours of vectors are still found by their codes.
//
// The codes are those of sentence-transformers (quantize_embeddings, in version 6): "int8", in float32
// arithmetic, and "ubinary".
package codes

// Ranges are the least and the greatest value of each dimension of some vectors.
type Ranges struct{ least, greatest []float32 }

// Extend has the ranges hold a vector, whose numbers must be finite and as many as those of the others.
func (r *Ranges) Extend(vector []float32) {
	if r.least == nil {
		r.least, r.greatest = append(r.least, vector...), append(r.greatest, vector...)
	}
	for i, x := range vector {
		r.least[i], r.greatest[i] = min(r.least[i], x), max(r.greatest[i], x)
	}
}

// Size is the number of dimensions, 0 before the first vector.
func (r *Ranges) Size() int { return len(r.least) }

// Finite says whether no range is wider than the greatest number of float32.
func (r *Ranges) Finite() bool {
	for i := range r.least {
		if step := r.step(i); step-step != 0 {
			return false
		}
	}
	return true
}

// step is how far the codes of a dimension are apart.
func (r *Ranges) step(i int) float32 { return (r.greatest[i] - r.least[i]) / 255 }

// Append appends the code of a vector, a signed byte a dimension: the range of the dimension is cut into 255 steps, of which -128 is
// the first. Numbers outside of it get the code of its end, and are counted.
func (r *Ranges) Append(dst []byte, vector []float32) (code []byte, outside int) {
	for i, x := range vector {
		if x < r.least[i] || x > r.greatest[i] {
			outside++
		}
		step := r.step(i)
		if step == 0 {
			step = 1
		}
		dst = append(dst, byte(int16(min(255, max(0, (x-r.least[i])/step)))-128))
	}
	return dst, outside
}

// AppendDecoded appends the middles of the steps of a code.
func (r *Ranges) AppendDecoded(dst []float32, code []byte) []float32 {
	for i, c := range code {
		dst = append(dst, r.least[i]+(float32(int8(c))+128.5)*r.step(i))
	}
	return dst
}

// AppendBits appends a bit for each number of a vector, 1 for one above 0, eight to a byte with the highest first, as numpy.packbits
// has them. The last byte ends with zeros.
func AppendBits(dst []byte, vector []float32) []byte {
	first := len(dst)
	for i, x := range vector {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		if x > 0 {
			dst[first+i/8] |= 0x80 >> (i % 8)
		}
	}
	return dst
}

// AppendSigns appends 1 for each number of a vector above 0, and -1 for the others. The cosine of two vectors of signs falls as the number
// of bits grows in which their codes differ.
func AppendSigns(dst, vector []float32) []float32 {
	for _, x := range vector {
		if x > 0 {
			dst = append(dst, 1)
		} else {
			dst = append(dst, -1)
		}
	}
	return dst
}
