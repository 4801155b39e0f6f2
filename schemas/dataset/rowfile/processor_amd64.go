//go:build !purego

package rowfile

import _ "unsafe" // for go:linkname

// parquet-go v0.32.0 writes dictionary indexes with a routine that differs
// between processors: to find the end of a bit-packed run, the SSE and Go
// routines ask whether eight indexes all equal the first, while the AVX2 one
// (encoding/rle/rle_amd64.s, VPSHUFD in two lanes) asks it of each half by
// itself. So 1,1,1,1,2,2,2,2 ends a run on one machine and not on the other. Both
// are right Parquet, but two attempts of a unit on two machines would differ in
// bytes. The Go routine takes the place of both; the golden files of result and
// document hold such indexes, and tell if a later version of parquet-go no
// longer has this variable.
//
//go:linkname endOfBitPackedRun github.com/parquet-go/parquet-go/encoding/rle.encodeInt32IndexEqual8Contiguous
var endOfBitPackedRun func(words [][8]int32) int

func init() {
	endOfBitPackedRun = func(words [][8]int32) (n int) {
		for n < len(words) {
			w := &words[n]
			if first := w[0]; w[1] == first && w[2] == first && w[3] == first && w[4] == first && w[5] == first && w[6] == first &&
				w[7] == first {
				break
			}
			n++
		}
		return n
	}
}
