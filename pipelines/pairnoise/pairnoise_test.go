package pairnoise_test

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/pipelines/pairnoise"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// Good pairs stay as they are, wrong ones tell their kind and nothing of where the pair came from, and other pairs are dropped.
func TestNoise(t *testing.T) {
	group := uint64(7)
	var rows []schemas.Pair
	for i := range 100 {
		rows = append(rows, schemas.Pair{ID: schemas.ID("pairs", int64(i)), Kind: schemas.KindBitext, TextA: fmt.Sprintf("Nummer %d.", i),
			TextB: fmt.Sprintf("This is the number %d.", i), LanguageA: "deu", LanguageB: "eng", Origin: "test", Group: &group})
	}
	single := schemas.Pair{ID: schemas.ID("single", 1), Kind: schemas.KindSingle, TextA: "Eins.", LanguageA: "deu", Origin: "test"}
	c := pipelinetest.Parse[pairnoise.Config](t, "--pairs", datasettest.Write(t, nil, rows[:50], append(rows[50:], single)))
	location, m := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
	kinds := map[string]int{}
	for i, p := range pipelinetest.Rows[schemas.Pair](t, location) {
		kind, bad := strings.CutPrefix(p.Origin, schemas.NoiseOrigin)
		if bad {
			kinds[kind]++
		}
		if bad == (p.ID == rows[i].ID) || bad == (p.TextB == rows[i].TextB) || bad != (p.Group == nil) || p.TextA != rows[i].TextA {
			t.Errorf("row %d: %+v", i, p)
		}
	}
	if m.Rows != 100 || len(kinds) != 8 {
		t.Errorf("%d rows, kinds %v", m.Rows, kinds)
	}
	if rejects := pipelinetest.Rejects(t, location); len(rejects) != 1 || rejects[0].Reason != "no_translation" {
		t.Errorf("rejects %+v", rejects)
	}
}
