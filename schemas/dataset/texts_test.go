package dataset_test

import (
	"fmt"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

// A column that is named twice is read once, also where it has many pages.
func TestTextsOfOneColumnTwice(t *testing.T) {
	const rows = 40_000
	list := make([]schemas.Embedding, rows)
	for i := range list {
		list[i] = schemas.Embedding{ID: fmt.Sprintf("%032x/a", i*7919), Language: "eng", Vector: []float32{1}}
	}
	folder, m, err := dataset.Open(t.Context(), datasettest.Write(t, nil, list))
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for values, err := range dataset.Texts(t.Context(), folder, m, m.Shards[0], []string{"id", "language", "id"}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := list[row].ID; values[0] != want || values[1] != "eng" || values[2] != want {
			t.Fatalf("row %d: %q", row, values)
		}
		row++
	}
	if row != rows {
		t.Errorf("%d rows, want %d", row, rows)
	}
}
