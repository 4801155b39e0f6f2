package torchverbs

import (
	"testing"

	"sentweave/schemas/dataset"
	"sentweave/stages/replace"
	"sentweave/transforms/augment/infill"
)

// What was dropped is told by its reasons, and why there is nothing.
func TestLosses(t *testing.T) {
	funnel := func(other, short, copies, kept int64) *dataset.Manifest {
		m := &dataset.Manifest{Funnel: dataset.NewFunnel(dataset.NewChain("texts", "language", "mask", "view"))}
		for _, drop := range []struct {
			step, reason string
			n            int64
		}{{"language", replace.ReasonOtherLanguage, other}, {"mask", infill.ReasonTooShort, short}, {"view", infill.ReasonCopy, copies}} {
			if drop.n > 0 {
				if err := m.Funnel.Drop("texts", "deu", drop.step, drop.reason, drop.n); err != nil {
					t.Fatal(err)
				}
			}
		}
		if kept > 0 {
			if err := m.Funnel.Keep("texts", "deu", kept); err != nil {
				t.Fatal(err)
			}
		}
		m.Rows = kept
		return m
	}
	r := &Replace{Config: replace.Config{Language: []string{"eng", "fra"}, Texts: "data"}}
	for _, test := range []struct {
		m            *dataset.Manifest
		losses, note string
	}{
		{funnel(29, 0, 0, 0), "of 29 texts dropped: 29 other_language",
			"nearly all texts are in other languages than eng, fra: --language names those of the texts, or is all"},
		{funnel(0, 1200, 0, 0), "of 1,200 texts dropped: 1,200 too_short", "nearly all texts are too short: --min-tokens bounds them"},
		{funnel(3, 2, 5, 0), "of 10 texts dropped: 3 other_language, 2 too_short, 5 copy", "no view was made, mostly for the reason copy"},
		{funnel(0, 0, 0, 0), "", "no view was made: data has no text"},
		{funnel(0, 0, 0, 7), "", ""},
		{funnel(1, 0, 0, 7), "of 8 texts dropped: 1 other_language", ""},
	} {
		if got := losses(test.m); got != test.losses {
			t.Errorf("got %q, want %q", got, test.losses)
		}
		if test.m.Rows == 0 {
			if got := r.nothing(test.m); got != test.note {
				t.Errorf("got %q, want %q", got, test.note)
			}
		}
	}
}
