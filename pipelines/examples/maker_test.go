package examples

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/pairs/pairing"
)

// The ids of the test's vocabulary are the lines: [PAD] 0, [UNK] 1, [CLS] 2,
// [SEP] 3, [MASK] 4, then these.
const entries = "rain snow falls melts on in the hills spring ##s ."

const classify, separate, maskID, falls, rain = 2, 3, 4, 7, 5

// newMaker returns a maker of the settings on the command line.
func newMaker(t *testing.T, args ...string) *maker {
	t.Helper()
	root := t.TempDir()
	pipelinetest.File(t, root, "vocab.txt",
		strings.Join(append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, strings.Fields(entries)...), "\n")+"\n")
	c := pipelinetest.Parse[Config](t, append([]string{"--documents", "d", "--vocabulary", root + "/vocab.txt"}, args...)...)
	return &maker{Config: c, Seed: 7}
}

// run makes examples of pairs.
func run(t *testing.T, m *maker, rows []schemas.Pair) ([]schemas.Example, *dataset.Manifest, []schemas.Reject) {
	t.Helper()
	m.Config.Documents, m.Config.Pairs = "", datasettest.Write(t, nil, rows)
	out, manifest := pipelinetest.Run(t, m.Config, pipelinetest.Settings(1), pipelinetest.Plain(2))
	if err := manifest.Funnel.Check(); err != nil {
		t.Error(err)
	}
	return pipelinetest.Rows[schemas.Example](t, out), manifest, pipelinetest.Rejects(t, out)
}

func pair(id string, kind, a, b string) schemas.Pair {
	p := schemas.Pair{ID: schemas.DerivedID("test", id), Kind: kind, TextA: a, TextB: b, LanguageA: "eng", Origin: "test"}
	if b != "" {
		p.LanguageB = "eng"
	}
	return p
}

// Sides have [CLS] and [SEP] around them and are cut to their length; labels,
// targets and groups go along; a single text has no second side.
func TestPairs(t *testing.T) {
	m := newMaker(t, "--mask", "trainer", "--max-tokens", "5", "--min-tokens", "1")
	target, group := 2.5, uint64(99)
	nli := pair("nli", schemas.KindNLI, "Rain falls", "snow melts in spring.")
	nli.Label, nli.Group = "contradiction", &group
	sts := pair("sts", schemas.KindSTS, "snow", "rains")
	sts.Target, sts.LanguageB = &target, "deu"
	single := pair("single", schemas.KindSingle, "zebra", "")
	unknown := pair("unknown", schemas.KindNLI, "rain", "snow")
	unknown.Label = "maybe"
	silent := pair("silent", schemas.KindBitext, "rain", "\u200b\u200b") // zero width: not white space, and no token
	silent.LanguageB = "deu"
	rows, manifest, rejects := run(t, m, []schemas.Pair{nli, sts, single, unknown, silent})
	two, target32 := int32(2), float32(2.5)
	want := []schemas.Example{
		{ID: nli.ID, Kind: schemas.KindNLI, LanguageA: "eng", LanguageB: "eng", TokensA: []int32{classify, 5, 7, separate}, LengthA: 4,
			TokensB: []int32{classify, 6, 8, 10, separate}, LengthB: 5, Label: &two, Group: &group},
		{ID: sts.ID, Kind: schemas.KindSTS, LanguageA: "eng", LanguageB: "deu", TokensA: []int32{classify, 6, separate}, LengthA: 3,
			TokensB: []int32{classify, 5, 14, separate}, LengthB: 4, Target: &target32},
		{ID: single.ID, Kind: schemas.KindSingle, LanguageA: "eng", TokensA: []int32{classify, 1, separate}, LengthA: 3},
	}
	if diff := cmp.Diff(want, rows, cmp.Transformer("", func(ids []int32) []int32 { return append([]int32{}, ids...) })); diff != "" {
		t.Error(diff)
	}
	drops := map[string]int64{"pairs tokenize no_tokens": 1, "pairs tokenize unknown_label": 1}
	if diff := cmp.Diff(drops, pipelinetest.Dropped(manifest)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"eng": 2, "deu-eng": 1}, manifest.Funnel.Out("examples")); diff != "" {
		t.Error(diff)
	}
	if len(rejects) != 2 || !slices.ContainsFunc(rejects, func(r schemas.Reject) bool {
		return r.ID == unknown.ID && strings.Contains(r.Detail, `"maybe"`)
	}) {
		t.Errorf("rejects %+v", rejects)
	}
}

// Copies are the same pair under different masks: what is masked is told, what
// is not stays, and special tokens are never masked.
func TestCopies(t *testing.T) {
	const copies = 6
	m := newMaker(t, "--copies", "6", "--ratio", "0.5")
	given := pair("x", schemas.KindConsecutive, "Rain falls.", "the rain falls on the hills in spring.")
	original := []int32{classify, 11, 5, 7, 9, 11, 12, 10, 13, 15, separate}
	rows, _, _ := run(t, m, []schemas.Pair{given})
	if len(rows) != copies {
		t.Fatalf("%d rows, want %d", len(rows), copies)
	}
	masks := map[string]bool{}
	for i, e := range rows {
		if e.Copy != int32(i) || e.ID != given.ID || !slices.Equal(e.TokensA, []int32{classify, rain, falls, 15, separate}) {
			t.Errorf("copy %d: %+v", i, e)
		}
		restored := slices.Clone(e.TokensB)
		masked := 0
		for k, p := range e.MaskPositions {
			if p == 0 || int(p) == len(original)-1 {
				t.Errorf("copy %d masks the special token at %d", i, p)
			}
			if e.TokensB[p] == maskID {
				masked++
			}
			restored[p] = e.MaskTokens[k]
		}
		if !slices.Equal(restored, original) {
			t.Errorf("copy %d restores to %v, want %v", i, restored, original)
		}
		// BERT rounds half of 9 candidates, or of 11 tokens, to 4 to 6.
		if n := len(e.MaskPositions); n < 4 || n > 6 || masked == 0 {
			t.Errorf("copy %d masks %d tokens, %d by [MASK]", i, n, masked)
		}
		masks[cmp.Diff(nil, e.MaskPositions)] = true
	}
	if len(masks) == 1 {
		t.Error("all copies have the same masks")
	}
}

// Only consecutive texts are masked: every other kind is one row as its texts are,
// whatever is asked of masks.
func TestOtherKindsAreNotMasked(t *testing.T) {
	label, target := "neutral", .5
	var given []schemas.Pair
	for _, kind := range schemas.Kinds() {
		p := pair(kind, kind, "Rain falls.", "the rain falls on the hills in spring.")
		switch kind {
		case schemas.KindNLI:
			p.Label = label
		case schemas.KindSTS, schemas.KindQE:
			p.Target = &target
		case schemas.KindSingle:
			p.TextB, p.LanguageB = "", ""
		}
		given = append(given, p)
	}
	rows, _, _ := run(t, newMaker(t, "--copies", "3"), given)
	counts := map[string]int{}
	for _, e := range rows {
		counts[e.Kind]++
		if masked := len(e.MaskPositions) > 0 || slices.Contains(e.TokensB, maskID); masked != (e.Kind == schemas.KindConsecutive) {
			t.Errorf("masked %t: %+v", masked, e)
		}
	}
	for _, kind := range schemas.Kinds() {
		want := 1
		if kind == schemas.KindConsecutive {
			want = 3
		}
		if counts[kind] != want {
			t.Errorf("%d rows of %s, want %d", counts[kind], kind, want)
		}
	}
}

// A pair of a document is the same whatever order it is shown in, and no other.
func TestPairID(t *testing.T) {
	d := pipelinetest.DocumentOf(1, "eng", "One.", "Two.", "Three.")
	d.Sentences[2].Position = 5
	a, b, c := pairing.Side{First: 0}, pairing.Side{First: 1}, pairing.Side{First: 2, From: 40}
	id := pairID(d, pairing.Pair{A: a, B: b})
	if id != pairID(d, pairing.Pair{A: b, B: a, Swapped: true}) {
		t.Error("the order of the sides changes the id")
	}
	seen := map[string]bool{id: true}
	other := pipelinetest.DocumentOf(2, "eng", "One.", "Two.", "Three.")
	for _, more := range []string{
		pairID(d, pairing.Pair{A: b, B: a}), pairID(d, pairing.Pair{A: b, B: c}), pairID(d, pairing.Pair{A: b, B: pairing.Side{First: 2}}),
		pairID(other, pairing.Pair{A: a, B: b}), pairID(other, pairing.Pair{A: b, B: pairing.Side{First: 2}}),
	} {
		if seen[more] {
			t.Errorf("two pairs have the id %s", more)
		}
		seen[more] = true
	}
}

// Sentences keep their tokens while the memory that they share grows and is
// used again.
func TestEncode(t *testing.T) {
	m := newMaker(t)
	var err error
	if m.Vocabulary, _, err = units.OpenFile(t.Context(), "vocabulary", m.Config.Vocabulary); err != nil {
		t.Fatal(err)
	}
	if err := m.setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	var e encoded
	for range 2 {
		d := pipelinetest.DocumentOf(1, "eng", "Rain falls.", "", "the hills", "unknown rain")
		d.Sentences[3].Position = 9
		e.encode(m.tokenizer, d.Sentences)
		if diff := cmp.Diff([][]int32{{5, 7, 15}, {}, {11, 12}, {1, 5}}, e.tokens); diff != "" {
			t.Error(diff)
		}
		want := []pairing.Sentence{
			{Position: 0, Language: "eng", Length: 3}, {Position: 1, Language: "eng"}, {Position: 2, Language: "eng", Length: 2},
			{Position: 9, Language: "eng", Length: 2},
		}
		if diff := cmp.Diff(want, e.sentences); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLanguage(t *testing.T) {
	w := (&maker{}).writer(nil)
	for range 2 { // from the memory, too
		for _, test := range [][3]string{{"eng", "eng", "eng"}, {"eng", "", "eng"}, {"eng", "deu", "deu-eng"}, {"deu", "eng", "deu-eng"}} {
			if got := w.language(test[0], test[1]); got != test[2] {
				t.Errorf("%s and %s make %s, want %s", test[0], test[1], got, test[2])
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.Pairs = "p" }, "give one of --documents, --pairs and --benchmarks"},
		{func(c *Config) { c.Documents = "" }, "give one of --documents, --pairs and --benchmarks"},
		{func(c *Config) { c.Documents, c.Benchmarks, c.Above = "", "b", math.NaN() }, "above is NaN, it must be a number"},
		{func(c *Config) { c.Vocabulary = "" }, "vocabulary is empty"},
		{func(c *Config) { c.Copies = 0 }, "copies 0"},
		{func(c *Config) { c.Copies, c.Mask = 2, maskTrainer }, "only stored masks differ"},
		{func(c *Config) { c.Mask = "never" }, `mask "never" is not one of stored, trainer`},
		{func(c *Config) { c.Ratio = 1.5 }, "ratio"},
		{func(c *Config) { c.MaxTokens = 2 }, "tokens"},
	} {
		c := newMaker(t).Config
		test.change(&c)
		if err := c.Validate(); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", c, err, test.want)
		}
	}
}
