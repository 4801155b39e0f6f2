package main

import (
	"fmt"
	"math"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// parallelPairs makes a dataset of n English texts with their German translations.
func parallelPairs(t *testing.T, n int) string {
	t.Helper()
	var rows []schemas.Pair
	for i := range n {
		group := uint64(i)
		rows = append(rows, schemas.Pair{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", Group: &group, LanguageA: "eng",
			LanguageB: "deu",
			TextA:     fmt.Sprintf("The traveller %d has come to the river.", i), TextB: fmt.Sprintf("Reisender %d ist am Ufer.", i),
		})
	}
	return datasettest.Write(t, nil, rows)
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
			e.Text = map[string]string{"/a": fmt.Sprintf("The traveller %d has come to the river.", i),
				"/b": fmt.Sprintf("Reisender %d ist am Ufer.", i)}[side.name]
			rows = append(rows, e)
		}
	}
	return datasettest.Write(t, nil, rows)
}
