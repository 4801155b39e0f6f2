//go:build libtorch

package torchverbs

import (
	"path/filepath"
	"slices"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/transforms/measure/neighbors"
)

// Embeddings of a distilled part are what is drawn out of the plain ones, text by text and by its language.
func TestEmbedDistilled(t *testing.T) {
	c := newCorpus(t)
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	call(t, c.untrained(at("model"))...).expect(t, 0, nil, nil)
	call(t, c.untrained(at("other"), "--seed=9")...).expect(t, 0, nil, nil)
	// A text that is in both languages has two vectors by a projection.
	pairs := pipelinetest.Rows[schemas.Pair](t, c.pairs)
	pairs[1].TextB = pairs[0].TextA
	texts := datasettest.Write(t, nil, pairs)
	line := func(out string, flags ...string) []string {
		return with([]string{"embed", "--out=" + at(out), "--model=" + at("model"), "--texts=" + texts, "--threads=1"}, flags...)
	}
	call(t, line("plain")...).expect(t, 0, nil, nil)
	plain := pipelinetest.Rows[schemas.Embedding](t, at("plain"))
	for folder, config := range map[string]distill.Config{"split": {Epochs: 3}, "projection": {Epochs: 1, Into: "eng"}} {
		config.Embeddings, config.MaxPairs, config.Batch, config.Rate, config.Validation, config.Patience = at("plain"), 1000, 32, .01, .2,
			5
		config.Meaning, config.Language, config.Reconstruction = 1, 1, 1
		if _, _, err := distill.Run(t.Context(), at(folder), config, distill.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ folder, part string }{{"split", "meaning"}, {"split", "language"}, {"projection", "meaning"}} {
		out := test.folder + "-" + test.part
		call(t, line(out, "--distilled="+at(test.folder), "--distilled-part="+test.part)...).expect(t, 0, []string{"240 embeddings"}, nil)
		d, err := distill.Load(t.Context(), storage.NewLocal(at(test.folder)))
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for i, e := range pipelinetest.Rows[schemas.Embedding](t, at(out)) {
			want, err := d.Apply(neighbors.Matrix{Data: plain[i].Vector, Dim: len(plain[i].Vector)}, []string{plain[i].Language}, test.part)
			if err != nil || e.ID != plain[i].ID || e.Text != plain[i].Text ||
				!slices.EqualFunc(e.Vector, want.Data, func(a, b float32) bool { return a-b < 1e-5 && b-a < 1e-5 }) {
				t.Fatalf("%s, row %d: %v, %v; want %v", out, i, e, err, want.Data)
			}
			if !slices.Equal(e.Vector, plain[i].Vector) {
				changed++
			}
		}
		if changed < 119 || test.folder == "projection" && changed != 120 { // English stays as it is
			t.Errorf("%s: %d vectors are changed", out, changed)
		}
	}
	for _, test := range []struct {
		code  int
		flags []string
		want  string
	}{
		{1, []string{"--model=" + at("other"), "--distilled=" + at("split")}, "was learned from embeddings of another encoder than"},
		{1, []string{"--distilled=" + at("plain")}, "distilled: "},
		{1, []string{"--distilled=" + at("projection"), "--distilled-part=language"}, "have no part \"language\""},
		{2, []string{"--distilled-part=language"}, "distilled-part has no effect without --distilled"},
	} {
		call(t, line("refused", test.flags...)...).expect(t, test.code, nil, []string{test.want})
	}
	// What is learned from drawn vectors does not belong to the plain ones.
	if _, _, err := distill.Run(t.Context(), at("twice"),
		distill.Config{Embeddings: at("split-meaning"), Into: "eng", MaxPairs: 1000, Batch: 32, Rate: .01, Epochs: 1, Validation: .2,
			Patience: 5, Meaning: 1}, distill.Options{}); err != nil {
		t.Fatal(err)
	}
	call(t, line("refused", "--distilled="+at("twice"))...).expect(
		t, 1, nil, []string{"was learned from embeddings of another encoder than"})
}
