package evaluate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// Pipeline names the stage in the plans of its datasets.
const Pipeline = "evaluate"

// Version of the stage: raised when the same models and data give other results.
const Version = 16

// Options say how the stage runs. They do not change its results.
type Options struct {
	// Models are what is measured.
	Models    encoders.Models
	Overwrite bool
	// Open opens the folders of encoders; nil if that is not possible here.
	Open encoders.Opener
	// OpenTokens opens them for the vectors of tokens.
	OpenTokens encoders.TokenOpener
	// Observe is called before each model is measured.
	Observe func(model string)
	// Encoded is called while texts are encoded, with the number of those that are done and
	// of those that had no vector.
	Encoded func(done, all int)
	// Training is called before a classifier is trained, with the task and its language, and which
	// of so many seeds it is, from 0 on.
	Training func(what string, seed, seeds int)
	// Note is called with what is left out, before anything is measured.
	Note func(text string)
}

// Chain and step of the funnel.
const (
	chainResults = "results"
	stepMeasure  = "measure"
)

// Run measures the models of o and writes the results as a dataset, with a unit for each task of a
// model. If it is interrupted, the next call continues. Existed says that the dataset was
// already complete. What each model made of the items, and their texts, are in the folder
// as datasets of their own, which ReadItems reads. The vectors that folders of encoders give are kept on disk: a text is
// encoded once for all tasks and runs. Memory is that of the test data and one model's
// vectors of a task.
func Run(ctx context.Context, output string, c Config, o Options) (m *dataset.Manifest, existed bool, err error) {
	models := o.Models
	folder, tasks, err := begin(ctx, output, c, models, o.Note)
	if err != nil {
		return nil, false, err
	}
	kept := Version
	if models.NoCache {
		kept = 0
	}
	for _, t := range tasks {
		if p, ok := t.Protocol.(classifiers.Trainer); ok {
			p.KeepTrainings(kept, o.Training)
		}
	}
	specs := models.Variants()
	if byTokens, _ := models.ByTokens(); o.Note != nil {
		for _, s := range models.Specs() {
			if encoder.IsSparse(s.Location) && len(models.Vectors) > 1 {
				o.Note(fmt.Sprintf("the vectors of %s are sparse, and measured raw alone", s.Name))
			}
			if byTokens && !models.HasTokens(s) {
				o.Note(fmt.Sprintf("%s has no vectors of tokens, and is measured by cosine alone", s.Name))
			}
		}
	}
	trained, err := newContaminations(ctx, c, models, o.Note)
	if err != nil {
		return nil, false, err
	}
	d, err := draft(ctx, c, models, tasks, trained)
	if err != nil {
		return nil, false, err
	}
	plan, err := d.Plan()
	if err != nil {
		return nil, false, err
	}
	beside, err := newBeside(output, d, len(tasks))
	if err != nil {
		return nil, false, err
	}
	models = models.Paying(o.Encoded)
	if there, err := dataset.LoadPlan(ctx, folder); err != nil || there.Hash != plan.Hash && o.Overwrite { // a dataset begins here
		if err := models.Ready(ctx, o.Open, o.OpenTokens); err != nil {
			return nil, false, err
		}
	}
	run := &running{Models: models, folders: models.Cached(o.Open, o.Encoded), tokens: o.OpenTokens, observe: o.Observe,
		note: o.Note, tasks: tasks, trained: trained}
	defer func() {
		if spent := run.Spent(); spent != "" && o.Note != nil {
			o.Note(spent)
		}
	}()
	m, existed, err = plan.Complete(ctx, folder, d.Units, o.Overwrite, func(unit dataset.Unit) error {
		if err := beside.begin(ctx, tasks); err != nil {
			return fmt.Errorf("items: %w", err)
		}
		spec, task := specs[unit.Ordinal/len(tasks)], unit.Ordinal%len(tasks)
		measured, err := run.measure(ctx, spec, task)
		if err == nil {
			err = beside.commit(ctx, folder, plan, unit.Ordinal, measured)
		}
		if err != nil {
			return fmt.Errorf("model %s: %w", spec.Label(), err)
		}
		return nil
	})
	if err == nil && existed {
		err = beside.there(ctx)
	}
	return m, existed, errors.Join(err, run.close())
}

// begin opens the folder at output and the test data. Note, if it is not nil, is called with what is left out.
func begin(ctx context.Context, output string, c Config, models encoders.Models, note func(string)) (
	folder storage.Folder, tasks []protocol.Loaded, err error) {
	if err := errors.Join(c.Validate(), models.Validate()); err != nil {
		return nil, nil, err
	}
	if folder, err = storage.Locate(output); err != nil {
		return nil, nil, err
	}
	tasks, notes, err := load(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if note != nil {
		for _, text := range notes {
			note(text)
		}
	}
	return folder, tasks, models.Suit(tasks)
}

// Standing returns what Make would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config, models encoders.Models) (dataset.Fate, error) {
	folder, tasks, err := begin(ctx, output, c, models, nil)
	if err != nil {
		return dataset.Fresh, err
	}
	trained, err := newContaminations(ctx, c, models, nil)
	if err != nil {
		return dataset.Fresh, err
	}
	d, err := draft(ctx, c, models, tasks, trained)
	if err != nil {
		return dataset.Fresh, err
	}
	plan, err := d.Plan()
	if err != nil {
		return dataset.Fresh, err
	}
	return plan.Standing(ctx, folder)
}

// running holds the model that is measured. It stays open for all its tasks.
type running struct {
	encoders.Models
	folders       encoders.Opener
	tokens        encoders.TokenOpener
	observe, note func(string) // nil, or called with the name of a model and with what is left out
	tasks         []protocol.Loaded
	trained       *contaminations
	spec          encoders.Spec
	open          *encoders.Opened
}

// model opens a model, and encodes all texts of the tasks that are still to be done.
func (r *running) model(ctx context.Context, spec encoders.Spec, tasks []protocol.Loaded) (*encoders.Opened, error) {
	if r.open != nil && r.spec == spec {
		return r.open, nil
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	if r.observe != nil {
		r.observe(spec.Label())
	}
	e, err := r.Models.Open(ctx, spec, r.folders, r.tokens)
	if err != nil {
		return nil, err
	}
	r.spec, r.open = spec, e
	if c, ok := e.Base.(*vectorcache.Encoder); ok {
		return e, c.Prepare(ctx, protocol.TextsOf(tasks))
	}
	return e, nil
}

func (r *running) close() error {
	if r.open == nil {
		return nil
	}
	e := r.open
	r.open = nil
	return encoder.Close(e.Encoder)
}

// draft plans a unit for each task of each model.
func draft(ctx context.Context, c Config, models encoders.Models, tasks []protocol.Loaded, trained *contaminations) (
	d dataset.Draft, err error) {
	config := struct {
		Tasks         []string       `json:"tasks"`
		Languages     []string       `json:"languages,omitempty"`
		Split         string         `json:"split"`
		Probe         string         `json:"probe,omitempty"`
		Seeds         int            `json:"seeds,omitempty"`
		Models        []string       `json:"models"`
		FitComponents map[string]int `json:"fit_components,omitempty"`
		DistilledPart string         `json:"distilled_part,omitempty"`
		Pooling       string         `json:"pooling,omitempty"`
		Layer         *int           `json:"layer,omitempty"`
		Prompt        string         `json:"prompt,omitempty"`
		NoPrompt      bool           `json:"no_prompt,omitempty"`
		Vectors       []string       `json:"vectors,omitempty"`
		Precision     string         `json:"precision"`
		Contamination bool           `json:"contamination,omitempty"`
		Similarity    []string       `json:"similarity,omitempty"`
		BERTScoreIDF  bool           `json:"bertscore_idf,omitempty"`
	}{nil, c.Languages, c.Split, "", 0, nil, models.FitComponents, "", models.Pooling, nil, models.Prompt, models.NoPrompt, nil,
		models.Precision, false, nil, models.BERTScoreIDF}
	var inputs []dataset.Input
	if c.Groups != "" {
		in, err := dataset.FileInput(ctx, "groups", c.Groups)
		if err != nil {
			return d, fmt.Errorf("groups: %w", err)
		}
		inputs = append(inputs, in)
	}
	if models.Layer >= 0 {
		config.Layer = &models.Layer
	}
	if !slices.Equal(models.Vectors, []string{metrics.VectorsRaw}) {
		config.Vectors = models.Vectors
	}
	if byTokens, _ := models.ByTokens(); byTokens {
		config.Similarity = models.Similarity
	}
	if models.BERTScoreBaseline != "" {
		in, err := dataset.FileInput(ctx, "bertscore-baseline", models.BERTScoreBaseline)
		if err != nil {
			return d, fmt.Errorf("bertscore-baseline: %w", err)
		}
		inputs = append(inputs, in)
	}
	if len(models.Distilled) > 0 {
		config.DistilledPart = models.DistilledPart
	}
	for _, t := range tasks {
		if t.Trains {
			config.Probe, config.Seeds = c.Probe, c.Seeds
		}
		config.Tasks = append(config.Tasks, t.Name)
		inputs = append(inputs, dataset.Input{Role: "task " + t.Name, XXH3: t.Hash})
	}
	specs := models.Variants()
	units := make([]dataset.Unit, len(specs)*len(tasks))
	for i := range units {
		units[i].Ordinal = i
	}
	for _, s := range models.Specs() {
		name := s.Name
		if encoder.IsBaseline(s.Location) {
			name += "=" + encoder.BaselineKind(s.Location)
		}
		config.Models = append(config.Models, name)
		in, err := models.Inputs(ctx, s)
		if err != nil {
			return d, fmt.Errorf("model %s: %w", s.Name, err)
		}
		inputs = append(append(inputs, in...), trained.inputs(s.Name)...)
	}
	config.Contamination = trained != nil
	return dataset.Draft{
		Pipeline: Pipeline, PipelineVersion: Version, Schema: schemas.Result{}.Schema(), Config: config, ShardBytes: 1, Inputs: inputs,
		Units: units,
	}, nil
}

// measured is what a task gives of a model.
type measured struct {
	model, task string
	rows        []schemas.Result
	parts       []protocol.Part // of the items
}

// measure measures a task of a model, given the number of the task.
func (r *running) measure(ctx context.Context, spec encoders.Spec, task int) (m measured, err error) {
	e, err := r.model(ctx, spec, r.tasks[task:])
	if err != nil {
		return m, err
	}
	present, known, err := r.trained.present(ctx, spec.Name, r.tasks)
	if err != nil {
		return m, err
	}
	t := r.tasks[task]
	m = measured{model: e.Name(), task: t.Name}
	var notes []string
	for row, err := range measureAll(ctx, r.tasks[task:task+1], e, func(_ string, p protocol.Part) { m.parts = append(m.parts, p) }) {
		if t.Optional && (errors.Is(err, encoder.ErrSparse) || errors.Is(err, encoders.ErrTokens)) { // of a group the others are measured
			notes = append(notes, "left out: "+err.Error())
			m.parts, m.rows = nil, nil
			break
		}
		if err != nil {
			return m, err
		}
		settings := maps.Clone(e.Settings)
		if e.Fitted {
			settings["fitted"] = t.Hash // on other texts, the same items have other figures
		}
		if row.Settings, err = protocol.MergeSettings(row.Settings, settings); err != nil {
			return m, err
		}
		m.rows = append(m.rows, row)
	}
	notes = append(notes, e.Notes(t.Name)...)
	if r.note != nil {
		for _, text := range notes {
			r.note(text)
		}
	}
	if known {
		more, err := r.trained.without(m.rows, m.parts, present)
		if err != nil {
			return m, err
		}
		m.rows = append(m.rows, more...)
	}
	return m, nil
}

// commit writes the items and the results of a unit. After the last unit the items are complete
// before the results are.
func (b *companions) commit(ctx context.Context, folder storage.Folder, plan *dataset.Plan, unit int, m measured) error {
	out, err := dataset.Begin[schemas.Result](folder, plan, unit, dataset.NewChain(chainResults, stepMeasure))
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, r := range m.rows {
		if err := errors.Join(out.Write(ctx, r), out.Funnel().Keep(chainResults, "und", 1)); err != nil {
			return err
		}
	}
	if err := b.write(ctx, unit, m); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	if unit == plan.Units-1 {
		if _, err := b.items.Finalize(ctx, b.itemsFolder); err != nil {
			return fmt.Errorf("items: %w", err)
		}
	}
	return out.Commit(ctx)
}
