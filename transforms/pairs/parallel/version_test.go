package parallel

import (
	"slices"
	"testing"

	"sentweave/schemas"
)

// Of several pages of one language the most translated one stays, in any order.
func TestChoose(t *testing.T) {
	version := func(id, code, in string, paragraphs []string, score float32) Page {
		return pageOf(code, paragraphs, func(d *schemas.Document) {
			d.ID, d.Language = id, in
			for i := range d.Sentences {
				d.Sentences[i].Language, d.Sentences[i].LanguageScore = in, score
			}
		})
	}
	partly := version("a", "spa", "eng", english, .9)
	partly.Document.Sentences[0] = version("a", "spa", "spa", spanish, .9).Document.Sentences[0]
	identified := version("a", "eng", "eng", append(slices.Clone(english), "A picture of the scope of this book."), .9)
	identified.Identified = true
	tests := []struct {
		name  string
		pages []Page
		want  string
	}{
		{"the smallest id of two that are equal", []Page{version("a", "spa", "spa", spanish, .9), version("b", "spa", "spa", spanish, .9)},
			"a"},
		{"one that was left in English", []Page{version("a", "spa", "eng", english, .9), version("b", "spa", "spa", spanish, .9)}, "b"},
		{"one that was translated in part", []Page{partly, version("b", "spa", "spa", spanish, .9)}, "b"},
		{"of which the other one has more",
			[]Page{partly, version("b", "spa", "spa", spanish[:1], .9), version("c", "spa", "eng", english, .9)}, "a"},
		{"in a code of the same language", []Page{version("a", "nor", "eng", english, .9), version("b", "nor", "nob", manualDanish, .9)},
			"b"},
		{"in a folder of no language", []Page{identified, version("b", "eng", "eng", english, .9)}, "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 {
				slices.Reverse(tt.pages)
				before := slices.Clone(tt.pages)
				pages := append(slices.Clone(tt.pages), pageOf("fin", manualFinnish))
				kept, repeated := joiner(t, nil).Choose(pages)
				if len(kept) != 2 || len(repeated) != len(tt.pages)-1 || kept[0].Language > kept[1].Language {
					t.Fatalf("%d kept, %d repeated", len(kept), len(repeated))
				}
				var r Result
				joiner(t, nil).Join(&r, "backup", "handbook", pages)
				for _, p := range kept {
					if p.Language != "fin" && p.Document.ID != tt.want {
						t.Errorf("document %s, want %s", p.Document.ID, tt.want)
					}
				}
				for _, p := range r.Pairs {
					if p.DocumentA != tt.want && p.DocumentB != tt.want {
						t.Errorf("joined %s and %s, want %s", p.DocumentA, p.DocumentB, tt.want)
					}
				}
				for i := range before {
					if pages[i].Document.ID != before[i].Document.ID {
						t.Error("the caller's pages were reordered")
					}
				}
			}
		})
	}
}
