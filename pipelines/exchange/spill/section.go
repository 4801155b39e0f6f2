package spill

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// ErrDamaged is in the chain of every error about the content of a spill file:
// cut short, changed, or written for another exchange. Errors of the storage
// itself do not match it.
var ErrDamaged = errors.New("the file is damaged or belongs to another exchange")

// Ref says where the records of a bucket lie in a spill file. With the file's
// name it is all that has to cross a shuffle.
type Ref struct {
	Bucket int
	// Offset and Length are the section's bytes in the file.
	Offset, Length int64
	Records        int64
	// Block is the size of the section's largest block in memory: it decides how
	// many sections a Merge reads at once.
	Block int64
}

// end is where the section ends in its file.
func (r Ref) end() int64 { return r.Offset + r.Length }

func (r Ref) validate(buckets int) error {
	const mostBlock = maxRecord + recordCost
	ok := r.Bucket >= 0 && r.Bucket < buckets && r.Offset >= 0 && r.Length > blockHeaderSize-1 && r.end() > r.Offset &&
		r.Records > 0 && r.Block >= recordCost && r.Block <= mostBlock
	if !ok {
		return fmt.Errorf("ref %+v points at no section of a spill file with %d buckets: %w", r, buckets, ErrDamaged)
	}
	return nil
}

// Section is one bucket's records in one spill file, in order. It holds no
// buffers and no file; it can be read any number of times.
type Section struct {
	from     io.ReaderAt
	ref      Ref
	identity uint64
	byHash   bool
	run      bool // of a temporary file
}

// OpenSection returns the section at a Ref that Writer.Close or Reader.Refs gave,
// without a read: what it points at is checked by each block's checksum. A
// ReaderAt that opens its file for each read keeps the number of open files small;
// one that is a fmt.Stringer is named by it in errors.
func OpenSection(file io.ReaderAt, layout Layout, ref Ref) (Section, error) {
	if err := layout.Validate(); err != nil {
		return Section{}, fmt.Errorf("open section of bucket %d: %w", ref.Bucket, err)
	}
	if err := ref.validate(layout.Buckets); err != nil {
		return Section{}, err
	}
	return newSection(file, layout, ref), nil
}

func newSection(file io.ReaderAt, layout Layout, ref Ref) Section {
	return Section{from: file, ref: ref, identity: layout.identity(), byHash: layout.Order == ByHash}
}

// Ref returns where the section lies.
func (s Section) Ref() Ref { return s.ref }

// Records streams the records in order. A record's slices are valid until the
// loop asks for the next one. The first error ends the stream. Memory is that of
// two blocks and one read of 256 KiB, or of a block where that is more.
func (s Section) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := newCursor(s, readSize, new([]byte))
		for {
			ok, err := c.next()
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !ok || !yield(Record{Key: c.key, Value: c.value}, nil) {
				return
			}
		}
	}
}

// fault is an error about the section's content or of reading it.
func (s Section) fault(block int, cause error) error {
	kind := "section of bucket"
	if s.run {
		kind = "temporary run"
	}
	file := ""
	if stringer, ok := s.from.(fmt.Stringer); ok {
		file = " in " + stringer.String()
	}
	return fmt.Errorf("read %s %d%s (offset %d, length %d): block %d: %w", kind, s.ref.Bucket, file, s.ref.Offset, s.ref.Length, block,
		cause)
}

// sectionWriter writes the sections of a file one after another.
type sectionWriter struct {
	to       io.Writer
	identity uint64
	offset   int64
	block    *blockWriter
	ordinal  int // of the block in its section
	ref      Ref // of the section that is being written
}

func (w *sectionWriter) begin(bucket int) {
	w.ref = Ref{Bucket: bucket, Offset: w.offset}
	w.ordinal = 0
}

func (w *sectionWriter) add(key, value []byte) error {
	if err := checkSize(key, value); err != nil {
		return err
	}
	if !w.block.fits(len(key) + len(value) + recordCost) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.block.add(key, value)
	return nil
}

func (w *sectionWriter) flush() error {
	if w.block.records() == 0 {
		return nil
	}
	w.ref.Records += int64(w.block.records())
	w.ref.Block = max(w.ref.Block, int64(w.block.size))
	b, err := w.block.seal(blockSeed(w.identity, w.ref.Bucket, w.ordinal))
	if err != nil {
		return err
	}
	n, err := w.to.Write(b)
	w.offset += int64(n)
	w.ordinal++
	return err
}

// end finishes the section.
func (w *sectionWriter) end() (Ref, error) {
	err := w.flush()
	w.ref.Length = w.offset - w.ref.Offset
	return w.ref, err
}
