package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// File is an open Parquet file. It is read by one goroutine at a time, and a row
// group at a time: the pages of a column from the first one on.
type File struct {
	*parquet.File
	from   io.ReaderAt
	leaves []leaf
	chunks []chunk
	footer []byte // of the file that parquet-go sees
	open   []*pages
	loaded int64 // bytes of pages since the last call of Next
}

// Open opens a file of so many bytes. Errors match ErrDamaged or are of type
// *BoundError, or are those of the reader.
func Open(source io.ReaderAt, size int64) (*File, error) {
	metadata, err := readFooter(source, size)
	if err != nil {
		return nil, err
	}
	f := &File{from: source}
	if f.leaves, err = leavesOf(metadata.Schema); err != nil {
		return nil, err
	}
	if f.chunks, err = chunksOf(metadata, f.leaves, size); err != nil {
		return nil, err
	}
	f.open = make([]*pages, len(f.leaves))
	if f.footer, err = thrift.Marshal(&thrift.CompactProtocol{}, metadata); err != nil {
		return nil, err
	}
	n := uint32(len(f.footer))
	f.footer = append(append(f.footer, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), magic...)
	return f, Guard(func() (err error) {
		f.File, err = parquet.OpenFile(view{f}, f.end()+int64(len(f.footer)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
}

// Guard calls parquet-go, and turns a panic into an error that matches ErrDamaged:
// what is not bounded here, such as indexes beyond a dictionary, makes it panic.
func Guard(call func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // of an index or a length
			err = damaged("a value of it points beyond what it belongs to")
		default:
			err = damaged("the Parquet reader stopped: %v", p)
		}
	}()
	return call()
}

// Next says that nothing is used any more of what was read before. A reader calls it
// before each of its steps: what a step may load is bounded.
func (f *File) Next() { f.loaded = 0 }

// GroupBytes is the size of the columns of a row group in the file.
func (f *File) GroupBytes(group int) (size int64) {
	for _, c := range f.chunks[group*len(f.leaves) : (group+1)*len(f.leaves)] {
		size += c.size
	}
	return size
}

// admit counts a page that is to be loaded.
func (f *File) admit(size int64) error {
	var total int64
	for _, column := range f.open {
		if column != nil {
			total += column.held()
		}
	}
	if err := bound("the current pages of all columns together", total, maxHeld, "bytes", smallerGroups); err != nil {
		return err
	}
	f.loaded += size
	return bound("the pages of a row, or of some rows that are read together", f.loaded, maxBatch, "bytes", shorterValues)
}

// end is where the footer begins in the file that parquet-go sees.
func (f *File) end() int64 { return int64(len(f.chunks)+1) * stride }

// view is the file that parquet-go sees.
type view struct{ *File }

var errOrder = errors.New("a column of Parquet is read out of order")

// ReadAt implements io.ReaderAt, but that it may give less than is asked for: what
// reads pages asks again.
func (v view) ReadAt(dst []byte, offset int64) (int, error) {
	i, position := offset/stride-1, offset%stride
	switch {
	case offset < 0:
		return 0, errOrder
	case i < 0:
		return copy(dst, magic), nil
	case i >= int64(len(v.chunks)):
		return copy(dst, v.footer[min(offset-v.end(), int64(len(v.footer))):]), nil
	}
	c := &v.chunks[i]
	p := v.open[c.column]
	if position == 0 && (p == nil || p.chunk != c || p.at > 0) {
		p = &pages{file: v.File, chunk: c, leaf: &v.leaves[c.column], left: c.size}
		if old := v.open[c.column]; old != nil && old.in != nil {
			releaseReader(old.in)
		}
		p.in = reader(io.NewSectionReader(v.from, c.from, c.size))
		v.open[c.column] = p
	}
	if p == nil || p.chunk != c || p.at != position {
		return 0, errOrder
	}
	n, err := p.take(dst)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("column %.200q: %w", p.leaf.name, err)
	}
	return n, err
}
