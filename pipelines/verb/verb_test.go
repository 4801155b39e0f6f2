package verb_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/verb"
)

func TestOf(t *testing.T) {
	list := []verb.Verb{{Name: "view", Examples: []string{"view a"}},
		{Name: "views", Examples: []string{"views synonym --out x", "views translation --out y", "views synonym"}}}
	for words, want := range map[string][]string{
		"views synonym": {"views synonym --out x", "views synonym"}, "views": list[1].Examples, "view": {"view a"}, "views other": nil,
		"sight": nil, "": nil,
	} {
		v, ok := verb.Find(list, words)
		if got := v.ExamplesOf(words); ok != (want != nil || v.Name != "") || !slices.Equal(got, want) {
			t.Errorf("%q: %s with the examples %q, want %q", words, v.Name, got, want)
		}
	}
}

// A verb that makes what it reads makes pairs where a step or a flag names pairs.
func TestAsRead(t *testing.T) {
	for name, test := range map[string]struct {
		given map[string]string
		made  map[string]verb.Product
		want  verb.Product
	}{
		"documents": {map[string]string{"documents": "d"}, nil,
			verb.Product{Rows: "document", Kinds: []string{"document"}}},
		"pairs of a step": {nil, map[string]verb.Product{"pairs": {Rows: "pair", Kinds: []string{"bitext"}}},
			verb.Product{Rows: "pair", Kinds: []string{"bitext"}}},
		"pairs from elsewhere": {map[string]string{"pairs": "p"}, nil, verb.Product{Rows: "pair"}},
		"another flag takes the step": {map[string]string{"documents": "d"}, map[string]verb.Product{"against": {Rows: "pair"}},
			verb.Product{Rows: "document", Kinds: []string{"document"}}},
	} {
		step := verb.Step{
			Value: func(flag string) string { return test.given[flag] },
			From:  func(flag string) (verb.Product, bool) { m, ok := test.made[flag]; return m, ok },
		}
		if diff := cmp.Diff(test.want, verb.AsRead(step)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFirst(t *testing.T) {
	rates := verb.Rates{"": {Bytes: 1}, "bitext": {Bytes: 2}, "bitext by language": {Bytes: 3}, "of pairs": {Rows: 4}}
	for _, test := range []struct {
		names []string
		want  verb.Rate
	}{
		{[]string{"bitext  by language", "bitext by language", "bitext"}, verb.Rate{Bytes: 3}},
		{[]string{"bitext jsonl", "bitext ", ""}, verb.Rate{Bytes: 2}},
		{[]string{"warc", ""}, verb.Rate{Bytes: 1}},
		{[]string{"warc"}, verb.Rate{}},
	} {
		if got, ok := rates.First(test.names...); got != test.want || ok != (test.want != verb.Rate{}) {
			t.Errorf("%q: %+v, %t", test.names, got, ok)
		}
	}
}
