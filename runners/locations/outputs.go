package locations

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

// OutputFault says why a verb must not write at a location: a file would be among those of a dataset, a training, a
// report or another folder that this program made, or replace one of them; a folder would lie among the
// shards of a dataset. A device, a pipe or a link in the place of the file would be replaced by it.
func OutputFault(ctx context.Context, verbs []verb.Verb, output command.Input) error {
	if storage.IsAddress(output.Location) {
		return fmt.Errorf("--%s: %s is an address, from which is only read: give a local folder or gs://", output.Flag, output.Location)
	}
	ancestor, ok := datasetAbove(ctx, output.Location)
	if ok && output.Folder {
		name, _ := storage.Relative(ancestor, storage.Resolved(output.Location))
		first, _, _ := strings.Cut(name, "/")
		ok = slices.Contains([]string{"data", "rejects", "_run"}, first)
	}
	if ok {
		return fmt.Errorf("--%s: %s lies in the dataset %s, which would no longer be whole: choose another folder", output.Flag,
			output.Location, ancestor)
	}
	if output.Folder {
		return nil
	}
	if info, err := os.Lstat(output.Location); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("--%s: %s is a device, a pipe or a link, and would be replaced by a file: choose another name", output.Flag,
			output.Location)
	}
	parent, _, err := storage.Split(output.Location)
	if err != nil {
		return nil // which writing tells
	}
	folder, err := storage.Locate(parent)
	if err != nil {
		return nil
	}
	if content := holds(ctx, verbs, folder, ""); content != "" {
		return fmt.Errorf("--%s: %s lies in %s, which holds %s: choose another folder", output.Flag, output.Location, parent, content)
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

// Occupied returns an error if a folder is the place of something else than what has the
// file mark: what is put beside it would be taken for a part of it.
func Occupied(ctx context.Context, verbs []verb.Verb, location, mark string) error {
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	if content := holds(ctx, verbs, folder, mark); content != "" {
		return fmt.Errorf("--out: %s holds %s; choose another folder", location, content)
	}
	return nil
}

// holds says what a folder is the place of, "" if of nothing of ours but what has the file mark.
func holds(ctx context.Context, verbs []verb.Verb, folder storage.Folder, mark string) (content string) {
	for _, m := range append(Marked(verbs), verb.Output{Mark: train.RecordName, Is: "a training"}) {
		if _, err := folder.Stat(ctx, m.Mark); err == nil && m.Mark != mark && content == "" {
			content = m.Is
		}
	}
	if HoldsDataset(ctx, folder) {
		content = "a dataset"
	}
	return content
}

// RefuseInside returns an error for a local folder that would lie in a dataset, which
// would no longer be whole.
func RefuseInside(ctx context.Context, location string) error {
	if storage.IsRemote(location) {
		return nil
	}
	// The folder itself may not be a dataset either.
	if inside, ok := datasetAbove(ctx, storage.Join(location, "folder")); ok {
		return command.Usage(fmt.Errorf("%s lies in the dataset %s, which would no longer be whole", location, inside))
	}
	return nil
}
