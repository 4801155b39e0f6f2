package lines

import (
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/clean/maincontent/boost"
	"sentweave/transforms/read/html"
)

// Model is a trained model. It is safe for concurrent use.
type Model struct {
	Provenance
	hash       string
	characters *blocks.Linear
	forest     *boost.Forest
}

// Provenance says what a model was trained on.
type Provenance struct {
	// Data names the pages, Licence and Attribution what their authors ask for.
	Data, Licence, Attribution string
	// Pages and Lines count what it was trained on.
	Pages, Lines int
}

// Hash is the xxh3-128 of the model's file.
func (m *Model) Hash() string { return m.hash }

// Judgement is what a model says of a page.
type Judgement struct {
	// Probabilities are, for each line, how probable it is that it is main content.
	Probabilities []float64
	// Chosen are the lines that are taken.
	Chosen []bool
	// Expected is the F1 that is expected of them.
	Expected float64
}

// Judge judges the lines of a page.
func (m *Model) Judge(p *Page) Judgement {
	j := Judgement{Probabilities: make([]float64, p.Len())}
	row := make([]float32, 0, m.forest.Features())
	words := make([]float64, p.Len())
	scores := p.scored(m.characters.Judge(p.runs))
	for i := range p.Len() {
		row = scores.append(p.append(row[:0], i), i)
		j.Probabilities[i] = boost.Sigmoid(m.forest.Margin(row))
		words[i] = p.Words(i)
	}
	j.Chosen, j.Expected = maincontent.Choose(j.Probabilities, words)
	return j
}

// ClassifyLines implements maincontent.LineClassifier.
func (m *Model) ClassifyLines(lines []string) (parts []maincontent.Part, reason, detail string) {
	j := m.Judge(Describe(lines))
	return maincontent.Parts(j.Probabilities, j.Chosen, j.Expected)
}

// Classify implements maincontent.Classifier: blocks of a page are lines, and its markup does not count.
func (m *Model) Classify(page *html.Page) (parts []maincontent.Part, reason, detail string) {
	return m.ClassifyLines(maincontent.Lines(page))
}
