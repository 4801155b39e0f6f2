package torchverbs

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/progress"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/states"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// StatesVerb is what the programs know of the verb states.
var StatesVerb = verb.Verb{
	Name: "states", Group: verb.GroupTrain,
	Help: "Compute the vectors of the tokens of examples once, for lenses on an encoder that stays as it is.",
	Examples: []string{
		"states --model encoder --examples pair-examples --out states",
	},
	Makes:    verb.Output{Rows: "state"},
	Libtorch: true,
	New:      func() any { return new(States) },
}

// States is the verb that computes the vectors of the tokens of examples, for lenses.
type States struct {
	output `embed:""`
	states.Config
}

// Validate returns all faults at once.
func (s *States) Validate() error {
	return errors.Join(s.Config.Validate(), s.check())
}

// Run implements the verb.
func (s *States) Run(ctx context.Context, p *command.Program) error {
	e, local, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer local.Close()
	source := batches.Source{Objective: objective.LensName, Dataset: s.Examples}
	note := func(text string) { fmt.Fprintf(p.Stderr, "states: %s\n", p.Advice(text)) }
	if err := checkDatasets(ctx, []train.Period{{Mixture: []batches.Source{source}}}, nil, e, note); err != nil {
		return err
	}
	t := progress.NewTally(p.Stderr, "states", "texts")
	m, existed, err := states.Run(ctx, s.Out, s.Config, states.Options{
		Overwrite: s.Overwrite, Encoding: e.encoding(), Vocabulary: e.fingerprint, Size: e.folder.Config.HiddenSize, Observe: t.Show,
		Open: func() (states.Encoder, error) {
			if lacking := s.Compute.Lacking(); lacking != "" {
				note(lacking)
			}
			if err := torch.UseLanes(s.Compute); err != nil {
				return nil, err
			}
			if e.folder.Pooling == "" { // nothing is pooled
				e.folder.Pooling = model.Mean
			}
			return torch.NewEncoder(e.folder, -1)
		},
	})
	t.End()
	if err := s.made(ctx, p, "states", existed, err); err != nil {
		return err
	}
	return s.show(p, "text", m)
}

// open reads the settings of the encoder, whose folder is to be closed.
func (s *States) open(ctx context.Context) (e *settings, local *cache.Folder, err error) {
	if local, err = fetch(ctx, s.Model); err != nil {
		return nil, nil, err
	}
	if e, err = (architecture{}).open(ctx, local.Path, s.Model); err != nil {
		local.Close()
	}
	return e, local, err
}

// Standing returns what is in the folder of --out, or the error with which the verb would refuse that
// without --overwrite.
func (s *States) Standing(ctx context.Context) (dataset.Fate, error) {
	e, local, err := s.open(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	defer local.Close()
	return states.Standing(ctx, s.Out, s.Config,
		states.Options{Encoding: e.encoding(), Vocabulary: e.fingerprint, Size: e.folder.Config.HiddenSize})
}
