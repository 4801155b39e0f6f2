package encoder

import (
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/transforms/read/texts"
)

func TestTextOf(t *testing.T) {
	var list []Text
	for _, row := range []iter.Seq[texts.Text]{
		texts.OfDocument(schemas.Document{
			ID: "d", Sentences: []schemas.Sentence{{Text: "One.", Language: "eng"}, {Text: "Drei.", Language: "deu", Position: 2}}}),
		texts.OfPair(schemas.Pair{ID: "p", TextA: "a", LanguageA: "eng", TextB: "b", LanguageB: "deu"}),
		texts.OfBenchmark(schemas.Benchmark{ID: "i", Task: "t", LanguageA: "eng", TextA: "a", LanguageB: "deu", TextB: "b"}),
		texts.OfBenchmark(schemas.Benchmark{ID: "i", Task: "t", LanguageA: "spa", TextA: "c"}),
	} {
		for x := range row {
			list = append(list, TextOf(x))
		}
	}
	want := []Text{
		{"One.", "eng", "d/0"}, {"Drei.", "deu", "d/2"}, {"a", "eng", "p/a"}, {"b", "deu", "p/b"},
		{"a", "eng", "i/eng/a"}, {"b", "deu", "i/deu/b"}, {"c", "spa", "i/spa/a"},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
}
