package learner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sentweave/schemas/realdata"
	"sentweave/transforms/tokens/unigram"
)

// counted makes words of texts, each with its count behind it.
func counted(list ...any) (words []Word) {
	for i := 0; i < len(list); i += 2 {
		words = append(words, Word{Text: list[i].(string), Count: int64(list[i+1].(int))})
	}
	return words
}

func modelOf(t testing.TB, words []Word) *model {
	t.Helper()
	m, err := newModel(t.Context(), newText(words, 1, &Result{}), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A step over three words is that by hand: segmentations with their probabilities, and what these expect of each piece.
func TestStepByHand(t *testing.T) {
	m := modelOf(t, counted("ab", 4, "a", 2, "b", 1))
	probabilities := map[string]float64{"▁": .2, "a": .1, "b": .1, "▁a": .2, "▁ab": .2, "ab": .2}
	names := make([]string, len(m.pieces))
	for id, p := range m.pieces {
		names[id] = m.string(p.place, p.length)
		m.pieces[id].score = math.Log(probabilities[names[id]])
	}
	if got := slices.Sorted(slices.Values(names)); !cmp.Equal(got, slices.Sorted(maps.Keys(probabilities))) {
		t.Fatalf("the seeds are %q", got)
	}
	expected, perWord, err := m.expect(t.Context())
	if err != nil || perWord != (4+2+2.)/7 {
		t.Errorf("%v pieces a word, %v", perWord, err)
	}
	got := map[string]float64{}
	for id, n := range expected {
		got[names[id]] = n
	}
	// ▁ab: ▁|a|b .002, ▁a|b .02, ▁|ab .04, ▁ab .2, together .262; ▁a: ▁|a .02, ▁a .2, together .22; ▁b: ▁|b.
	want := map[string]float64{
		"▁": 4*.042/.262 + 2*.02/.22 + 1, "a": 4*.002/.262 + 2*.02/.22, "b": 4*.022/.262 + 1,
		"▁a": 4*.02/.262 + 2*.2/.22, "▁ab": 4 * .2 / .262, "ab": 4 * .04 / .262,
	}
	close := cmpopts.EquateApprox(0, 1e-12)
	if diff := cmp.Diff(want, got, close); diff != "" {
		t.Errorf("expected counts:\n%s", diff)
	}
	m.maximize(expected) // without a, which is expected less than .5 times
	sum := want["▁"] + want["b"] + want["▁a"] + want["▁ab"] + want["ab"]
	least := digamma(want["ab"]) - digamma(sum)
	for id, p := range m.pieces {
		score := digamma(want[names[id]]) - digamma(sum)
		if names[id] == "a" {
			score = least - 10
		}
		if math.Abs(p.score-score) > 1e-12 || p.lost != (names[id] == "a") {
			t.Errorf("%s: score %v, want %v, lost %t", names[id], p.score, score, p.lost)
		}
	}
	for x, want := range map[float64]float64{.5: -1.9635100260214235, 1: -.5772156649015329, 10: 2.251752589066721} {
		if got := digamma(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("digamma(%v) is %v, want %v", x, got, want)
		}
	}
}

func randomWords(n int) []Word {
	random := rand.New(rand.NewPCG(7, 8))
	counts := map[string]int64{}
	for range n {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(string([]rune("aaabbcde1ж中")[random.IntN(11)]))
		}
		counts[b.String()] += int64(1 + random.IntN(5))
	}
	var words []Word
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, Word{Text: text, Count: counts[text]})
	}
	return words
}

// Seeds are the substrings that are there twice, and that end a word or have several characters behind them.
func TestSeeds(t *testing.T) {
	words := randomWords(300)
	counts, next := map[string]int64{}, map[string]map[rune]bool{}
	for _, w := range words {
		runes := []rune("▁" + w.Text + "$")
		for start := range runes {
			for end := start + 1; end < len(runes); end++ {
				piece := string(runes[start:end])
				if next[piece] == nil {
					next[piece] = map[rune]bool{}
				}
				counts[piece] += w.Count
				next[piece][runes[end]] = true
			}
		}
	}
	script := func(r rune) int {
		return slices.IndexFunc([]string{"abcde", "1", "ж", "中"}, func(s string) bool { return strings.ContainsRune(s, r) })
	}
	want := map[string]int64{}
	for piece, n := range counts {
		runes := []rune(strings.TrimPrefix(piece, "▁"))
		mixed := slices.ContainsFunc(runes, func(r rune) bool { return script(r) != script(runes[0]) })
		if length := len([]rune(piece)); n >= 2 && length > 1 && (next[piece]['$'] || len(next[piece]) > 1) && !mixed {
			want[piece] = n * int64(length)
		}
	}
	text := newText(words, 1, &Result{})
	suffixes, _ := text.suffixes()
	got := map[string]int64{}
	for _, i := range text.frequent(suffixes, 1<<20) {
		got[text.string(suffixes[i.from], i.depth)] = i.score()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d seeds:\n%.2000s", len(got), diff)
	}
	scores := slices.SortedFunc(maps.Values(want), func(a, b int64) int { return int(b - a) })
	for _, i := range text.frequent(suffixes, 10) {
		if i.score() < scores[9] {
			t.Errorf("the score %d is not one of the ten highest", i.score())
		}
	}
}

// The vocabulary has the wanted size and all characters, whatever the parallelism.
func TestSameAtAnyParallelism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *Result
	for _, threads := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(threads)
		r, err := Learn(t.Context(), randomWords(2000), Config{Size: 60, Coverage: 1, Seeds: 500}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if !cmp.Equal(first, r) {
			t.Errorf("%d threads: %s", threads, cmp.Diff(first, r))
		}
	}
	if n := len(first.Pieces) + unigram.Reserved; n != 60 {
		t.Errorf("%d pieces", n)
	}
	for _, c := range "▁abcde1ж中" {
		if !slices.ContainsFunc(first.Pieces, func(p unigram.Piece) bool { return p.Text == string(c) }) {
			t.Errorf("%c is not a piece", c)
		}
	}
}

func TestLearnRefuses(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	c := Config{Size: 20, Coverage: 1, Seeds: 100}
	for _, test := range []struct {
		ctx    context.Context
		words  []Word
		change func(*Config)
		want   string
	}{
		{t.Context(), nil, nil, "none of 0 words"},
		{t.Context(), counted("a▁b", 3, "\xff", 2, strings.Repeat("a", 512), 1, "", 1, "b", 0), nil, "none of 5 words"},
		{t.Context(), counted("ab", 3, "cd", 2), nil, "size 20 is more than these words give: give at most 12, or"},
		{t.Context(), counted("abcdefghijklmnop", 3), nil, "17 characters of the text and the 5 special tokens: give 22 or"},
		{t.Context(), randomWords(9), func(c *Config) { c.Size, c.Coverage, c.Seeds = 5, .5, 0 }, "want more than the 5 special tokens"},
		{canceled, randomWords(900), nil, context.Canceled.Error()},
	} {
		c := c
		if test.change != nil {
			test.change(&c)
		}
		if r, err := Learn(test.ctx, test.words, c, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.80v: %v, %v, want %q", test.words, r, err, test.want)
		}
	}
	if _, err := Learn(canceled, randomWords(900), c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	// The size that an error names is one that there is.
	words := randomWords(200)
	_, err := Learn(t.Context(), words, Config{Size: 5000, Coverage: 1, Seeds: 1000}, nil)
	var most int
	if _, scanErr := fmt.Sscanf(err.Error(), "size 5000 is more than these words give: give at most %d", &most); scanErr != nil {
		t.Fatal(err, scanErr)
	}
	if _, err := Learn(t.Context(), words, Config{Size: most, Coverage: 1, Seeds: 1000}, nil); err != nil {
		t.Error(err)
	}
}

func BenchmarkLearn(b *testing.B) {
	words := wordsOf(realdata.Tatoeba(b, most(1000)), func(string) bool { return true })
	for b.Loop() {
		if _, err := Learn(b.Context(), words, Config{Size: 8000, Coverage: .9995, Seeds: 1_000_000}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
