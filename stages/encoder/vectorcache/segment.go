package vectorcache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/measure/neighbors"
)

// A segment is a file of vectors: a header, the keys of all texts, and for each a row of
// little-endian float32 with the first four bytes of its hash.
//
//	magic  uint32 dimension  uint32 texts  keys, 16 bytes each  uint64 hash of all before
//	rows
const (
	magic      = "sentweave vectors 1\n"
	headerSize = len(magic) + 8
	keySize    = 16
	sumSize    = 4
)

// key is the hash of a text with its language.
type key = xxh3.Uint128

// encodeSegment returns the bytes of a segment.
func encodeSegment(keys []key, vectors neighbors.Matrix) []byte {
	dim := vectors.Dim
	b := make([]byte, 0, headerSize+len(keys)*(keySize+4*dim+sumSize)+8)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(dim))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(keys)))
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, k.Lo), k.Hi)
	}
	b = binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
	for i := range keys {
		row := len(b)
		for _, x := range vectors.Row(i) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(xxh3.Hash(b[row:])))
	}
	return b
}

// segment is a file of vectors. It is open only while it is read, since there may be many.
type segment struct {
	path string
	dim  int
	rows int64 // where they begin
}

// openSegment reads the keys of a segment. A file that is not one, or is cut, is an error.
func openSegment(path string) (s *segment, keys []key, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(file, header); err != nil || string(header[:len(magic)]) != magic {
		return nil, nil, errors.New("it is not a file of vectors")
	}
	dim, n := int(binary.LittleEndian.Uint32(header[len(magic):])), int(binary.LittleEndian.Uint32(header[len(magic)+4:]))
	size := int64(headerSize) + int64(n)*keySize + 8 + int64(n)*int64(4*dim+sumSize)
	if dim < 1 || dim > neighbors.MaxDim || size != info.Size() {
		return nil, nil, fmt.Errorf("it has %d bytes, and its header says %d", info.Size(), size)
	}
	list := make([]byte, n*keySize+8)
	if _, err := io.ReadFull(file, list); err != nil {
		return nil, nil, err
	}
	sum := xxh3.New()
	_, _ = sum.Write(header) // a hash takes all
	_, _ = sum.Write(list[:n*keySize])
	if sum.Sum64() != binary.LittleEndian.Uint64(list[n*keySize:]) {
		return nil, nil, errors.New("its keys are damaged")
	}
	for offset := 0; offset < n*keySize; offset += keySize {
		keys = append(keys, key{Lo: binary.LittleEndian.Uint64(list[offset:]), Hi: binary.LittleEndian.Uint64(list[offset+8:])})
	}
	return &segment{path, dim, int64(headerSize + n*keySize + 8)}, keys, nil
}

// read reads a row from the open file; false says that it is damaged.
func (s *segment) read(file *os.File, row int, dst []float32, buffer []byte) (bool, error) {
	size := 4*s.dim + sumSize
	buffer = buffer[:size]
	if _, err := file.ReadAt(buffer, s.rows+int64(row)*int64(size)); err != nil {
		return false, err
	}
	if uint32(xxh3.Hash(buffer[:4*s.dim])) != binary.LittleEndian.Uint32(buffer[4*s.dim:]) {
		return false, nil
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(buffer[4*i:]))
	}
	return true, nil
}
