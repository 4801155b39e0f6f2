package pipelinetest

import (
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/random"
	"sentweave/transforms/read/texts"
)

// vectorDimensions are those of Vectors.
const vectorDimensions = 16

// Vector is a vector of the n-th sentence of a language, near to those of its translations. Exact
// vectors have entries of 1 and -1, so that cosines are exact and many are equal.
func Vector(language string, n int, exact bool) []float32 {
	meaning, noise := random.New(1, 1, "meaning", "", int64(n)), random.New(1, 1, "noise", language, int64(n))
	vector := make([]float32, vectorDimensions)
	for i := range vector {
		x := meaning.Float64() - .4
		switch {
		case !exact:
			vector[i] = float32(x + .3*(noise.Float64()-.5))
		case (x < 0) != (noise.Float64() < .04):
			vector[i] = -1
		default:
			vector[i] = 1
		}
	}
	return vector
}

// VectorOfText is a vector of a text that has nothing to do with its meaning.
func VectorOfText(text texts.Text) []float32 {
	return Vector(text.Language, int(xxh3.HashString(text.Text)>>1), false)
}

// VectorsOfPairs writes vectors of pairs as embed does, of each text by itself, and returns their folder.
func VectorsOfPairs(t testing.TB, pairs string, of func(text texts.Text) []float32) string {
	t.Helper()
	folder, m, err := dataset.OpenAs[schemas.Pair](t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	var shards [][]schemas.Embedding
	for _, piece := range m.Pieces(1) {
		var rows []schemas.Embedding
		for p, err := range dataset.SpanRows[schemas.Pair](t.Context(), folder, m, piece.Span) {
			if err != nil {
				t.Fatal(err)
			}
			for text := range texts.OfPair(p) {
				rows = append(rows, schemas.Embedding{ID: text.EmbeddingID(), Language: text.Language, Text: text.Text, Vector: of(text)})
			}
		}
		shards = append(shards, rows)
	}
	return datasettest.WriteDraft(t, dataset.Draft{Config: struct{}{}, Inputs: []dataset.Input{m.Input("texts")}}, shards...)
}

// Vectors writes a dataset of embeddings of a language in five shards, and returns its folder: of
// sentences that are translated in all languages, the first so many, and as many others in an order of
// its own. Every 29th stands there once more, and every 31st has a vector of zeros.
func Vectors(t testing.TB, language string, translated int, exact bool) string {
	t.Helper()
	var rows []schemas.Embedding
	add := func(n int) {
		row := len(rows)
		e := schemas.Embedding{ID: fmt.Sprint(language, row), Language: language, Text: Sentence(language, n),
			Vector: Vector(language, n, exact)}
		if row%31 == 30 {
			clear(e.Vector)
		}
		rows = append(rows, e)
		if row%29 == 28 {
			e.ID += "again"
			rows = append(rows, e)
		}
	}
	step := map[string]int{"eng": 1, "deu": 7, "spa": 11, "fra": 13, "jpn": 17}[language] // prime to the number
	for i := range 2 * translated {
		n := i * step % (2 * translated)
		if n >= translated {
			n += 10_000 * step
		}
		add(n)
	}
	shards := make([][]schemas.Embedding, 5)
	for i := range shards {
		shards[i] = rows[i*len(rows)/5 : (i+1)*len(rows)/5]
	}
	return datasettest.Write(t, nil, shards...)
}

// VectorsOf writes embeddings of the sentences of documents as embed does, a shard for each group of rows, and returns their folder.
// Blocks of one ordinal have vectors of one meaning. Change, if it is not nil, changes rows.
func VectorsOf(t testing.TB, documents string, change func(*schemas.Embedding)) string {
	t.Helper()
	folder, m, err := dataset.OpenAs[schemas.Document](t.Context(), documents)
	if err != nil {
		t.Fatal(err)
	}
	var shards [][]schemas.Embedding
	for _, piece := range m.Pieces(1) {
		var rows []schemas.Embedding
		for d, err := range dataset.SpanRows[schemas.Document](t.Context(), folder, m, piece.Span) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range d.Sentences {
				e := schemas.Embedding{ID: fmt.Sprintf("%s/%d", d.ID, s.Position), Language: s.Language, Text: s.Text,
					Vector: Vector(d.Language, int(s.Block), false)}
				if change != nil {
					change(&e)
				}
				rows = append(rows, e)
			}
		}
		shards = append(shards, rows)
	}
	return datasettest.WriteDraft(t, dataset.Draft{Config: struct{}{}, Inputs: []dataset.Input{m.Input("texts")}}, shards...)
}
