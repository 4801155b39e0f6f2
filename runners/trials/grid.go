package trials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/report/markup"
	"sentweave/stages/search"
	"sentweave/stages/train"
)

// GridVerb is what the programs know of the verb grid.
var GridVerb = verb.Verb{
	Name: "grid", Group: verb.GroupTrain,
	Help: "Train encoders with all combinations of settings, such as objectives, data and seeds, and compare them in a table.",
	Examples: []string{
		"grid --vocabulary vocabulary/vocab.txt --vary '{objective: {mlm: {preset: mlm, examples: examples}, br: {preset: br, bitext: pair-examples}}, seed: [1, 2, 3]}' --metric stsb/spearman --validate testdata --validate-every 500 --out grid",
		"grid --preset br --bitext pair-examples --from LaBSE --vary '{rate: [0.0001, 0.001], seed: [1, 2, 3]}' --equal-seconds 600 --validate-every 100 --validate-share 0.02 --out grid",
	},
	Makes:    verb.Output{Rows: "grid", Mark: GridName, Is: "a grid", Count: countGrid, Costly: true},
	Libtorch: true,
	New:      func() any { return &Grid{trainings: trainings{Train: torchverbs.NewTrain()}} },
}

// Grid is the verb that compares trainings by all their seeds.
type Grid struct {
	//lint:ignore SA5008 kong takes a tag of this name several times.
	trainings `set:"out=Folder of the table to make, and of the encoders of all cells." set:"overwrite=Delete another grid in --out." set:"dryrun=Show the cells, say how long they take, and keep nothing."`
	Tokens    int64   `name:"equal-tokens" help:"Tokens that each cell is trained on, in the place of --steps, whose values are then the shares of periods." placeholder:"N" group:"Trials"`
	Seconds   float64 `name:"equal-seconds" help:"Seconds that each cell is trained on this machine, likewise: steps are measured before the first cell, and are then the same for all seeds." placeholder:"X" group:"Trials"`

	labels [][]string // of cells, by axis
	axes   []string
	// settings are those of cells.
	settings [][]search.Setting
}

// Files of a grid: GridName is written last, budgetName before the first cell.
const (
	GridName   = "grid.json"
	PageName   = "grid.html"
	budgetName = "budget.json"
	cellFolder = "cells"
)

// countGrid says how large a grid is.
func countGrid(ctx context.Context, folder storage.Folder) (string, error) {
	g, err := readGrid(ctx, folder)
	return command.Counted(int64(len(g.Trials)), "cell"), err
}

// readGrid reads the table in the folder of --out.
func readGrid(ctx context.Context, folder storage.Folder) (g search.Grid, err error) {
	data, err := storage.ReadFile(ctx, folder, GridName, maxGrid)
	if err == nil {
		err = jsonfile.Unmarshal(data, &g)
	}
	if err != nil {
		return g, fmt.Errorf("read %s in %s: %w", GridName, folder, err)
	}
	return g, nil
}

// maxGrid bounds what is read of a grid, in bytes.
const maxGrid = 64 << 20

// Validate returns all faults at once.
func (g *Grid) Validate() error {
	var errs fault.List
	errs.Check(g.Out != "" || g.DryRun, "out is empty: give the folder of the table to make")
	errs.Check(!g.PrintConfig, "print-config is for train")
	errs.Check(g.Validation.Patience == 0, "patience would end cells after other steps: leave it out")
	errs.Check(g.Tokens >= 0, "equal-tokens is %d, it must be at least 1", g.Tokens)
	errs.Check(g.Seconds >= 0 && !math.IsInf(g.Seconds, 0), "equal-seconds is %v, it must be above 0", g.Seconds)
	errs.Check(g.Tokens == 0 || g.Seconds == 0, "equal-tokens and --equal-seconds exclude each other")
	if err := errs.Err(); err != nil {
		return err
	}
	space, err := g.space()
	if err != nil {
		return err
	}
	if g.labels, g.settings, err = space.Cells(); err != nil {
		return err
	}
	g.axes = nil
	for _, a := range space.Axes {
		g.axes = append(g.axes, a.Name)
	}
	if err := g.parseCells(nil); err != nil {
		return err
	}
	for i, one := range g.list {
		errs.Check(g.budgeted() || one.Steps == g.list[0].Steps,
			"cells %s and %s take %d and %d steps: give all the same --steps, or --equal-tokens or --equal-seconds", g.list[0].Name,
			one.Name, g.list[0].Steps, one.Steps)
		errs.Check(!slices.ContainsFunc(g.settings[i], func(s search.Setting) bool { return g.budgeted() && s.Flag == "steps" }),
			"cell %s has steps of its own, which --equal-tokens and --equal-seconds find", one.Name)
		if len(errs) >= mostFaults {
			break
		}
	}
	return errs.Err()
}

// budgeted says whether the steps of cells follow from tokens or seconds.
func (g *Grid) budgeted() bool { return g.Tokens > 0 || g.Seconds > 0 }

// notInNames is what the name of a folder does not have.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.+_=]+`)

// parseCells parses the cells, with the steps of a row if they are given.
func (g *Grid) parseCells(steps map[string]string) error {
	var names []string
	var settings [][]search.Setting
	places := map[string]int{}
	for i, labels := range g.labels {
		name := strings.Trim(notInNames.ReplaceAllString(strings.Join(labels, "-"), "-"), "-.")
		if k, exists := places[name]; exists || name == "" {
			return fmt.Errorf("the cells %s and %s would have one folder, %q: give sets of settings with names of their own",
				strings.Join(g.labels[k], ", "), strings.Join(labels, ", "), name)
		}
		places[name] = i
		list := g.settings[i]
		if text, ok := steps[g.row(i)]; ok {
			list = append(slices.Clip(list), search.Setting{Flag: "steps", Value: text})
		}
		names, settings = append(names, name), append(settings, list)
	}
	return g.parse(storage.Join(g.Out, cellFolder), names, settings)
}

// row names what a cell has but for its seed.
func (g *Grid) row(cell int) string {
	var list []string
	for k, axis := range g.axes {
		if axis != search.SeedAxis {
			list = append(list, g.labels[cell][k])
		}
	}
	return strings.Join(list, ", ")
}

// budget is what budgetName holds: the steps of periods by row.
type budget struct {
	Equal  string            `json:"equal"`
	Amount float64           `json:"amount"`
	Steps  map[string]string `json:"steps"`
}

// equal is what all cells have alike, and how much of it.
func (g *Grid) equal() (what string, amount float64) {
	switch {
	case g.Tokens > 0:
		return "tokens", float64(g.Tokens)
	case g.Seconds > 0:
		return "seconds", g.Seconds
	}
	return "steps", float64(g.list[0].Steps)
}

// storedBudget reads the budget that is in the folder of --out; one of another request is an error.
func (g *Grid) storedBudget(ctx context.Context, folder storage.Folder) (b budget, exists bool, err error) {
	data, err := storage.ReadFile(ctx, folder, budgetName, maxGrid)
	if errors.Is(err, fs.ErrNotExist) {
		return b, false, nil
	}
	if err == nil {
		err = jsonfile.Unmarshal(data, &b)
	}
	if err != nil {
		return b, false, fmt.Errorf("read %s in %s: %w", budgetName, g.Out, err)
	}
	what, amount := g.equal()
	if b.Equal != what || b.Amount != amount {
		return b, false, dataset.OtherRequest(folder, fmt.Sprintf("its cells have %v %s, and here %v %s", b.Amount, b.Equal, amount, what))
	}
	return b, true, nil
}

// share takes steps of each row until their tokens or seconds are known, unless that is stored, and parses the cells with
// the steps that follow.
func (g *Grid) share(ctx context.Context, p *command.Program, folder storage.Folder) error {
	what, amount := g.equal()
	b, exists, err := g.storedBudget(ctx, folder)
	if err != nil && !(g.Overwrite && errors.Is(err, dataset.ErrOtherPlan)) {
		return err
	}
	if !exists {
		b = budget{what, amount, map[string]string{}}
	}
	for i, one := range g.list {
		if _, done := b.Steps[g.row(i)]; done {
			continue
		}
		fmt.Fprintf(p.Stderr, "grid: %s: measuring the steps of equal %s\n", g.row(i), what)
		var list []train.Measured
		if g.Tokens > 0 {
			list, err = one.train.CountTokens(ctx, p, min(g.Tokens, mostCounted))
		} else {
			var speed torchverbs.Speed
			speed, err = one.train.Speed(ctx, p, measured)
			list = speed.Periods
		}
		if err != nil {
			return fmt.Errorf("cell %s: %w", one.Name, err)
		}
		b.Steps[g.row(i)] = g.steps(list, amount)
		exists = false
	}
	if !exists {
		data, err := json.MarshalIndent(b, "", " ")
		if err != nil {
			return err
		}
		if err := storage.WriteFile(ctx, folder, budgetName, append(data, '\n'), storage.Replace); err != nil {
			return err
		}
	}
	return command.Usage(g.parseCells(b.Steps))
}

// mostCounted is how many tokens are counted at most, from which a step's mean is known to some tenths of a percent.
// Measured is how long steps of each period are taken.
const (
	mostCounted = 1 << 20
	measured    = 5 * time.Second
)

// steps are those of periods that take an amount together, in the shares of --steps, given what a step takes.
func (g *Grid) steps(list []train.Measured, amount float64) string {
	total := int64(0)
	for _, m := range list {
		total += m.Steps
	}
	var texts []string
	for _, m := range list {
		of := m.StepSeconds
		if g.Tokens > 0 {
			of = m.StepTokens
		}
		n := math.Round(amount * float64(m.Steps) / float64(total) / of)
		texts = append(texts, strconv.FormatInt(int64(max(1, n)), 10))
	}
	return strings.Join(texts, ",")
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (g *Grid) Standing(ctx context.Context) (dataset.Fate, error) {
	folder, err := storage.Locate(g.Out)
	if err != nil {
		return dataset.Fresh, err
	}
	if g.budgeted() {
		b, exists, err := g.storedBudget(ctx, folder)
		if err != nil || !exists {
			return dataset.Fresh, err
		}
		if err := g.parseCells(b.Steps); err != nil {
			return dataset.Fresh, err
		}
	}
	stored, readErr := readGrid(ctx, folder) // one that cannot be read is made again
	for _, one := range stored.Trials {      // a grid of more cells goes on with those that are there
		if !slices.ContainsFunc(g.list, func(t training) bool { return t.Name == one.Name }) {
			return dataset.Fresh, dataset.OtherRequest(folder, fmt.Sprintf("its table has the cell %s, which this grid has not", one.Name))
		}
	}
	fate, err := g.standing(ctx)
	if readErr != nil && fate == dataset.Complete {
		fate = dataset.Resumed
	}
	return fate, err
}

// Run implements the verb.
func (g *Grid) Run(ctx context.Context, p *command.Program) error {
	if g.DryRun {
		return plan(ctx, p, g.list)
	}
	folder, err := storage.Locate(g.Out)
	if err != nil {
		return err
	}
	if g.budgeted() {
		if err := g.share(ctx, p, folder); err != nil {
			return err
		}
	}
	if _, err := g.Standing(ctx); err != nil && !(g.Overwrite && errors.Is(err, dataset.ErrOtherPlan)) {
		return err
	}
	if _, err := g.run(ctx, p, search.Trials{Location: storage.Join(g.Out, cellFolder)}, "grid"); err != nil {
		return err
	}
	what, amount := g.equal()
	table := &search.Grid{Version: search.Version, Metric: g.metric(), Better: g.better(), Equal: what, Amount: amount, Axes: g.axes,
		Trials: g.trials()}
	table.Tabulate(g.labels)
	page := table.Page()
	data, err := json.MarshalIndent(table, "", " ")
	var html bytes.Buffer
	if err := errors.Join(err, markup.Write(&html, page)); err != nil {
		return err
	}
	if err := storage.WriteFiles(ctx, folder, []storage.File{{Name: PageName, Data: html.Bytes()},
		{Name: GridName, Data: append(data, '\n')}}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s%s\n", page.Markdown(), storage.Join(g.Out, PageName))
	return err
}
