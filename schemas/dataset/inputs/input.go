// Package inputs describes what a dataset is made of: its input files by their content, and the units that they are cut
// into.
package inputs

import (
	"fmt"

	"sentweave/schemas/spelling"
)

// Input is one input of a plan as the manifest describes it, without its location.
type Input struct {
	// Role says what the input is for: "pages", "documents", "vocabulary".
	Role string `json:"role"`
	// Files and Bytes count the part of it that the plan uses.
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// XXH3 is the hash of the sorted listing with each file's name, size and
	// content hash, or the check of the manifest of a dataset.
	XXH3 string `json:"xxh3"`
}

// Unit is an ordered list of spans that makes one shard.
type Unit struct {
	Ordinal int    `json:"unit"`
	Spans   []Span `json:"spans"`
	// XXH3 is the hash of the input files of the spans as a listing, see ListingInput; "" where the spans are not of
	// such files.
	XXH3 string `json:"xxh3,omitempty"`
	// Adopts is the unit of the extended dataset whose output this unit takes over; nil for a unit that is made.
	Adopts *int `json:"adopts,omitempty"`
}

// Span is a part of one input file: the bytes [From, To) of a file of records,
// or the row groups [From, To) of a Parquet shard.
type Span struct {
	Name string `json:"name"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
	// Rows says that From and To count the rows of a shard, not its row groups.
	Rows bool `json:"rows,omitempty"`
	// XXH3 is the hash of the shard, where what is made of it can be extended; else "". It is no part of the identity of a plan.
	XXH3 string `json:"xxh3,omitempty"`
}

// Difference describes how two inputs of a role differ, or returns "".
func (i Input) Difference(previous Input) string {
	switch {
	case i == previous:
		return ""
	case i.Files != previous.Files || i.Bytes != previous.Bytes:
		return fmt.Sprintf("the input %q has %s of %s there and %d of %d here", i.Role, spelling.Number(previous.Files, "file"),
			spelling.Number(previous.Bytes, "byte"), i.Files, i.Bytes)
	default:
		return fmt.Sprintf("the input %q has other content", i.Role)
	}
}
