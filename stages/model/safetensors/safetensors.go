// Package safetensors reads and writes files in the safetensors format: a length, a
// JSON header, and the raw data of the tensors.
//
// A file is read in parts, so memory is that of the header and the tensor that is
// read. The format's own limits are checked before anything is allocated, since files
// may come from strangers.
package safetensors

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"sentweave/schemas/storage"
)

// DType is a type of elements, as the format names it.
type DType string

// Types of elements that models here have.
const (
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
	F64  DType = "F64"
	I64  DType = "I64"
	U8   DType = "U8"
)

// size returns the bytes of an element, 0 for a type that is not known.
func (d DType) size() int64 {
	switch d {
	case F64, "I64", "U64":
		return 8
	case F32, "I32", "U32":
		return 4
	case F16, BF16, "I16", "U16":
		return 2
	case U8, "I8", "BOOL", "F8_E4M3", "F8_E5M2":
		return 1
	}
	return 0
}

// Tensor describes a tensor of a file.
type Tensor struct {
	Name  string
	DType DType
	// Shape is row-major; empty for a number alone.
	Shape []int64
	// Offset is that of the data in the file, Bytes their number.
	Offset, Bytes int64
}

// File is an open file.
type File struct {
	// Tensors are in the order of their names.
	Tensors []Tensor
	// Metadata are the free texts of the header.
	Metadata map[string]string

	file *os.File
}

// Open opens a file and checks its header: known types, sizes that fit the
// shapes, data that cover the file without gap or overlap.
func Open(path string) (*File, error) {
	file, err := storage.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	info, err := file.Stat()
	if err == nil {
		f.Tensors, f.Metadata, err = header(file, info.Size())
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Check returns an error unless Open would open a file of that size.
func Check(r io.ReaderAt, size int64) error {
	_, _, err := header(r, size)
	return err
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Find returns the tensor of a name.
func (f *File) Find(name string) (Tensor, bool) {
	i, ok := slices.BinarySearchFunc(f.Tensors, name, func(t Tensor, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Read reads the data of a tensor into dst, which is grown where it is too small,
// and returns it: elements in little endian, in row-major order.
func (f *File) Read(dst []byte, t Tensor) ([]byte, error) {
	dst = slices.Grow(dst[:0], int(t.Bytes))[:t.Bytes]
	if _, err := f.file.ReadAt(dst, t.Offset); err != nil {
		if errors.Is(err, io.EOF) { // Open found the data there
			err = errors.New("the file was cut since it was opened")
		}
		return nil, fmt.Errorf("%s: tensor %s: %w", f.file.Name(), t.Name, err)
	}
	return dst, nil
}
