package trained

import (
	"fmt"

	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/maincontent/blocks"
	"sentweave/transforms/read/html"
)

// Why implements maincontent.Explainer: where a block that is dropped seems to stand, and how probable it is
// that it is main content.
func (m *Model) Why(page *html.Page) []string {
	p := blocks.Describe(page)
	j := m.Judge(p)
	list := make([]string, p.Len())
	for i, probability := range j.Probabilities {
		if list[i] = fmt.Sprintf("probability %.2f", probability); !j.Chosen[i] {
			list[i] = p.Place(i) + ", " + list[i]
		}
	}
	return list
}

// Classify implements maincontent.Classifier. A block that is chosen has the share 1, others
// have 0: which are chosen depends on the whole page. Pages are to be parsed as HTML says.
func (m *Model) Classify(page *html.Page) (shares []float32, reason, detail string) {
	j := m.Judge(blocks.Describe(page))
	shares = make([]float32, len(page.Blocks))
	found := false
	for i, chosen := range j.Chosen {
		if chosen {
			shares[i], found = 1, true
		}
	}
	if !found {
		return nil, maincontent.NoMainContent, fmt.Sprintf("expected F1 of %.2f", j.Expected)
	}
	return shares, "", ""
}
