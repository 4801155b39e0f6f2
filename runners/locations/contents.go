// Package locations looks at what is where verbs read and write: whether an input is there and of the kind that is
// wanted, whether an output may be written, and what a folder holds. It knows the kinds of folders by the list of verbs.
package locations

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/training"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/train"
)

// Contents says what lies in the folder of a step: its rows, or how much there is of what is not a dataset, and
// its bytes; "" where nothing is counted. The error tells why the folder cannot be used, as far as records,
// small files and the sizes of large ones tell; it is errNothing where the folder holds nothing of what
// steps make, and matches dataset.ErrIncomplete where a step has begun.
func Contents(ctx context.Context, verbs []verb.Verb, location string) (rows, bytes string, err error) {
	if t, err := training.Read(ctx, location); err != nil {
		return "", "", err
	} else if t != nil && !t.Whole {
		return "", "", command.Reword("the training is not complete: "+t.Progress(), dataset.ErrIncomplete)
	} else if t != nil && t.Damage != nil {
		return "", "", t.Damage
	}
	folder, m, err := dataset.Open(ctx, location)
	if err == nil {
		return command.Counted(m.Rows, m.Plan.Schema), command.Size(m.Bytes), m.CheckSizes(ctx, folder)
	}
	if folder == nil || !errors.Is(err, dataset.ErrNoDataset) {
		return "", "", err
	}
	for _, m := range Marked(verbs) {
		if _, err := folder.Stat(ctx, m.Mark); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return "", "", err
		}
		if m.Count != nil {
			rows, err = m.Count(ctx, folder)
			return rows, "", err
		}
		return "", "", nil
	}
	return "", "", errNothing
}

// errNothing is the error of Contents for a folder that holds nothing of what steps make.
var errNothing = errors.New("nothing that a step makes is there")

// IsUsable says whether the output of a step is there, and can be used as far as Contents tells.
func IsUsable(ctx context.Context, verbs []verb.Verb, location string) bool {
	_, _, err := Contents(ctx, verbs, location)
	return err == nil
}

// Output is what lies in the folder of a step of a recipe.
type Output struct {
	// Made says how much there is, for a table.
	Made string
	Err  error // of Contents
}

// OutputOf looks at the folder of a step.
func OutputOf(ctx context.Context, verbs []verb.Verb, location string) Output {
	rows, bytes, err := Contents(ctx, verbs, location)
	if err != nil && !holdsAny(ctx, location) { // what is left beside it, as of a training, is not an output
		err = errNothing
	}
	switch {
	case errors.Is(err, dataset.ErrIncomplete):
		rows = "not complete"
	case bytes != "":
		rows += ", " + bytes
	}
	return Output{rows, err}
}

// Damage says in a line what is wrong with what a step made whole once, "" for nothing.
func (o Output) Damage() string {
	switch {
	case o.Err == nil:
		return ""
	case errors.Is(o.Err, errNothing):
		return "gone"
	}
	return "damaged: " + command.OneLine(o.Err.Error())
}

// LooksWhole says whether the output of a step seems to be there: the step itself looks
// more closely.
func LooksWhole(ctx context.Context, verbs []verb.Verb, location string) bool {
	folder, err := storage.Locate(location)
	if err != nil {
		return false
	}
	names := []string{dataset.ManifestName, train.RecordName}
	for _, m := range Marked(verbs) {
		names = append(names, m.Mark)
	}
	for _, name := range names {
		if _, err := folder.Stat(ctx, name); err == nil {
			return true
		}
	}
	return false
}

// HoldsAnything says whether anything is in the folder of a step, or beside it what is left of a training.
func HoldsAnything(ctx context.Context, location string) bool {
	return holdsAny(ctx, location) || holdsAny(ctx, location+train.Suffix)
}

// holdsAny says whether a location is a file, or a folder with one that is not temporary.
func holdsAny(ctx context.Context, location string) bool {
	folder, err := storage.Locate(location)
	if err != nil {
		return true // the step says what is wrong
	}
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return !errors.Is(err, fs.ErrNotExist)
		}
		if !strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			return true
		}
	}
	return false
}

// BytesBelow are those of a file, or of all files in a folder; 0 for what cannot be read.
func BytesBelow(location string) (sum int64) {
	_ = filepath.WalkDir(location, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
