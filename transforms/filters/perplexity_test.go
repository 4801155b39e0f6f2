package filters

import (
	"testing"
)

// lengths is a model whose perplexity is a hundred for each sentence.
type lengths struct{}

func (lengths) Perplexity(sentences []string) float64 { return 100 * float64(len(sentences)) }

// Documents have the perplexity by the model of their language or of its base, and those of other languages none.
func TestPerplexity(t *testing.T) {
	rules := perplexity.New()
	if err := rules.Settings[0].Set("200,deu=300"); err != nil {
		t.Fatal(err)
	}
	chain := NewChain([]Rules{rules})
	chain.Models = map[string]LanguageModel{"eng": lengths{}, "deu": lengths{}}
	for _, tt := range []struct {
		language  string
		sentences int
		want      float32 // 0 without a measure
		reason    string
	}{
		{"eng", 2, 200, ""}, {"eng_Latn", 3, 300, reasonPerplexity}, {"deu", 3, 300, ""}, {"deu", 4, 400, reasonPerplexity},
		{"fra", 9, 0, ""}, {"eng", 0, 0, ""},
	} {
		page := chain.Page()
		for i := range tt.sentences {
			page.Sentence("a", tt.language, int32(i))
		}
		v, scores := page.Measure(tt.language, 1, true, nil)
		page.Close()
		if v.Reason != tt.reason || (tt.want != 0) != (len(scores) == 1) || len(scores) == 1 && scores[0].Value != tt.want {
			t.Errorf("%d sentences in %s: %q, %v", tt.sentences, tt.language, v.Reason, scores)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		page := chain.Page()
		page.Keep("a", 0)
		page.Document("eng", 1, true)
		page.Close()
	}); n >= 1 {
		t.Errorf("%v allocations a document, want none", n)
	}
}
