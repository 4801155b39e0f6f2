package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
)

// distillVerb is what the programs know of the verb distill.
var distillVerb = verb.Verb{
	Name: "distill", Group: verb.GroupEvaluate,
	Help: "Learn from embeddings of translations to draw the meaning out of vectors, without the language.",
	Examples: []string{
		"distill --embeddings embeddings --out distilled",
	},
	Makes: verb.Output{Rows: "split", Mark: distill.RecordName, Is: "a split of embeddings",
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			_, err := distill.Load(ctx, folder)
			return "", err
		}},
	New: func() any { return new(distillCommand) },
}

type distillCommand struct {
	Out       string `help:"Folder to make, which evaluate takes as --distilled." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Replace what was distilled otherwise and is in --out." group:"Output"`
	distill.Config
}

// Validate returns all faults at once.
func (c *distillCommand) Validate() error { return errors.Join(outFault(c.Out), c.Config.Validate()) }

// Standing implements engine.Stander.
func (c *distillCommand) Standing(ctx context.Context) (dataset.Fate, error) {
	return distill.Standing(ctx, c.Out, c.Config)
}

// Run implements the verb.
func (c *distillCommand) Run(ctx context.Context, p *command.Program) error {
	r, complete, err := distill.Run(ctx, c.Out, c.Config, distill.Options{Overwrite: c.Overwrite, Observe: func(e distill.Epoch) {
		if !p.Quiet && (e.Number == 1 || e.Number%10 == 0) {
			fmt.Fprintf(p.Stderr, "distill: epoch %d, loss %.4f, on held-out pairs %.4f\n", e.Number, e.Training, e.Validation)
		}
	}})
	if err != nil {
		return err
	}
	if complete && !p.Done("distill", c.Out) || p.Quiet {
		return nil
	}
	if c.Into != "" {
		var shares []string
		for _, language := range slices.Sorted(maps.Keys(r.Unexplained)) {
			shares = append(shares, fmt.Sprintf("%.0f %% (%s)", 100*r.Unexplained[language], language))
		}
		fmt.Fprintf(p.Stdout, "%s: projections into %s", c.Out, c.Into)
		if len(shares) > 0 {
			fmt.Fprintf(p.Stdout, ", which leave %s of the variance of held-out pairs", strings.Join(shares, ", "))
		}
		fmt.Fprint(p.Stdout, ";")
	} else {
		fmt.Fprintf(p.Stdout, "%s: the best of %s is %d, with a loss of %.4f on held-out pairs;", c.Out,
			command.Counted(int64(r.Epochs), "epoch"), r.Best.Number, r.Best.Validation)
	}
	for i, languages := range slices.Sorted(maps.Keys(r.Pairs)) {
		if i > 0 {
			fmt.Fprint(p.Stdout, ",")
		}
		fmt.Fprintf(p.Stdout, " %s (%s)", languages, command.Counted(int64(r.Pairs[languages]), "pair"))
	}
	_, err = fmt.Fprintln(p.Stdout)
	return err
}
