package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sentweave/runners/command"
	"sentweave/schemas"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
)

// Train is the verb that trains an encoder. Flags of a stage take one value for
// all stages of the recipe, or one for each.
type Train struct {
	Out       string `help:"Folder of the encoder to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another training that stands in --out." group:"Output"`

	Recipe   string   `help:"What is trained when (${enum}); br is bitext retrieval." default:"cmlm-then-cmlm+br" enum:"cmlm,br,cmlm+br,cmlm-then-br,cmlm-then-cmlm+br" group:"Data"`
	Examples string   `help:"Dataset of consecutive examples, for CMLM." placeholder:"DIR" group:"Data"`
	Bitext   []string `help:"Datasets of examples of bitext or of views, for bitext retrieval; each gives a batch of its own to every step." placeholder:"DIR" group:"Data"`
	Seed     uint64   `help:"Seed of the weights, the order of the examples and dropout." default:"0" group:"Data"`

	From string `help:"Folder of an encoder to begin with, instead of the other flags of this group; one that names no pooling takes --pooling." placeholder:"DIR" group:"Encoder"`
	architecture

	Steps       []int64   `help:"Steps of a stage (${default}); this and flags with a list take one value for all stages, or one for each." default:"100000" placeholder:"N" group:"Schedule"`
	Batch       []int     `help:"CMLM examples of a batch (${default})." default:"512" placeholder:"N" group:"Schedule"`
	BitextBatch []int     `help:"Bitext pairs of a batch (${default})." default:"512" placeholder:"N" group:"Schedule"`
	Accumulate  []int     `help:"Batches whose gradients make one step (${default})." default:"1" placeholder:"N" group:"Schedule"`
	Tokens      int       `help:"Most tokens of a side in training; 0 is all positions of the encoder." default:"0" group:"Schedule"`
	Rate        []float64 `help:"Highest learning rate (${default})." default:"0.001" placeholder:"X" group:"Schedule"`
	Warmup      []int64   `help:"Steps in which the rate rises (${default})." default:"0" placeholder:"N" group:"Schedule"`
	Decay       string    `help:"What the rate does after that (${enum})." default:"linear" enum:"linear,none" group:"Schedule"`
	Optimizer   string    `help:"Optimizer (${enum})." default:"lamb" enum:"lamb,adamw" group:"Schedule"`
	WeightDecay float64   `help:"Decay of the weights of matrices." default:"0.01" group:"Schedule"`
	Clip        float64   `help:"Greatest norm of all gradients together; 0 does not clip." default:"1" group:"Schedule"`

	Vectors         int     `help:"CMLM: vectors made of the first sentence's (N)." default:"15" group:"Objectives"`
	ProjectionWidth []int   `help:"CMLM: widths of the projection's two hidden layers, in hidden sizes (${default})." default:"2,2" placeholder:"N" group:"Objectives"`
	PrefixPositions string  `help:"CMLM: positions of these vectors (${enum})." default:"none" enum:"none,own,shared" group:"Objectives"`
	PrefixNorm      bool    `help:"CMLM: send these vectors through the LayerNorm of the embeddings." group:"Objectives"`
	DetachVector    bool    `help:"CMLM: no gradient from the masked words to the first sentence's vector." group:"Objectives"`
	UnigramBias     bool    `help:"CMLM: begin with the logarithm of the words' frequencies as the vocabulary's bias; small encoders collapse without it." group:"Objectives"`
	Margin          float64 `help:"Bitext retrieval: margin." default:"0.3" group:"Objectives"`
	Scale           float64 `help:"Bitext retrieval: factor of cosines and margin." default:"20" group:"Objectives"`
	BitextWeight    float64 `help:"Bitext retrieval: weight of its loss beside that of CMLM (alpha)." default:"0.2" group:"Objectives"`

	CheckpointEvery int `help:"Steps between two checkpoints." default:"1000" group:"Running"`
	Keep            int `help:"Checkpoints to keep." default:"2" group:"Running"`
	LogEvery        int `help:"Steps between two lines of losses.jsonl." default:"10" group:"Running"`
	torch.Compute
}

// recipeBR trains bitext retrieval alone.
const recipeBR = "br"

// Validate returns all faults at once.
func (t *Train) Validate() error {
	errs := []error{t.cmlm().Validate(), t.bitext().Validate(), t.Compute.Validate()}
	switch {
	case t.From == "":
		if t.Vocabulary == "" {
			errs = append(errs, errors.New("give --vocabulary for a new encoder, or --from for one that is there"))
		}
		errs = append(errs, t.architecture.validate())
	default:
		errs = append(errs, t.againstFrom()...)
		if t.UnigramBias {
			errs = append(errs, errors.New("from and unigram-bias exclude each other: the encoder of --from has its bias"))
		}
	}
	if t.Out == "" {
		errs = append(errs, errors.New("out is empty: give the folder of the encoder to make"))
	}
	if len(t.ProjectionWidth) != 2 {
		errs = append(errs, fmt.Errorf("projection-width has %d numbers, it must have 2", len(t.ProjectionWidth)))
	}
	// The configuration takes zero for its defaults; here it is what the user wrote.
	for _, n := range []struct {
		flag  string
		value int
	}{{"checkpoint-every", t.CheckpointEvery}, {"keep", t.Keep}, {"log-every", t.LogEvery}} {
		if n.value == 0 {
			errs = append(errs, fmt.Errorf("%s is 0, it must be at least 1", n.flag))
		}
	}
	if t.BitextWeight == 0 {
		errs = append(errs, errors.New("bitext-weight is 0, it must be above 0; the recipe cmlm leaves bitext retrieval out"))
	}
	if slices.Contains(t.Accumulate, 0) {
		errs = append(errs, errors.New("accumulate is 0, it must be at least 1"))
	}
	stages, err := t.stages()
	if errs = append(errs, err); stages != nil {
		errs = append(errs, t.config(stages).Validate())
	}
	return errors.Join(errs...)
}

func (t *Train) cmlm() objective.CMLM {
	c := objective.DefaultCMLM()
	c.Vectors, c.Pooling, c.PrefixPositions, c.PrefixNorm, c.DetachVector, c.LogUnigramBias =
		t.Vectors, t.Pooling, t.PrefixPositions, t.PrefixNorm, t.DetachVector, t.UnigramBias
	copy(c.Widths[:], t.ProjectionWidth)
	return c
}

func (t *Train) bitext() objective.Bitext {
	return objective.Bitext{Margin: t.Margin, Scale: t.Scale, Pooling: t.Pooling}
}

// stages returns those of the recipe, with their schedules. With an error they are
// good for nothing but to look for more faults, or nil.
func (t *Train) stages() ([]train.Stage, error) {
	var errs []error
	given := func(flag, location, kind string) string {
		if location == "" {
			errs = append(errs, fmt.Errorf("recipe %s needs --%s, a dataset of %s examples; `sentweave examples` makes one", t.Recipe, flag, kind))
			return flag
		}
		return location
	}
	cmlm := train.Source{Objective: objective.CMLMName, MaxTokens: t.Tokens}
	bitext := train.Source{Objective: objective.BitextName, MaxTokens: t.Tokens, Weight: t.BitextWeight}
	if t.Recipe != recipeBR {
		cmlm.Dataset = given("examples", t.Examples, schemas.KindConsecutive)
	}
	if t.Recipe != train.RecipeCMLM {
		bitext.Dataset = given("bitext", strings.Join(t.Bitext[:min(1, len(t.Bitext))], ""), schemas.KindBitext)
	} else if len(t.Bitext) > 0 {
		errs = append(errs, errors.New("recipe cmlm takes no --bitext"))
	}
	if t.Recipe == recipeBR && t.Examples != "" {
		errs = append(errs, errors.New("recipe br takes no --examples"))
	}
	var stages []train.Stage
	if t.Recipe == recipeBR {
		stages = []train.Stage{{Name: recipeBR, Mixture: []train.Source{bitext}}}
	} else {
		var err error
		if stages, err = train.Recipe(t.Recipe, train.Parameters{CMLM: cmlm, Bitext: bitext}); err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
	}
	for i := range stages {
		if !slices.ContainsFunc(stages[i].Mixture, isBitext) {
			continue
		}
		for k := 1; k < len(t.Bitext); k++ {
			more := bitext
			more.Name, more.Dataset = fmt.Sprintf("%s-%d", objective.BitextName, k+1), t.Bitext[k]
			stages[i].Mixture = append(stages[i].Mixture, more)
		}
	}
	counted := true
	for _, n := range []struct {
		flag   string
		values int
	}{
		{"accumulate", len(t.Accumulate)}, {"batch", len(t.Batch)}, {"bitext-batch", len(t.BitextBatch)}, {"rate", len(t.Rate)}, {"steps", len(t.Steps)}, {"warmup", len(t.Warmup)},
	} {
		switch {
		case n.values == 1 || n.values == len(stages):
		case len(stages) == 1:
			errs, counted = append(errs, fmt.Errorf("%s has %d values, the recipe %s has one stage: give one value", n.flag, n.values, t.Recipe)), false
		default:
			errs, counted = append(errs, fmt.Errorf("%s has %d values, the recipe %s has %d stages: give one value, or one a stage", n.flag, n.values, t.Recipe, len(stages))), false
		}
	}
	if !counted {
		return nil, errors.Join(errs...)
	}
	optimizer := objective.DefaultOptimizer()
	optimizer.Name, optimizer.Decay, optimizer.Clip = t.Optimizer, t.WeightDecay, t.Clip
	if t.Optimizer == "adamw" {
		optimizer.Epsilon = 1e-8
	}
	for i := range stages {
		stages[i].Schedule = train.Schedule{
			Steps: at(t.Steps, i), Rate: at(t.Rate, i), Warmup: at(t.Warmup, i), Accumulate: at(t.Accumulate, i), Decay: t.Decay, Optimizer: optimizer,
		}
		for k := range stages[i].Mixture {
			m := &stages[i].Mixture[k]
			if len(stages[i].Mixture) == 1 || isBitext(stages[i].Mixture[0]) {
				m.Weight = 1 // alpha weighs bitext against CMLM, which comes first
			}
			m.BatchSize = at(t.Batch, i)
			if isBitext(*m) {
				m.BatchSize = at(t.BitextBatch, i)
			}
		}
	}
	return stages, errors.Join(errs...)
}

func isBitext(s train.Source) bool { return s.Objective == objective.BitextName }

// at is the value of a stage, where there may be one for all.
func at[T any](values []T, i int) T { return values[min(i, len(values)-1)] }

func (t *Train) config(stages []train.Stage) train.Config {
	return train.Config{Seed: t.Seed, Stages: stages, LogEvery: t.LogEvery, CheckpointEvery: t.CheckpointEvery, Keep: t.Keep}
}

// Run implements the verb.
func (t *Train) Run(ctx context.Context, p *command.Program) error {
	err := t.run(ctx, p)
	if ctx.Err() != nil && err != nil {
		return errors.Join(err, command.ErrResumes)
	}
	return err
}

func (t *Train) run(ctx context.Context, p *command.Program) error {
	from := &cache.Folder{} // none
	if t.From != "" {
		var err error
		if from, err = fetch(ctx, t.From); err != nil {
			return err
		}
	}
	defer from.Close()
	e, err := t.open(ctx, from.Path, t.From)
	if err != nil {
		return err
	}
	if e.folder.Prompt != "" {
		fmt.Fprintf(p.Stderr, "train: %s puts the prompt %q before texts; it is trained without, and so is what comes of it\n", t.From, e.folder.Prompt)
	}
	stages, err := t.stages()
	if err != nil {
		return err
	}
	if err := checkDatasets(ctx, stages, e); err != nil {
		return err
	}
	if err := torch.Use(t.Compute); err != nil {
		return err
	}
	r := recorded{
		Model: e.folder.Config, Pooling: e.folder.Pooling, MaxTokens: e.folder.MaxTokens, CMLM: t.cmlm(), Bitext: t.bitext(),
		Device: t.Device, Precision: t.Precision, Threads: torch.Threads(),
	}
	// Trained is what is encoded with later: a folder has its pooling.
	r.CMLM.Pooling, r.Bitext.Pooling = string(e.folder.Pooling), string(e.folder.Pooling)
	if t.From != "" {
		in, err := model.Input(ctx, "from", t.From)
		if err != nil {
			return err
		}
		r.From = in.XXH3
	}
	c := t.config(stages)
	c.Vocabulary = e.fingerprint
	if c.Model, err = json.Marshal(r); err != nil {
		return err
	}
	trainer := torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, From: from.Path, Seed: t.Seed}
	if r.CMLM.LogUnigramBias && t.Examples != "" {
		examples, err := train.OpenExamples(ctx, t.Examples, e.fingerprint)
		if err != nil {
			return err
		}
		if trainer.Unigrams, err = examples.CountTokens(ctx, e.encoding()); err != nil {
			return err
		}
	}
	show := &progress{to: p.Stderr, terminal: command.IsTerminal(p.Stderr)}
	result, err := train.Run(ctx, t.Out, c, train.Options{
		Open: opener(trainer, r), Encoding: e.encoding(), Overwrite: t.Overwrite,
		Observer: train.Observer{
			Notice: func(text string) { fmt.Fprintf(p.Stderr, "train: %s\n", text) },
			Step:   show.step,
			Checkpoint: func(step int64, folder string) {
				if ctx.Err() != nil {
					show.end()
					fmt.Fprintf(p.Stderr, "train: the state after step %s stands in %s\n", command.Count(step), folder)
				}
			},
			Published: func(stage, folder string) {
				show.end()
				fmt.Fprintf(p.Stderr, "train: %s: the encoder stands in %s\n", stage, folder)
			},
		},
	})
	show.end()
	if err != nil {
		return err
	}
	if result.Done {
		fmt.Fprintf(p.Stderr, "train: %s is complete, nothing to do\n", t.Out)
	}
	return printResult(p, t.Out, result)
}

// opener returns the models of the stages. A stage that begins with another's
// weights takes its heads, too.
func opener(c torch.TrainerConfig, r recorded) train.Opener {
	return func(_ int, s train.Stage, from string) (train.Model, error) {
		c := c
		c.Optimizer = s.Optimizer
		if from != "" {
			c.From = from
		}
		for _, m := range s.Mixture {
			switch m.Objective {
			case objective.CMLMName:
				c.CMLM = &r.CMLM
			case objective.BitextName:
				c.Bitext = &r.Bitext
			}
		}
		if c.CMLM != nil && c.Unigrams == nil { // the weights that it begins with have their bias
			cmlm := *c.CMLM
			cmlm.LogUnigramBias = false
			c.CMLM = &cmlm
		}
		return torch.NewTrainer(c)
	}
}

func printResult(p *command.Program, out string, result *train.Result) error {
	fmt.Fprintf(p.Stdout, "%s: %s steps", out, command.Count(result.Record.Steps))
	if result.Last.Step > 0 { // else somebody has removed the losses
		fmt.Fprintf(p.Stdout, ", loss %.4f", result.Last.Loss)
	}
	if result.Steps > 0 {
		fmt.Fprintf(p.Stdout, "; this run: %s steps in %s, %s tokens/s, %.1f %% of it waiting for data", command.Count(result.Steps),
			command.Round(time.Duration(result.Seconds*float64(time.Second))), command.Count(int64(float64(result.Tokens)/max(result.Seconds, 1e-9))), 100*result.Wait/max(result.Seconds, 1e-9))
	}
	_, err := fmt.Fprintln(p.Stdout)
	return err
}
