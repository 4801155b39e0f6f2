package spill

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// runSalt makes runs differ from sections of spill files.
const runSalt = 0x9E3779B97F4A7C15

// Writer makes one spill file out of records in any order. It is used by one
// goroutine.
type Writer struct {
	to      io.Writer
	layout  Layout
	options Options
	arena   *arena
	runs    runs
	queue   []Section // what was written to runs
	err     error     // why the writer cannot go on
}

var errClosed = errors.New("the writer of the spill file is closed")

// NewWriter returns a writer of a spill file. Nothing reaches file before Close.
func NewWriter(file io.Writer, layout Layout, options Options) (*Writer, error) {
	if err := errors.Join(layout.Validate(), options.Validate()); err != nil {
		return nil, fmt.Errorf("new spill file: %w", err)
	}
	byHash := layout.Order == ByHash
	return &Writer{
		to: file, layout: layout, options: options,
		arena: newArena(byHash, options.Combine, options.memory()-writingCost),
		runs:  runs{options: options, byHash: byHash, identity: layout.identity() ^ runSalt, block: newBlockWriter()},
	}, nil
}

// Add takes in a record; the slices may be changed afterwards. A key and a value
// of more than maxRecord bytes together are an error. After an error every
// further call returns it.
func (w *Writer) Add(key, value []byte) error {
	if w.err != nil {
		return w.err
	}
	if err := checkSize(key, value); err != nil {
		return w.fail(err)
	}
	rest, ok := w.arena.add(key, value)
	if ok {
		return nil
	}
	if err := w.spill(); err != nil {
		return w.fail(err)
	}
	if err := checkSize(key, rest); err != nil {
		return w.fail(err)
	}
	w.arena.add(key, rest)
	return nil
}

// Close writes the file and returns its sections that have records, in the order
// of their buckets. The bytes depend on the layout, the combiner and the set of
// records alone: not on the order of Add or on the memory. Close does not close
// or sync the io.Writer.
func (w *Writer) Close() ([]Ref, error) {
	if w.err != nil {
		return nil, w.err
	}
	refs, err := w.write()
	w.Abort()
	if err != nil {
		return nil, w.fail(err)
	}
	return refs, nil
}

// Abort frees memory and temporary files. After Close it does nothing.
func (w *Writer) Abort() {
	if w.err == nil {
		w.err = errClosed
	}
	w.arena, w.queue = nil, nil
	w.runs.close() // what cannot be deleted harms nobody
}

func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("write spill file: %w", err)
	w.arena, w.queue = nil, nil
	w.runs.close()
	return w.err
}

// spill moves the records from memory to a run.
func (w *Writer) spill() error {
	if len(w.arena.entries) > 0 {
		run, err := w.runs.write(w.arena.each)
		if err != nil {
			return err
		}
		w.queue = append(w.queue, run)
	}
	w.arena.reset()
	return nil
}

func (w *Writer) write() ([]Ref, error) {
	if len(w.queue) == 0 {
		return w.writeFile(w.arena.each)
	}
	if err := w.spill(); err != nil {
		return nil, err
	}
	w.arena = nil // its memory is the merge's
	budget := cursorBudget(w.options)
	sections, err := w.runs.reduce(w.queue, budget)
	if err != nil {
		return nil, err
	}
	return w.writeFile(func(emit sink) error {
		return mergeSections(sections, budget, w.options.Combine, emit)
	})
}

// writeFile writes the records that produce passes on.
func (w *Writer) writeFile(produce func(sink) error) ([]Ref, error) {
	buffered := bufio.NewWriterSize(w.to, 64<<10)
	header := appendHeader(nil, w.layout)
	if _, err := buffered.Write(header); err != nil {
		return nil, err
	}
	identity := w.layout.identity()
	sections := sectionWriter{to: buffered, identity: identity, block: w.runs.block, offset: int64(len(header))}
	var refs []Ref
	end := func() error {
		ref, err := sections.end()
		if ref.Records > 0 {
			refs = append(refs, ref)
		}
		return err
	}
	bucket := 0
	sections.begin(bucket)
	err := produce(func(rank uint64, key, value []byte) error {
		if b := w.bucket(bucket, rank, key); b != bucket {
			if err := end(); err != nil {
				return err
			}
			bucket = b
			sections.begin(bucket)
		}
		return sections.add(key, value)
	})
	if err != nil {
		return nil, err
	}
	if err := end(); err != nil {
		return nil, err
	}
	footer := appendFooter(nil, refs)
	if _, err := buffered.Write(appendTrailer(footer, footer, identity, sections.offset+int64(len(footer)))); err != nil {
		return nil, err
	}
	return refs, buffered.Flush()
}

// bucket returns the bucket of a key that is at or after the bucket last.
func (w *Writer) bucket(last int, rank uint64, key []byte) int {
	splits := w.layout.Splits
	if splits == nil {
		return bucketOf(rank, w.layout.Buckets)
	}
	for last < len(splits) && bytes.Compare(key, splits[last]) >= 0 {
		last++
	}
	return last
}
