package embed

import (
	"sync"

	"sentweave/stages/encoder"
)

// A batch are the texts that are encoded together: batchTexts, or those that have batchBytes, and fewer at the end of a
// row group. Batches begin anew with each row group, so that the last bits of a vector, which depend
// on its batch, do not depend on how rows are cut into shards.
const (
	batchTexts = 2048
	batchBytes = 4 << 20
)

// batch goes through the stages of a run, and is used again then.
type batch struct {
	texts     []encoder.Text
	rows      int   // of the input that end in the batch
	unit      int   // of the input, and
	place     int64 // of the first text in the unit
	places    []int // of the vectors of texts, which may share one
	sequences [][]int32
	vectors   []float32
	dimension int
	coded     bool // the vectors have sparse codes
}

// free are batches to be used again.
var free = sync.Pool{New: func() any { return new(batch) }}

func newBatch() *batch { return free.Get().(*batch) }

// release gives the memory of the batch to another one.
func (b *batch) release() {
	clear(b.texts) // which would keep them
	*b = batch{texts: b.texts[:0], vectors: b.vectors[:0]}
	free.Put(b)
}

// vector returns that of a text of the batch.
func (b *batch) vector(text int) []float32 {
	return b.vectors[b.places[text]*b.dimension:][:b.dimension]
}

// distinct returns the different texts, and which of them each text is. Equal texts have equal vectors then, to the last
// bit, which depends on a vector's neighbours.
func distinct(texts []encoder.Text) (different []encoder.Text, places []int) {
	index := make(map[string]int, len(texts))
	different, places = make([]encoder.Text, 0, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		place, ok := index[t.Text]
		if !ok {
			place = len(different)
			index[t.Text] = place
			different = append(different, t)
		}
		places[i] = place
	}
	return different, places
}
