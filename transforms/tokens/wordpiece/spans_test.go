package wordpiece

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func spansOf(s *Splitter, text string) (list []string) {
	for span := range s.Spans(text) {
		list = append(list, fmt.Sprintf("%s=%q", span.Word, text[span.Start:span.End]))
	}
	return list
}

func TestSpans(t *testing.T) {
	tests := []struct {
		name, text string
		options    Options
		want       []string
	}{
		{"nothing", "", Uncased, nil},
		{"white space alone", " \t\u2003\n", Uncased, nil},
		{"case", "  The CAT\tsat. ", Uncased, []string{`the="The"`, `cat="CAT"`, `sat="sat"`, `.="."`}},
		{"accents composed and not", "Café cafe\u0301!", Uncased, []string{`cafe="Café"`, "cafe=\"cafe\u0301\"", `!="!"`}},
		{"accents kept", "Café", Cased, []string{`Café="Café"`}},
		{"ideographs", "a中文b", Uncased, []string{`a="a"`, `中="中"`, `文="文"`, `b="b"`}},
		{"controls before a word are outside", "\u200bx\u200b y", Uncased, []string{`x="x\u200b"`, `y="y"`}},
		{"no-break space", "a\u00a0b", Uncased, []string{`a="a"`, `b="b"`}},
		{"apostrophe", "don't", Uncased, []string{`don="don"`, `'="'"`, `t="t"`}},
		{"Hangul", "값 이", Uncased, []string{"\u1100\u1161\u11b9=\"값\"", "\u110b\u1175=\"이\""}},
		{"marks alone", "\u0301 a", Uncased, []string{`a="a"`}},
		{"not UTF-8", "a\xffb c", Uncased, []string{`ab="a\xffb"`, `c="c"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, spansOf(NewSplitter(test.options), test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Spans are the words, in order, and what stands between them holds none.
func FuzzSpans(f *testing.F) {
	for _, text := range []string{"", "The café, don't.", "a中\u0301b\u200d c", "\u0301\u0323x", "\xff \xc3", "값\u11b9 ᄀ\u0307\u0323ᅡ",
		"a\u00adb"} {
		f.Add(text)
	}
	splitters := []*Splitter{NewSplitter(Uncased), NewSplitter(Cased),
		NewSplitter(Options{Lowercase: true, KeepAccents: true, KeepControls: true, JoinIdeographs: true})}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range splitters {
			var words, spans []string
			for w := range s.Words(text) {
				words = append(words, string(w))
			}
			var rest strings.Builder
			at := 0
			for span := range s.Spans(text) {
				if span.Start < at || span.End <= span.Start || span.End > len(text) {
					t.Fatalf("%q: span [%d, %d) after %d", text, span.Start, span.End, at)
				}
				if utf8.ValidString(text) && !utf8.ValidString(text[span.Start:span.End]) {
					t.Fatalf("%q: the span [%d, %d) cuts a character", text, span.Start, span.End)
				}
				spans = append(spans, string(span.Word))
				rest.WriteString(text[at:span.Start])
				at = span.End
			}
			rest.WriteString(text[at:])
			if diff := cmp.Diff(words, spans); diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
			if utf8.ValidString(text) {
				for w := range s.Words(rest.String()) {
					t.Fatalf("%q: between the spans stands %q", text, w)
				}
			}
		}
	})
}
