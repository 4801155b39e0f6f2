package parquetfile

import (
	"bufio"
	"io"
	"sync"
)

// readBuffer is how much of a column is read at once.
const readBuffer = 256 << 10

// largestKept is the capacity of the largest buffer of a page that is used again.
const largestKept = 2 << 20

var (
	readers     = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}
	pageBuffers sync.Pool // of *[]byte
)

// reader returns a reader with a buffer, which releaseReader takes back.
func reader(stream io.Reader) *bufio.Reader {
	r := readers.Get().(*bufio.Reader)
	r.Reset(stream)
	return r
}

func releaseReader(r *bufio.Reader) {
	r.Reset(nil)
	readers.Put(r)
}

// buffer returns so many bytes of anything, which releaseBuffer takes back.
func buffer(size int) *[]byte {
	if b, ok := pageBuffers.Get().(*[]byte); ok && cap(*b) >= size {
		*b = (*b)[:size]
		return b
	}
	b := make([]byte, size)
	return &b
}

func releaseBuffer(b *[]byte) {
	if b != nil && cap(*b) <= largestKept {
		pageBuffers.Put(b)
	}
}
