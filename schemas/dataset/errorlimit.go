package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
)

// ErrTooManyErrors: more inputs were rejected than an ErrorLimit allows.
var ErrTooManyErrors = errors.New("too many inputs are rejected")

// ErrorLimit bounds the inputs that a step drops, as a share of those of its chain. It is not a part of the plan: with another
// limit the same units are finalized.
type ErrorLimit struct {
	Share       float64
	Chain, Step string
	// Except are the reasons that do not count.
	Except []string
}

// examples is how many rejected inputs an error names.
const examples = 3

// check names the count, the share and the sampled inputs that come first.
func (l *ErrorLimit) check(f *Funnel, rejects []schemas.Reject) error {
	if l == nil {
		return nil
	}
	inputs, errs := int64(0), int64(0)
	for _, chain := range f.Chains {
		for _, step := range chain.Steps {
			if chain.Items != l.Chain || step.Name != l.Step {
				continue
			}
			total := step.Total()
			inputs = total.In
			for reason, n := range total.Dropped {
				if !slices.Contains(l.Except, reason) {
					errs += n
				}
			}
		}
	}
	if float64(errs) <= l.Share*float64(inputs) {
		return nil
	}
	first := slices.DeleteFunc(slices.Clone(rejects), func(r schemas.Reject) bool {
		return r.Step != l.Step || slices.Contains(l.Except, r.Reason)
	})
	slices.SortFunc(first, func(a, b schemas.Reject) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), cmp.Compare(a.Offset, b.Offset))
	})
	var list []string
	for _, r := range first[:min(len(first), examples)] {
		list = append(list, fmt.Sprintf("%s:%d %s (%.100s)", r.Source, r.Offset, r.Reason, r.Detail))
	}
	return fmt.Errorf("%w: %d of %d, %.3g %%, and the limit is %.3g %%, such as %s; with a larger limit the same command ends at once, and `sentweave finalize` asks for none",
		ErrTooManyErrors, errs, inputs, 100*float64(errs)/float64(inputs), 100*l.Share, strings.Join(list, ", "))
}
