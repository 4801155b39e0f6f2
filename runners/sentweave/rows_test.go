package main

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// datasetOf makes a dataset of one shard and returns its folder.
func datasetOf[T schemas.Row](t *testing.T, rows []T) string {
	t.Helper()
	var zero T
	location := t.TempDir()
	folder := storage.NewLocal(location)
	units := []dataset.Unit{{}}
	plan, err := dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: zero.Schema(), Config: struct{}{}, ShardBytes: 1, Units: units}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Create(t.Context(), folder, units); err != nil {
		t.Fatal(err)
	}
	a, err := dataset.Begin[T](folder, plan, 0, dataset.NewChain("rows", "write"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	for _, r := range rows {
		if err := errors.Join(a.Write(t.Context(), r), a.Funnel().Keep("rows", "und", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Finalize(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return location
}

// parallelPairs makes a dataset of n English texts with their German translations.
func parallelPairs(t *testing.T, n int) string {
	t.Helper()
	var rows []schemas.Pair
	for i := range n {
		group := uint64(i)
		rows = append(rows, schemas.Pair{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", Group: &group, LanguageA: "eng", LanguageB: "deu",
			TextA: fmt.Sprintf("The traveller %d has come to the river.", i), TextB: fmt.Sprintf("Reisender %d ist am Ufer.", i),
		})
	}
	return datasetOf(t, rows)
}

// embeddingsOf makes a dataset of vectors in the plane for the texts of
// parallelPairs, by their directions in degrees.
func embeddingsOf(t *testing.T, english, german []float64) string {
	t.Helper()
	var rows []schemas.Embedding
	for i := range english {
		id := schemas.DerivedID("test", fmt.Sprint(i))
		for _, side := range []struct {
			name, language string
			degrees        float64
		}{{"/a", "eng", english[i]}, {"/b", "deu", german[i]}} {
			sin, cos := math.Sincos(side.degrees * math.Pi / 180)
			e := schemas.Embedding{ID: id + side.name, Language: side.language, Vector: []float32{float32(cos), float32(sin)}}
			e.Text = map[string]string{"/a": fmt.Sprintf("The traveller %d has come to the river.", i), "/b": fmt.Sprintf("Reisender %d ist am Ufer.", i)}[side.name]
			rows = append(rows, e)
		}
	}
	return datasetOf(t, rows)
}
