package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
)

// output is the folder of a run.
type output struct {
	// location is where the user wants it, root where the run writes it: another place
	// if libtorch, which takes files, cannot write there.
	location, root string
	scratch        *cache.Folder
	disk           *disk
	checkpoints    checkpoints
}

// runFolder holds what a run needs besides its result.
const (
	runFolder        = "_run"
	lockName         = runFolder + "/lock"
	checkpointFolder = runFolder + "/checkpoints"
	eventsFolder     = runFolder + "/tensorboard"
)

// openOutput returns the output at a location, as it stands there. It must be closed.
func openOutput(ctx context.Context, location string, keep int, options Options) (*output, error) {
	scratch, err := cache.Scratch(location)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(scratch.Path)
	d := &disk{temporary: filepath.Join(root, filepath.FromSlash(storage.TemporaryFolder)), intercept: options.intercept, unsynced: options.unsynced}
	o := &output{location: location, root: root, scratch: scratch, disk: d}
	o.checkpoints = checkpoints{o.path(checkpointFolder), d, keep, o.shown}
	if !storage.IsRemote(location) {
		o.location = root
		return o, nil
	}
	d.unsynced = true // what lasts is elsewhere
	d.mirror = &mirror{root: root, ctx: context.WithoutCancel(ctx), before: d.before}
	if d.mirror.remote, err = storage.At(location); err == nil {
		err = d.mirror.pull(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", location, err), scratch.Close())
	}
	return o, nil
}

// close ends the work on the output. What was done elsewhere leaves nothing here.
func (o *output) close(done bool) error {
	if o.disk.mirror == nil {
		return nil
	}
	err := o.disk.mirror.release()
	if done {
		return errors.Join(err, o.scratch.Remove())
	}
	return errors.Join(err, o.scratch.Close())
}

// begin makes the output that of this run alone, wherever others run. It returns who
// had it and did not give it back.
func (o *output) begin(ctx context.Context, now time.Time) (had *owner, err error) {
	if o.disk.mirror == nil {
		return nil, nil
	}
	if had, err = o.disk.mirror.take(now); err != nil {
		return had, err
	}
	return had, o.disk.mirror.pull(ctx) // what the other one has done meanwhile
}

// shown is the location of a path in the output.
func (o *output) shown(path string) string {
	if o.disk.mirror == nil || path == "" {
		return path
	}
	return storage.Join(o.location, o.disk.mirror.name(path))
}

func (o *output) path(name string) string { return filepath.Join(o.root, filepath.FromSlash(name)) }

// claim makes the folder that of the plan, a record before any step: it writes it
// where there is none, and refuses a folder of another plan or with other files.
// No other process can claim it before unlock is called. Begin is called when no
// other one of this machine can, and before anything is written.
func (o *output) claim(plan *Record, overwrite bool, begin func() error) (unlock func(), err error) {
	if _, _, err := o.examine(plan, overwrite); err != nil { // before anything is written
		return nil, err
	}
	if err := o.disk.makeFolder(o.path(runFolder)); err != nil {
		return nil, wayOut(err)
	}
	if unlock, err = o.lock(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if err = begin(); err != nil {
		return nil, err
	}
	there, equal, err := o.examine(plan, overwrite)
	if err != nil {
		return nil, err
	}
	if equal {
		return unlock, o.disk.removeAll(o.disk.temporary) // what a killed run left
	}
	if there != nil {
		if err := o.overwrite(there); err != nil {
			return nil, fmt.Errorf("overwrite %s: %w", o.location, err)
		}
		if err := o.refuseForeign(); err != nil {
			return nil, err
		}
	}
	data, err := plan.encode()
	if err != nil {
		return nil, err
	}
	return unlock, wayOut(o.disk.write(o.path(runFolder+"/"+RecordName), bytes.NewReader(data)))
}

// examine returns the plan of the folder, nil if there is none, and whether it is
// equal. One that differs is an error, unless it may be overwritten.
func (o *output) examine(plan *Record, overwrite bool) (there *Record, equal bool, err error) {
	there, err = readRecord(o.path(runFolder))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, o.refuseForeign()
	case errors.Is(err, dataset.ErrCorrupt):
		if !overwrite {
			return nil, false, fmt.Errorf("%w; choose another --out, or give --overwrite to delete the training that stands in %s", err, o.location)
		}
		return &Record{Config: plan.Config}, false, nil // the best guess at its periods
	case err != nil:
		return nil, false, err
	}
	difference := plan.difference(there)
	if difference != "" && !overwrite {
		return nil, false, fmt.Errorf("%w: the training in %s differs: %s; choose another --out, or give --overwrite to delete it first", dataset.ErrOtherPlan, o.location, difference)
	}
	return there, difference == "", nil
}

// refuseForeign returns an error if the folder, which has no plan, holds anything
// but what a run leaves that was killed before its plan was written.
func (o *output) refuseForeign() error {
	for _, folder := range []string{"", runFolder} {
		names, err := o.disk.names(o.path(folder))
		if err != nil {
			return err
		}
		for _, n := range names {
			if name := path.Join(folder, n); name != runFolder && name != lockName && name != storage.TemporaryFolder {
				return fmt.Errorf("%s holds %q, but no training: %w; choose an empty folder", o.location, name, fs.ErrExist)
			}
		}
	}
	return nil
}

// overwrite deletes what the run of a plan wrote. The plan goes last, so that a deletion that was cut short can be repeated.
func (o *output) overwrite(plan *Record) error {
	folders := []string{""}
	for _, s := range plan.Config.Periods {
		folders = append(folders, s.Name)
	}
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
	names = append(names, RecordName)
	for _, folder := range folders {
		for _, name := range names {
			file := filepath.Join(o.path(folder), filepath.FromSlash(name))
			if err := o.disk.removeAll(file); err != nil {
				return err
			}
			if parent := filepath.Dir(file); parent != o.root {
				_ = os.Remove(parent) // if it is empty
			}
		}
	}
	for _, name := range []string{LossesName, checkpointFolder, eventsFolder, storage.TemporaryFolder, runFolder + "/" + RecordName} {
		if err := o.disk.removeAll(o.path(name)); err != nil {
			return err
		}
	}
	return nil
}
