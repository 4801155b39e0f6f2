package pcr

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
)

func rows(n, dim int) (list []schemas.Embedding) {
	data := embeddings(3, n, dim)
	for i := range n {
		list = append(list, schemas.Embedding{ID: fmt.Sprint("text ", i), Language: []string{"eng", "deu"}[i%2],
			Vector: data[i*dim : (i+1)*dim]})
	}
	return list
}

func TestRun(t *testing.T) {
	ctx := t.Context()
	list := rows(60, 8)
	c := StageConfig{Embeddings: datasettest.Write(t, nil, list), MaxTexts: 20, Config: Config{Components: 2}}
	output := filepath.Join(t.TempDir(), "components")
	r, done, err := Run(ctx, output, c, Options{})
	if err != nil || done || r.Texts["eng"] != 20 || r.Texts["deu"] != 20 {
		t.Fatal(r, done, err)
	}
	first, err := os.ReadFile(filepath.Join(output, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, done, err := Run(ctx, output, c, Options{}); err != nil || !done {
		t.Errorf("again: %v, %v", done, err)
	}

	// The choice does not depend on the order of the rows.
	slices.Reverse(list)
	other := c
	other.Embeddings = datasettest.Write(t, nil, list)
	elsewhere := filepath.Join(t.TempDir(), "components")
	if _, _, err := Run(ctx, elsewhere, other, Options{}); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(filepath.Join(elsewhere, FileName)); err != nil || string(second) != string(first) {
		t.Errorf("another order of rows gives other components; %v", err)
	}

	// With room for all texts it is the fit on them.
	other.MaxTexts = 1000
	if _, _, err := Run(ctx, elsewhere, other, Options{}); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "max_texts is 20 there and 1000 here") {
		t.Errorf("another request: %v", err)
	}
	if _, _, err := Run(ctx, elsewhere, other, Options{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	got, err := Load(ctx, storage.NewLocal(elsewhere))
	if err != nil {
		t.Fatal(err)
	}
	var matrix neighbors.Matrix
	matrix.Dim = 8
	n := 0
	for _, e := range list {
		if e.Language == "eng" {
			matrix.Data = append(matrix.Data, e.Vector...)
			n++
		}
	}
	want, err := directions(matrix, all(n), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	d, err := got.of("eng")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "all texts", d, want.Values, want.Vectors)

	// Damaged components are fitted again.
	if err := os.WriteFile(filepath.Join(output, FileName), first[:len(first)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, done, err := Run(ctx, output, c, Options{}); err != nil || done {
		t.Errorf("over damage: %v, %v", done, err)
	}
	if again, err := os.ReadFile(filepath.Join(output, FileName)); err != nil || string(again) != string(first) {
		t.Errorf("over damage: other components; %v", err)
	}
}

func TestRunFaults(t *testing.T) {
	list := rows(10, 8)
	good := datasettest.Write(t, nil, list)
	uneven := datasettest.Write(t, nil,
		append(list[:len(list):len(list)], schemas.Embedding{ID: "x", Language: "eng", Vector: []float32{1}}))
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, output string
		config       StageConfig
		want         string
	}{
		{"no dataset", "", StageConfig{Embeddings: t.TempDir(), MaxTexts: 5, Config: Config{Components: 1}}, "no dataset"},
		{"no row of a language", "", StageConfig{Embeddings: good, Languages: []string{"fra"}, MaxTexts: 5, Config: Config{Components: 1}},
			`"fra"`},
		{"two sizes", "", StageConfig{Embeddings: uneven, MaxTexts: 50, Config: Config{Components: 1}}, "dimensions"},
		{"nothing given", "", StageConfig{}, "embeddings is empty"},
		{"folder in use", full, StageConfig{Embeddings: good, MaxTexts: 5, Config: Config{Components: 1}}, "notes.txt"},
	}
	for _, test := range tests {
		if test.output == "" {
			test.output = filepath.Join(t.TempDir(), "out")
		}
		if _, _, err := Run(t.Context(), test.output, test.config, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
