package objective

import (
	"slices"
	"strings"
	"testing"
)

func TestCMLMFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*CMLM)
		reason string // "" is valid
	}{
		{"default", func(*CMLM) {}, ""},
		{"no projection", func(c *CMLM) { c.Vectors = 1 }, ""},
		{"most vectors", func(c *CMLM) { c.Vectors = 256 }, ""},
		{"max", func(c *CMLM) { c.Pooling = "max" }, ""},
		{"cls", func(c *CMLM) { c.Pooling = "cls" }, ""},
		{"own positions", func(c *CMLM) { c.PrefixPositions = "own" }, ""},
		{"shared position", func(c *CMLM) { c.PrefixPositions = "shared" }, ""},
		{"switches", func(c *CMLM) { c.PrefixNorm, c.Skip, c.DetachVector, c.LogUnigramBias = true, true, true, true }, ""},
		{"mean projection", func(c *CMLM) { c.MeanProjection = true }, ""},
		{"mean of one vector", func(c *CMLM) { c.MeanProjection, c.Vectors = true, 1 },
			"cmlm: mean_projection needs at least 2 vectors: without a projection it is the vector itself"},
		{"no vectors", func(c *CMLM) { c.Vectors = 0 }, "cmlm: vectors is 0, it must be from 1 to 256"},
		{"many vectors", func(c *CMLM) { c.Vectors = 257 }, "cmlm: vectors is 257, it must be from 1 to 256"},
		{"first width", func(c *CMLM) { c.Widths[0] = 0 }, "cmlm: a projection_width is 0, it must be from 1 to 64"},
		{"second width", func(c *CMLM) { c.Widths[1] = 65 }, "cmlm: a projection_width is 65, it must be from 1 to 64"},
		{"no hidden layer", func(c *CMLM) { c.Widths = nil }, ""},
		{"three hidden layers", func(c *CMLM) { c.Widths = []int{1, 64, 2} }, ""},
		{"four hidden layers", func(c *CMLM) { c.Widths = []int{1, 1, 1, 1} }, "cmlm: projection_width has 4 numbers, it must have 0 to 3"},
		{"pooling", func(c *CMLM) { c.Pooling = "Mean" }, `cmlm: pooling "Mean" is not one of mean, max, cls`},
		{"no positions", func(c *CMLM) { c.PrefixPositions = "" }, `cmlm: prefix_positions "" is not one of none, own, shared`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := DefaultCMLM()
			test.change(&c)
			wantFault(t, c.Check(), test.reason)
		})
	}
	wantFaults(t, (&CMLM{Widths: []int{-1, 65}}).Check(),
		"cmlm: vectors is 0, it must be from 1 to 256", "cmlm: a projection_width is -1, it must be from 1 to 64",
		"cmlm: a projection_width is 65, it must be from 1 to 64",
		`cmlm: prefix_positions "" is not one of none, own, shared`, `cmlm: pooling "" is not one of mean, max, cls`)
}

// Another sentence is the next one in the language, and any other one where there is none.
func TestOthers(t *testing.T) {
	for languages, want := range map[string][]int32{
		"eng eng eng":         {1, 2, 0},
		"eng deu eng deu eng": {2, 3, 4, 1, 0},
		"eng deu spa":         {1, 2, 0},
		"eng eng deu":         {1, 0, 0},
	} {
		var list []Entry
		for _, l := range strings.Fields(languages) {
			list = append(list, Entry{Example: &Example{LanguageB: l}})
		}
		if got := nextOfLanguage(list); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", languages, got, want)
		}
	}
}
