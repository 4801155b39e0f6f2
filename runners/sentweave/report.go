package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/datasets"
	"sentweave/runners/locations"
	"sentweave/runners/recipe/record"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/report"
	"sentweave/transforms/document"
)

// reportVerb is what the programs know of the verb report.
var reportVerb = verb.Verb{
	Name: "report", Group: verb.GroupEvaluate,
	Help: "Show results, losses and embeddings, or a dataset of documents or pairs, on one page.",
	Examples: []string{
		"report --results results --out report",
		"report --results results --training encoder=encoder --out report",
		"report --documents clean --lineage data --out report",
		"report --pairs scores --lineage data --out report",
	},
	Makes: verb.Output{Rows: "page", Mark: report.PageName, Is: "a report",
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			return "", report.Check(ctx, folder)
		}},
	New: func() any { return new(reportCommand) },
}

type reportCommand struct {
	Out string `help:"Folder in which report.html is written, and the figures in other formats beside it." required:"" placeholder:"DIR" group:"Page"`
	report.Config
}

// Validate returns all faults at once.
func (c *reportCommand) Validate() error { return errors.Join(outFault(c.Out), c.Config.Validate()) }

// Prepared returns an error if the folder holds anything but a report.
func (c *reportCommand) Prepared(ctx context.Context, p *command.Program, _ bool) error {
	if err := locations.Occupied(ctx, p.Verbs, c.Out, report.PageName); err != nil {
		return err
	}
	folder, err := storage.Locate(c.Out)
	if err != nil {
		return err
	}
	if _, err := folder.Stat(ctx, report.PageName); err == nil {
		return nil
	}
	return dataset.Vacant(ctx, folder, "report", report.Files()...)
}

// Run implements the verb. As a step of a recipe, the report tells what the recipe
// took so far.
func (c *reportCommand) Run(ctx context.Context, p *command.Program) error {
	if err := c.Prepared(ctx, p, false); err != nil {
		return err
	}
	took, err := record.Read(ctx, folderOf(c.Out))
	if err != nil {
		return err
	}
	if err := c.drawPages(ctx); err != nil {
		return err
	}
	r, _, err := report.Run(ctx, c.Out, c.Config,
		report.Options{Cost: report.Cost{WallSeconds: took.Seconds(), PeakRSSBytes: took.PeakRSSBytes}})
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	head := "model\taccuracy (95 %)\tnearest in the same language (95 %)\n" // of no table without rows
	r.PrintTable(func(name, accuracy, nearest string) {
		fmt.Fprintf(t, "%s%s\t%s\t%s\n", head, name, accuracy, nearest)
		head = ""
	})
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s\n", storage.Join(c.Out, report.PageName))
	return err
}

// drawPages traces pages of the dataset of documents, if its input is there.
func (c *reportCommand) drawPages(ctx context.Context) error {
	if c.Input == "" {
		return nil
	}
	folder, err := storage.Locate(c.Documents)
	if err != nil {
		return err
	}
	config := corpus.Config{Input: c.Input, Langid: c.Langid}
	config.QualityModel, config.PerplexityModel, config.Pieces, config.Words = c.QualityModel, c.PerplexityModel, c.Pieces, c.Words
	plan, err := datasets.CorpusOf(ctx, c.Documents, folder, &config)
	if err != nil {
		return err
	}
	sampler := config.NewSampler(c.Pages)
	if err := datasets.EachChunk(ctx, plan, folder, func(units []dataset.Unit) error {
		sampler.Add(units)
		return nil
	}); err != nil {
		return err
	}
	c.Drawn = nil
	return sampler.Trace(ctx, func(o *document.Outcome) error {
		c.Drawn = append(c.Drawn, report.NewPage(o))
		return nil
	})
}

// folderOf is the folder in which a folder stands.
func folderOf(location string) string {
	folder, _, err := storage.Split(strings.TrimSuffix(location, "/"))
	if err != nil { // a bucket, which has no parent folder
		return location
	}
	return folder
}
