package markup

import (
	"fmt"

	"sentweave/schemas/fault"
)

// Judged shows texts in their order, each of them kept or dropped.
type Judged struct {
	Items []JudgedText
}

// JudgedText is a text with what was made of it.
type JudgedText struct {
	Text string
	Kept bool
	// Kind is what sort of text it is, Reason why it was dropped.
	Kind, Reason string
	// Probability is that of being kept, from 0 to 1.
	Probability float64
	// Parts are what decided; they are shown on demand.
	Parts []string
}

// Validate implements Block.
func (j Judged) Validate() error {
	var errs fault.List
	for i, t := range j.Items {
		errs.Check(t.Probability >= 0 && t.Probability <= 1, "judged text %d has the probability %v", i+1, t.Probability)
	}
	return errs.Err()
}

// Percent is the probability as it is written.
func (t JudgedText) Percent() string { return fmt.Sprintf("%.0f %%", 100*t.Probability) }

// View implements Block.
func (j Judged) View() (string, any) { return "judged", j.Items }
