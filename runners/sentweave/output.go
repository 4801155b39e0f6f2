package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/train"
)

// outputFault says why a verb must not write at a location: a file would stand among those of a dataset, a training, a
// report or another folder that this program made, or replace one of them; a folder would lie among the
// shards of a dataset. A device, a pipe or a link in the place of the file would be replaced by it.
func outputFault(ctx context.Context, out command.Input) error {
	above, ok := datasetAbove(ctx, out.Location)
	if ok && out.Folder {
		name, _ := storage.Relative(above, storage.Resolved(out.Location))
		first, _, _ := strings.Cut(name, "/")
		ok = slices.Contains([]string{"data", "rejects", "_run"}, first)
	}
	if ok {
		return fmt.Errorf("--%s: %s lies in the dataset %s, which would no longer be whole: choose another folder", out.Flag, out.Location, above)
	}
	if out.Folder {
		return nil
	}
	if info, err := os.Lstat(out.Location); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("--%s: %s is a device, a pipe or a link, and would be replaced by a file: choose another name", out.Flag, out.Location)
	}
	parent, _, err := storage.Split(out.Location)
	if err != nil {
		return nil // which writing tells
	}
	folder, err := storage.At(parent)
	if err != nil {
		return nil
	}
	if is := holds(ctx, folder, ""); is != "" {
		return fmt.Errorf("--%s: %s lies in %s, which holds %s: choose another folder", out.Flag, out.Location, parent, is)
	}
	return nil
}

// datasetAbove returns the folder of the dataset, complete or not, that a file
// would lie in.
func datasetAbove(ctx context.Context, location string) (string, bool) {
	if storage.IsRemote(location) {
		return "", false
	}
	location = storage.Resolved(location)
	for folder := filepath.Dir(location); ; folder = filepath.Dir(folder) {
		if _, err := dataset.Load(ctx, storage.NewLocal(folder)); err == nil || errors.Is(err, dataset.ErrIncomplete) {
			return folder, true
		}
		if folder == filepath.Dir(folder) {
			return "", false
		}
	}
}

// occupied returns an error if a folder is the place of something else than what has the
// file own: what is put beside it would be taken for a part of it.
func occupied(ctx context.Context, location, own string) error {
	folder, err := storage.At(location)
	if err != nil {
		return err
	}
	if is := holds(ctx, folder, own); is != "" {
		return fmt.Errorf("--out: %s holds %s; choose another folder", location, is)
	}
	return nil
}

// holds says what a folder is the place of, "" if of nothing of ours but what has the file own.
func holds(ctx context.Context, folder storage.Folder, own string) (is string) {
	for _, m := range append(marked(), verb.Output{Mark: train.RecordName, Is: "a training"}) {
		if _, err := folder.Stat(ctx, m.Mark); err == nil && m.Mark != own && is == "" {
			is = m.Is
		}
	}
	if holdsDataset(ctx, folder) {
		is = "a dataset"
	}
	return is
}
