package train

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sentweave/schemas/dataset"
)

// output is the folder of a run.
type output struct {
	root        string
	disk        *disk
	checkpoints checkpoints
}

// runFolder holds what a run needs besides its result.
const (
	runFolder = "_run"
	lockName  = runFolder + "/lock"
)

func newOutput(root string, keep int, intercept func(step, path string) error, unsynced bool) *output {
	root = filepath.Clean(root)
	run := filepath.Join(root, runFolder)
	d := &disk{temporary: filepath.Join(run, "tmp"), intercept: intercept, unsynced: unsynced}
	return &output{root, d, checkpoints{filepath.Join(run, "checkpoints"), d, keep}}
}

func (o *output) path(name string) string { return filepath.Join(o.root, filepath.FromSlash(name)) }

// claim makes the folder that of the plan, a record before any step: it writes it
// where there is none, and refuses a folder of another plan or with other files.
// No other process can claim it before unlock is called.
func (o *output) claim(plan *Record, overwrite bool) (unlock func(), err error) {
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
	there, equal, err := o.examine(plan, overwrite)
	if err != nil {
		return nil, err
	}
	if equal {
		return unlock, o.disk.removeAll(o.disk.temporary) // what a killed run left
	}
	if there != nil {
		if err := o.overwrite(there); err != nil {
			return nil, fmt.Errorf("overwrite %s: %w", o.root, err)
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
			return nil, false, fmt.Errorf("%w; choose another --out, or give --overwrite to delete the training that stands in %s", err, o.root)
		}
		return &Record{Config: plan.Config}, false, nil // the best guess at its stages
	case err != nil:
		return nil, false, err
	}
	difference := plan.difference(there)
	if difference != "" && !overwrite {
		return nil, false, fmt.Errorf("%w: the training in %s differs: %s; choose another --out, or give --overwrite to delete it first", dataset.ErrOtherPlan, o.root, difference)
	}
	return there, difference == "", nil
}

// refuseForeign returns an error if the folder, which has no plan, holds anything
// but what a run leaves that was killed before its plan was written.
func (o *output) refuseForeign() error {
	for _, folder := range []string{"", runFolder} {
		entries, err := os.ReadDir(o.path(folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := filepath.Join(folder, e.Name()); name != runFolder && name != lockName && o.path(name) != o.disk.temporary {
				return fmt.Errorf("%s holds %q, but no training: %w; choose an empty folder", o.root, name, fs.ErrExist)
			}
		}
	}
	return nil
}

// overwrite deletes what the run of a plan wrote. The plan goes last, so that a deletion that was cut short can be repeated.
func (o *output) overwrite(plan *Record) error {
	folders := []string{""}
	for _, s := range plan.Config.Stages {
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
			path := filepath.Join(o.path(folder), filepath.FromSlash(name))
			if err := o.disk.removeAll(path); err != nil {
				return err
			}
			if parent := filepath.Dir(path); parent != o.root {
				_ = os.Remove(parent) // if it is empty
			}
		}
	}
	for _, name := range []string{LossesName, runFolder + "/checkpoints", runFolder + "/tensorboard", runFolder + "/tmp", runFolder + "/" + RecordName} {
		if err := o.disk.removeAll(o.path(name)); err != nil {
			return err
		}
	}
	return nil
}
