package parquetfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Types of Thrift's compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// thriftDepth is how deep structs and lists are nested in any Parquet
// file: eight, and some for what the format may get.
const thriftDepth = 24

// thriftWalk goes through a struct of Thrift's compact protocol, without keeping
// anything: every element of every list is visited, so that a list that claims more
// than there is ends it. A path is the numbers of the fields around a value; the
// elements of a list share that of their list.
type thriftWalk struct {
	from *bufio.Reader
	left int64 // bytes that may still be read
	// number gets integers and truth values, list the beginnings of lists, sets and
	// maps. Either may be nil.
	number func(path []int16, value int64) error
	list   func(path []int16, size int64, structs bool) error
	path   []int16
}

var errTooMuchThrift = errors.New("its Thrift goes on beyond the bound")

// take counts bytes off.
func (w *thriftWalk) take(n int64) error {
	if w.left -= n; w.left < 0 {
		return errTooMuchThrift
	}
	return nil
}

func (w *thriftWalk) byte() (byte, error) {
	if err := w.take(1); err != nil {
		return 0, err
	}
	return w.from.ReadByte()
}

// ReadByte implements io.ByteReader.
func (w *thriftWalk) ReadByte() (byte, error) {
	b, err := w.byte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func (w *thriftWalk) skip(n int64) error {
	if err := w.take(n); err != nil {
		return err
	}
	_, err := w.from.Discard(int(n))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (w *thriftWalk) report(value int64) error {
	if w.number == nil {
		return nil
	}
	return w.number(w.path, value)
}

// structure walks through the fields of a struct. At the end of the input it
// returns io.EOF if there is no byte of it.
func (w *thriftWalk) structure(depth int) error {
	var id int16
	for first := true; ; first = false {
		head, err := w.byte()
		if err != nil {
			if err == io.EOF && (!first || depth > 0) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if head == thriftStop {
			return nil
		}
		if delta := int16(head >> 4); delta != 0 {
			id += delta
		} else {
			number, err := binary.ReadVarint(w)
			if err != nil {
				return err
			}
			id = int16(number)
		}
		w.path = append(w.path, id)
		switch kind := head & 15; kind {
		case thriftTrue, thriftFalse:
			err = w.report(int64(thriftFalse - kind))
		default:
			err = w.value(kind, depth)
		}
		if err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// value walks through a value that is in so many structs, lists and maps.
func (w *thriftWalk) value(kind byte, depth int) error {
	if depth > thriftDepth {
		return damaged("structs and lists of Thrift stand %d deep in each other", depth)
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // truth values are bytes in lists
		_, err := w.ReadByte()
		return err
	case thriftI16, thriftI32, thriftI64:
		value, err := binary.ReadVarint(w)
		if err != nil {
			return err
		}
		return w.report(value)
	case thriftDouble:
		return w.skip(8)
	case thriftUUID:
		return w.skip(16)
	case thriftBinary:
		size, err := binary.ReadUvarint(w)
		if err != nil {
			return err
		}
		return w.skip(int64(min(size, 1<<40)))
	case thriftList, thriftSet:
		return w.elements(depth)
	case thriftMap:
		return w.pairs(depth)
	case thriftStruct:
		return w.structure(depth + 1)
	}
	return damaged("Thrift has no type %d", kind)
}

func (w *thriftWalk) begins(size uint64, structs bool) error {
	if size > uint64(max(w.left, 0)) { // an element has a byte at least
		return damaged("a list of Thrift has %d elements, and %d bytes follow at most", size, w.left)
	}
	if w.list == nil {
		return nil
	}
	return w.list(w.path, int64(size), structs)
}

func (w *thriftWalk) elements(depth int) error {
	head, err := w.ReadByte()
	if err != nil {
		return err
	}
	size, kind := uint64(head>>4), head&15
	if size == 15 {
		if size, err = binary.ReadUvarint(w); err != nil {
			return err
		}
	}
	if err := w.begins(size, kind == thriftStruct); err != nil {
		return err
	}
	for range size {
		if err := w.value(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalk) pairs(depth int) error {
	size, err := binary.ReadUvarint(w)
	if err != nil || size == 0 {
		return err
	}
	kinds, err := w.ReadByte()
	if err != nil {
		return err
	}
	if err := w.begins(size, true); err != nil {
		return err
	}
	for range size {
		if err := w.value(kinds>>4, depth+1); err != nil {
			return err
		}
		if err := w.value(kinds&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}
