package fasttext

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// reader takes little-endian values from a model file. It knows how many bytes
// are left, so that a corrupt count is refused before memory is taken for it.
// The first fault sticks; later reads give zero values.
type reader struct {
	in   io.Reader
	left int64
	err  error
	buf  []byte
}

const readerBuffer = 1 << 16

func newReader(stream io.Reader, size int64) *reader {
	return &reader{in: stream, left: size, buf: make([]byte, readerBuffer)}
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// fits reports whether count items of the given width can still follow.
func (r *reader) fits(what string, count int64, width int64) bool {
	if r.err != nil {
		return false
	}
	if count < 0 || count > r.left/width {
		r.fail("%s: %d items of %d bytes are announced, %d bytes are left: the file is truncated or corrupt", what, count, width, r.left)
		return false
	}
	return true
}

// bytes reads n bytes (at most the buffer's size); the result is valid until the next read.
func (r *reader) bytes(what string, n int) []byte {
	b := r.buf[:n]
	if !r.fits(what, int64(n), 1) {
		clear(b)
		return b
	}
	if _, err := io.ReadFull(r.in, b); err != nil {
		r.err = fmt.Errorf("%s: %w", what, err)
		clear(b)
		return b
	}
	r.left -= int64(n)
	return b
}

func (r *reader) int32(what string) int32 {
	return int32(binary.LittleEndian.Uint32(r.bytes(what, 4)))
}

func (r *reader) int64(what string) int64 {
	return int64(binary.LittleEndian.Uint64(r.bytes(what, 8)))
}

func (r *reader) float64(what string) float64 {
	return math.Float64frombits(uint64(r.int64(what)))
}

func (r *reader) byte(what string) byte { return r.bytes(what, 1)[0] }

// bool reads one byte that must be 0 or 1.
func (r *reader) bool(what string) bool {
	b := r.byte(what)
	if b > 1 {
		r.fail("%s: %d is neither 0 nor 1", what, b)
	}
	return b == 1
}

// word reads a string that ends in a NUL byte.
func (r *reader) word(dst []byte) []byte {
	for r.err == nil {
		c := r.byte("dictionary word")
		if c == 0 {
			break
		}
		dst = append(dst, c)
	}
	return dst
}

// codes reads n bytes into new memory.
func (r *reader) codes(what string, n int64) []byte {
	if !r.fits(what, n, 1) {
		return nil
	}
	buffer := make([]byte, n)
	if _, err := io.ReadFull(r.in, buffer); err != nil {
		r.err = fmt.Errorf("%s: %w", what, err)
		return nil
	}
	r.left -= n
	return buffer
}

// floats reads n float32 values into new memory. Values that are not finite are
// refused: one of them would make every prediction NaN.
func (r *reader) floats(what string, n int64) []float32 {
	if !r.fits(what, n, 4) {
		return nil
	}
	values := make([]float32, n)
	for count := 0; count < len(values) && r.err == nil; {
		part := min(len(values)-count, readerBuffer/4)
		raw := r.bytes(what, part*4)
		for i := range part {
			v := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				r.fail("%s: value %d is %v", what, count+i, v)
				return nil
			}
			values[count+i] = v
		}
		count += part
	}
	return values
}
