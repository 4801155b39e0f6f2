package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"time"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

// Trainer is a model that can be trained. All calls come from one goroutine that stays
// on its thread. The same calls must give the same results to the last bit, or a
// resumed run differs from one that was not interrupted.
type Trainer interface {
	// Accumulate adds the gradients of weight × the batch's loss and returns the
	// loss: the sum of its parts, each multiplied by its share. The seed decides dropout.
	Accumulate(batch objective.Batch, weight float64, shares []float64, dropoutSeed uint64) (loss float64, err error)
	// Loss returns such a loss without gradients and dropout, and changes nothing.
	Loss(batch objective.Batch, shares []float64) (loss float64, err error)
	// Update takes a step of the optimizer at the rate, with clipping, clears the
	// gradients and returns their norm before clipping. If the norm is not a finite
	// number, it takes no step.
	Update(rate float64) (norm float64, err error)
	// Save writes the model and the optimizer's state into an empty folder. An error that matches
	// objective.ErrNotFinite tells that a number of them is not finite.
	Save(folder string) error
	// Load reads back what Save wrote.
	Load(folder string) error
	// Close frees everything.
	Close()
}

// Opener returns the model with which a period begins, its optimizer at its first
// step. From is a folder that a Model's Save wrote: the one of the period before, or
// a checkpoint of this period, which is then loaded; empty at the beginning of the
// first period.
type Opener func(period int, s Period, from string) (Trainer, error)

// Options say how a run is carried out. They do not change its result.
type Options struct {
	// Open and Encoding must fit each other, and the vocabulary of the configuration.
	Open     Opener
	Encoding batches.Encoding
	// Task is what is measured where the metric of Validation is of a task.
	Task *Task
	// Overwrite deletes another training that is in the output.
	Overwrite bool
	// Private are the files of Model.Save that the folder of the encoder does not get:
	// those without which the model is whole, but its training cannot go on.
	Private []string
	// Discard deletes, after the last step, what the training would need to go on for more.
	Discard bool
	// MaxTime is the time after which a run ends with a checkpoint, once its step is done; 0 is none. It is counted from
	// its first step, and a step is taken always. It decides when a run ends, and nothing of the result.
	MaxTime time.Duration
	// Machine tells where the model computes that was opened last; nil tells nothing.
	Machine func() Machine
	// Until, if it is above 0, is the step of all periods after which the run ends with a checkpoint, and goes on when it is
	// run again: its schedule stays that of all steps. The Result has the record of that step.
	Until int64
	// Changeable are fields of the configuration, such as config.model.threads, that may
	// change when a training goes on: each with the flag that permits it, empty where it
	// is given.
	Changeable map[string]string
	// Named gives a field of the configuration, such as config.periods[0].rate, the name by
	// which messages know it; nil keeps its own.
	Named    func(field string) string
	Observer Observer
	// Now is the clock; nil means time.Now. Speed and times of events come from it.
	Now func() time.Time

	// For tests: a function that can stop before each change, as that of workspace.Config, and
	// no waiting for the disk.
	intercept func(step storage.Step, name string) error
	unsynced  bool
}

// Observer receives the progress of a run. Functions that are nil are not called.
type Observer struct {
	// Notice takes what the user should know and need not act on: a damaged
	// checkpoint that is passed over, where a run goes on.
	Notice func(text string)
	// Step is called after each step.
	Step func(Progress)
	// Checkpoint is called after one was written.
	Checkpoint func(step int64, folder string)
	// Validated is called after each validation with the metric there.
	Validated func(period string, step int64, value float64, found Validated)
	// Published is called when the model of a period is in its folder.
	Published func(period, folder string)
}

// Progress is how far a run is.
type Progress struct {
	// Line has the figures of the last step alone, but for speed, wait and remaining
	// time, which are those since the last line of losses.jsonl.
	Line
	Steps int64
}

// Result is what a run did.
type Result struct {
	// Record is that of the trained model, or of the step after which Options.Until ended the run.
	Record *Record
	// Last is the last line of the losses, empty if there is none.
	Last Line
	// Steps, Tokens and Seconds are those of this run alone, Wait the seconds of them
	// in which it waited for data. Checkpoints are not among them.
	Steps, Tokens int64
	Seconds, Wait float64
}

// Run trains into the folder at location, and keeps what it needs to go on in
// another one beside it, whose name has the Suffix. It goes on from the newest whole
// checkpoint of the same configuration and datasets; another one is refused, naming the
// fields, unless they may change: more steps of the last period always, and those of
// Options. A finished run does nothing. When ctx ends, the step at hand is finished and a
// checkpoint written; the error then matches the one of ctx. After any other error
// the same call goes on from the last checkpoint. Existed says that the model was there already.
//
// In a bucket, a run takes the output over from one that is under way elsewhere, which
// then ends at its next change; see package workspace.
//
// The calling goroutine is kept on its thread. Memory is that of the model and of a
// Loader for each source of a period.
func Run(ctx context.Context, output string, c Config, o Options) (result *Result, existed bool, err error) {
	if err := o.validate(); err != nil {
		return nil, false, err
	}
	r, plan, err := prepare(ctx, c, o)
	if err != nil {
		return nil, false, err
	}
	o = r.options
	if r.out, err = openOutput(ctx, output, c.Keep, o); err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.out.work.Close(err == nil)) }()
	unlock, err := r.out.claim(ctx, plan, o, func(locked bool) error {
		if !locked {
			r.notice(fmt.Sprintf("the file system of %s has no locks: see to it that no other process trains there", r.out.runPath("")))
		}
		previous, err := r.out.begin(ctx, o.Now())
		if err == nil && previous != nil {
			r.notice(fmt.Sprintf("taking over from process %d on %s, which has trained in %s since %s; it ends if it is still under way",
				previous.Process, previous.Host, output, previous.Begun.Format(time.RFC3339)))
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	result, err = r.all(ctx, plan)
	return result, r.existed, err
}

func (o *Options) validate() error {
	if o.Open == nil {
		return errors.New("options: Open is nil")
	}
	return o.Encoding.Validate()
}

// run is a run under way.
type run struct {
	config  Config
	options Options
	out     *output
	existed bool                // the model was there already
	loaders [][]*batches.Loader // by period
	draws   *batches.Draws      // of the period at hand
	leftOut int64               // steps of it whose batches are left out
	places  []batches.Place     // of its loaders, after the last batches
	held    [][]heldOut         // by period, where there is a validation
	// parts are the datasets of which a share is held out, by their locations.
	parts map[string][2]*batches.Examples
	// vocabulary is the fingerprint that all datasets must have.
	vocabulary string
	// record is the state after the last step, checkpoint the folder of the last
	// whole checkpoint, whose step saved is.
	record     *Record
	checkpoint string
	saved      int64
	began      time.Time // when the first step of the run did
	result     Result
	meter      meter
	losses     *workspace.Log
	events     *events
}

// open opens the datasets of a period, and reads what is held out for its sources.
func (r *run) open(ctx context.Context, s Period) (loaders []*batches.Loader, holdouts []heldOut, err error) {
	period := slices.IndexFunc(r.config.Periods, func(p Period) bool { return p.Name == s.Name })
	for i, source := range s.Mixture {
		l, h, err := r.source(ctx, s, source, r.options.named(fmt.Sprintf("config.periods[%d].mixture[%d].batch_size", period, i)))
		if err != nil {
			return nil, nil, fmt.Errorf("source %s: %w", source.Name, err)
		}
		loaders, holdouts = append(loaders, l), append(holdouts, h)
	}
	return loaders, holdouts, nil
}

// source opens the dataset of a source, and reads what is held out. Messages call the size of its batches batchName.
func (r *run) source(
	ctx context.Context, s Period, source batches.Source, batchName string,
) (l *batches.Loader, holdout heldOut, err error) {
	v := r.config.Validation
	parts, exists := r.parts[source.Dataset]
	if !exists {
		if parts[1], err = batches.OpenExamples(ctx, source.Dataset, r.vocabulary); err != nil {
			return nil, holdout, err
		}
		if v != nil && v.Share > 0 {
			if parts[0], parts[1], err = parts[1].Split(ctx, v.holdsOut); err != nil {
				return nil, holdout, err
			}
		}
		if r.config.Sampling.Languages() {
			if parts[1], err = parts[1].Classify(ctx); err != nil {
				return nil, holdout, err
			}
		}
		if r.parts == nil {
			r.parts = map[string][2]*batches.Examples{}
		}
		r.parts[source.Dataset] = parts
	}
	e := parts[1]
	c := batches.LoaderConfig{
		Source: source, Objective: r.config.Objectives.Of(source.Objective), Masks: r.config.Masks, Encoding: r.options.Encoding,
		Seed: r.config.Seed, Name: s.Name + "/" + source.Name, BatchName: batchName, Sampling: r.config.Sampling,
		ShuffleGroups: r.config.ShuffleGroups, ReadAhead: r.config.ReadAhead,
	}
	if l, err = batches.NewLoader(e, c); err == nil {
		err = l.CheckFirst(ctx)
	}
	if err == nil {
		l.KeepReady(s.Accumulate)
	}
	if r.vocabulary == "" {
		r.vocabulary = e.Vocabulary()
	}
	if err != nil || !v.losses() {
		return l, holdout, err
	}
	if holdout.examples = parts[0]; holdout.examples == nil {
		if holdout.examples, err = v.of(ctx, source, r.vocabulary); err != nil {
			return l, holdout, err
		}
	}
	c.Seed, c.Name, c.Sampling = 0, "validation/"+source.Name, nil
	if holdout.batches, err = batches.ValidationBatches(ctx, holdout.examples, c, v.Examples); err != nil {
		err = fmt.Errorf("validation: %w", err)
	}
	return l, holdout, err
}

// all goes through the periods that are not done.
func (r *run) all(ctx context.Context, plan *Record) (*Result, error) {
	last := len(r.config.Periods) - 1
	published, err := r.out.readWhole(ctx, r.out.root)
	if err == nil && published.finished() && published.Steps == plan.Steps {
		r.existed = true
		return r.finished(published)
	}
	if err := r.out.checkpoints.Bring(ctx); err != nil {
		return nil, err
	}
	changes, restoreErr := r.restore(ctx, plan, math.MaxInt64)
	if restoreErr != nil {
		return nil, restoreErr
	}
	switch {
	case r.checkpoint != "":
		r.notice(fmt.Sprintf("going on after step %d of %d from checkpoint %s", r.saved, plan.Steps, r.out.work.Shown(r.checkpoint)))
		for _, c := range changes {
			r.notice(fmt.Sprintf("%s, so the result is not that of a training that has not changed", r.options.told(c)))
		}
	case published != nil && published.finished() && r.options.Overwrite: // which cannot go on
		if err := r.out.startOver(ctx, published, plan); err != nil {
			return nil, err
		}
	case published != nil && published.finished():
		return nil, r.out.stuck(published, err)
	}
	if err := r.out.replan(ctx, plan, r.options); err != nil {
		return nil, err
	}
	logged, err := trimLosses(ctx, r.out.work, r.out.path(LossesName), r.record.Step)
	if err != nil {
		return nil, err
	}
	if want := r.record.Step - r.record.Sums.Steps; logged < want {
		r.notice(fmt.Sprintf("%s has no lines between the steps %d and %d: they were removed after the checkpoint",
			r.out.work.Shown(r.out.path(LossesName)), logged, want))
	}
	for i, s := range r.config.Periods {
		for r.goesOn(i) && !r.paused() {
			spike, err := r.period(ctx, i)
			if err == nil && spike != nil {
				err = r.rollBack(ctx, plan, spike)
			}
			if err != nil {
				return nil, fmt.Errorf("train %s: %w", r.out.location, err)
			}
		}
		if r.goesOn(i) {
			r.result.Record = r.record
			return &r.result, nil
		}
		// Only the end of this period can be published, not a later one.
		if r.record.Period == s.Name {
			target := r.out.root
			if i < last {
				target = r.out.path(s.Name)
			}
			if err := r.out.publish(ctx, r.checkpoint, r.chosen(), target, r.options.Private); err != nil {
				return nil, err
			}
			if f := r.options.Observer.Published; f != nil {
				f(s.Name, r.out.work.Shown(target))
			}
		}
	}
	record, err := readRecord(r.out.root)
	if err != nil {
		return nil, err
	}
	return r.finished(record)
}

// chosen is the folder of the checkpoint whose model a period ends with: the best one, or
// without validation the last one.
func (r *run) chosen() string {
	if v := r.record.Validated; v != nil && v.Best > 0 {
		return r.out.checkpoints.Path(v.Best)
	}
	return r.checkpoint
}

// finished returns the result of a training that is done.
func (r *run) finished(record *Record) (*Result, error) {
	if err := r.out.settle(r.options.Discard); err != nil {
		return nil, err
	}
	lines, err := ReadLosses(r.out.path(LossesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been removed
		return nil, err
	}
	if len(lines) > 0 {
		r.result.Last = lines[len(lines)-1]
	}
	r.result.Record = record
	return &r.result, nil
}

func (r *run) notice(text string) {
	if f := r.options.Observer.Notice; f != nil {
		f(text)
	}
}
