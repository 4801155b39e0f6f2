package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/storage"
	"sentweave/stages/pairtrain"
	"sentweave/transforms/pairs/pairclassifier"
)

// pairTrainVerb is what the programs know of the verb pairtrain.
var pairTrainVerb = verb.Verb{
	Name: "pairtrain", Group: verb.GroupCorpus,
	Help: "Train the filter learned of pairfilter on scores of good pairs and of those that pairnoise made wrong.",
	Examples: []string{
		"pairtrain --scores scores --out pairs.json",
		"pairtrain --scores scores --hold-out merged,replaced --out pairs.json",
	},
	New: func() any { return new(pairTrainCommand) },
}

type pairTrainCommand struct {
	pairtrain.Config
	Out       string `help:"File of the model to write: JSON with a weight for each measure." required:"" placeholder:"FILE" group:"Output"`
	Overwrite bool   `help:"Replace the file of --out if there is one." group:"Output"`
}

// Run implements the verb.
func (c *pairTrainCommand) Run(ctx context.Context, p *command.Program) error {
	folder, name, condition, err := storage.NewFile(ctx, c.Out, c.Overwrite)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	m, err := pairtrain.Train(ctx, c.Config)
	if err != nil {
		return err
	}
	data, err := m.Encode()
	if err == nil {
		err = storage.WriteFile(ctx, folder, name, data, condition)
	}
	if err != nil || p.Quiet {
		return err
	}
	if note := pairtrain.Note(m); note != "" {
		fmt.Fprintf(p.Stderr, "note: %s\n", note)
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "noise\tpairs\tprecision\trecall\tAUC")
	for _, f := range m.Figures {
		mark := ""
		if f.Unseen {
			mark = " (unseen)"
		}
		fmt.Fprintf(t, "%s%s\t%d\t%.3f\t%.3f\t%.3f\n", f.Kind, mark, f.Pairs, f.Precision, f.Recall, f.AUC)
	}
	fmt.Fprintln(t, "\nmeasure\tweight\tmean\tdeviation")
	for _, f := range slices.SortedStableFunc(slices.Values(m.Features), func(a, b pairclassifier.Feature) int {
		return -cmp.Compare(math.Abs(a.Weight), math.Abs(b.Weight))
	}) {
		fmt.Fprintf(t, "%s\t%+.3f\t%.3g\t%.3g\n", f.Measure, f.Weight, f.Mean, f.Scale)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: trained on %s and %s bad ones; measured on other pairs, as if there were as many bad as good ones\n",
		c.Out, command.Counted(int64(m.Training.Good), "good pair"), command.Count(int64(m.Training.Bad)))
	return err
}
