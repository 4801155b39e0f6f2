package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/metrics"
	"sentweave/stages/model"
	"sentweave/stages/pcr"
)

// evaluateVerb is what the programs know of the verb evaluate.
var evaluateVerb = verb.Verb{
	Name: "evaluate", Group: verb.GroupEvaluate,
	Help: "Measure encoders: similarity, retrieval of translations, retrieval in your own texts.",
	Examples: []string{
		"evaluate --model encoder --data tests --tasks stsb --out results",
		"evaluate --model encoder --texts heldout-pairs --tasks retrieval --baseline char3 --out results",
		"evaluate --model api=https://api.openai.com/v1#text-embedding-3-small --key-variable api=OPENAI_API_KEY --data tests --tasks stsb --out results",
		"evaluate --model mine=encoder --distilled mine=distilled --data data --tasks all --out results",
	},
	Makes:   verb.Output{Rows: "result"},
	Encodes: true,
	Absent: func(flag, location string) error {
		if flag != "model" || encoder.CheckBaseline("baseline:"+location) != nil {
			return nil
		}
		return fmt.Errorf("the baseline is --baseline=%s, or --model=baseline:%s", location, location)
	},
	New: func() any { return new(evaluateCommand) },
}

type evaluateCommand struct {
	Out       string `help:"Folder of the dataset of results to make; --json alone needs none." placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another dataset in --out." group:"Output"`
	All       bool   `help:"Print every figure, not only those over all parts of a task." group:"Output"`
	JSON      bool   `help:"Print every figure as a line of JSON, with its settings." name:"json" group:"Output"`
	DryRun    bool   `help:"Print which tasks there are data for, and what encoding their texts takes, and measure nothing. A few texts are encoded to see how long all take." group:"Output"`
	evaluate.Config
	encoders.Models
}

// Validate returns all faults at once.
func (c *evaluateCommand) Validate() error {
	var fault error
	if c.Out == "" && !c.JSON && !c.DryRun {
		fault = errors.New("out is empty: give the folder to make, or --json to print the results alone")
	}
	return errors.Join(fault, c.Config.Validate(), c.Models.Validate())
}

// OfSome answers a recipe.
func (c *evaluateCommand) OfSome(flag string) bool { return evaluate.OfTasks(flag) }

// Prepared returns what is missing of the prompts and of the test data. Datasets, which other steps of a recipe may make, it does not
// look at.
func (c *evaluateCommand) Prepared(ctx context.Context, _ *command.Program, _ bool) error {
	for _, m := range c.Specs() {
		if err := model.CheckPrompt(m.Location, c.Prompt); err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
	}
	if c.Data == "" || c.Texts != "" || len(c.Benchmarks) > 0 {
		return nil
	}
	return evaluate.Check(ctx, c.Config)
}

// CheckLayer answers a recipe.
func (c *evaluateCommand) CheckLayer(upstream cost.Upstream) error {
	var errs []error
	for _, m := range c.Specs() {
		errs = append(errs, upstream.CheckLayer(m.Location, c.Layer))
	}
	return errors.Join(errs...)
}

// Translations answers a recipe.
func (c *evaluateCommand) Translations() (flag string, languages []string, pivot string) {
	return "texts", c.Languages, ""
}

// Standing answers a recipe.
func (c *evaluateCommand) Standing(ctx context.Context) (dataset.Fate, error) {
	return evaluate.Standing(ctx, c.Out, c.Config, c.Models)
}

func outFault(location string) error {
	if location == "" {
		return errors.New("out is empty: give the folder to make")
	}
	return nil
}

// Run implements the verb.
func (c *evaluateCommand) Run(ctx context.Context, p *command.Program) error {
	o := evaluate.Options{
		Models: c.Models, Overwrite: c.Overwrite, Open: libtorch.OpenFolder(p, c.Models), OpenTokens: libtorch.OpenTokens(p, c.Models),
		Observe: func(model string) { fmt.Fprintf(p.Stderr, "evaluate: %s\n", model) },
		Encoded: func(encoded, total int) {
			fmt.Fprintf(p.Stderr, "evaluate: %s of %s are encoded\n", command.Count(int64(encoded)), command.Counted(int64(total), "text"))
		},
		Training: func(what string, seed, seeds int) {
			fmt.Fprintf(p.Stderr, "evaluate: training a classifier for %s, seed %d of %d\n", what, seed+1, seeds)
		},
		Note: func(text string) { fmt.Fprintf(p.Stderr, "note: %s\n", text) },
	}
	if c.DryRun {
		return c.estimate(ctx, p, o)
	}
	location := c.Out
	if location == "" {
		folder, err := os.MkdirTemp("", "sentweave-evaluate-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		location = folder
	}
	m, complete, err := evaluate.Run(ctx, location, c.Config, o)
	if ctx.Err() != nil && err != nil && c.Out != "" {
		return errors.Join(err, command.ErrResumes)
	}
	if err != nil {
		return err
	}
	if complete && !p.Done("evaluate", c.Out) && !c.JSON {
		return nil
	}
	results, err := readResults(ctx, location)
	if err != nil {
		return err
	}
	if c.JSON {
		lines := json.NewEncoder(p.Stdout)
		lines.SetEscapeHTML(false)
		for _, r := range results {
			if err := lines.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	printResults(p.Stdout, results, c.All)
	_, err = fmt.Fprintf(p.Stdout, "%s: %s, content %s\n", c.Out, command.Counted(m.Rows, "result"), m.ContentXXH3)
	return err
}

// estimate prints what the encoding takes.
func (c *evaluateCommand) estimate(ctx context.Context, p *command.Program, o evaluate.Options) error {
	list, err := evaluate.EstimateAll(ctx, c.Config, c.Models, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "tasks     %s\ntexts     %s, %s of them different\n", strings.Join(list[0].Tasks, ", "),
		command.Count(int64(list[0].Texts)), command.Count(int64(list[0].Distinct)))
	for _, e := range list {
		switch {
		case e.Paid:
			cost := "of a price that --price can say"
			if e.Dollars > 0 {
				cost = fmt.Sprintf("for $%.4f at most", e.Dollars)
			}
			fmt.Fprintf(p.Stdout, "%s: %s have no vector yet: the service gets them %s\n", e.Model,
				command.Counted(int64(e.Missing), "text"), cost)
		case e.Missing > 0 && e.Bytes == 0:
			fmt.Fprintf(p.Stdout, "%s: the tokens of %s are compared: encoding them takes about %s, each time\n", e.Model,
				command.Counted(int64(e.Missing), "text"), e.Time.Round(time.Second))
		case e.Missing > 0:
			fmt.Fprintf(p.Stdout, "%s: %s have no vector yet: encoding them takes about %s, and their vectors %s on the disk\n",
				e.Model, command.Counted(int64(e.Missing), "text"), e.Time.Round(time.Second), command.Size(e.Bytes))
		default:
			fmt.Fprintf(p.Stdout, "%s: no text has to be encoded\n", e.Model)
		}
	}
	if slices.Contains(list[0].Tasks, "senteval") {
		fmt.Fprintln(p.Stdout,
			"The classifiers of senteval are trained besides, which takes minutes to hours; --probe=prototyping takes a tenth of that.")
	}
	return nil
}

func readResults(ctx context.Context, location string) ([]schemas.Result, error) {
	folder, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	return dataset.ReadAll[schemas.Result](ctx, folder)
}

// figure is what a row of the table shows.
type figure struct{ task, subtask, language, metric string }

// printResults prints a row for each figure and a column for each model, shares and
// correlations a hundred times as great as in the dataset, as tables of papers have them. Unless all are
// wanted, only figures over all parts of a task are shown, where it has such.
func printResults(w io.Writer, results []schemas.Result, complete bool) {
	var figures []figure
	var models []string
	values := map[figure]map[string]schemas.Result{}
	aggregated := map[string]bool{}
	for _, r := range results {
		aggregated[r.Task] = aggregated[r.Task] || metrics.IsAggregate(r.Subtask)
	}
	for _, r := range results {
		f := figure{r.Task, r.Subtask, r.Language, r.Metric}
		if !complete && aggregated[r.Task] && !metrics.IsAggregate(r.Subtask) {
			continue
		}
		if values[f] == nil {
			figures = append(figures, f)
			values[f] = map[string]schemas.Result{}
		}
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
		values[f][r.Model] = r
	}
	printFigures(w, figures, models, values, command.Width(w))
}

// printFigures prints tables of so many models as go into the width, where 0 is no bound.
func printFigures(w io.Writer, figures []figure, models []string, values map[figure]map[string]schemas.Result, width int) {
	var table strings.Builder
	writeFigures(&table, figures, models, values)
	line, _, _ := strings.Cut(table.String(), "\n") // all are as long
	if width > 0 && utf8.RuneCountInString(line) > width && len(models) > 1 {
		half := (len(models) + 1) / 2
		printFigures(w, figures, models[:half], values, width)
		printFigures(w, figures, models[half:], values, width)
		return
	}
	io.WriteString(w, table.String())
}

func writeFigures(w io.Writer, figures []figure, models []string, values map[figure]map[string]schemas.Result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "task\tsubtask\tlanguage\tmetric\tn\t")
	for _, m := range models {
		fmt.Fprintf(t, "%s\t", m)
	}
	fmt.Fprintln(t)
	for _, f := range figures {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t", f.task, command.OrDash(f.subtask), command.OrDash(f.language), f.metric,
			itemsOf(models, values[f]))
		for _, m := range models {
			r, ok := values[f][m]
			times, digits := 1., 3
			if metrics.ByName(f.metric).Percent {
				times, digits = 100, 2
			}
			switch {
			case !ok:
				fmt.Fprint(t, "-\t")
			case r.Spread != nil:
				fmt.Fprintf(t, "%.*f ± %.*f\t", digits, times*r.Value, digits-1, times**r.Spread)
			default:
				fmt.Fprintf(t, "%s\t", strings.TrimSpace(fmt.Sprintf("%.*f %s", digits, times*r.Value, metrics.UndefinedOf(r.Settings))))
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// itemsOf is the number of items of a figure: the least and the most where models differ, as they
// do without contaminated items.
func itemsOf(models []string, values map[string]schemas.Result) string {
	var counts []int64
	for _, m := range models {
		if r, ok := values[m]; ok {
			counts = append(counts, r.N)
		}
	}
	if len(counts) == 0 {
		return "-"
	}
	if minimum, maximum := slices.Min(counts), slices.Max(counts); minimum < maximum {
		return command.Count(minimum) + " to " + command.Count(maximum)
	}
	return command.Count(counts[0])
}

// pcrVerb is what the programs know of the verb pcr.
var pcrVerb = verb.Verb{
	Name: "pcr", Group: verb.GroupEvaluate,
	Help: "Fit the principal components of each language, which carry the language and not the meaning.",
	Examples: []string{
		"pcr --embeddings embeddings --out components",
	},
	Makes: verb.Output{Rows: "component", Mark: pcr.RecordName, Is: "components",
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			_, err := pcr.Load(ctx, folder)
			return "", err
		}},
	New: func() any { return new(pcrCommand) },
}

type pcrCommand struct {
	Out       string `help:"Folder of the components to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Replace other components in --out." group:"Output"`
	pcr.StageConfig
}

// Validate returns all faults at once.
func (c *pcrCommand) Validate() error { return errors.Join(outFault(c.Out), c.StageConfig.Validate()) }

// Standing answers a recipe.
func (c *pcrCommand) Standing(ctx context.Context) (dataset.Fate, error) {
	return pcr.Standing(ctx, c.Out, c.StageConfig)
}

// Run implements the verb.
func (c *pcrCommand) Run(ctx context.Context, p *command.Program) error {
	r, complete, err := pcr.Run(ctx, c.Out, c.StageConfig, pcr.Options{Overwrite: c.Overwrite})
	if err != nil {
		return err
	}
	if complete && !p.Done("pcr", c.Out) || p.Quiet {
		return nil
	}
	fmt.Fprintf(p.Stdout, "%s: components of", c.Out)
	var languages []string
	for l := range r.Texts {
		languages = append(languages, l)
	}
	slices.Sort(languages)
	for i, l := range languages {
		if i > 0 {
			fmt.Fprint(p.Stdout, ",")
		}
		fmt.Fprintf(p.Stdout, " %s (%s)", l, command.Counted(int64(r.Texts[l]), "text"))
	}
	_, err = fmt.Fprintln(p.Stdout)
	return err
}
