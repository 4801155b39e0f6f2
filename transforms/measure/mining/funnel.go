package mining

import (
	"fmt"

	"sentweave/schemas/dataset"
)

// What the funnel of a dataset of mined pairs says of the true ones: their chain, and the reason of those that nobody
// could find, since one of the texts is on neither side, or both are on one.
const (
	ChainGold    = "true pairs"
	ReasonAbsent = "not_among_sentences"
)

// Summary says how good the pairs of a dataset are by the true ones that its funnel counts; "" if it counts none.
func Summary(m *dataset.Manifest) string {
	for _, chain := range m.Funnel.Chains {
		if chain.Items != ChainGold || len(chain.Steps) == 0 || len(chain.Steps[0].Languages) == 0 {
			continue
		}
		gold := chain.Steps[0].Total()
		absent := gold.Dropped[ReasonAbsent]
		f := NewFigures(int(m.Rows), int(gold.Out), int(gold.In-absent))
		text := fmt.Sprintf("%d of %d pairs are among the %d true ones: precision %.1f %%, recall %.1f %%, F1 %.1f %%",
			f.Correct, f.Extracted, gold.In-absent, 100*f.Precision, 100*f.Recall, 100*f.F1)
		if absent > 0 {
			text += fmt.Sprintf("; %d others of gold have a text that is not among these sentences", absent)
		}
		return text
	}
	return ""
}
