package filters

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/transforms/filters/thresholds"
)

// every is the chain of all filters with their defaults.
func every() *Chain {
	var list []Rules
	for _, f := range List {
		list = append(list, f.New())
	}
	return NewChain(list)
}

// Scores worked out by hand, of the sentences that the filters of sentences keep.
func TestMeasure(t *testing.T) {
	page := every().Page()
	for i, text := range append(slices.Clone(prose), "Too brief", "Please enable JavaScript in your browser.",
		"Then write { and go on with it.", prose[0]) {
		if text != "" {
			page.Sentence(text, "eng", int32(i/2))
		}
	}
	v, list := page.Measure("eng", .25, false, []schemas.Score{{Name: schemas.BlocksScore, Value: 5}})
	if v.Reason != reasonLanguageScore || v.Measure != .25 {
		t.Errorf("the verdict is %q (%v)", v.Reason, v.Measure)
	}
	scores := map[string]float32{}
	for _, s := range list {
		if _, twice := scores[s.Name]; twice {
			t.Errorf("%s occurs twice", s.Name)
		}
		scores[s.Name] = s.Value
	}
	for name, want := range map[string]float32{
		"blocks": 5, "sentences_too_short": .125, "sentences_javascript": .125, "sentences_too_long": 0, "cc_net_sentences": 6,
		"cc_net_characters": 371, "c4_lorem_ipsum": 0, "c4_curly_bracket": 1. / 6, "gopher_repetition_sentences": 1. / 6,
		"gopher_repetition_blocks": 0, "fineweb_terminated": 1, "fineweb_short": 0,
	} {
		if got, ok := scores[name]; !ok || got != want {
			t.Errorf("%s is %v (%t), want %v", name, got, ok, want)
		}
	}
}

// A chain that measures gives the verdict of one that ends at the first reason, and each measure has the name of its filter.
func TestVerdictOfMeasure(t *testing.T) {
	refrain := strings.Repeat("Buy now and save, only here and only today, red shoes. ", 8)
	documents := [][]string{prose, nil, {prose[0]}, {prose[0], prose[0], prose[0]}, {refrain, prose[0]},
		{"Lorem ipsum stands for a text.", prose[0]},
		append(slices.Clone(prose), "Then write { and the rest of it."),
		{"no mark at its end here", "nor at the end of this one", "and none here at all"}}
	var prefixes, reasons []string
	for _, f := range List {
		prefixes = append(prefixes, strings.ReplaceAll(f.Name, "-", "_")+"_")
		for _, reason := range f.New().SentenceReasons {
			if reasons = append(reasons, reason); !slices.Contains(f.Reasons, reason) {
				t.Errorf("%s is not a reason of %s", reason, f.Name)
			}
		}
	}
	seen := map[string]bool{}
	for _, texts := range documents {
		page := every().Page()
		for i, text := range texts {
			page.Sentence(text, "eng", int32(i))
		}
		v, scores := page.Measure("eng", 1, true, nil)
		reason, measure := page.Document("eng", 1, true)
		if seen[reason] = true; v.Reason != reason || v.Measure != measure {
			t.Errorf("%.60q: %q (%v), want %q (%v)", texts, v.Reason, v.Measure, reason, measure)
		}
		for _, s := range scores {
			sentences, ok := strings.CutPrefix(s.Name, "sentences_")
			if ok = ok && slices.Contains(reasons, sentences); !ok {
				ok = slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) })
			}
			if !ok || s.Value < 0 || math.IsNaN(float64(s.Value)) {
				t.Errorf("%s is %v", s.Name, s.Value)
			}
		}
	}
	if len(seen) < 6 {
		t.Errorf("the documents try %v alone", seen)
	}
}

// All measures that have thresholds are listed, with those of the settings.
func TestMeasures(t *testing.T) {
	rules, err := List.Choose(List.Names(nil), map[string]string{"fineweb-max-short": ".5", "gopher-min-words": "7"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range Measures(rules) {
		got[m.Name] = fmt.Sprint(thresholds.Value(m.Minimum, -1), " ", thresholds.Value(m.Maximum, -1))
	}
	if diff := cmp.Diff(map[string]string{
		"cc_net_sentences": "2 -1", "cc_net_characters": "100 -1",
		"gopher_repetition_sentences": "-1 0.3", "gopher_repetition_sentence_characters": "-1 0.2",
		"gopher_repetition_blocks": "-1 0.3", "gopher_repetition_block_characters": "-1 0.2",
		"gopher_repetition_top_2_gram": "-1 0.2", "gopher_repetition_top_3_gram": "-1 0.18", "gopher_repetition_top_4_gram": "-1 0.16",
		"gopher_repetition_5_grams": "-1 0.15", "gopher_repetition_6_grams": "-1 0.14", "gopher_repetition_7_grams": "-1 0.13",
		"gopher_repetition_8_grams": "-1 0.12", "gopher_repetition_9_grams": "-1 0.11", "gopher_repetition_10_grams": "-1 0.1",
		"fineweb_terminated": "0.12 -1", "fineweb_short": "-1 0.5", "fineweb_duplicate": "-1 0.1",
		"gopher_quality_words": "7 100000", "gopher_quality_word_length": "3 10", "gopher_quality_hashes": "-1 0.1",
		"gopher_quality_ellipses": "-1 0.1", "gopher_quality_bullets": "-1 0.9", "gopher_quality_ellipsis_lines": "-1 0.3",
		"gopher_quality_alphabetic": "0.8 -1", "gopher_quality_stop_words": "2 -1",
		"words_listed": "-1 0", "fasttext_quality": "0.5 -1", "perplexity": "-1 10000",
	}, got); diff != "" {
		t.Error(diff)
	}
}

// Thresholds of a language take the place of those of the rules, for this language alone; a score that equals one is kept.
func TestThresholds(t *testing.T) {
	bound := func(x float64) *float64 { return &x }
	chain := every()
	page := chain.Page()
	for i, text := range prose {
		if text != "" {
			page.Sentence(text, "eng", int32(i))
		}
	}
	_, scores := page.Measure("eng", 1, true, nil)
	isAlphabetic := func(s schemas.Score) bool { return s.Name == "gopher_quality_alphabetic" }
	alphabetic := float64(scores[slices.IndexFunc(scores, isAlphabetic)].Value)
	chain.Thresholds = thresholds.Languages{
		"deu":      {"fineweb_terminated": {Minimum: bound(1)}, "gopher_quality_words": {Minimum: bound(3)}},
		"ces":      {"cc_net_sentences": {Minimum: bound(9)}},
		"zho":      {"gopher_quality_words": {Minimum: bound(3), Maximum: bound(10)}},
		"zho_Hant": {"gopher_quality_words": {Minimum: bound(3)}},
		"fin":      {"gopher_quality_words": {Minimum: bound(3)}, "gopher_quality_alphabetic": {Minimum: bound(alphabetic)}},
		"swe":      {"gopher_quality_words": {Minimum: bound(3)}, "gopher_quality_alphabetic": {Minimum: bound(alphabetic + 1e-6)}},
	}
	for code, want := range map[string]string{"eng": "", "deu": "", "ces": ReasonFewSentences, "zho_Hans": reasonManyWords, "zho_Hant": "",
		"fin": "", "swe": reasonAlphabetic} {
		if reason, measure := page.Document(code, 1, true); reason != want {
			t.Errorf("%s: %q (%v), want %q", code, reason, measure, want)
		}
	}
}
