package spill

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
)

const (
	// writingCost is the memory of a blockWriter at work: a block in five forms,
	// the tables of LZ4, and the output's buffer.
	writingCost = 768 << 10
	// mergingCost is the memory of a merge besides its cursors.
	mergingCost = 128 << 10
)

// Merge streams the records of sections, which may come from many files and
// buckets of one exchange, in the layout's order; with Options.Combine, one
// record a key. A record's slices are valid until the loop asks for the next
// one. The first error ends the stream. The stream can be read again, then from
// the start.
//
// The cursors of all sections share Options.Memory: each takes a decoded block
// and a read of at least one block and at most 256 KiB, less for small sections.
// Where that is too much (500 large sections at 64 MiB), groups of sections are
// merged into temporary runs first.
func Merge(sections []Section, options Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		err := merge(sections, options, func(_ uint64, key, value []byte) error {
			if !yield(Record{Key: key, Value: value}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(Record{}, err)
		}
	}
}

// errStopped says that a loop over records was left.
var errStopped = errors.New("stopped")

func merge(sections []Section, options Options, emit sink) (err error) {
	if err := options.Validate(); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if len(sections) == 0 {
		return nil
	}
	first := sections[0]
	for _, s := range sections {
		if s.from == nil {
			return errors.New("merge: a section was not opened")
		}
		if s.identity != first.identity || s.byHash != first.byHash {
			return fmt.Errorf("merge: sections of bucket %d and bucket %d belong to different exchanges", first.ref.Bucket, s.ref.Bucket)
		}
	}
	r := runs{options: options, byHash: first.byHash, identity: first.identity ^ runSalt}
	defer func() {
		if e := r.close(); err == nil {
			err = e
		}
	}()
	budget := cursorBudget(options)
	if sections, err = r.reduce(sections, budget); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return mergeSections(sections, budget, options.Combine, emit)
}

// cursorBudget is what a budget leaves for the cursors of a merge.
func cursorBudget(options Options) int64 { return options.memory() - writingCost - mergingCost }

// mergeSections merges sections whose cursors fit the budget.
func mergeSections(sections []Section, budget int64, combine func(dst, value []byte) []byte, emit sink) error {
	total := int64(0)
	for _, s := range sections {
		total += leastCost(s)
	}
	spread := max(0, budget-total) / int64(len(sections))
	t := loserTree{cursors: make([]*cursor, len(sections)), ranks: make([]uint64, len(sections)), losers: make([]int, len(sections))}
	spare := new([]byte)
	for i, s := range sections {
		t.cursors[i] = newCursor(s, min(readSize, storedBound(s.ref)+spread), spare)
	}
	if combine == nil {
		return t.each(emit)
	}
	c := combiner{combine: combine, to: emit}
	if err := t.each(c.add); err != nil {
		return err
	}
	return c.flush()
}

// leastCost is the least memory that a cursor on the section needs.
func leastCost(s Section) int64 { return cursorCost(s.ref, 0) }

// loserTree merges cursors: each inner node keeps the loser of the comparison
// between its two sides, so that the next record takes one comparison a level
// (Knuth, TAOCP volume 3, section 5.4.1).
type loserTree struct {
	cursors []*cursor
	ranks   []uint64 // of the cursors, side by side since every comparison reads two
	losers  []int
}

func (t *loserTree) each(emit sink) error {
	for i := range t.cursors {
		if err := t.advance(i); err != nil {
			return err
		}
	}
	n := len(t.cursors)
	winner := t.build(1)
	for {
		c := t.cursors[winner]
		if c == nil {
			return nil
		}
		if err := emit(c.rank, c.key, c.value); err != nil {
			return err
		}
		if err := t.advance(winner); err != nil {
			return err
		}
		for node := (winner + n) / 2; node >= 1; node /= 2 {
			if t.before(t.losers[node], winner) {
				t.losers[node], winner = winner, t.losers[node]
			}
		}
	}
}

// advance moves a cursor. One at its end is dropped with its buffers and stands last.
func (t *loserTree) advance(i int) error {
	c := t.cursors[i]
	ok, err := c.next()
	if err != nil {
		return err
	}
	if !ok {
		t.cursors[i], t.ranks[i] = nil, math.MaxUint64
		return nil
	}
	t.ranks[i] = c.rank
	return nil
}

// build fills the losers below a node and returns the winner. The leaves are
// the nodes from len(cursors) on.
func (t *loserTree) build(node int) int {
	if node >= len(t.cursors) {
		return node - len(t.cursors)
	}
	left, right := t.build(2*node), t.build(2*node+1)
	if t.before(right, left) {
		left, right = right, left
	}
	t.losers[node] = right
	return left
}

func (t *loserTree) before(i, j int) bool {
	if t.ranks[i] != t.ranks[j] {
		return t.ranks[i] < t.ranks[j]
	}
	a, b := t.cursors[i], t.cursors[j]
	if a == nil || b == nil {
		return b == nil && a != nil
	}
	if c := bytes.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	return bytes.Compare(a.value, b.value) < 0
}

// combiner passes on one record for all of a key.
type combiner struct {
	combine func(dst, value []byte) []byte
	to      sink

	any        bool
	rank       uint64
	key, value []byte
}

func (c *combiner) add(rank uint64, key, value []byte) error {
	if c.any && rank == c.rank && bytes.Equal(key, c.key) {
		// The result may be the value, which is not ours: copied; if it is dst that
		// costs nothing.
		c.value = append(c.value[:0], c.combine(c.value, value)...)
		return checkSize(c.key, c.value)
	}
	if err := c.flush(); err != nil {
		return err
	}
	c.any, c.rank = true, rank
	c.key = append(c.key[:0], key...)
	c.value = append(c.value[:0], value...)
	return nil
}

func (c *combiner) flush() error {
	if !c.any {
		return nil
	}
	c.any = false
	return c.to(c.rank, c.key, c.value)
}

func checkSize(key, value []byte) error {
	if len(key)+len(value) <= maxRecord {
		return nil
	}
	return fmt.Errorf("a record with a key of %d bytes and a value of %d is larger than %d bytes; put the value elsewhere and a reference to it here",
		len(key), len(value), maxRecord)
}
