package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/stages/quality"
	"sentweave/transforms/filters/thresholds"
)

// qualityVerb is what the programs know of the verb quality.
var qualityVerb = verb.Verb{
	Name: "quality", Group: verb.GroupCorpus,
	Help: "Fit the thresholds of the filters of corpus to each language.",
	Examples: []string{
		"quality fit --documents scores --out thresholds.json",
		"quality fit --documents scores --method tail --tail .05 --out thresholds.json",
	},
	New: func() any { return new(qualityCommand) },
}

// qualityCommand lists what can be done about the quality of documents.
type qualityCommand struct {
	Fit fitQuality `cmd:"" help:"Write a file of thresholds by language, for corpus --thresholds: quantiles of the documents' measures."`
}

type fitQuality struct {
	Documents string `help:"Dataset of documents of corpus --scores, or a sample of them." required:"" placeholder:"DIR" takes:"document" group:"Input"`
	quality.Target
	thresholds.Config
}

// Run implements the verb.
func (c *fitQuality) Run(ctx context.Context, p *command.Program) error {
	var read int64
	f, err := quality.Fit(ctx, c.Documents, c.Target, c.Config, func() {
		if read++; read%1_000_000 == 0 && !p.Quiet {
			fmt.Fprintf(p.Stderr, "quality fit: %s documents read\n", command.Count(read))
		}
	})
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
