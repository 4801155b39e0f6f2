package pairs

import (
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// A page has at most so many numbers in its vectors.
func TestMostNumbers(t *testing.T) {
	location, _ := pipelinetest.Documents{Shards: 1, PerShard: 1, Sentences: 5}.Write(t)
	documents := pipelinetest.Rows[schemas.Document](t, location)
	_, m, err := dataset.OpenAs[schemas.Document](t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := openVectors(t.Context(), pipelinetest.VectorsOf(t, location, nil), m)
	if err != nil {
		t.Fatal(err)
	}
	g := pageGroup{task: &parallelTask{Vectors: v}, kinds: map[kind]int64{}, numbers: mostNumbers - 2*v.Dimensions}
	if g.vectors, err = vectors.Read(t.Context(), v.Embeddings, 0, 1); err != nil {
		t.Fatal(err)
	}
	defer g.vectors.Stop()
	list, err := g.readVectors(documents[0])
	if err != nil || len(list) != 5 || list[1] == nil || list[2] != nil ||
		g.kinds[kind{ChainSentences, "eng", reasonTooManyVectors}] != 3 || g.kinds[kind{ChainSentences, "eng", ""}] != 2 {
		t.Error(len(list), g.kinds, err)
	}
}
