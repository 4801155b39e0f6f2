// Package schemas holds the rows that pass between pipelines and stages: one type per
// row, its name and version, and the rules that a valid row obeys.
//
// A row type is plain data with Parquet tags. An optional text or number is absent
// where the field is zero or nil. A list is never absent: nil and empty are the same
// in a file, and both are read back as empty. Adding, removing or renaming a column,
// or changing its meaning, raises the version of its schema. The golden files in
// testdata record the columns of every version.
package schemas

import "fmt"

// Row is what every row type implements. Methods have value receivers, so that
// a row's zero value can tell its schema.
type Row interface {
	// Schema names the row's schema.
	Schema() Schema
	// Validate returns all faults of the row at once, joined, or nil. A writer calls
	// it for every row. Texts must be UTF-8, because Parquet requires it and other
	// readers stop at texts that are not. Numbers must be finite.
	Validate() error
}

// Schema identifies the columns of a row type.
type Schema struct {
	// Name is the schema's name in manifests: "document", "pair" and so on.
	Name string
	// Version is raised when a column or its meaning changes.
	Version int
	// Oldest is the first version whose datasets are read as rows of this one: they lack columns only, which are then empty. 0 is Version.
	Oldest int
	// RowGroup is the number of rows after which a writer starts a row group. It
	// is part of the schema because it decides the bytes of a file.
	RowGroup int
	// Blob is the path of a column of long values that have no order, with points, "" for none: files do not hold its bounds.
	Blob string
}

// Reads says whether datasets of a version are read as rows of this one.
func (s Schema) Reads(version int) bool {
	return version == s.Version || s.Oldest > 0 && version >= s.Oldest && version < s.Version
}

// String returns the form that messages use, as in "document v1".
func (s Schema) String() string { return fmt.Sprintf("%s v%d", s.Name, s.Version) }

const (
	documentRowGroup = 2_000
	rowGroup         = 16_384
)

// List lists the schemas of this program in the order of the documentation.
func List() []Schema {
	return []Schema{
		Document{}.Schema(), Pair{}.Schema(), Example{}.Schema(), Embedding{}.Schema(), Result{}.Schema(),
		Benchmark{}.Schema(), Reject{}.Schema(), WordCount{}.Schema(), Translation{}.Schema(), Item{}.Schema(), Text{}.Schema(),
		State{}.Schema(), Count{}.Schema(),
		PairScore{}.Schema(), Contamination{}.Schema(), InvertedList{}.Schema(),
	}
}
