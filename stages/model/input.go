package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/transforms/tokens/formats"
)

// deciding are the files of a folder that decide what vectors it gives.
var deciding = map[string]bool{
	"config.json": true, "tokenizer_config.json": true, "modules.json": true, encodingName: true,
	WeightsName: true, WeightsName + indexSuffix: true,
}

// inside is the folder of a part, such as 1_Pooling.
var inside = regexp.MustCompile(`^[0-9]+_[^/\\]+$`)

// Names of what training adds to a folder, beside its record.
const (
	HeadsName     = "heads.safetensors"
	OptimizerName = "optimizer.safetensors"
)

// Decisive returns a function of the files of a folder in the order of their names, which says whether a file decides the vectors, or
// is one of those that are named. Files of torch.save decide nothing beside safetensors.
func Decisive(names []string) func(name string) bool {
	safe := map[string]bool{} // folders with safetensors, which come first
	return func(name string) bool {
		folder, file := path.Split(name)
		if slices.Contains(names, name) {
			return true
		}
		if folder != "" && !inside.MatchString(path.Clean(folder)) {
			return false
		}
		if torchSaved.MatchString(file) {
			return !safe[folder]
		}
		safe[folder] = safe[folder] || file == WeightsName || file == WeightsName+indexSuffix
		return deciding[file] || slices.Contains(sentenceNames, file) || slices.Contains(formats.Names(), file) || shard.MatchString(file)
	}
}

// Fetch returns the folder of an encoder on the local disk: itself, or a copy of one
// elsewhere (see package cache), with the files that decide its vectors and others
// that are named. It must be closed when the files are read.
func Fetch(ctx context.Context, location string, names ...string) (*cache.Folder, error) {
	return cache.Fetch(ctx, location, Decisive(names))
}

// NoEncoder returns an error of reading the folder of an encoder, that of a file which is not there in words.
func NoEncoder(location string, err error) error {
	var missing *fs.PathError
	if errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no encoder: there is no %s; give a whole folder, as train and init make it, or as the Hub has it", location,
			filepath.Base(missing.Path))
	}
	return err
}

// Input names the encoder at a location, as the input of a plan, by the content of
// the files that decide its vectors, and of others that are named, if they are there.
// One that lies elsewhere is fetched: whoever asks is about to load it.
func Input(ctx context.Context, role, location string, names ...string) (dataset.Input, error) {
	f, err := Fetch(ctx, location, names...)
	if err != nil {
		return dataset.Input{}, err
	}
	defer f.Close()
	files, err := dataset.List(ctx, storage.NewLocal(f.Path), Decisive(names))
	if err == nil && len(files) == 0 {
		err = NoEncoder(location, &fs.PathError{Op: "open", Path: "config.json", Err: fs.ErrNotExist})
	}
	return dataset.ListingInput(role, files), err
}
