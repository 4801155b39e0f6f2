package pairfilter_test

import (
	"math"
	"strings"
	"testing"

	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
)

// embedded writes pairs in two shards, and vectors of them as embed does: a shard for each, and none for an empty text.
func embedded(t *testing.T, change func(e *schemas.Embedding)) (pairs, embeddings string) {
	t.Helper()
	row := func(i int, b string) schemas.Pair {
		p := schemas.Pair{ID: schemas.ID("pairs", int64(i)), Kind: schemas.KindBitext, TextA: "A text.", TextB: b, LanguageA: "eng",
			LanguageB: "deu", Origin: "test"}
		if b == "" {
			p.Kind, p.LanguageB = schemas.KindSingle, ""
		}
		return p
	}
	pairs = datasettest.Write(t, nil, []schemas.Pair{row(0, "Ein Text."), row(1, ""), row(2, "Kein Text.")},
		[]schemas.Pair{row(3, "Noch ein Text.")})
	m, err := dataset.Load(t.Context(), storage.NewLocal(pairs))
	if err != nil {
		t.Fatal(err)
	}
	vector := func(row int64, side, language string, x ...float32) schemas.Embedding {
		e := schemas.Embedding{ID: schemas.ID("pairs", row) + "/" + side, Language: language, Vector: x}
		change(&e)
		return e
	}
	draft := dataset.Draft{Config: struct{}{}, Inputs: []dataset.Input{m.Input("texts")}}
	return pairs, datasettest.WriteDraft(t, draft,
		[]schemas.Embedding{
			vector(0, "a", "eng", 3, 4), vector(0, "b", "deu", 4, 3), // .96
			vector(1, "a", "eng", 1, 0),
			vector(2, "a", "eng", 1, 0), vector(2, "b", "deu", 5, 12), // .3846
		},
		[]schemas.Embedding{vector(3, "a", "eng", 0, 1), vector(3, "b", "deu", 0, 0)}) // of zeros
}

func TestCosines(t *testing.T) {
	pairs, embeddings := embedded(t, func(*schemas.Embedding) {})
	for _, tt := range []struct{ args, kept string }{
		{"", "Ein Text."},
		{"--preset labse", "Ein Text."},
		{"--filters cosine --min-cosine .97", ""},
		{"--filters cosine --min-cosine .3", "Ein Text. Kein Text."},
		{"--filters cosine --min-cosine 0", "Ein Text. Kein Text."},
	} {
		args := append([]string{"--pairs", pairs, "--embeddings", embeddings}, strings.Fields(tt.args)...)
		c := pipelinetest.Parse[pairfilter.Config](t, args...)
		location, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
		var kept []string
		for _, p := range pipelinetest.Rows[schemas.Pair](t, location) {
			kept = append(kept, p.TextB)
		}
		if got := strings.Join(kept, " "); got != tt.kept {
			t.Errorf("%s: kept %q, want %q", tt.args, got, tt.kept)
		}
	}
	c := pipelinetest.Parse[pairfilter.Config](t, "--pairs", pairs, "--embeddings", embeddings, "--scores")
	location, _ := pipelinetest.Run(t, c, pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
	rows := pipelinetest.Rows[schemas.PairScore](t, location)
	for i, want := range []float64{.96, 5. / 13} {
		if got := *rows[i].Cosine; math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("row %d has the cosine %v, want %v", i, got, want)
		}
	}
	if last := rows[2]; last.Cosine != nil || last.Margin != nil || last.Reason != vectors.ReasonZero {
		t.Errorf("a vector of zeros has the cosine %v, the margin %v and the reason %q", last.Cosine, last.Margin, last.Reason)
	}
}

// Vectors of other texts, or in another order, are an error.
func TestForeignVectors(t *testing.T) {
	_, embeddings := embedded(t, func(*schemas.Embedding) {})
	others := datasettest.Write(t, nil, []schemas.Pair{{ID: schemas.ID("others", 1), Kind: schemas.KindSingle, TextA: "x", LanguageA: "eng",
		Origin: "test"}})
	mixedPairs, mixed := embedded(t, func(e *schemas.Embedding) { e.ID = strings.Replace(e.ID, "/b", "/c", 1) })
	for want, inputs := range map[string][2]string{
		"its vectors are not those of these texts: make them by": {others, embeddings},
		"/b: its vectors are not those of these texts":           {mixedPairs, mixed},
	} {
		c := pipelinetest.Parse[pairfilter.Config](t, "--pairs", inputs[0], "--embeddings", inputs[1])
		if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1<<20)); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
