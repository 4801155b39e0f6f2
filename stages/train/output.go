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
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/filelock"
)

// output is what a run makes: the encoder's folder, and beside it the one of the
// training, which holds what the run needs to go on.
type output struct {
	// location is where the user wants the encoder, root where the run writes it: another
	// place if libtorch, which takes files, cannot write there.
	location, root string
	scratch        *cache.Folder
	disk           *disk
	checkpoints    checkpoints
}

// Suffix makes the name of an encoder's folder the one of its training's: the plan, the
// lock, the checkpoints and the events for TensorBoard. When the training is whole, what
// is left there is the state of the optimizer, with which it can go on for more steps.
const Suffix = ".train"

// Names in the folder of the training.
const (
	lockName         = "lock"
	checkpointFolder = "checkpoints"
	eventsFolder     = "tensorboard"
)

// temporaryFolder holds unpublished files, in both folders: either may be a disk of its
// own.
const temporaryFolder = "_tmp"

// openOutput returns the output at a location, as it stands there. It must be closed.
func openOutput(ctx context.Context, location string, keep int, options Options) (*output, error) {
	scratch, err := cache.Scratch(location)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(scratch.Path)
	if name := filepath.Base(root); name == "." || name == ".." { // which no other folder stands beside
		if root, err = filepath.Abs(root); err != nil {
			return nil, err
		}
	}
	d := &disk{root: root, intercept: options.intercept, unsynced: options.unsynced}
	o := &output{location: location, root: root, scratch: scratch, disk: d}
	o.checkpoints = checkpoints{o.runPath(checkpointFolder), root, d, keep, options.Private, o.shown}
	if !storage.IsRemote(location) {
		o.location = root
		return o, nil
	}
	d.unsynced = true // what lasts is elsewhere
	if d.mirror, err = newMirror(ctx, location, root, d.before); err == nil {
		err = d.mirror.pull(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", location, err), scratch.Close())
	}
	return o, nil
}

// close ends the work on the output. What was done elsewhere leaves nothing here.
func (o *output) close(complete bool) error {
	if o.disk.mirror == nil {
		return nil
	}
	err := o.disk.mirror.release()
	if complete {
		return errors.Join(err, o.scratch.Remove())
	}
	return errors.Join(err, o.scratch.Close())
}

// lock keeps a second run out of the folder as long as this process lives. Locked is false where
// the file system has no locks.
func (o *output) lock() (unlock func(), locked bool, err error) {
	file, err := os.OpenFile(o.runPath(lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, err
	}
	if locked, err = filelock.Lock(file, filelock.Exclusive, false); err != nil {
		_ = file.Close() // the first error tells
		if errors.Is(err, filelock.ErrBusy) {
			err = fmt.Errorf("another process is training in %s: wait for it, or choose another --out", o.location)
		}
		return nil, false, err
	}
	return func() { _ = file.Close() }, locked, nil // which unlocks it
}

// begin makes the output that of this run alone, wherever others run. It returns who
// had it and did not give it back.
func (o *output) begin(ctx context.Context, now time.Time) (previous *owner, err error) {
	if o.disk.mirror == nil {
		return nil, nil
	}
	if previous, err = o.disk.mirror.take(now); err != nil {
		return previous, err
	}
	return previous, o.disk.mirror.pull(ctx) // what the other one has done meanwhile
}

// shown is the location of a path in the output.
func (o *output) shown(path string) string {
	if o.disk.mirror == nil || path == "" {
		return path
	}
	return storage.Join(o.disk.mirror.remote.String(), o.disk.mirror.name(path))
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
func (o *output) claim(plan *Record, options Options, begin func(locked bool) error) (unlock func(), err error) {
	if _, _, err := o.examine(plan, options); err != nil { // before anything is written
		return nil, err
	}
	if err := errors.Join(o.disk.makeFolder(o.runPath("")), o.disk.makeFolder(o.root)); err != nil {
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
	previous, equal, err := o.examine(plan, options)
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{o.root, o.runPath("")} {
		if err := o.disk.removeAll(filepath.Join(folder, temporaryFolder)); err != nil { // what a killed run left
			return nil, err
		}
	}
	switch {
	case previous == nil:
		return unlock, o.writePlan(plan)
	case !equal:
		return unlock, o.startOver(previous, plan)
	}
	return unlock, nil
}

// startOver deletes the training that stands there, and begins one by the plan.
func (o *output) startOver(previous, plan *Record) error {
	if err := o.overwrite(previous); err != nil {
		return fmt.Errorf("overwrite %s: %w", o.location, err)
	}
	if err := o.refuseForeign(); err != nil {
		return err
	}
	return o.writePlan(plan)
}

// replan writes a plan that changes what may change, once it is known that the training can
// go on by it: otherwise the folder would be that of a training that nobody can end.
func (o *output) replan(plan *Record, options Options) error {
	previous, err := readRecord(o.runPath(""))
	if err == nil {
		if changes, _ := plan.changes(previous, options); len(changes) == 0 {
			return nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return o.writePlan(plan)
}

func (o *output) writePlan(plan *Record) error {
	data, err := plan.encode()
	if err != nil {
		return err
	}
	return wayOut(o.disk.write(o.runPath(RecordName), bytes.NewReader(data)))
}

// examine returns the plan of the folder, nil if there is none, and whether this run
// may go on with it. One that differs is an error, unless it may be overwritten or has no
// checkpoint. A training that is whole and whose own folder was discarded has its plan in
// its record.
func (o *output) examine(plan *Record, options Options) (previous *Record, equal bool, err error) {
	if info, err := os.Stat(o.root); err == nil && !info.IsDir() {
		return nil, false, foreign{o.location + " is a file: choose a folder for --out"}
	}
	previous, err = readRecord(o.runPath(""))
	if errors.Is(err, fs.ErrNotExist) {
		previous, err = readRecord(o.root)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, o.refuseForeign()
	case errors.Is(err, dataset.ErrCorrupt):
		if !options.Overwrite {
			return nil, false, dataset.Other{What: err.Error(), Cause: err, Way: "choose another --out, or give --overwrite to delete the training that stands in " + o.location}
		}
		return &Record{Config: plan.Config}, false, nil // the best guess at its periods
	case err != nil:
		return nil, false, err
	}
	_, difference := plan.changes(previous, options)
	if difference != "" && !options.Overwrite && o.begun() {
		return nil, false, dataset.Other{
			What: fmt.Sprintf("%v: the training in %s differs: %s", dataset.ErrOtherPlan, o.location, difference),
			Way:  "choose another --out, or give --overwrite to delete it first",
		}
	}
	return previous, difference == "", nil
}

// begun says whether there is anything to lose of a training: a checkpoint, or what one left. Elsewhere
// another machine may be at it, of which only its plan is known.
func (o *output) begun() bool {
	steps, err := o.checkpoints.list()
	_, recordErr := readRecord(o.root)
	return err != nil || len(steps) > 0 || !errors.Is(recordErr, fs.ErrNotExist) || o.disk.mirror != nil
}

// foreign is an error about a file that no training wrote. It matches fs.ErrExist.
type foreign struct{ text string }

func (f foreign) Error() string { return f.text }

func (foreign) Unwrap() error { return fs.ErrExist }

// refuseForeign returns an error if the folder, which has no plan, holds anything
// but what a run leaves that was killed before its plan was written.
func (o *output) refuseForeign() error {
	for _, suffix := range []string{"", Suffix} {
		names, err := o.disk.names(o.root + suffix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if name != temporaryFolder && (suffix == "" || name != lockName) {
				return foreign{fmt.Sprintf("%s holds %q, but no training: choose an empty folder", o.location+suffix, name)}
			}
		}
	}
	return nil
}

// overwrite deletes what the run of a plan wrote. The plan and the record of the whole
// training, which may stand for it, go last, so that a deletion that was cut short can
// be repeated.
func (o *output) overwrite(plan *Record) error {
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
	steps, err := o.checkpoints.list()
	if err != nil {
		return err
	}
	for _, step := range steps {
		add(o.checkpoints.path(step))
	}
	for _, folder := range folders {
		add(o.path(folder))
	}
	if err := o.refuseOthers(append(slices.Concat(names, folders), RecordName, LossesName)); err != nil {
		return err
	}
	for _, folder := range folders {
		files := names
		if folder != "" {
			files = append(slices.Clip(names), RecordName)
		}
		for _, name := range files {
			file := filepath.Join(o.path(folder), filepath.FromSlash(name))
			if err := o.disk.removeAll(file); err != nil {
				return err
			}
			if parent := filepath.Dir(file); parent != o.root {
				_ = os.Remove(parent) // if it is empty
			}
		}
	}
	for _, path := range []string{o.path(LossesName), o.runPath(checkpointFolder), o.runPath(eventsFolder), o.path(RecordName), o.runPath(RecordName)} {
		if err := o.disk.removeAll(path); err != nil {
			return err
		}
	}
	return nil
}

// refuseOthers returns an error if there is anything beside the files of a training,
// before one of them is deleted.
func (o *output) refuseOthers(files []string) error {
	expected := map[string][]string{"": {temporaryFolder}, Suffix: {temporaryFolder, lockName, checkpointFolder, eventsFolder, RecordName}}
	for _, name := range files {
		top, _, _ := strings.Cut(name, "/")
		expected[""] = append(expected[""], top)
	}
	for suffix, permitted := range expected {
		names, err := o.disk.names(o.root + suffix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !slices.Contains(permitted, name) {
				return foreign{fmt.Sprintf("%s holds %q, which no training wrote; nothing was deleted: move it away, or choose another --out", o.location+suffix, name)}
			}
		}
	}
	return nil
}

// settle ends a whole training: of its checkpoints what the encoder's folder does not
// have is left, the state of the optimizer. Discard leaves nothing of the training's
// folder, and so does a training whose state was discarded before.
func (o *output) settle(discard bool) error {
	if err := o.disk.removeAll(o.path(temporaryFolder)); err != nil {
		return err
	}
	if _, err := os.Stat(o.runPath(RecordName)); err == nil && !discard {
		return o.checkpoints.strip()
	}
	names := []string{checkpointFolder, eventsFolder, RecordName}
	if o.disk.mirror == nil {
		names = append(names, "") // in a bucket, the owner is released later
	}
	for _, name := range names {
		if err := o.disk.removeAll(o.runPath(name)); err != nil {
			return err
		}
	}
	return nil
}
