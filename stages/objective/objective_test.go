package objective

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
)

func TestAppend(t *testing.T) {
	const padding = 9
	for _, test := range []struct {
		name    string
		length  int
		rows    [][]int32
		ids     []int32
		lengths []int32
		tokens  int
	}{
		{"no rows", 3, nil, nil, nil, 0},
		{"fits", 3, [][]int32{{1, 5, 2}}, []int32{1, 5, 2}, []int32{3}, 3},
		{"padded", 5, [][]int32{{1, 5, 2}}, []int32{1, 5, 2, 9, 9}, []int32{3}, 3},
		{"cut, with the last token kept", 3, [][]int32{{1, 5, 6, 7, 2}}, []int32{1, 5, 2}, []int32{3}, 3},
		{"cut by one", 4, [][]int32{{1, 5, 6, 7, 2}}, []int32{1, 5, 6, 2}, []int32{4}, 4},
		{"cut to the last token", 1, [][]int32{{1, 5, 2}}, []int32{2}, []int32{1}, 1},
		{"one token", 2, [][]int32{{1}}, []int32{1, 9}, []int32{1}, 1},
		{"rows", 3, [][]int32{{1, 2}, {1, 5, 6, 2}, {1, 5, 2}}, []int32{1, 2, 9, 1, 5, 2, 1, 5, 2}, []int32{2, 3, 3}, 8},
		{"the row before stays", 0, [][]int32{{1, 2}, {3, 4}}, nil, []int32{0, 0}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Sequences{Length: test.length}
			for _, row := range test.rows {
				given := slices.Clone(row)
				s.Append(row, padding)
				if !slices.Equal(row, given) {
					t.Errorf("%v was changed to %v", given, row)
				}
			}
			if s.Count != len(test.rows) || !slices.Equal(s.IDs, test.ids) || !slices.Equal(s.Lengths, test.lengths) {
				t.Errorf("%d rows %v of %v, want %v of %v", s.Count, s.IDs, s.Lengths, test.ids, test.lengths)
			}
			if got := s.tokens(); got != test.tokens {
				t.Errorf("%d tokens, want %d", got, test.tokens)
			}
		})
	}
}

// A batch that is filled again takes no new memory.
func TestAppendReusesMemory(t *testing.T) {
	tokens := []int32{1, 2, 3}
	s := Sequences{Length: 4, IDs: make([]int32, 0, 8), Lengths: make([]int32, 0, 2)}
	if n := testing.AllocsPerRun(10, func() {
		s.Count, s.IDs, s.Lengths = 0, s.IDs[:0], s.Lengths[:0]
		s.Append(tokens, 0)
		s.Append(tokens, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBatches(t *testing.T) {
	a, b := Sequences{Length: 4}, Sequences{Length: 3}
	a.Append([]int32{1, 2}, 0)
	a.Append([]int32{1, 2, 3, 4, 5}, 0)
	b.Append([]int32{1}, 0)
	b.Append([]int32{1, 2, 3}, 0)
	for _, test := range []struct {
		batch Batch
		name  string
		kinds []string
	}{
		{&CMLMBatch{A: a, B: b, Positions: []int32{1}, Targets: []int32{7}}, "cmlm", []string{schemas.KindConsecutive}},
		{&BitextBatch{A: a, B: b, Excluded: make([]bool, 4)}, "bitext", []string{schemas.KindBitext, schemas.KindView}},
	} {
		if got := test.batch.Objective(); got != test.name {
			t.Errorf("%q, want %q", got, test.name)
		}
		if got := test.batch.Tokens(); got != 2+4+1+3 { // padding does not count
			t.Errorf("%s: %d tokens, want 10", test.name, got)
		}
		if got := Kinds(test.name); !slices.Equal(got, test.kinds) {
			t.Errorf("%s: kinds %q, want %q", test.name, got, test.kinds)
		}
	}
	if got := (&CMLMBatch{}).Tokens() + (&BitextBatch{}).Tokens(); got != 0 {
		t.Errorf("%d tokens in empty batches", got)
	}
	if got := Kinds("mlm"); got != nil {
		t.Errorf("kinds %q of no objective", got)
	}
}

// fault checks that an error is the one of a reason, or none.
func fault(t *testing.T, err error, reason string) {
	t.Helper()
	switch {
	case reason == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case reason != "" && (err == nil || err.Error() != reason):
		t.Errorf("error %v, want %q", err, reason)
	}
}

// joined checks that an error reports exactly the reasons.
func joined(t *testing.T, err error, reasons ...string) {
	t.Helper()
	fault(t, err, strings.Join(reasons, "\n"))
}

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
		{"switches", func(c *CMLM) { c.PrefixNorm, c.DetachVector, c.LogUnigramBias = true, true, true }, ""},
		{"no vectors", func(c *CMLM) { c.Vectors = 0 }, "cmlm: vectors is 0, it must be from 1 to 256"},
		{"many vectors", func(c *CMLM) { c.Vectors = 257 }, "cmlm: vectors is 257, it must be from 1 to 256"},
		{"first width", func(c *CMLM) { c.Widths[0] = 0 }, "cmlm: a width is 0, it must be from 1 to 64"},
		{"second width", func(c *CMLM) { c.Widths[1] = 65 }, "cmlm: a width is 65, it must be from 1 to 64"},
		{"pooling", func(c *CMLM) { c.Pooling = "Mean" }, `cmlm: pooling "Mean" is none of mean, max, cls`},
		{"no positions", func(c *CMLM) { c.PrefixPositions = "" }, `cmlm: prefix_positions "" is none of none, own, shared`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := DefaultCMLM()
			test.change(&c)
			fault(t, c.Validate(), test.reason)
		})
	}
	joined(t, CMLM{Widths: [2]int{-1, 65}}.Validate(),
		"cmlm: vectors is 0, it must be from 1 to 256", "cmlm: a width is -1, it must be from 1 to 64", "cmlm: a width is 65, it must be from 1 to 64",
		`cmlm: pooling "" is none of mean, max, cls`, `cmlm: prefix_positions "" is none of none, own, shared`)
}

func TestBitextFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Bitext)
		reason string // "" is valid
	}{
		{"default", func(*Bitext) {}, ""},
		{"no margin", func(c *Bitext) { c.Margin = 0 }, ""},
		{"no scale, as in the paper", func(c *Bitext) { c.Scale = 1 }, ""},
		{"greatest scale", func(c *Bitext) { c.Scale = 1000 }, ""},
		{"cls", func(c *Bitext) { c.Pooling = "cls" }, ""},
		{"max", func(c *Bitext) { c.Pooling = "max" }, ""},
		{"negative margin", func(c *Bitext) { c.Margin = -.1 }, "bitext: margin is -0.1, it must be in [0, 2)"},
		{"margin of all cosines", func(c *Bitext) { c.Margin = 2 }, "bitext: margin is 2, it must be in [0, 2)"},
		{"margin NaN", func(c *Bitext) { c.Margin = math.NaN() }, "bitext: margin is NaN, it must be in [0, 2)"},
		{"scale 0", func(c *Bitext) { c.Scale = 0 }, "bitext: scale is 0, it must be above 0 and at most 1000"},
		{"scale above", func(c *Bitext) { c.Scale = math.Inf(1) }, "bitext: scale is +Inf, it must be above 0 and at most 1000"},
		{"scale NaN", func(c *Bitext) { c.Scale = math.NaN() }, "bitext: scale is NaN, it must be above 0 and at most 1000"},
		{"pooling", func(c *Bitext) { c.Pooling = "last" }, `bitext: pooling "last" is none of mean, max, cls`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := DefaultBitext()
			test.change(&c)
			fault(t, c.Validate(), test.reason)
		})
	}
	joined(t, Bitext{Margin: -1}.Validate(), "bitext: margin is -1, it must be in [0, 2)",
		"bitext: scale is 0, it must be above 0 and at most 1000", `bitext: pooling "" is none of mean, max, cls`)
}

func TestOptimizerFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Optimizer)
		reason string // "" is valid
	}{
		{"default", func(*Optimizer) {}, ""},
		{"AdamW", func(o *Optimizer) { o.Name, o.Epsilon = "adamw", 1e-8 }, ""},
		{"no moments, decay, clipping", func(o *Optimizer) { o.Beta1, o.Beta2, o.Decay, o.Clip = 0, 0, 0, 0 }, ""},
		{"name", func(o *Optimizer) { o.Name = "sgd" }, `optimizer "sgd" is none of adamw, lamb`},
		{"beta1", func(o *Optimizer) { o.Beta1 = 1 }, "optimizer: beta1 is 1, it must be in [0, 1)"},
		{"beta2", func(o *Optimizer) { o.Beta2 = -.5 }, "optimizer: beta2 is -0.5, it must be in [0, 1)"},
		{"beta NaN", func(o *Optimizer) { o.Beta2 = math.NaN() }, "optimizer: beta2 is NaN, it must be in [0, 1)"},
		{"epsilon", func(o *Optimizer) { o.Epsilon = 0 }, "optimizer: epsilon is 0, it must be above 0"},
		{"decay", func(o *Optimizer) { o.Decay = -1 }, "optimizer: decay is -1, it must not be negative"},
		{"decay NaN", func(o *Optimizer) { o.Decay = math.NaN() }, "optimizer: decay is NaN, it must not be negative"},
		{"clip", func(o *Optimizer) { o.Clip = -1 }, "optimizer: clip is -1, it must not be negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := DefaultOptimizer()
			test.change(&o)
			fault(t, o.Validate(), test.reason)
		})
	}
	joined(t, Optimizer{Beta1: 1, Beta2: 1, Decay: -1, Clip: -2}.Validate(), `optimizer "" is none of adamw, lamb`,
		"optimizer: beta1 is 1, it must be in [0, 1)", "optimizer: beta2 is 1, it must be in [0, 1)", "optimizer: epsilon is 0, it must be above 0",
		"optimizer: decay is -1, it must not be negative", "optimizer: clip is -2, it must not be negative")
}

// The defaults are those that the papers give and the fields document.
func TestDefaults(t *testing.T) {
	if got, want := DefaultCMLM(), (CMLM{Vectors: 15, Widths: [2]int{2, 2}, Pooling: "mean", PrefixPositions: "none"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := DefaultBitext(), (Bitext{Margin: .3, Scale: 20, Pooling: "mean"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := DefaultOptimizer(), (Optimizer{Name: "lamb", Beta1: .9, Beta2: .999, Epsilon: 1e-6, Decay: .01, Clip: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func BenchmarkAppend(b *testing.B) {
	tokens := make([]int32, 48)
	s := Sequences{Length: 64}
	b.SetBytes(64 * 4)
	b.ReportAllocs()
	for b.Loop() {
		if s.Count == 256 {
			s.Count, s.IDs, s.Lengths = 0, s.IDs[:0], s.Lengths[:0]
		}
		s.Append(tokens, 0)
	}
}
