package document

import (
	"strings"
	"testing"

	"sentweave/transforms/filters"
)

// The language of a text is that of most of it. The identifier sees the first word that names a language.
func TestCommonestLanguage(t *testing.T) {
	paragraph := func(word string, sentences int) string {
		return strings.Repeat("The "+word+" bridge stood near the old village. ", sentences) + "\n\n"
	}
	long := strings.Repeat(paragraph("deu:.97", 10), 25) // more than the identifier is given of a document
	for _, test := range []struct {
		name, text, declared string
		want                 string
		foreign              int // sentences that are dropped
	}{
		{"one language", paragraph("deu:.97", 4), "", "deu", 0},
		{"more English than German", paragraph("deu:.6", 4) + paragraph("eng:.95", 6), "", "eng", 4},
		{"the same within paragraphs",
			strings.Repeat("A deu:.6 bridge stood here. An eng:.95 bridge stood here. The eng:.95 bridge stood there. ", 3), "", "eng", 3},
		{"more German than English", paragraph("deu:.6", 6) + paragraph("eng:.95", 4), "", "deu", 4},
		{"nearly as much in the declared language", paragraph("deu:.6", 5) + paragraph("eng:.95", 6), "deu", "deu", 6},
		{"much less in the declared language", paragraph("deu:.6", 3) + paragraph("eng:.95", 6), "deu", "eng", 3},
		{"a declared language that the text is not in", paragraph("deu:.6", 4) + paragraph("eng:.95", 6), "fra", "eng", 4},
		{"a part in another language than the certain beginning", long + strings.Repeat(paragraph("eng:.97", 10), 40), "", "eng", 250},
		{"a short part in another language", long + paragraph("eng:.97", 10), "", "deu", 10},
		{"sentences of which most are in no certain language", paragraph("deu:.6", 1) + paragraph("eng:.95", 2) + paragraph("eng:.3", 5),
			"", "deu", 2},
		{"three languages", paragraph("deu:.6", 2) + paragraph("fra:.9", 4) + paragraph("eng:.95", 3), "", "fra", 5},
	} {
		config := DefaultConfig()
		config.Filters = []filters.Rules{}
		builder, err := NewBuilder(config, scored{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			o := builder.Build(Record{Source: "a", Text: test.text, Language: test.declared})
			foreign := 0
			for _, s := range o.Sentences {
				if s.Reason == ReasonOtherLanguage {
					foreign++
				}
			}
			if o.Document.Language != test.want || foreign != test.foreign || o.Document.LanguageScore <= 0 ||
				o.Document.LanguageScore > 1 {
				t.Errorf("%s: %s %.2f with %d sentences in others, want %s with %d", test.name, o.Document.Language,
					o.Document.LanguageScore, foreign, test.want, test.foreign)
			}
		}
	}
}
