package masking

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// vocabulary has five special entries and 995 words; the ids from 900 continue words.
func vocabulary(t testing.TB) Vocabulary {
	entries := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]"}
	for i := len(entries); i < 1000; i++ {
		if i >= 900 {
			entries = append(entries, fmt.Sprintf("##w%d", i))
		} else {
			entries = append(entries, fmt.Sprintf("w%d", i))
		}
	}
	return Vocabulary{
		Size: int32(len(entries)), Mask: 4, Special: append([]int32{0, 2, 3, 4}, Placeholders(entries)...),
		Continues: func(id int32) bool { return strings.HasPrefix(entries[id], "##") },
	}
}

const (
	classify = 2
	separate = 3
)

// sequence has n tokens: [CLS], words, [SEP].
func sequence(n int) []int32 {
	tokens := []int32{classify}
	for i := range n - 2 {
		tokens = append(tokens, int32(10+i%800))
	}
	return append(tokens, separate)
}

func masker(t testing.TB, edit func(*Config)) *Masker {
	t.Helper()
	c := DefaultConfig()
	c.Seed = 1
	if edit != nil {
		edit(&c)
	}
	m, err := New(c, vocabulary(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mask(t testing.TB, m *Masker, tokens []int32, id string, copy int32) (masked, positions, originals []int32) {
	t.Helper()
	masked = slices.Clone(tokens)
	positions, originals, err := m.Append(nil, nil, masked, id, copy)
	if err != nil {
		t.Fatal(err)
	}
	return masked, positions, originals
}

// The expected numbers are Python's: min(cap, max(1, int(round(length * ratio)))).
func TestPredictions(t *testing.T) {
	tests := []struct {
		ratio               float64
		cap, length, expect int
	}{
		{.3125, 80, 256, 80}, // CMLM
		{.3125, 80, 255, 80}, // 79.69
		{.3125, 80, 512, 80}, // the cap
		{.3125, 80, 128, 40},
		{.3125, 80, 8, 2},      // 2.5, half to even
		{.3125, 80, 24, 8},     // 7.5, half to even
		{.3125, 80, 3, 1},      // .94
		{.3125, 80, 2, 1},      // .63
		{.15, 20, 128, 19},     // 19.2
		{.15, 80, 256, 38},     // the default of BERT: 38.4
		{.15, 20, 10, 2},       // 1.5, half to even
		{.15, 20, 1, 1},        // at least one
		{.01, 20, 10, 1},       // at least one
		{.5, 1000, 513, 256},   // 256.5, half to even
		{.5, 1000, 515, 258},   // 257.5, half to even
		{.3, 1000, 115, 34},    // 34.5: the product is 34.5 exactly, half to even
		{.29, 1000, 100, 29},   // 28.999999999999996
		{.999, 1000, 500, 500}, // 499.5, half to even
	}
	for _, tt := range tests {
		c := Config{Ratio: tt.ratio, MaxPredictions: tt.cap}
		if got := c.predictions(tt.length); got != tt.expect {
			t.Errorf("ratio %v, cap %d, length %d: %d predictions, want %d", tt.ratio, tt.cap, tt.length, got, tt.expect)
		}
	}
}

func TestAppendKeepsTheContract(t *testing.T) {
	m := masker(t, nil)
	for length := 2; length < 300; length++ {
		tokens := sequence(length)
		masked, positions, originals := mask(t, m, tokens, fmt.Sprint("id", length), 0)
		want := min(length-2, m.config.predictions(length))
		if len(positions) != want || len(originals) != want {
			t.Fatalf("length %d: %d positions and %d originals, want %d", length, len(positions), len(originals), want)
		}
		for i, p := range positions {
			if i > 0 && p <= positions[i-1] {
				t.Fatalf("length %d: positions %v are not ascending", length, positions)
			}
			if tokens[p] == classify || tokens[p] == separate {
				t.Fatalf("length %d: position %d is special", length, p)
			}
			if originals[i] != tokens[p] {
				t.Fatalf("length %d: original %d at %d, want %d", length, originals[i], p, tokens[p])
			}
			masked[p] = originals[i]
		}
		if !slices.Equal(masked, tokens) {
			t.Fatalf("length %d: a token changed that is not among the positions", length)
		}
	}
}

func TestAppendGoesOnAfterWhatIsThere(t *testing.T) {
	m := masker(t, nil)
	_, want, _ := mask(t, m, sequence(20), "id", 0)
	positions, originals, err := m.Append([]int32{99}, []int32{88}, sequence(20), "id", 0)
	if err != nil {
		t.Fatal(err)
	}
	if positions[0] != 99 || originals[0] != 88 || !slices.Equal(positions[1:], want) {
		t.Errorf("got %v, want 99 and then %v", positions, want)
	}
}

func TestTokenOutsideVocabulary(t *testing.T) {
	m := masker(t, nil)
	for _, id := range []int32{-1, 1000, math.MaxInt32, math.MinInt32} {
		tokens := sequence(30)
		tokens[7] = id
		before := slices.Clone(tokens)
		positions, originals, err := m.Append(nil, nil, tokens, "id", 0)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("id %d at position 7", id)) {
			t.Errorf("id %d: error %v does not name it", id, err)
		}
		if positions != nil || originals != nil || !slices.Equal(tokens, before) {
			t.Errorf("id %d: something changed in spite of the error", id)
		}
	}
}

func TestSpecialOnly(t *testing.T) {
	for _, tokens := range [][]int32{nil, {classify}, {classify, separate}, {classify, 0, 4, 5, separate}} {
		masked, positions, _ := mask(t, masker(t, nil), tokens, "id", 0)
		if len(positions) != 0 || !slices.Equal(masked, tokens) {
			t.Errorf("%v: masked at %v, want nothing", tokens, positions)
		}
	}
}

func TestIdentity(t *testing.T) {
	tokens := sequence(256)
	base, other := masker(t, nil), masker(t, func(c *Config) { c.Seed = 2 })
	_, want, _ := mask(t, base, tokens, "a", 0)
	epoch := func(n int64) []int32 {
		positions, _, err := base.AppendEpoch(nil, nil, slices.Clone(tokens), "a", n)
		if err != nil {
			t.Fatal(err)
		}
		return positions
	}
	seen := map[string]string{fmt.Sprint(want): "base"}
	add := func(name string, positions []int32) {
		if before, ok := seen[fmt.Sprint(positions)]; ok {
			t.Errorf("%s has the masks of %s", name, before)
		}
		seen[fmt.Sprint(positions)] = name
	}
	for copy := int32(1); copy < 10; copy++ {
		_, p, _ := mask(t, base, tokens, "a", copy)
		add(fmt.Sprint("copy ", copy), p)
	}
	_, p, _ := mask(t, base, tokens, "b", 0)
	add("other id", p)
	_, p, _ = mask(t, other, tokens, "a", 0)
	add("other seed", p)
	for n := range int64(5) {
		add(fmt.Sprint("epoch ", n), epoch(n))
	}
	if !slices.Equal(epoch(3), epoch(3)) {
		t.Error("an epoch is not repeatable")
	}
}

// Masks must not depend on which examples are worked on before, or beside.
func TestOrderAndConcurrency(t *testing.T) {
	m := masker(t, func(c *Config) { c.WholeWords = true })
	const n = 200
	forward := make([][]int32, n)
	for i := range n {
		forward[i], _, _ = mask(t, m, sequence(64), fmt.Sprint("id", i), 0)
	}
	for i := n - 1; i >= 0; i-- {
		i := i
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if got, _, _ := mask(t, m, sequence(64), fmt.Sprint("id", i), 0); !slices.Equal(got, forward[i]) {
				t.Errorf("id%d: other masks in another order", i)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	v := vocabulary(t)
	tests := []struct {
		name string
		edit func(*Config, *Vocabulary)
		want []string
	}{
		{"defaults", func(*Config, *Vocabulary) {}, nil},
		{"ratio 0", func(c *Config, _ *Vocabulary) { c.Ratio = 0 }, []string{"ratio 0"}},
		{"ratio 1", func(c *Config, _ *Vocabulary) { c.Ratio = 1 }, []string{"ratio 1"}},
		{"ratio not a number", func(c *Config, _ *Vocabulary) { c.Ratio = math.NaN() }, []string{"ratio NaN"}},
		{"all at once", func(c *Config, v *Vocabulary) {
			c.MaxPredictions, c.MaskShare, c.RandomShare, c.RandomTokens = 0, .7, .7, "any"
			v.Mask = -1
		}, []string{"max_predictions 0", "together more than 1", `random_tokens "any"`, "id -1 of [MASK]"}},
		{"mask outside", func(_ *Config, v *Vocabulary) { v.Mask = 1000 }, []string{"id 1000 of [MASK]"}},
		{"special outside", func(_ *Config, v *Vocabulary) { v.Special = []int32{5000} }, []string{"special id 5000"}},
		{"empty", func(_ *Config, v *Vocabulary) { v.Size = 0 }, []string{"vocabulary size 0"}},
		{"whole words without Continues", func(c *Config, v *Vocabulary) { c.WholeWords, v.Continues = true, nil },
			[]string{"set Continues"}},
		{"nothing but special", func(_ *Config, v *Vocabulary) { v.Size, v.Mask, v.Special = 2, 1, []int32{0, 1, 1} },
			[]string{"all 2 entries"}},
	}
	for _, tt := range tests {
		c, v := DefaultConfig(), v
		tt.edit(&c, &v)
		_, err := New(c, v)
		if (err != nil) != (tt.want != nil) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", tt.name, err, want)
			}
		}
	}
}

func TestPlaceholders(t *testing.T) {
	entries := []string{"<pad>", "<pad7>", "[PAD]", "[unused12]", "[UNK]", "[unused]", "[12]", "##", "a", "<padx>", "[unused1"}
	if got, want := Placeholders(entries), []int32{1, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNoAllocation(t *testing.T) {
	tokens, work := sequence(256), make([]int32, 256)
	positions, originals := make([]int32, 0, 80), make([]int32, 0, 80)
	for _, whole := range []bool{false, true} {
		m := masker(t, func(c *Config) { c.WholeWords = whole })
		if n := testing.AllocsPerRun(100, func() {
			copy(work, tokens)
			if _, _, err := m.Append(positions[:0], originals[:0], work, "00000000000000000000000000000000", 0); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("whole words %t: %v allocations, want none", whole, n)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, whole := range []bool{false, true} {
		b.Run(fmt.Sprintf("whole_words=%t", whole), func(b *testing.B) {
			m := masker(b, func(c *Config) { c.WholeWords = whole })
			tokens, work := sequence(256), make([]int32, 256)
			positions, originals := make([]int32, 0, 80), make([]int32, 0, 80)
			b.SetBytes(4 * 256)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				copy(work, tokens)
				if _, _, err := m.Append(positions[:0], originals[:0], work, "00000000000000000000000000000000", int32(i)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
