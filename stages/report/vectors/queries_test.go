package vectors

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/report/markup"
)

// Each query has the nearest text of each other language, and the page says whether that is its
// translation; worked out by hand on vectors of a plane.
func TestQueries(t *testing.T) {
	var pairs []schemas.Pair
	var embeddings []schemas.Embedding
	add := func(n int, german string, x, y float32) {
		group := uint64(n)
		english := fmt.Sprintf("sentence %d, which is long enough to be taken", n)
		id := schemas.DerivedID("pair", fmt.Sprint(n))
		pairs = append(pairs, schemas.Pair{ID: id, Kind: schemas.KindBitext, Origin: "test", LanguageA: "deu", LanguageB: "eng",
			TextA: german, TextB: english, Group: &group})
		embeddings = append(embeddings,
			schemas.Embedding{ID: id + "/a", Language: "deu", Text: german, Vector: []float32{x, y}},
			schemas.Embedding{ID: id + "/b", Language: "eng", Text: english, Vector: []float32{float32(n), 1}})
	}
	add(1, "eins", 1, 1)   // its own direction
	add(2, "gleich", 0, 1) // of another pair
	add(3, "gleich", 2, 1) // that of 2, whose text is equal
	add(4, "vier", 0, -1)  // nearest to 4 is 3
	texts, vectors := datasettest.Write(t, nil, pairs), datasettest.Write(t, nil, embeddings)
	config := Texts{Texts: texts, Embeddings: vectors, Groups: 10}
	parallel, err := config.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	block, err := parallel.Queries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range block.(markup.Table).Rows {
		got = append(got, strings.Join([]string{row[0].Text[:10], row[1].Text, row[2].Text, row[3].Text, row[4].Text}, " "))
	}
	want := "sentence 1 German eins 1.00 translation|sentence 2 German gleich 1.00 equal text|sentence 3 German gleich 0.99 translation|sentence 4 German gleich 0.98 another text"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if err := block.Validate(); err != nil {
		t.Error(err)
	}
	// Without texts there is nothing to show.
	for i := range embeddings {
		embeddings[i].Text = ""
	}
	config.Embeddings = datasettest.Write(t, nil, embeddings)
	if parallel, err = config.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if block, err = parallel.Queries(t.Context()); err != nil || block != nil {
		t.Errorf("%v, %v", block, err)
	}
}
