package checkpoint

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// newestFirst compares the names of checkpoints, which are numbers of six digits or more.
func newestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }

// Bring fetches the newest whole checkpoint, those that it needs, and the model of its best step, which needs no
// private files, from a bucket. The records are here.
func (c *Store) Bring(ctx context.Context) error {
	sizes, err := c.Work.Sizes(ctx)
	if err != nil {
		return err
	}
	var steps []string // as they are called
	for path := range sizes {
		name, err := filepath.Rel(c.Folder, path)
		if step, _, _ := strings.Cut(filepath.ToSlash(name), "/"); err == nil && step != ".." && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	slices.SortFunc(steps, newestFirst)
	for _, step := range steps {
		folder := filepath.Join(c.Folder, step)
		complete, err := c.fetch(ctx, folder, sizes, nil)
		if err != nil {
			return err
		}
		if !complete {
			continue
		}
		s, err := c.Read(folder)
		if err != nil {
			return err
		}
		for _, step := range s.Needed {
			if _, err := c.fetch(ctx, c.Path(step), sizes, nil); err != nil {
				return err
			}
		}
		if s.Best == 0 {
			return nil
		}
		if complete, err = c.fetch(ctx, c.Path(s.Best), sizes, c.Private); err != nil || complete {
			return err
		}
	}
	return nil
}

// fetch brings the files of a checkpoint whose record is here, those that were stripped
// from the encoder's folder, but for some, and says whether it is whole. One that is
// damaged in the bucket is left: the run passes over it.
func (c *Store) fetch(ctx context.Context, folder string, sizes map[string]int64, but []string) (complete bool, err error) {
	s, err := c.Read(folder)
	if err != nil {
		return false, nil
	}
	files := Exclude(s.Files, but)
	for _, f := range files {
		path := f.in(folder)
		if f.matches(path) {
			continue
		}
		source := path
		if _, exists := sizes[path]; !exists {
			source = f.in(c.Encoder)
		}
		if size, exists := sizes[source]; !exists || size != f.Bytes {
			return false, nil
		}
		if err := c.Work.Fetch(ctx, source, path); err != nil {
			return false, err
		}
	}
	return CheckFiles(folder, c.Record, files) == nil, nil
}
