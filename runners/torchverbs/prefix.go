package torchverbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// PrefixVerb is what the programs know of the verb prefix.
var PrefixVerb = verb.Verb{
	Name: "prefix", Group: verb.GroupTrain,
	Help: "Measure what CMLM's prefix carries: the loss with the right, no, and a wrong first sentence.",
	Examples: []string{
		"prefix --model encoder --examples heldout-examples --out prefix",
	},
	Makes:    verb.Output{Rows: "result", Rarely: true},
	Libtorch: true,
	New:      func() any { return new(Prefix) },
}

// Prefix is the verb that measures what CMLM's prefix tells of the second sentence.
type Prefix struct {
	Out       string `help:"Folder of the dataset of results to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another dataset in --out." group:"Output"`
	Name      string `help:"Name of the model in the results; that of its folder if none is given." placeholder:"NAME" group:"Output"`
	Model     string `help:"Folder that sentweave train has made." required:"" placeholder:"DIR" takes:"encoder" group:"Input"`
	Examples  string `help:"Dataset of consecutive examples that were not trained on." required:"" placeholder:"DIR" takes:"example" kinds:"consecutive" group:"Input"`
	Batch     int    `help:"Examples of a batch; another first sentence is one of the same batch, in the same language if there is one." default:"16" group:"Input"`
	Batches   int64  `help:"Most batches to measure on." default:"200" group:"Input"`
	Tokens    int    `help:"Most tokens of a side; 0 is all positions of the encoder." default:"0" group:"Input"`
	Seed      uint64 `help:"Seed of the order of the examples." default:"0" group:"Input"`
	torch.Compute
}

// prefixVersion is raised when the same input gives other results.
const prefixVersion = 3

// Task and metrics of the results; the subtasks are the prefixes. The second metric is how much the loss is above that
// with the own prefix, with half of the interval in which the difference lies.
const (
	prefixTask  = "cmlm_prefix"
	lossMetric  = "loss"
	aboveMetric = "loss_above_own"
)

// Validate returns all faults at once.
func (c *Prefix) Validate() error {
	var errs fault.List
	for _, f := range []struct{ value, fault string }{
		{c.Out, "out is empty: give the folder of the dataset to make"},
		{c.Model, "model is empty: give the folder that `sentweave train` made"},
		{c.Examples, "examples is empty: give a dataset of consecutive examples"},
	} {
		if f.value == "" {
			errs.Add(errors.New(f.fault))
		}
	}
	errs.Check(c.Tokens == 0 || c.Tokens >= 3, "tokens is %d, it must be 0 or at least 3: [CLS], a token, [SEP]", c.Tokens)
	errs.Check(c.Batch >= 2, "batch is %d, it must be at least 2: another first sentence is one of the same batch", c.Batch)
	errs.Check(c.Batches >= 1, "batches is %d, it must be at least 1", c.Batches)
	errs.Add(c.Compute.ValidateTraining())
	return errs.Err()
}

// measurement is what is measured, and its plan.
type measurement struct {
	name     string
	local    *cache.Folder
	record   *record
	encoder  *settings
	examples *batches.Examples
	folder   storage.Folder
	units    []dataset.Unit
	plan     *dataset.Plan
}

// open opens the encoder, whose folder is to be closed, and the examples.
func (c *Prefix) open(ctx context.Context) (m *measurement, err error) {
	m = &measurement{name: c.Name, units: []dataset.Unit{{}}}
	if m.name == "" {
		m.name = filepath.Base(filepath.Clean(c.Model))
	}
	local, err := fetch(ctx, c.Model)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			local.Close()
		}
	}()
	m.local = local
	m.record, err = readRecord(m.local.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s holds no %s: it is not the folder of an encoder that `sentweave train` made", c.Model, train.RecordName)
	}
	if err != nil {
		return nil, err
	}
	if !m.record.trainedBy(objective.CMLMName) {
		return nil, fmt.Errorf("%s was not trained by CMLM in its last period, %s: it has no prefix", c.Model, m.record.Period)
	}
	if m.encoder, err = (architecture{}).open(ctx, m.local.Path, c.Model); err != nil {
		return nil, err
	}
	if m.examples, err = batches.OpenExamples(ctx, c.Examples, m.encoder.fingerprint); err != nil {
		return nil, err
	}
	weights, err := model.Input(ctx, "model", c.Model)
	if err != nil {
		return nil, err
	}
	if m.folder, err = storage.Locate(c.Out); err != nil {
		return nil, err
	}
	m.plan, err = dataset.Draft{
		Pipeline: "prefix", PipelineVersion: prefixVersion, Schema: schemas.Result{}.Schema(), Seed: c.Seed, ShardBytes: 1, Units: m.units,
		Config: map[string]any{"name": m.name, "batch": c.Batch, "batches": c.Batches, "tokens": c.Tokens, "precision": c.Precision},
		Inputs: []dataset.Input{m.examples.Input("examples"), weights},
	}.Plan()
	return m, err
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (c *Prefix) Standing(ctx context.Context) (dataset.Fate, error) {
	m, err := c.open(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	defer m.local.Close()
	return m.plan.Standing(ctx, m.folder)
}

// Run implements the verb.
func (c *Prefix) Run(ctx context.Context, p *command.Program) error {
	m, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer m.local.Close()
	content, err := contentOf(ctx, c.Examples)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(map[string]any{"unit": "nats a masked token", "batch": c.Batch, "tokens": c.Tokens})
	if err != nil {
		return err
	}
	_, complete, err := m.plan.Complete(ctx, m.folder, m.units, c.Overwrite, func(unit dataset.Unit) error {
		batches, err := c.measure(ctx, m.encoder, m.local.Path, m.examples, m.record.Config.Model.Objectives.Of(objective.CMLMName))
		if err != nil {
			return err
		}
		writer, err := dataset.Begin[schemas.Result](m.folder, m.plan, unit.Ordinal, dataset.NewChain("results", "measure"))
		if err != nil {
			return err
		}
		defer writer.Abort()
		for _, row := range batches.results(
			schemas.Result{Model: m.name, Task: prefixTask, Settings: string(settings), DataXXH3: content}) {
			if err := errors.Join(writer.Write(ctx, row), writer.Funnel().Keep("results", "und", 1)); err != nil {
				return err
			}
		}
		return writer.Commit(ctx)
	})
	if err != nil || complete && !p.Done("prefix", c.Out) {
		return err
	}
	return printPrefix(ctx, p, m.folder)
}

// prefixBatch is the mean losses of a batch with its own prefixes, with zeros and with others, and the number of masked
// tokens.
type prefixBatch struct {
	losses [3]float64
	masked int64
}

type prefixBatches []prefixBatch

// results are the mean losses of all masked tokens, and how much they are above that with the own prefix, with half of
// the interval of 95 % by the differences of batches.
func (list prefixBatches) results(like schemas.Result) (rows []schemas.Result) {
	for _, b := range list {
		like.N += b.masked
	}
	n := math.Max(1, float64(like.N))
	mean := func(term func(prefixBatch) float64) (sum float64) {
		for _, b := range list {
			sum += term(b) * float64(b.masked) / n
		}
		return sum
	}
	for i, prefix := range []string{"own", "zero", "other"} {
		row := like
		row.Subtask, row.Metric, row.Value = prefix, lossMetric, mean(func(b prefixBatch) float64 { return b.losses[i] })
		if rows = append(rows, row); i == 0 || len(list) < 2 {
			continue
		}
		excess := mean(func(b prefixBatch) float64 { return b.losses[i] - b.losses[0] })
		squares := 0.0
		for _, b := range list {
			d := (b.losses[i] - b.losses[0] - excess) * float64(b.masked) / n
			squares += d * d
		}
		batches := float64(len(list))
		spread := 1.96 * math.Sqrt(squares*batches/(batches-1))
		row.Metric, row.Value, row.Spread = aboveMetric, excess, &spread
		rows = append(rows, row)
	}
	return rows
}

// measure returns the losses of batches.
func (c *Prefix) measure(ctx context.Context, e *settings, location string, examples *batches.Examples,
	cmlm objective.Config) (list prefixBatches, err error) {
	loader, err := batches.NewLoader(examples, batches.LoaderConfig{
		Source:   batches.Source{Dataset: c.Examples, Objective: objective.CMLMName, BatchSize: c.Batch, MaxTokens: c.Tokens},
		Encoding: e.encoding(), Seed: c.Seed, Name: prefixTask,
	})
	if err != nil {
		return nil, err
	}
	if err := torch.Use(c.Compute); err != nil {
		return nil, err
	}
	t, err := torch.NewTrainer(torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary,
		Objectives: objective.Settings{objective.CMLMName: cmlm}, Optimizer: objective.DefaultOptimizer(), From: location})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	loader.Start(ctx, 0)
	defer loader.Close()
	batches := min(c.Batches, (examples.Rows()+int64(c.Batch)-1)/int64(c.Batch))
	for range batches {
		b, err := loader.Next()
		if err != nil {
			return nil, err
		}
		batch, ok := b.Batch.(*objective.CMLMBatch)
		if !ok {
			return nil, fmt.Errorf("a batch of %s", b.Objective())
		}
		original, zero, swapped, err := t.PrefixLosses(batch)
		if err != nil {
			return nil, err
		}
		list = append(list, prefixBatch{[3]float64{original, zero, swapped}, int64(len(batch.Targets))})
	}
	return list, nil
}

// contentOf is the hash of a dataset's rows.
func contentOf(ctx context.Context, location string) (string, error) {
	_, m, err := dataset.Open(ctx, location)
	if err != nil {
		return "", err
	}
	return m.ContentXXH3, nil
}

// articled are the prefixes as a sentence has them.
var articled = map[string]string{"own": "its own", "zero": "a zero", "other": "another"}

func printPrefix(ctx context.Context, p *command.Program, folder storage.Folder) error {
	results, err := dataset.ReadAll[schemas.Result](ctx, folder)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.Metric != lossMetric {
			continue
		}
		excess := ""
		if i+1 < len(results) && results[i+1].Metric == aboveMetric && results[i+1].Spread != nil {
			excess = fmt.Sprintf(", %.4f ± %.4f more than with its own", results[i+1].Value, *results[i+1].Spread)
		}
		fmt.Fprintf(p.Stdout, "%s: loss with %s prefix %.4f over %s masked tokens%s\n", r.Model, articled[r.Subtask], r.Value,
			command.Count(r.N), excess)
	}
	return nil
}
