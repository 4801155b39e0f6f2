package spill

import "encoding/binary"

// transpose writes the columns of a matrix of bytes one after another: src holds
// rows × columns bytes, row by row. LZ4 finds no matches of four bytes among
// hashes and row numbers, but the high bytes of a column of sorted keys or of
// numbers are runs. On 24-byte records (hash, unit, row) this stores 73 % of the
// bytes instead of 92 %, and compresses four times as fast.
func transpose(dst, src []byte, rows, columns int) {
	dst, src = dst[:rows*columns], src[:rows*columns]
	evenRows, evenColumns := rows&^7, columns&^7
	for c := 0; c < evenColumns; c += 8 {
		for r := 0; r < evenRows; r += 8 {
			transpose8(dst[c*rows+r:], src[r*columns+c:], rows, columns)
		}
	}
	for c := range columns {
		r := evenRows
		if c >= evenColumns {
			r = 0
		}
		for ; r < rows; r++ {
			dst[c*rows+r] = src[r*columns+c]
		}
	}
}

// transpose8 transposes a square of 8 × 8 bytes by swapping halves, quarters and
// single bytes of the rows (Hacker's Delight, section 7-3, on bytes).
func transpose8(dst, src []byte, dstStride, srcStride int) {
	load := binary.LittleEndian.Uint64
	a, b, c, d := load(src), load(src[srcStride:]), load(src[2*srcStride:]), load(src[3*srcStride:])
	e, f, g, h := load(src[4*srcStride:]), load(src[5*srcStride:]), load(src[6*srcStride:]), load(src[7*srcStride:])
	a, e = swap(a, e, 32, 0x00000000FFFFFFFF)
	b, f = swap(b, f, 32, 0x00000000FFFFFFFF)
	c, g = swap(c, g, 32, 0x00000000FFFFFFFF)
	d, h = swap(d, h, 32, 0x00000000FFFFFFFF)
	a, c = swap(a, c, 16, 0x0000FFFF0000FFFF)
	b, d = swap(b, d, 16, 0x0000FFFF0000FFFF)
	e, g = swap(e, g, 16, 0x0000FFFF0000FFFF)
	f, h = swap(f, h, 16, 0x0000FFFF0000FFFF)
	a, b = swap(a, b, 8, 0x00FF00FF00FF00FF)
	c, d = swap(c, d, 8, 0x00FF00FF00FF00FF)
	e, f = swap(e, f, 8, 0x00FF00FF00FF00FF)
	g, h = swap(g, h, 8, 0x00FF00FF00FF00FF)
	store := binary.LittleEndian.PutUint64
	store(dst, a)
	store(dst[dstStride:], b)
	store(dst[2*dstStride:], c)
	store(dst[3*dstStride:], d)
	store(dst[4*dstStride:], e)
	store(dst[5*dstStride:], f)
	store(dst[6*dstStride:], g)
	store(dst[7*dstStride:], h)
}

// swap exchanges the high part of each group of low's bits with the low part of high's.
func swap(low, high uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (low>>shift ^ high) & mask
	return low ^ t<<shift, high ^ t
}
