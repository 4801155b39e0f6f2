package train

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
)

// readWhole reads the record of a folder and checks the files that it names; where
// they lie in a bucket, which they do not leave damaged, by their sizes.
func (o *output) readWhole(ctx context.Context, folder string) (*Record, error) {
	if !o.work.Remote() {
		return readWhole(folder)
	}
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	sizes, err := o.work.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	return r, r.checkSizes(folder, sizes)
}

// checkSizes is Record.checkFiles by the sizes alone: objects in a bucket appear whole.
func (r *Record) checkSizes(folder string, sizes map[string]int64) error {
	var errs fault.List
	for _, f := range r.Files {
		if size, ok := sizes[filepath.Join(folder, filepath.FromSlash(f.Name))]; !ok || size != f.Bytes {
			errs.Addf("%w: %s is missing, or has not the %d bytes that %s says", dataset.ErrCorrupt, f.Name, f.Bytes, RecordName)
		}
	}
	return errs.Err()
}

// newestFirst compares the names of checkpoints, which are numbers of six digits or more.
func newestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }

// bring fetches the newest whole checkpoint, and the model of its best step, which needs no
// private files, from a bucket.
func (o *output) bring(ctx context.Context, private []string) error {
	sizes, err := o.work.Sizes(ctx)
	if err != nil {
		return err
	}
	var steps []string // as they are called
	for path := range sizes {
		name, err := filepath.Rel(o.runPath(checkpointFolder), path)
		if step, _, _ := strings.Cut(filepath.ToSlash(name), "/"); err == nil && step != ".." && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	slices.SortFunc(steps, newestFirst)
	for _, step := range steps {
		folder := filepath.Join(o.runPath(checkpointFolder), step)
		complete, err := o.fetch(ctx, folder, sizes, nil)
		if err != nil {
			return err
		}
		if !complete {
			continue
		}
		r, err := readRecord(folder)
		if err != nil || r.Validated == nil || r.Validated.Best == 0 {
			return err
		}
		if complete, err = o.fetch(ctx, o.checkpoints.path(r.Validated.Best), sizes, private); err != nil || complete {
			return err
		}
	}
	return nil
}

// fetch brings the files of a checkpoint whose record is here, those that were stripped
// from the encoder's folder, but for some, and says whether it is whole. One that is
// damaged in the bucket is left: the run passes over it.
func (o *output) fetch(ctx context.Context, folder string, sizes map[string]int64, but []string) (complete bool, err error) {
	r, err := readRecord(folder)
	if err != nil {
		return false, nil
	}
	r.Files = r.without(but)
	for _, f := range r.Files {
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		if local, err := hashFile(path); err == nil && local.Bytes == f.Bytes && local.XXH3 == f.XXH3 {
			continue
		}
		source := path
		if _, exists := sizes[path]; !exists {
			source = o.path(f.Name)
		}
		if size, exists := sizes[source]; !exists || size != f.Bytes {
			return false, nil
		}
		if err := o.work.Fetch(ctx, source, path); err != nil {
			return false, err
		}
	}
	return r.checkFiles(folder) == nil, nil
}
