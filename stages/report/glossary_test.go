package report

import (
	"strings"
	"testing"

	"sentweave/stages/report/markup"
)

// Words are explained where they are in a name as words, whatever their case.
func TestGlossary(t *testing.T) {
	for names, want := range map[string][]string{
		"Untrained encoder|Character 3‑grams": nil,
		"CMLM + BR, views|cmlm_br: cmlm+br":   {"CMLM,", "BR,", "Views:"},
		"Bag of embeddings|brown|reviews":     {"Bag of"},
		"encoder+pcr|Bag":                     {"Bag of", "PCR,"},
	} {
		blocks := glossaryOf(strings.Split(names, "|"))
		if (want == nil) != (blocks == nil) {
			t.Errorf("%s: %v", names, blocks)
			continue
		}
		if want == nil {
			continue
		}
		items := markup.Paragraphs(blocks[0].(markup.Text).Body)[0].Items
		if len(items) != len(want) {
			t.Errorf("%s: %q", names, items)
			continue
		}
		for i, w := range want {
			if !strings.HasPrefix(items[i], w) {
				t.Errorf("%s: %q, want %s", names, items[i], w)
			}
		}
	}
}
