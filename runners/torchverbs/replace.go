package torchverbs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/progress"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/replace"
	"sentweave/transforms/augment/infill"
)

// ReplaceVerb is what the programs know of the verb replace.
var ReplaceVerb = verb.Verb{
	Name: "replace", Group: verb.GroupTrain,
	Help: "Make views of texts: a masked language model replaces some of the words.",
	Examples: []string{
		"replace --model encoder --texts documents --out views",
	},
	Makes:    verb.Output{Rows: "pair", Share: .5},
	Made:     verb.Making("pair", schemas.KindView),
	Libtorch: true,
	New:      func() any { return new(Replace) },
}

// Replace is the verb that makes views of texts by a masked language model.
type Replace struct {
	output `embed:""`
	replace.Config
}

// Validate returns all faults at once.
func (r *Replace) Validate() error {
	return errors.Join(r.Config.Validate(), r.check())
}

// Run implements the verb.
func (r *Replace) Run(ctx context.Context, p *command.Program) error {
	t := progress.NewTally(p.Stderr, "replace", "texts")
	m, existed, err := replace.Run(ctx, r.Out, r.Config, replace.Options{Overwrite: r.Overwrite, Observe: t.Show,
		Open: opening(p, "replace", r.Compute, replace.Open)})
	t.End()
	if err := r.made(ctx, p, "replace", existed, err); err != nil {
		return err
	}
	err = r.show(p, "view", m)
	if list := losses(m); err == nil && list != "" {
		_, err = fmt.Fprintln(p.Stdout, list)
	}
	if err == nil && m.Rows == 0 {
		_, err = fmt.Fprintln(p.Stdout, "note: "+r.nothing(m))
	}
	return err
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (r *Replace) Standing(ctx context.Context) (dataset.Fate, error) {
	return replace.Standing(ctx, r.Out, r.Config)
}

// losses counts what was dropped by its reasons, in the order of the steps; "" if
// nothing was.
func losses(m *dataset.Manifest) string {
	var list []string
	sum := int64(0)
	for _, chain := range m.Funnel.Chains {
		for i, step := range chain.Steps {
			total := step.Total()
			if i == 0 {
				sum += total.In
			}
			for _, reason := range slices.Sorted(maps.Keys(total.Dropped)) {
				list = append(list, command.Count(total.Dropped[reason])+" "+reason)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s dropped: %s", command.Counted(sum, "text"), strings.Join(list, ", "))
}

// nothing says why there is no view, and the way out.
func (r *Replace) nothing(m *dataset.Manifest) string {
	drops, _ := m.Funnel.Suspicious()
	if len(drops) == 0 {
		return "no view was made: " + r.Texts + " has no text"
	}
	switch reason := drops[0].Reason; reason {
	case replace.ReasonOtherLanguage:
		return "nearly all texts are in other languages than " + strings.Join(r.Language, ", ") +
			": --language names those of the texts, or is all"
	case infill.ReasonTooShort:
		return "nearly all texts are too short: --min-tokens bounds them"
	default:
		return "no view was made, mostly for the reason " + reason
	}
}
