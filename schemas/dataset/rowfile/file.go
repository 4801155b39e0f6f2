// Package rowfile writes and reads one Parquet file of rows: the same rows give the same bytes, on every machine, and no
// row of a damaged file is given. A file appears where nothing stood, or is the one that is there (see Exclusive).
package rowfile

import (
	"errors"
	"fmt"

	"sentweave/schemas/storage"
)

// File describes one file of a dataset.
type File struct {
	// Name is relative to the dataset's folder.
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	// XXH3 is the xxh3-64 of the file.
	XXH3 string `json:"xxh3"`
}

// Errors that callers tell apart.
var (
	// ErrCorrupt: a file differs from what plan, receipt or manifest say.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnequal: attempts of one unit, or finalizers of one plan, gave different bytes.
	ErrUnequal = errors.New("it was written differently")
)

// HashString is the printed form of a 64-bit hash.
func HashString(h uint64) string { return fmt.Sprintf("%016x", h) }

// WayOut adds to an error of the disk what its user can do about it.
func WayOut(err error) error {
	return storage.WayOut(err, " and run the same command again, units that are done are kept")
}

// AtOnce is the number of objects that are read at once: reading waits for the disk,
// or for the answers of a service, each of which takes some ten milliseconds.
const AtOnce = 64
