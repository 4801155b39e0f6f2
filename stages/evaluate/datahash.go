package evaluate

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// dataHash takes what a figure is measured on: texts, their languages and people's judgements, but not
// where they stand. The same rows of another file, beside other languages or other tasks, have the same
// hash, so that figures of several runs are told to be over the same data or not.
type dataHash struct{ xxh3.Hasher }

// add takes an item: its texts and what people say of it.
func (h *dataHash) add(judgement any, texts ...encoder.Text) {
	for _, t := range texts {
		fmt.Fprintf(h, "%q %q ", t.Text, t.Language)
	}
	fmt.Fprintf(h, "%v\n", judgement)
}

func (h *dataHash) sum() string {
	b := h.Sum128().Bytes()
	return hex.EncodeToString(b[:])
}

// parallelData is the hash of texts and their translations.
func parallelData(a, b []encoder.Text) string {
	var h dataHash
	for i := range a {
		h.add("", a[i], b[i])
	}
	return h.sum()
}

// together is the hash of the data of a figure that is made of others, in whatever order.
func together(figures ...schemas.Result) string {
	var hashes []string
	for _, r := range figures {
		hashes = append(hashes, r.DataXXH3)
	}
	slices.Sort(hashes)
	var h dataHash
	fmt.Fprintf(&h, "%q", slices.Compact(hashes)) // several metrics are over the same items
	return h.sum()
}
