package models

import (
	"context"
	"errors"
	"fmt"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/stages/replace"
	"sentweave/transforms/infill"
)

// Replace is the verb that makes views of texts by a masked language model.
type Replace struct {
	Out       string `help:"Folder of the dataset of pairs to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another dataset that stands in --out." group:"Output"`
	replace.Config
}

// Validate returns all faults at once.
func (r *Replace) Validate() error {
	var out error
	if r.Out == "" {
		out = errors.New("out is empty: give the folder of the dataset to make")
	}
	return errors.Join(r.Config.Validate(), out)
}

// Run implements the verb.
func (r *Replace) Run(ctx context.Context, p *command.Program) error {
	t := newTally(p.Stderr, "replace", "texts")
	m, done, err := replace.Run(ctx, r.Out, r.Config, replace.Options{Overwrite: r.Overwrite, Observe: t.show}, replace.Open)
	t.end()
	if ctx.Err() != nil && err != nil {
		return errors.Join(err, command.ErrResumes)
	}
	if err != nil {
		return err
	}
	if done {
		fmt.Fprintf(p.Stderr, "replace: %s is complete, nothing to do\n", r.Out)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: %s%s in %s, %s, content %s\n", r.Out, command.Counted(m.Rows, "view"), copies(m),
		command.Counted(int64(len(m.Shards)), "shard"), command.Size(m.Bytes), m.ContentXXH3)
	return err
}

// copies says how many views equalled their sources, if any did.
func copies(m *dataset.Manifest) string {
	for _, chain := range m.Funnel.Chains {
		for _, step := range chain.Steps {
			if n := step.Total(); n.Dropped[infill.ReasonCopy] > 0 {
				return fmt.Sprintf(" (%s of %s were copies, dropped)", command.Count(n.Dropped[infill.ReasonCopy]), command.Count(n.In))
			}
		}
	}
	return ""
}
