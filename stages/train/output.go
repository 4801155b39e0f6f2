package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/filelock"
	"sentweave/schemas/storage/workspace"
	"sentweave/stages/train/checkpoint"
)

// output is what a run makes: the encoder's folder, and beside it the one of the
// training, which holds what the run needs to go on.
type output struct {
	// location is where the user wants the encoder, root where the run writes it: another
	// place if libtorch, which takes files, cannot write there.
	location, root string
	work           *workspace.Workspace
	checkpoints    checkpoint.Store
}

// Suffix makes the name of an encoder's folder the one of its training's: the plan, the
// lock, the checkpoints and the events for TensorBoard. When the training is whole, what
// is left there is the state of the optimizer, with which it can go on for more steps.
const Suffix = ".train"

// Names in the folder of the training.
const (
	checkpointFolder = "checkpoints"
	eventsFolder     = "tensorboard"
)

// openOutput returns the output at a location, as it is there. It must be closed.
func openOutput(ctx context.Context, location string, keep int, options Options) (*output, error) {
	work, err := workspace.Open(ctx, location, workspace.Config{
		Suffix: Suffix, Last: RecordName, Intercept: options.intercept, Unsynced: options.unsynced,
		Lost: fmt.Errorf("another process has taken over the training in %s: it goes on from the last checkpoint, and this one ends",
			strings.TrimSuffix(location, "/")),
	})
	if err != nil {
		return nil, err
	}
	o := &output{location: location, root: work.Root(), work: work}
	o.checkpoints = checkpoint.Store{
		Work: work, Folder: o.runPath(checkpointFolder), Encoder: o.root, Record: RecordName, Keep: keep, Private: options.Private,
		Read: func(folder string) (checkpoint.State, error) {
			r, err := readRecord(folder)
			if err != nil {
				return checkpoint.State{}, err
			}
			return r.state(), nil
		},
	}
	if !work.Remote() {
		o.location = o.root
	}
	if err := o.pull(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", location, err), work.Close(false))
	}
	return o, nil
}

// pull brings records, losses and events. Of models and checkpoints only the records come.
func (o *output) pull(ctx context.Context) error {
	return o.work.Pull(ctx, func(path string) bool {
		return filepath.Base(path) == RecordName || path == o.path(LossesName) || filepath.Dir(path) == o.runPath(eventsFolder)
	})
}

// lock keeps a second run out of the folder as long as this process lives. Locked is false where
// the file system has no locks.
func (o *output) lock() (unlock func(), locked bool, err error) {
	if unlock, locked, err = o.work.Lock(); errors.Is(err, filelock.ErrBusy) {
		err = fmt.Errorf("another process is training in %s: wait for it, or choose another --out", o.location)
	}
	return unlock, locked, err
}

// begin makes the output that of this run alone, wherever others run. It returns who
// had it and did not give it back.
func (o *output) begin(ctx context.Context, now time.Time) (previous *workspace.Owner, err error) {
	if previous, err = o.work.Take(now); err != nil {
		return previous, err
	}
	return previous, o.pull(ctx) // what the other one has done meanwhile
}

func (o *output) path(name string) string { return filepath.Join(o.root, filepath.FromSlash(name)) }

func (o *output) runPath(name string) string {
	return filepath.Join(o.root+Suffix, filepath.FromSlash(name))
}

// claim makes the folder that of the plan, a record before any step: it writes it
// where there is none, and refuses a folder of another plan or with other files. One that
// changes what may change is left to replan. No other process can claim the folder before
// unlock is called. Begin is called when no other one of this machine can, which holds only if
// the folder is locked, and before anything is written.
func (o *output) claim(ctx context.Context, plan *Record, options Options, begin func(locked bool) error) (unlock func(), err error) {
	if _, _, err := o.examine(ctx, plan, options); err != nil { // before anything is written
		return nil, err
	}
	if err := errors.Join(o.work.MakeFolder(o.runPath("")), o.work.MakeFolder(o.root)); err != nil {
		return nil, wayOut(err)
	}
	unlock, locked, err := o.lock()
	if err != nil {
		return nil, err
	}
	release := unlock
	defer func() {
		if err != nil {
			release()
		}
	}()
	if err = begin(locked); err != nil {
		return nil, err
	}
	previous, equal, err := o.examine(ctx, plan, options)
	if err != nil {
		return nil, err
	}
	if err := o.work.Sweep(); err != nil { // what a killed run left
		return nil, err
	}
	switch {
	case previous == nil:
		return unlock, o.writePlan(ctx, plan)
	case !equal:
		return unlock, o.startOver(ctx, previous, plan)
	}
	return unlock, nil
}

// startOver deletes the training that is there, and begins one by the plan.
func (o *output) startOver(ctx context.Context, previous, plan *Record) error {
	if err := o.overwrite(ctx, previous); err != nil {
		return fmt.Errorf("overwrite %s: %w", o.location, err)
	}
	if err := o.refuseForeign(ctx); err != nil {
		return err
	}
	return o.writePlan(ctx, plan)
}

// replan writes a plan that changes what may change, once it is known that the training can
// go on by it: otherwise the folder would be that of a training that nobody can end.
func (o *output) replan(ctx context.Context, plan *Record, options Options) error {
	previous, err := readRecord(o.runPath(""))
	if err == nil {
		if changes, _ := plan.changes(previous, options); len(changes) == 0 {
			return nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.writePlan(ctx, plan)
}

func (o *output) writePlan(ctx context.Context, plan *Record) error {
	data, err := plan.encode()
	if err != nil {
		return err
	}
	return wayOut(o.work.Write(ctx, o.runPath(RecordName), bytes.NewReader(data)))
}

// examine returns the plan of the folder, nil if there is none, and whether this run
// may go on with it. One that differs is an error, unless it may be overwritten or has no
// checkpoint. A training that is whole and whose own folder was discarded has its plan in
// its record.
func (o *output) examine(ctx context.Context, plan *Record, options Options) (previous *Record, equal bool, err error) {
	if info, err := os.Stat(o.root); err == nil && !info.IsDir() {
		return nil, false, foreign{o.location + " is a file: choose a folder for --out"}
	}
	previous, err = readRecord(o.runPath(""))
	if errors.Is(err, fs.ErrNotExist) {
		previous, err = readRecord(o.root)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, o.refuseForeign(ctx)
	case errors.Is(err, dataset.ErrCorrupt):
		if !options.Overwrite {
			return nil, false, dataset.Mismatch{What: err.Error(), Cause: err,
				Way: "choose another --out, or give --overwrite to delete the training that is in " + o.location}
		}
		return &Record{Config: plan.Config}, false, nil // the best guess at its periods
	case err != nil:
		return nil, false, err
	}
	_, difference := plan.changes(previous, options)
	if difference != "" && !options.Overwrite && o.begun() {
		return nil, false, dataset.Mismatch{
			What: fmt.Sprintf("%v: the training in %s differs: %s", dataset.ErrOtherPlan, o.location, difference),
			Way:  "choose another --out, or give --overwrite to delete it first",
		}
	}
	return previous, difference == "", nil
}

// begun says whether there is anything to lose of a training: a checkpoint, or what one left. Elsewhere
// another machine may be at it, of which only its plan is known.
func (o *output) begun() bool {
	steps, err := o.checkpoints.List()
	_, recordErr := readRecord(o.root)
	return err != nil || len(steps) > 0 || !errors.Is(recordErr, fs.ErrNotExist) || o.work.Remote()
}

// foreign is an error about a file that no training wrote. It matches fs.ErrExist.
type foreign struct{ text string }

func (f foreign) Error() string { return f.text }

func (foreign) Unwrap() error { return fs.ErrExist }

// refuseForeign returns an error if the folder, which has no plan, holds anything
// but what a run leaves that was killed before its plan was written.
func (o *output) refuseForeign(ctx context.Context) error {
	for _, suffix := range []string{"", Suffix} {
		names, err := o.work.Names(ctx, o.root+suffix)
		if err != nil {
			return err
		}
		for _, name := range names {
			return foreign{fmt.Sprintf("%s holds %q, but no training: choose an empty folder", o.location+suffix, name)}
		}
	}
	return nil
}

// overwrite deletes what the run of a plan wrote. The plan and the record of the whole
// training, which may stand for it, go last, so that a deletion that was cut short can
// be repeated.
func (o *output) overwrite(ctx context.Context, plan *Record) error {
	var folders []string
	for _, s := range plan.Config.Periods {
		folders = append(folders, s.Name)
	}
	folders = append(folders, "")
	// A model that was half published has no record: its checkpoint knows the files.
	var names []string
	add := func(folder string) {
		if r, err := readRecord(folder); err == nil {
			for _, f := range r.Files {
				if filepath.IsLocal(filepath.FromSlash(f.Name)) && !slices.Contains(names, f.Name) {
					names = append(names, f.Name)
				}
			}
		}
	}
	steps, err := o.checkpoints.List()
	if err != nil {
		return err
	}
	for _, step := range steps {
		add(o.checkpoints.Path(step))
	}
	for _, folder := range folders {
		add(o.path(folder))
	}
	if err := o.refuseOthers(ctx, append(slices.Concat(names, folders), RecordName, LossesName)); err != nil {
		return err
	}
	for _, folder := range folders {
		files := names
		if folder != "" {
			files = append(slices.Clip(names), RecordName)
		}
		for _, name := range files {
			file := filepath.Join(o.path(folder), filepath.FromSlash(name))
			if err := o.work.RemoveAll(file); err != nil {
				return err
			}
			if parent := filepath.Dir(file); parent != o.root {
				_ = os.Remove(parent) // if it is empty
			}
		}
	}
	for _, path := range []string{o.path(LossesName), o.runPath(checkpointFolder), o.runPath(eventsFolder), o.path(RecordName),
		o.runPath(RecordName)} {
		if err := o.work.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// refuseOthers returns an error if there is anything beside the files of a training,
// before one of them is deleted.
func (o *output) refuseOthers(ctx context.Context, files []string) error {
	expected := map[string][]string{Suffix: {checkpointFolder, eventsFolder, RecordName}}
	for _, name := range files {
		top, _, _ := strings.Cut(name, "/")
		expected[""] = append(expected[""], top)
	}
	for _, suffix := range []string{"", Suffix} {
		names, err := o.work.Names(ctx, o.root+suffix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !slices.Contains(expected[suffix], name) {
				return foreign{fmt.Sprintf("%s holds %q, which no training wrote; nothing was deleted: move it away, or choose another --out",
					o.location+suffix, name)}
			}
		}
	}
	return nil
}

// settle ends a whole training: of its checkpoints what the encoder's folder does not
// have is left, the state of the optimizer. Discard leaves nothing of the training's
// folder, and so does a training whose state was discarded before.
func (o *output) settle(discard bool) error {
	if err := o.work.Sweep(); err != nil {
		return err
	}
	if _, err := os.Stat(o.runPath(RecordName)); err == nil && !discard {
		return o.checkpoints.Strip()
	}
	names := []string{checkpointFolder, eventsFolder, RecordName}
	if !o.work.Remote() {
		names = append(names, "") // in a bucket, the owner is released later
	}
	for _, name := range names {
		if err := o.work.RemoveAll(o.runPath(name)); err != nil {
			return err
		}
	}
	return nil
}
