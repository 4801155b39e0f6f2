// Package parquetfile opens Parquet files that cannot be trusted. It checks the sizes
// that a file declares before it allocates memory for them, and limits the size of
// decompressed data.
//
// # How
//
// parquet-go trusts a file. A small footer may declare lists of billions of elements,
// a page header may declare any size, and a compressed page may expand a million
// times; so may runs of levels and indexes, and shared prefixes. Therefore parquet-go
// does not read the file itself, but a view of it whose footer holds only what is
// needed and whose pages are not compressed. This package reads, checks and
// decompresses each page when parquet-go asks for it. Nothing is decompressed twice,
// and good files are read at the same speed.
//
// # Bounds
//
// The bounds are constants, chosen for the files of common writers: DuckDB's pages
// have up to 100 MB, pyarrow's 1 MiB or one batch of values, Spark's 1 MiB. An error
// of type *BoundError names the bound that a file exceeds and the way out.
package parquetfile

import (
	"errors"
	"fmt"
)

// ErrDamaged is matched by errors that tell of a file that contradicts itself, or
// the format.
var ErrDamaged = errors.New("damaged Parquet")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// The bounds. Memory of an open file is a small multiple of maxHeld.
const (
	maxFooter   = 64 << 20  // bytes of the footer, in which writers put whole texts as bounds of columns
	maxMetadata = 256 << 20 // bytes that the footer takes in memory, as estimated
	maxElements = 1 << 14   // columns and groups of columns
	maxDepth    = 32        // groups within groups
	maxChunks   = 1 << 17   // columns × row groups
	maxPage     = 128 << 20 // bytes of a page, decompressed and decoded
	maxValues   = 1 << 24   // values of a page; of a row group, in a column of lists
	// A page's header holds the least and the greatest value, each twice. They are
	// passed over and take no memory.
	maxHeader = 4*maxPage + 1<<20
	maxHeld   = 256 << 20 // bytes of the current pages and dictionaries of all columns
	maxBatch  = 384 << 20 // bytes of the pages that are loaded between two calls of Next
)

// Ways out, which end the messages of bounds.
const (
	fewerColumns   = "write it anew with the columns that are needed"
	smallerGroups  = "write it anew in row groups of some thousand rows, as `copy (from 'old.parquet') to 'new.parquet' (row_group_size 10000)` of DuckDB does"
	shorterValues  = "write it anew without its longest values, or in row groups of some hundred rows"
	fewerRowGroups = "write it anew in larger row groups, or as several files"
)

// BoundError says that a file has more of something than is read.
type BoundError struct {
	// What it is, such as "a page of column text".
	What string
	// Got and Bound are counted in Unit, such as "bytes".
	Got, Bound int64
	Unit       string
	// WayOut says what to do.
	WayOut string
}

// Error implements error.
func (e *BoundError) Error() string {
	return fmt.Sprintf("%s: %d %s, more than the %d that are read; %s", e.What, e.Got, e.Unit, e.Bound, e.WayOut)
}

// bound returns an error if there is more than the bound.
func bound(what string, got, limit int64, unit, wayOut string) error {
	if got <= limit {
		return nil
	}
	return &BoundError{What: what, Got: got, Bound: limit, Unit: unit, WayOut: wayOut}
}
