package spill

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// defaultMemory is the budget where Options.Memory is zero.
	defaultMemory = 64 << 20
	// minMemory is the smallest budget.
	minMemory = 2 << 20
	// maxMemory is the largest budget: positions in it have 32 bits.
	maxMemory = 4 << 30
)

// Options says how a Writer or a Merge works. They change nothing in what it
// makes, except for Combine.
type Options struct {
	// Memory is the budget in bytes, from minMemory to maxMemory; zero means
	// defaultMemory. Records of more than blockSize may add a few times the size of
	// the largest one.
	Memory int64
	// Temporary opens an empty local file for runs that do not fit the budget. Nil
	// makes a full budget an error. At most one is open at a time.
	Temporary func() (File, error)
	// Combine, if not nil, makes one record out of all that have the same key. It
	// returns the combination of two values: dst, changed or appended to, or value,
	// and keeps neither. It is called in any order and grouping, so that it must be
	// commutative and associative to the last bit (sums of integers are, sums of
	// floating-point numbers are not), and a value that stands alone must be a
	// valid result. Values that keep their size cost the least.
	Combine func(dst, value []byte) []byte
}

// Validate returns all faults of the options, joined, or nil.
func (o Options) Validate() error {
	if o.Memory != 0 && (o.Memory < minMemory || o.Memory > maxMemory) {
		return fmt.Errorf("a memory of %d bytes is not between %d and %d", o.Memory, int64(minMemory), int64(maxMemory))
	}
	return nil
}

func (o Options) memory() int64 {
	if o.Memory == 0 {
		return defaultMemory
	}
	return o.Memory
}

// temporary opens a temporary file.
func (o Options) temporary() (File, error) {
	if o.Temporary == nil {
		return nil, fmt.Errorf("the memory of %d bytes is full and Options.Temporary is nil: give more memory or a place for temporary files",
			o.memory())
	}
	f, err := o.Temporary()
	if err != nil {
		return nil, fmt.Errorf("open a temporary file: %w", err)
	}
	return f, nil
}

// File is a temporary file: it is written from start to end and read anywhere,
// by one goroutine. Close also deletes it.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// TemporaryFiles returns a function for Options.Temporary that makes files in a
// local folder. Where the system allows it they have no name from the start, so
// that a killed process leaves none behind.
func TemporaryFiles(folder string) func() (File, error) {
	return func() (File, error) {
		f, err := os.CreateTemp(folder, "run-*.spill")
		if err != nil {
			return nil, err
		}
		return &temporaryFile{File: f, named: os.Remove(f.Name()) != nil}, nil
	}
}

type temporaryFile struct {
	*os.File
	named bool
}

// Close implements File.
func (f *temporaryFile) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
