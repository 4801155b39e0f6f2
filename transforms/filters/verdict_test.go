package filters

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
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
