package trained

import (
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/read/html"
)

// Why implements maincontent.Explainer: where a block that is dropped seems to stand.
func (m *Model) Why(page *html.Page) []string {
	p := blocks.Describe(page)
	defer p.Free()
	j := m.Judge(p)
	list := make([]string, p.Len())
	for i, chosen := range j.Chosen {
		if !chosen {
			list[i] = j.place(p, i)
		}
	}
	return list
}

// Classify implements maincontent.Classifier. Pages are to be parsed as HTML says.
func (m *Model) Classify(page *html.Page) (parts []maincontent.Part, reason, detail string) {
	p := blocks.Describe(page)
	defer p.Free()
	j := m.Judge(p)
	return maincontent.Parts(j.Probabilities, j.Chosen, j.Expected)
}

// Mean is the Classifier that gives each block the mean of the probabilities of two: of a model that looks
// at the markup, and of one that looks at the texts alone.
type Mean struct {
	Model *Model
	Lines maincontent.LineClassifier
}

// Classify implements maincontent.Classifier.
func (b Mean) Classify(page *html.Page) (parts []maincontent.Part, reason, detail string) {
	described := blocks.Describe(page)
	defer described.Free()
	j := b.Model.Judge(described)
	texts, _, _ := b.Lines.ClassifyLines(maincontent.Lines(page))
	for i, p := range texts {
		j.Probabilities[i] = (j.Probabilities[i] + float64(p.Main)) / 2
	}
	chosen, expected := maincontent.Choose(j.Probabilities, j.Words)
	return maincontent.Parts(j.Probabilities, chosen, expected)
}
