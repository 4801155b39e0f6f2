package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/units"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
)

type traceCommand struct {
	datasetArgument
	Page   string `arg:"" help:"Source (name of the input file), FILE:OFFSET, id or URL of the page."`
	Input  string `help:"Folder of the input; the dataset does not know where it lay." required:"" placeholder:"DIR"`
	Langid string `help:"fastText model that the dataset was made with." placeholder:"FILE"`
}

// Run implements the verb: it reads the page again with the configuration that
// stands in the plan, and prints what each step says.
func (c *traceCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.folder(ctx)
	if err != nil {
		return err
	}
	plan, err := planOf(ctx, folder)
	if err != nil {
		return err
	}
	if plan.Pipeline != "corpus" {
		return command.Usage(fmt.Errorf("%s was made by %s; trace works on the output of corpus", c.Dataset, plan.Pipeline))
	}
	config := corpus.Config{Input: c.Input, Langid: c.Langid}
	if err := json.Unmarshal(plan.Config, &config); err != nil {
		return err
	}
	if err := checkLangid(ctx, plan, c.Langid); err != nil {
		return command.Usage(err)
	}
	found := 0
	for i := range plan.Chunks() {
		units, err := plan.LoadUnits(ctx, folder, i)
		if err != nil {
			return err
		}
		n, err := config.Trace(ctx, units, c.Page, func(o *document.Outcome) error { return printOutcome(p, o) })
		if err != nil {
			return err
		}
		found += n
	}
	if found == 0 {
		return fmt.Errorf("%s: no record of the plan has the source, id or URL %q", c.Dataset, c.Page)
	}
	return nil
}

// checkLangid returns an error unless the model is the one of the plan: with
// another, or none, the steps would say something else than they did.
func checkLangid(ctx context.Context, plan *dataset.Plan, location string) error {
	made := slices.IndexFunc(plan.Inputs, func(in dataset.Input) bool { return in.Role == corpus.LangidRole })
	switch {
	case made < 0 && location == "":
		return nil
	case made < 0:
		return errors.New("the dataset was made without a model that identifies languages: leave --langid out")
	case location == "":
		return errors.New("the dataset was made with a model that identifies languages: give it by --langid")
	}
	_, in, err := units.OpenFile(ctx, corpus.LangidRole, location)
	if err == nil && in.XXH3 != plan.Inputs[made].XXH3 {
		err = fmt.Errorf("%s is not the model that the dataset was made with, or has another name", location)
	}
	return err
}

// planOf returns the plan of a dataset, complete or not.
func planOf(ctx context.Context, folder storage.Folder) (*dataset.Plan, error) {
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		return &m.Plan, nil
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return nil, err
	}
	return dataset.LoadPlan(ctx, folder)
}

func printOutcome(p *command.Program, o *document.Outcome) error {
	d := o.Document
	fmt.Fprintf(p.Stdout, "document %s, source %s, offset %d, language %s %.2f\n", d.ID, d.Source, d.Offset, d.Language, d.LanguageScore)
	fmt.Fprintf(p.Stdout, "  %s\n", verdict(o.Verdict))
	for _, block := range o.Blocks {
		fmt.Fprintf(p.Stdout, "  block %d: %s: %s\n", block.Block, verdict(block.Verdict), shorten(block.Text))
	}
	for _, s := range o.Sentences {
		fmt.Fprintf(p.Stdout, "  sentence of block %d, %s: %s: %s\n", s.Block, s.Language, verdict(s.Verdict), shorten(s.Text))
	}
	return nil
}

func verdict(v document.Verdict) string {
	if v.Kept() {
		return "kept"
	}
	if v.Detail == "" {
		return fmt.Sprintf("dropped by %s: %s", v.Step, v.Reason)
	}
	return fmt.Sprintf("dropped by %s: %s (%s)", v.Step, v.Reason, v.Detail)
}

func shorten(text string) string {
	return excerpt.Characters(strings.Join(strings.Fields(text), " "), 90)
}
