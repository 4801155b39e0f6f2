package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// translationsCommand is embedded under a name that is not exported: the parser would call its Validate besides.
type translationsCommand = Command[fill.Config]

// Translations is the verb of the pipeline that may cost money.
type Translations struct {
	Estimate bool `help:"Print what would be sent, what a memory has, what it costs and how long it takes, and send nothing." group:"Engine"`
	translationsCommand
}

// Validate returns all faults at once.
func (c *Translations) Validate() error {
	errs := fault.List{c.translationsCommand.Validate()}
	errs.Check(c.Config.Engines.Budget == "" || c.Runner == "local",
		"budget: the workers of a cluster do not know what others spend; keep the default runner, which sends as many requests at once as --requests says")
	return errs.Err()
}

// Run implements the verb.
func (c *Translations) Run(ctx context.Context, p *command.Program) error {
	if c.Estimate {
		return c.estimate(ctx, p)
	}
	if err := c.RefuseLoss(ctx); err != nil {
		return err
	}
	if c.DryRun {
		return c.translationsCommand.Run(ctx, p)
	}
	err := c.translationsCommand.Run(ctx, p)
	if errors.Is(err, dataset.ErrOtherPlan) {
		err = fmt.Errorf("%w; with another --out, %s", err, memoryOf(ctx, c.Out))
	}
	fill.Wait()
	return errors.Join(err, c.tellSpent(context.WithoutCancel(ctx), p))
}

// Prepared answers a recipe: it opens the engines.
func (c *Translations) Prepared(ctx context.Context, _ *command.Program, estimate bool) error {
	return c.Config.Reach(ctx, estimate)
}

// tellSpent says what all runs of the dataset have sent, if that costs money or is
// bounded.
func (c *Translations) tellSpent(ctx context.Context, p *command.Program) error {
	folder, err := storage.Locate(c.Out)
	if err != nil {
		return err
	}
	spent, err := fill.ReadSpent(ctx, folder)
	if err != nil || spent.Characters == 0 {
		return err
	}
	money := ""
	if spent.Dollars > 0 {
		money = fmt.Sprintf(", $%.2f", spent.Dollars)
	}
	fmt.Fprintf(p.Stderr, "translations: %s characters were sent%s, in all runs with a price or a budget\n",
		command.Count(spent.Characters), money)
	return nil
}

// RefuseLoss keeps --overwrite from deleting what was paid for.
func (c *Translations) RefuseLoss(ctx context.Context) error {
	if !c.Overwrite {
		return nil
	}
	output, err := storage.Absolute(c.Out)
	if err != nil {
		return err
	}
	folder, err := storage.Locate(output)
	if err != nil {
		return err
	}
	old, err := dataset.LoadPlan(ctx, folder)
	if err != nil || old.Pipeline != "translations" {
		return nil // beam.Run tells what is wrong with it
	}
	spent, err := fill.ReadSpent(ctx, folder)
	if err != nil || spent.Characters == 0 {
		return err
	}
	job, err := c.Config.Plan(ctx, output, c.Settings)
	if err != nil || job.Plan.Hash == old.Hash {
		return err
	}
	return command.Usage(fmt.Errorf(
		"%s holds translations of %s characters that may have been paid for, and --overwrite would delete them: "+
			"with another --out, %s; or delete the folder yourself", c.Out, command.Count(spent.Characters), memoryOf(ctx, c.Out)))
}

// memoryOf says how the translations of a dataset are had in another one.
func memoryOf(ctx context.Context, location string) string {
	if folder, err := storage.Locate(location); err == nil {
		if _, err := dataset.Load(ctx, folder); errors.Is(err, dataset.ErrIncomplete) {
			return fmt.Sprintf("--memory M takes what was translated there, after `sentweave memories --input %s --out M`: the dataset is not complete",
				location)
		}
	}
	return fmt.Sprintf("--memory %s takes what was translated there", location)
}

// estimate counts in a folder for temporary files.
func (c *Translations) estimate(ctx context.Context, p *command.Program) error {
	scratch, err := os.MkdirTemp("", "sentweave-estimate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	run := func(job *units.Job) (*dataset.Manifest, error) {
		observe, end := newProgress(p.Stderr)
		defer end()
		m, _, err := beam.Run(ctx, job, beam.Options{Runner: "local", Parallelism: c.Parallelism, Observe: observe})
		return m, err
	}
	config := c.Config
	output, err := storage.Absolute(c.Out)
	if err != nil {
		return err
	}
	started, err := config.Begun(ctx, output, c.Settings)
	if err != nil {
		return err
	}
	if started { // what it was paid for is not sent again
		answered := filepath.Join(scratch, "answered")
		job, err := ingest.Config{Input: []string{c.Out}}.Plan(ctx, answered, c.Settings)
		if err != nil {
			return err
		}
		if _, err := run(job); err != nil {
			return err
		}
		config.Memory = append(slices.Clone(config.Memory), answered)
	}
	list, err := config.Estimates(ctx, filepath.Join(scratch, "estimate"), c.Settings, run)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "pair\tengine\ttexts\tsegments\tin memory\tcharacters\tto send\trequests\tprice\ttime\t")
	var sum fill.Estimate
	for _, e := range list {
		line(t, e.Pair.String(), e.Engine, e)
		sum.Texts, sum.Segments, sum.Known, sum.Characters = sum.Texts+e.Texts, sum.Segments+e.Segments, sum.Known+e.Known,
			sum.Characters+e.Characters
		sum.Sent, sum.Requests, sum.Dollars, sum.Time = sum.Sent+e.Sent, sum.Requests+e.Requests, sum.Dollars+e.Dollars, sum.Time+e.Time
	}
	if len(list) > 1 {
		line(t, "all", "", sum)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var told []string
	for _, e := range list {
		if e.Quota != "" && !slices.Contains(told, e.Engine) {
			told = append(told, e.Engine)
			fmt.Fprintf(p.Stdout, "%s: %s\n", e.Engine, e.Quota)
		}
	}
	note := "A text whose translation fails the checks is sent once more, which is not counted here."
	if started && c.Config.MinRoundTrip > 0 {
		note += " Nor is what is still to be sent back of texts that are answered."
	}
	_, err = fmt.Fprintln(p.Stdout, note)
	return err
}

func line(t *tabwriter.Writer, pair, engine string, e fill.Estimate) {
	share := 0.0
	if e.Segments > 0 {
		share = 100 * float64(e.Known) / float64(e.Segments)
	}
	price, time := "–", "–" // no engine tells of its own speed
	if e.Dollars > 0 {
		price = fmt.Sprintf("$%.2f", e.Dollars)
	}
	if e.Time > 0 {
		time = command.Round(e.Time).String()
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f %%\t%s\t%s\t%s\t%s\t%s\t\n", pair, engine, command.Count(e.Texts), command.Count(e.Segments),
		share, command.Count(e.Characters), command.Count(e.Sent), command.Count(e.Requests), price, time)
}
