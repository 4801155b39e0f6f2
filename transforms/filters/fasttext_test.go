package filters

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sentweave/transforms/clean/langid/fasttext"
)

// classifier has learned that rivers are good and shoes are not.
func classifier(t *testing.T, label string) (*fasttext.Model, *Classifier) {
	t.Helper()
	var texts []fasttext.LabelledText
	for i := range 200 {
		texts = append(texts, fasttext.LabelledText{Label: QualityLabel, Text: fmt.Sprintf("the river %d rose in the night", i%7)},
			fasttext.LabelledText{Label: OtherLabel, Text: fmt.Sprintf("buy %d red shoes now", i%7)})
	}
	trained, err := fasttext.Train(context.Background(), texts, fasttext.TrainingConfig{Dim: 4, Epochs: 5, Rate: .5, Buckets: 1000,
		MinCount: 1, WordNgrams: 2}, func(float64, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClassifier(trained.Model(), label)
	if err != nil {
		t.Fatal(err)
	}
	return trained.Model(), c
}

// A document has the probability of the label for its kept sentences with spaces between them, whatever the page was used for before.
func TestFastText(t *testing.T) {
	model, c := classifier(t, QualityLabel)
	rules := fastText.New()
	if err := rules.Settings[0].Set(".9"); err != nil {
		t.Fatal(err)
	}
	chain := NewChain([]Rules{rules})
	chain.Classifier = c
	page := chain.Page()
	for _, tt := range []struct {
		sentences []string
		reason    string
	}{
		{[]string{"the river rose", "in the night"}, ""},
		{[]string{"buy red", "shoes now"}, reasonLowQuality},
		{[]string{"in the river were", "red shoes"}, reasonLowQuality},
		{nil, reasonLowQuality},
	} {
		for i, text := range tt.sentences {
			page.Sentence(text, "eng", int32(i))
		}
		want := 0.
		for _, p := range model.NewClassifier().Predict(nil, strings.Join(tt.sentences, " "), 2) {
			if p.Label == QualityLabel {
				want = float64(p.Probability)
			}
		}
		v, scores := page.Measure("eng", 1, true, nil)
		if v.Reason != tt.reason || len(scores) != 1 || scores[0].Name != "fasttext_quality" || scores[0].Value != float32(want) {
			t.Errorf("%q: %q, %v; want %q, %v", tt.sentences, v.Reason, scores, tt.reason, want)
		}
		if reason, measure := page.Document("eng", 1, true); reason != tt.reason || reason != "" && measure != want {
			t.Errorf("%q: %q (%v), want %q (%v)", tt.sentences, reason, measure, tt.reason, want)
		}
		page.Close()
	}
	if n := testing.AllocsPerRun(100, func() {
		page := chain.Page()
		page.Keep(prose[0], 0)
		page.Document("eng", 1, true)
		page.Close()
	}); n >= 1 {
		t.Errorf("%v allocations a document, want none", n)
	}
	if _, err := NewClassifier(model, "hq"); err == nil || !strings.Contains(err.Error(), `no label "hq": give one of `) {
		t.Error(err)
	}
}

// Each rule that would drop a document counts, and without a classifier its filter is not asked.
func TestFailed(t *testing.T) {
	page := every().Page()
	page.Keep("Buy { shoes", 0)
	v, scores := page.Measure("eng", 1, false, nil)
	// Few sentences and characters, an unsure language, a curly bracket, no mark at the end, a short block, few words, no stop word,
	// and words without a letter.
	if v.Failed != 9 || v.Reason != reasonCurlyBracket && v.Reason != ReasonFewSentences {
		t.Errorf("%d rules fail, %q first: %v", v.Failed, v.Reason, scores)
	}
	if strings.Contains(fmt.Sprint(scores), "fasttext") {
		t.Errorf("the scores are %v", scores)
	}
}
