package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zeebo/xxh3"
)

// Reader knows the sections of one spill file.
type Reader struct {
	from   io.ReaderAt
	layout Layout
	refs   []Ref
}

// NewReader opens a spill file of size bytes that was written with this layout.
// It reads header and footer; a file that is cut short, changed there or was
// written for another exchange gives an error that matches ErrDamaged. Sections
// are checked as they are read.
func NewReader(file io.ReaderAt, size int64, layout Layout) (*Reader, error) {
	if err := layout.Validate(); err != nil {
		return nil, fmt.Errorf("open spill file: %w", err)
	}
	refs, err := readRefs(file, size, layout)
	if err != nil {
		return nil, fmt.Errorf("open spill file: %w", err)
	}
	return &Reader{from: file, layout: layout, refs: refs}, nil
}

// Refs lists the sections that have records, in the order of their buckets.
func (r *Reader) Refs() []Ref { return slices.Clone(r.refs) }

func readRefs(file io.ReaderAt, size int64, layout Layout) ([]Ref, error) {
	head := make([]byte, max(0, min(size, maxHeader)))
	if err := readAt(file, head, 0); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	start, err := checkHeader(head, layout)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrDamaged)
	}
	end := size - trailerSize
	if end < int64(start) {
		return nil, fmt.Errorf("it ends after %d bytes, before its footer: %w", size, ErrDamaged)
	}
	var trailer [trailerSize]byte
	if err := readAt(file, trailer[:], end); err != nil {
		return nil, fmt.Errorf("read trailer: %w", err)
	}
	le := binary.LittleEndian
	length := le.Uint64(trailer[:])
	if string(trailer[trailerSize-magicSize:]) != trailerMagic || le.Uint64(trailer[16:]) != uint64(size) {
		return nil, fmt.Errorf("it has no trailer after %d bytes, it is cut short or longer than written: %w", size, ErrDamaged)
	}
	if length > uint64(end-int64(start)) || length > uint64(binary.MaxVarintLen64+maxFooterEntry*layout.Buckets) {
		return nil, fmt.Errorf("its footer of %d bytes is longer than can be: %w", length, ErrDamaged)
	}
	footer := make([]byte, length)
	if err := readAt(file, footer, end-int64(length)); err != nil {
		return nil, fmt.Errorf("read footer: %w", err)
	}
	if xxh3.HashSeed(footer, layout.identity()) != le.Uint64(trailer[8:]) {
		return nil, fmt.Errorf("the checksum of its footer differs: %w", ErrDamaged)
	}
	refs, err := parseFooter(footer, int64(start), end-int64(length), layout.Buckets)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrDamaged)
	}
	return refs, nil
}

// readAt fills b from the bytes at offset.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends at byte %d: %w", offset+int64(n), ErrDamaged)
	}
	return err
}
