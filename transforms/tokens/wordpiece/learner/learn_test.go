package learner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

func config(size int, change func(*Config)) Config {
	c := DefaultConfig(size)
	c.LowerThreshold, c.Slack, c.Reserved = 1, 0, nil
	if change != nil {
		change(&c)
	}
	return c
}

func atThreshold(words []Word, threshold int64, c Config) string {
	var r Result
	s := newSearch(r.filter(words, c), c, 1)
	s.vocabulary(4 * threshold) // the lower threshold has more pieces, which are numbered anew
	return strings.Join(s.vocabulary(threshold), " ")
}

// The vectors of the reference's own tests.
func TestPublishedVectors(t *testing.T) {
	noJoiner := func(iterations int) Config {
		return config(1000, func(c *Config) { c.Joiner, c.Iterations = "", iterations })
	}
	tests := []struct {
		name      string
		words     []Word
		threshold int64
		config    Config
		want      string
	}{
		{"one pass", []Word{{"apple", 1}, {"app", 1}}, 1, noJoiner(1), "a e l p app apple le ple pp pple"},
		{"two passes", []Word{{"apple", 1}, {"app", 1}}, 1, noJoiner(2), "a e l p app apple"},
		{"threshold", []Word{{"app", 2}, {"apple", 1}}, 2, noJoiner(1), "a e l p app pp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := atThreshold(test.words, test.threshold, test.config); got != test.want {
				// Of equal counts the order is by code point, the vectors list sets.
				a, b := strings.Fields(got), strings.Fields(test.want)
				slices.Sort(a)
				slices.Sort(b)
				if !slices.Equal(a, b) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
		})
	}
	for _, test := range []struct {
		word   string
		joiner string
		want   []int
	}{
		{"hello", "", []int{2, 5}}, {"hello", "##", []int{2, 3, 5}}, {"world", "", nil}, {"world", "##", nil},
	} {
		if got := splitIndices(test.word, map[string]int64{"he": 1, "llo": 1, "##l": 1, "##lo": 1, "!": 1}, test.joiner); !slices.Equal(
			got, test.want) {
			t.Errorf("split %q with joiner %q: %v, want %v", test.word, test.joiner, got, test.want)
		}
	}
}

func TestBinarySearch(t *testing.T) {
	r, err := Learn(t.Context(), []Word{{"apple", 2}, {"peach", 1}, {"pear", 1}},
		config(10, func(c *Config) { c.Joiner, c.UpperThreshold = "", 10 }), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Pieces, " "); got != "a c e h l p r apple peach pear" {
		t.Errorf("got %q", got)
	}
	if !r.WithinSlack {
		t.Error("ten of ten pieces are not within the slack")
	}
}

// What a mode makes of stems, worked out by hand from the two descriptions.
func TestModesDiffer(t *testing.T) {
	words := []Word{{"walked", 3}, {"walker", 3}, {"walking", 3}, {"walks", 2}}
	longer := func(pieces string) string {
		return strings.Join(slices.DeleteFunc(strings.Fields(pieces), func(p string) bool { return len(strings.TrimPrefix(p, "##")) < 2 }),
			" ")
	}
	one := func(mode string) Config { return config(1000, func(c *Config) { c.Mode, c.Iterations = mode, 1 }) }
	for _, test := range []struct {
		mode      string
		threshold int64
		want      string
	}{
		{reference, 8, ""}, {documented, 8, "##alk ##lk walk"}, {reference, 5, ""},
	} {
		if got := longer(atThreshold(words, test.threshold, one(test.mode))); got != test.want {
			t.Errorf("%s at %d: %q, want %q", test.mode, test.threshold, got, test.want)
		}
	}
}

func randomWords(random *rand.Rand) []Word {
	alphabets := []string{"ab", "abc", "aβж語", "abcdefgh"}
	alphabet := []rune(alphabets[random.IntN(len(alphabets))])
	counts := map[string]int64{}
	for range 1 + random.IntN(30) {
		word := make([]rune, 1+random.IntN(8))
		for i := range word {
			word[i] = alphabet[random.IntN(len(alphabet))]
		}
		counts[string(word)] += int64(1 + random.IntN(12))
	}
	var words []Word
	for text, n := range counts {
		words = append(words, Word{text, n})
	}
	slices.SortFunc(words, func(a, b Word) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Text, b.Text)
	})
	return words
}

func TestEqualsRestatement(t *testing.T) {
	corpora := 4000
	if testing.Short() {
		corpora = 400
	}
	for seed := range corpora {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		words := randomWords(random)
		c := config(1000, func(c *Config) {
			c.Iterations = 1 + random.IntN(4)
			c.Reserved = []string{"[UNK]"}
			if random.IntN(3) == 0 {
				c.Joiner = ""
			}
			if random.IntN(2) == 0 {
				c.Mode = documented
			}
		})
		threshold := int64(1 + random.IntN(25))
		want := strings.Join(restatement(words, threshold, c), " ")
		if got := atThreshold(words, threshold, c); got != want {
			t.Fatalf("seed %d, threshold %d, %+v, words %v:\ngot  %s\nwant %s", seed, threshold, c, words, got, want)
		}
	}
}

func TestSameAtAnyParallelism(t *testing.T) {
	words := tatoeba(t, 3000)
	var first []string
	for _, cores := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(cores)
		r, err := Learn(t.Context(), words, config(2000, func(c *Config) { c.Slack = .05 }), nil)
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r.Pieces
		}
		if !slices.Equal(first, r.Pieces) {
			t.Errorf("%d cores give another vocabulary", cores)
		}
	}
}

func TestExact(t *testing.T) {
	words := tatoeba(t, 5000)
	for _, size := range []int{1500, 2500, 4000} {
		c := config(size, func(c *Config) { c.Exact, c.Slack, c.LowerThreshold = true, .05, 2 })
		r, err := Learn(t.Context(), words, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Pieces) != size && r.Searched >= size {
			t.Errorf("size %d: got %d pieces, the search gave %d", size, len(r.Pieces), r.Searched)
		}
		sorted := slices.Clone(r.Pieces)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(r.Pieces) {
			t.Errorf("size %d: pieces repeat", size)
		}
	}
}

// TestTrimKeepsCharacters: a vocabulary that is trimmed can write every word of its characters.
func TestTrimKeepsCharacters(t *testing.T) {
	words := []Word{{"abcdef", 9}, {"abcxyz", 8}, {"defabc", 7}, {"xyzabc", 2}, {"fedcba", 1}}
	for _, size := range []int{40, 30, 25, 20} {
		c := config(size, func(c *Config) { c.Exact, c.Slack, c.Iterations, c.LowerThreshold, c.UpperThreshold = true, 0, 1, 1, 1 })
		r, err := Learn(t.Context(), words, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(size, len(c.Reserved)+9+9); r.Searched <= size || len(r.Pieces) != want { // reserved pieces, and characters twice
			t.Errorf("size %d: %d pieces of %d that the search gave, want %d", size, len(r.Pieces), r.Searched, want)
		}
		for character := range strings.SplitSeq("a b c d e f x y z", " ") {
			if !slices.Contains(r.Pieces, character) || !slices.Contains(r.Pieces, "##"+character) {
				t.Errorf("size %d: %s is missing in %q", size, character, r.Pieces)
			}
		}
	}
}

func TestLearnRefuses(t *testing.T) {
	c := DefaultConfig(5)
	c.Mode, c.Iterations, c.LowerThreshold = "x", 0, 0
	err := c.Validate()
	for _, part := range []string{"mode", "iterations", "lower threshold", "size 5"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %q", err, part)
		}
	}
	if _, err := Learn(t.Context(), nil, DefaultConfig(100), nil); err == nil {
		t.Error("no words gave no error")
	}
	if _, err := Learn(t.Context(), []Word{{"[MASK]", 5}, {"##a", 3}}, DefaultConfig(100), nil); err == nil {
		t.Error("nothing but reserved words gave no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Learn(ctx, []Word{{"a", 5}}, DefaultConfig(100), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gave %v", err)
	}
}

func TestSmoothing(t *testing.T) {
	var c Counts
	c.Add("the", "eng", 90)
	c.Add("der", "deu", 8)
	c.Add("in", "deu", 2)
	c.Add("in", "eng", 0)
	for exponent, want := range map[float64]map[string]float64{
		1:  {"eng": 1, "deu": 1},
		0:  {"eng": 100. / 180, "deu": 100. / 20},
		.5: {"eng": math.Sqrt(.9) / ((math.Sqrt(.9) + math.Sqrt(.1)) * .9), "deu": math.Sqrt(.1) / ((math.Sqrt(.9) + math.Sqrt(.1)) * .1)},
	} {
		got := c.coefficients(exponent)
		for l := range want {
			if math.Abs(got[l]-want[l]) > 1e-12 {
				t.Errorf("exponent %v: %s counts %v, want %v", exponent, l, got[l], want[l])
			}
		}
	}
	got := c.Smoothed(0, 2, 50)
	want := []Word{{"the", 50}, {"der", 40}, {"in", 10}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := c.Smoothed(1, 2, 50); len(got) != 2 { // 2 is not more than 2
		t.Errorf("got %v", got)
	}
}

// tatoeba counts words of the 112 languages of the Tatoeba test files; n > 0
// takes the most frequent.
func tatoeba(t testing.TB, n int) []Word {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("tatoeba holds no file: %v", err)
	}
	var c Counts
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.FieldsFunc(string(data),
			func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r) })
		for _, w := range words {
			c.Add(w, "all", 1)
		}
	}
	words := c.Smoothed(1, 0, 50)
	if n > 0 {
		words = words[:min(n, len(words))]
	}
	return words
}

// The vocabulary is the one of the reference's own program, piece for piece.
func TestPeer(t *testing.T) {
	peer, interpreter := os.Getenv("SENTWEAVE_TF_LEARNER"), os.Getenv("SENTWEAVE_PYTHON")
	if peer == "" || interpreter == "" {
		t.Skip("skipped: SENTWEAVE_TF_LEARNER, the path of TensorFlow Text's wordpiece_tokenizer_learner_lib.py, or SENTWEAVE_PYTHON is not set")
	}
	tests := []struct{ words, size int }{{2000, 1200}, {20_000, 8000}}
	if os.Getenv("SENTWEAVE_TF_LEARNER_FULL") != "" { // ten minutes of the peer
		tests = append(tests, struct{ words, size int }{0, 30_000})
	}
	for _, test := range tests {
		words := tatoeba(t, test.words)
		c := DefaultConfig(test.size)
		c.LowerThreshold, c.MaxUniqueCharacters = 2, 6000
		r, err := Learn(t.Context(), words, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(map[string]any{"words": words, "size": test.size, "reserved": c.Reserved})
		if err != nil {
			t.Fatal(err)
		}
		output := peertest.Output(t, input, interpreter, "testdata/peer.py", peer)
		want := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
		if diff := cmp.Diff(want, r.Pieces); diff != "" {
			t.Errorf("%d words: the vocabularies differ:\n%.2000s", test.words, diff)
		}
		t.Logf("%d words: %d pieces, threshold %d after %d", len(words), len(r.Pieces), r.Threshold, r.Tried)
	}
}

func BenchmarkLearn(b *testing.B) {
	words := tatoeba(b, 0)
	for _, mode := range []string{reference, documented} {
		b.Run(fmt.Sprint(mode, " ", len(words), " words"), func(b *testing.B) {
			for b.Loop() {
				c := DefaultConfig(30_000)
				c.Mode, c.LowerThreshold = mode, 2
				r, err := Learn(b.Context(), words, c, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Pieces)), "pieces")
				b.ReportMetric(float64(r.Tried), "thresholds")
			}
		})
	}
}
