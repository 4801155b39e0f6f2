package torchverbs

import (
	"context"
	"fmt"
	"sync"
	"text/tabwriter"
	"time"

	"sentweave/runners/command"
	"sentweave/runners/torchverbs/cost"
	"sentweave/runners/torchverbs/threads"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
)

// job is a training that has been looked at, and can begin. It must be closed.
type job struct {
	config  train.Config
	options train.Options
	open    train.Opener
	encoder *settings
	origin  *cache.Folder
	notes   *notes
}

// job looks at all that the training reads.
func (t *Train) job(ctx context.Context, p *command.Program) (_ *job, err error) {
	c, err := t.config()
	if err != nil {
		return nil, err
	}
	e, origin, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	j := &job{encoder: e, origin: origin, notes: &notes{p: p}}
	defer func() {
		if err != nil {
			j.close(&err)
		}
	}()
	if err := t.noteOrigin(c, e, j.notes.add); err != nil {
		return nil, err
	}
	if err := checkDatasets(ctx, c.Periods, c.Objectives, e, j.notes.add); err != nil {
		return nil, err
	}
	if err := torch.Use(t.Compute); err != nil {
		return nil, err
	}
	if j.options, err = t.complete(ctx, &c, e, torch.Threads(), j.notes.add); err != nil {
		return nil, err
	}
	trainer := torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Objectives: c.Objectives, From: origin.Path,
		Recompute: c.Recompute, Seed: c.Seed}
	for _, s := range c.Periods {
		if err := trainerOf(trainer, s).Check(); err != nil {
			return nil, fmt.Errorf("period %s: %w", s.Name, err)
		}
	}
	open, begun := opener(trainer), sync.OnceFunc(func() {
		j.notes.print()
		threads.NoteBusy(p, "train", t.Threads)
		if why := t.Hardware(e.folder.Config).Unfused; why != nil {
			j.notes.add(fmt.Sprintf("the fused kernels do not run, and operations of libtorch do the same more slowly: %v", why))
		}
	})
	j.open = func(period int, s train.Period, checkpoint string) (train.Trainer, error) {
		begun()
		return open(period, s, checkpoint)
	}
	j.config = c
	return j, nil
}

// close frees what the job has open. Before the first step the notes may say why there was an error.
func (j *job) close(err *error) {
	j.origin.Close()
	if *err != nil {
		j.notes.print()
	}
}

// Training returns what is trained.
func (t *Train) Training() (train.Config, error) { return t.config() }

// Speed is how long a training takes.
type Speed struct {
	Periods []train.Measured
	model   model.Config
	sizes   [][2]int64 // parameters of periods: those that are trained, and all
	costs   []cost.Period
	maxTime time.Duration
}

// measured is how long steps of a period are taken to measure them.
const measured = 5 * time.Second

// Speed takes steps of each period for a time, and keeps nothing.
func (t *Train) Speed(ctx context.Context, p *command.Program, duration time.Duration) (s Speed, err error) {
	j, err := t.job(ctx, p)
	if err != nil {
		return s, err
	}
	defer j.close(&err)
	s.model = j.encoder.folder.Config
	o := j.options
	o.Open = func(period int, of train.Period, checkpoint string) (train.Trainer, error) {
		m, err := j.open(period, of, checkpoint)
		if t, ok := m.(*torch.Trainer); ok && err == nil {
			trained, total := t.Parameters()
			s.sizes = append(s.sizes, [2]int64{trained, total})
		}
		return m, err
	}
	s.costs, s.maxTime = t.Periods(cost.ShapeOf(s.model, int64(s.model.VocabularySize))), t.MaxTime
	s.Periods, err = train.Measure(ctx, j.config, o, duration)
	return s, err
}

// CountTokens counts what steps of each period take, over so many tokens.
func (t *Train) CountTokens(ctx context.Context, p *command.Program, tokens int64) (list []train.Measured, err error) {
	j, err := t.job(ctx, p)
	if err != nil {
		return nil, err
	}
	defer j.close(&err)
	return train.CountTokens(ctx, j.config, j.options, tokens)
}

// print says how long a training takes, how many parameters it trains of how many in each period, and how much memory
// that takes where every text is as long as it may be.
func (s Speed) print(p *command.Program) error {
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "period\ttrained\tof parameters\tsteps\tseconds a step\ttokens a step\tmemory\ttime\t")
	total := time.Duration(0)
	for i, m := range s.Periods {
		took := time.Duration(float64(m.Steps) * m.StepSeconds * float64(time.Second))
		total += took
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.3f\t%s\t%s\t%s\t\n", m.Period, command.Count(s.sizes[i][0]), command.Count(s.sizes[i][1]),
			command.Count(m.Steps), m.StepSeconds, command.Count(int64(m.StepTokens)), command.Size(s.costs[i].Bytes), command.Round(took))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Stdout, "%s × %d: about %s for all steps on this machine\n", command.Counted(int64(s.model.Layers), "layer"),
		s.model.HiddenSize, command.Round(total))
	if err == nil && s.maxTime > 0 {
		_, err = fmt.Fprintf(p.Stdout, "--max-time=%v: about %s of the same command, of which each but the last ends with the code %d\n",
			s.maxTime, command.Counted(1+int64(total/s.maxTime), "run"), command.ExitInterrupted)
	}
	return err
}

// opener returns the models of the periods. A period that begins with another's
// weights takes its heads, too.
func opener(c torch.TrainerConfig) train.Opener {
	return func(_ int, s train.Period, checkpoint string) (train.Trainer, error) {
		c := trainerOf(c, s)
		if checkpoint != "" {
			c.From = checkpoint
		}
		return torch.NewTrainer(c)
	}
}

// trainerOf is the configuration of a period, given that of the training.
func trainerOf(c torch.TrainerConfig, s train.Period) torch.TrainerConfig {
	settings := c.Objectives
	c.Optimizer, c.Parts, c.Objectives = s.Optimizer, s.Parts, objective.Settings{}
	for _, m := range s.Mixture {
		c.Objectives[m.Objective] = settings.Of(m.Objective)
	}
	return c
}
