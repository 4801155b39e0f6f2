package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/stages/quality"
	"sentweave/transforms/filters/thresholds"
)

// qualityVerb is what the programs know of the verb quality.
var qualityVerb = verb.Verb{
	Name: "quality", Group: verb.GroupCorpus,
	Help: "Fit the thresholds of the filters of corpus to each language, or train a classifier of good documents.",
	Examples: []string{
		"quality fit --documents scores --out thresholds.json",
		"quality fit --documents scores --method tail --tail .05 --out thresholds.json",
		"quality train --good references --bad crawl --out quality.bin",
		"quality train --good books,encyclopedia --bad crawl --hold-out .1 --out quality.bin --dry-run",
	},
	New: func() any { return new(qualityCommand) },
}

// qualityCommand lists what can be done about the quality of documents.
type qualityCommand struct {
	Fit   fitQuality   `cmd:"" help:"Write a file of thresholds by language, for corpus --thresholds: quantiles of the documents' measures."`
	Train trainQuality `cmd:"" help:"Train a fastText model that tells good documents from bad ones, for corpus --quality-model, and measure it on held-out hosts."`
}

type fitQuality struct {
	Documents string `help:"Dataset of documents of corpus --scores, or a sample of them." required:"" placeholder:"DIR" takes:"document" group:"Input"`
	quality.Target
	thresholds.Config
}

// Run implements the verb.
func (c *fitQuality) Run(ctx context.Context, p *command.Program) error {
	f, err := quality.Fit(ctx, c.Documents, c.Target, c.Config, counting(p, "fit"))
	if err != nil || p.Quiet {
		return err
	}
	fitted, few := f.Fitted(), []string(nil)
	for _, code := range slices.Sorted(maps.Keys(f.Languages)) {
		if fitted[code] == nil && f.Languages[code].Documents < int64(c.Least) {
			few = append(few, code)
		}
	}
	fmt.Fprintf(p.Stdout, "%s: thresholds of %s for %s", c.Out, command.Counted(int64(len(f.Shares)), "measure"),
		command.Counted(int64(len(fitted)), "language"))
	if len(few) > 0 {
		fmt.Fprintf(p.Stdout, "; those of the filters hold for %s with fewer than %s: %s", command.Counted(int64(len(few)), "language"),
			command.Counted(int64(c.Least), "document"), command.Shorten(strings.Join(few, ", ")))
	}
	_, err = fmt.Fprintln(p.Stdout)
	return err
}

// counting returns what tells of each millionth document that is read.
func counting(p *command.Program, word string) func() {
	var read int64
	return func() {
		if read++; read%1_000_000 == 0 && !p.Quiet {
			fmt.Fprintf(p.Stderr, "quality %s: %s documents read\n", word, command.Count(read))
		}
	}
}

type trainQuality struct {
	quality.Config
	DryRun bool `help:"Read the documents, say what would be learned from and the memory, and train nothing." group:"Output"`
}

// Validate returns all faults of the flags.
func (c *trainQuality) Validate() error {
	return errors.Join(c.Inputs.Validate(), c.TrainingConfig.Validate())
}

// Run implements the verb.
func (c *trainQuality) Run(ctx context.Context, p *command.Program) error {
	if err := c.Check(ctx); err != nil {
		return err
	}
	s, err := quality.Load(ctx, c.Inputs, c.Seed, counting(p, "train"))
	if err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "quality train: %s left out: %s\n", command.Counted(s.LeftOut[reason], "document"), reason)
		}
	}
	if s.WithoutAddress > 0 && c.HoldOut > 0 && !p.Quiet {
		fmt.Fprintf(p.Stderr, "note: %s of %s have no address: each counts as a host of its own, and what is held out may be of the same sites\n",
			command.Count(s.WithoutAddress), command.Counted(s.Read, "document"))
	}
	if err := s.Check(c.HoldOut); err != nil {
		return err
	}
	if c.DryRun {
		return c.plan(p, s)
	}
	r, err := quality.Train(ctx, s, c.Config, func(done, loss float64) {
		if !p.Quiet {
			fmt.Fprintf(p.Stderr, "quality train: %.0f %% done, loss %.3f\n", 100*done, loss)
		}
	})
	if err != nil || p.Quiet {
		return err
	}
	if r.Figures != nil {
		t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "documents\theld out\tof hosts")
		for _, part := range r.Parts {
			if part.HeldOut {
				fmt.Fprintf(t, "%s\t%s\t%s\n", part.Class, command.Count(int64(part.Documents)), command.Count(int64(part.Hosts)))
			}
		}
		fmt.Fprintln(t, "\nkeeps\tof good ones\tof bad ones\tprecision")
		row := func(name string, k quality.Shares) {
			fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\n", name, k.Good, k.Bad, k.Precision)
		}
		row("all filters of rules", r.Figures.Rules)
		for _, k := range r.Figures.Thresholds {
			row(fmt.Sprintf("--min-quality %.1f", k.MinQuality), k)
		}
		fmt.Fprintf(t, "\nAUC %.3f; by the number of rules that drop a document %.3f\n", r.Figures.AUC, r.Figures.RulesAUC)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: trained on %s\n", c.Out, command.Counted(int64(len(s.Training)), "document"))
	return err
}

// plan prints what would be learned from.
func (c *trainQuality) plan(p *command.Program, s *quality.Sample) error {
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "documents\t\tnumber\thosts\tcharacters")
	for _, part := range s.Parts {
		side := "to learn from"
		if part.HeldOut {
			side = "held out"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", part.Class, side, command.Count(int64(part.Documents)), command.Count(int64(part.Hosts)),
			command.Count(int64(part.Characters)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	vectors, memory := 4*int64(c.Dim)*int64(c.Buckets), int64(64<<20)
	for _, text := range s.Training { // as measured, with what waits to be collected
		memory += 3 * int64(len(text.Text))
	}
	for _, text := range s.HeldOut {
		memory += 3 * int64(len(text.Text))
	}
	_, err := fmt.Fprintf(p.Stdout, "%s would have some %s, and training takes some %s of memory\n", c.Out, command.Size(vectors),
		command.Size(vectors+memory))
	return err
}
