package protocol

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// DataHash takes what a figure is measured on: texts, their languages and people's judgements, but not
// where they stand. The same rows of another file, beside other languages or other tasks, have the same
// hash, so that figures of several runs are told to be over the same data or not.
type DataHash struct{ xxh3.Hasher }

// Add takes an item: its texts and what people say of it.
func (h *DataHash) Add(judgement any, texts ...encoder.Text) {
	for _, t := range texts {
		fmt.Fprintf(h, "%q %q ", t.Text, t.Language)
	}
	fmt.Fprintf(h, "%v\n", judgement)
}

// Sum is the hash of what was added.
func (h *DataHash) Sum() string {
	b := h.Sum128().Bytes()
	return hex.EncodeToString(b[:])
}

// ParallelHash is the hash of texts and their translations.
func ParallelHash(a, b []encoder.Text) string {
	var h DataHash
	for i := range a {
		h.Add("", a[i], b[i])
	}
	return h.Sum()
}

// JointHash is the hash of the data of a figure that is made of others, in whatever order.
func JointHash(figures ...schemas.Result) string {
	var hashes []string
	for _, r := range figures {
		hashes = append(hashes, r.DataXXH3)
	}
	slices.Sort(hashes)
	var h DataHash
	fmt.Fprintf(&h, "%q", slices.Compact(hashes)) // several metrics are over the same items
	return h.Sum()
}
