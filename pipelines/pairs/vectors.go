package pairs

import (
	"context"

	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/read/texts"
)

const (
	// reasonTooManyVectors: the versions of the page have more numbers in their vectors than are kept.
	reasonTooManyVectors = "too_many_vectors"
	// mostNumbers bounds those of the vectors of a page in all languages, which take 32 MiB, and as much again where two versions
	// are aligned.
	mostNumbers = 1 << 23
)

// Vectors are those of the sentences of documents.
type Vectors struct {
	Embeddings *units.Dataset // nil if there are none
	Dimensions int
	// Firsts are the numbers of the first shards of Embeddings that the units read, and at the end the number of shards.
	Firsts []int
}

// openVectors opens the vectors of documents for a plan, and returns the units: those of embed, joined until each of them ends
// where a shard of the documents ends, since the versions of a page are in one.
func openVectors(ctx context.Context, location string, documents *dataset.Manifest) (v Vectors, list []dataset.Unit, err error) {
	var embedded []dataset.Unit
	if v.Embeddings, embedded, err = vectors.Open(ctx, location, documents); err != nil {
		return v, nil, err
	}
	if v.Dimensions, err = vectors.Dimensions(ctx, v.Embeddings); err != nil {
		return v, nil, err
	}
	ends := map[string]int64{}
	for _, shard := range documents.WholeShards() {
		ends[shard.Span.Name] = shard.Span.To
	}
	for i, begins := 0, true; i < len(embedded); i++ {
		if begins {
			v.Firsts, list = append(v.Firsts, i), append(list, dataset.Unit{})
		}
		unit := &list[len(list)-1]
		unit.Spans = append(unit.Spans, embedded[i].Spans...)
		span := unit.Spans[len(unit.Spans)-1]
		begins = span.To == ends[span.Name]
	}
	v.Firsts = append(v.Firsts, len(embedded))
	return v, list, nil
}

// readVectors reads those of the next document, nil for a sentence without one that can be taken, and counts them.
func (g *pageGroup) readVectors(d schemas.Document) (list [][]float32, err error) {
	if g.vectors == nil {
		return nil, nil
	}
	for text := range texts.OfDocument(d) {
		vector, err := g.vectors.Next(text)
		if err != nil {
			return nil, err
		}
		reason := vectors.Unusable(vector, g.task.Vectors.Dimensions)
		if g.numbers += len(vector); reason == "" && g.numbers > mostNumbers {
			reason = reasonTooManyVectors
		}
		if reason != "" {
			vector = nil
		}
		g.kinds[kind{ChainSentences, text.Language, reason}]++
		list = append(list, vector)
	}
	return list, nil
}
