// Package checkpoint keeps the states of a training: folders of files, each with a record that says that they are
// whole. The package knows of a record what State has, and nothing of what is trained.
//
// A checkpoint appears whole or not at all. When a training is whole, the files that its published encoder has, too, are
// stripped from the checkpoint. They are restored from there before the training goes on.
package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"sentweave/schemas/storage/workspace"
)

// State is what a record says of the checkpoint that it lies in.
type State struct {
	Step int64
	// Best is the step whose checkpoint the training may still publish; 0 for none.
	Best int64
	// Needed are the steps of other checkpoints from which the training may go on.
	Needed []int64
	Files  []File
}

// Store is the folder of a training's checkpoints, one for each step that was kept.
type Store struct {
	Work *workspace.Workspace
	// Folder holds the checkpoints. Encoder is the folder of the trained encoder, which gets all files of a
	// checkpoint but the private ones.
	Folder, Encoder string
	// Record is the name of records, and Read reads that of a folder.
	Record string
	Read   func(folder string) (State, error)
	// Keep is the number of checkpoints that are kept.
	Keep    int
	Private []string
}

// Path is that of the checkpoint after a step.
func (c *Store) Path(step int64) string {
	return filepath.Join(c.Folder, fmt.Sprintf("%06d", step))
}

// List returns the steps of all checkpoints, the newest first.
func (c *Store) List() ([]int64, error) {
	entries, err := os.ReadDir(c.Folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var steps []int64
	for _, e := range entries {
		if step, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && e.IsDir() && filepath.Base(c.Path(step)) == e.Name() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, nil
}

// Usable says whether there is a checkpoint from which a training can go on: one that holds its files, but for
// those that the encoder's folder holds unchanged in its place. It changes nothing.
func (c *Store) Usable() (bool, error) {
	steps, err := c.List()
	if err != nil {
		return false, err
	}
	for _, step := range steps {
		r, err := c.Read(c.Path(step))
		if err != nil || r.Step != step {
			continue
		}
		lacks := slices.ContainsFunc(r.Files, func(f File) bool {
			if info, err := os.Stat(f.in(c.Path(step))); err == nil {
				return info.Size() != f.Bytes
			}
			return !f.matches(f.in(c.Encoder)) || slices.Contains(c.Private, f.Name)
		})
		if !lacks {
			return true, nil
		}
	}
	return false, nil
}

// CheckBest returns an error unless the checkpoint of the best step of a state, which may be another one, has a whole
// model. The private files are not looked at.
func (c *Store) CheckBest(ctx context.Context, s State) error {
	if s.Best == 0 || s.Best == s.Step {
		return nil
	}
	path := c.Path(s.Best)
	best, err := c.Read(path)
	if err == nil {
		err = c.Restore(ctx, path, best)
	}
	if err == nil {
		err = CheckFiles(path, c.Record, Exclude(best.Files, c.Private))
	}
	if err != nil {
		return fmt.Errorf("its best step %d: %w", s.Best, err)
	}
	return nil
}

// Save writes the checkpoint of a state: the files, by a function, into a temporary folder, the record of them last,
// then the folder under its name. Then Save removes those that are too many, and those of later steps, which are
// damaged, since the run began before them.
func (c *Store) Save(ctx context.Context, s State, save func(folder string) error, record func([]File) ([]byte, error)) (err error) {
	path := c.Path(s.Step)
	temporary, err := Saved(c.Work, path, save)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = c.Work.RemoveAll(temporary)
		}
	}()
	files, err := hashTree(temporary)
	if err != nil {
		return err
	}
	data, err := record(files)
	if err != nil {
		return err
	}
	if err := c.Work.Write(ctx, filepath.Join(temporary, c.Record), bytes.NewReader(data)); err != nil {
		return err
	}
	if err := c.Work.RemoveAll(path); err != nil { // a damaged one
		return err
	}
	if err := c.Work.Publish(temporary, path); err != nil {
		return err
	}
	return c.prune(s)
}

// Restore brings back what Strip took away.
func (c *Store) Restore(ctx context.Context, path string, s State) error {
	for _, f := range s.Files {
		if _, err := os.Stat(f.in(path)); !errors.Is(err, fs.ErrNotExist) || slices.Contains(c.Private, f.Name) {
			continue
		}
		if published := f.in(c.Encoder); f.matches(published) {
			if err := c.Work.Copy(ctx, published, f.in(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Strip removes all checkpoints but the newest and the one of its best step. What the
// encoder's folder has, too, goes of both, and all but the record of the best one if it is
// another.
func (c *Store) Strip() error {
	steps, err := c.List()
	if err != nil || len(steps) == 0 {
		return err
	}
	newest, err := c.Read(c.Path(steps[0]))
	if err != nil {
		return nil // it is damaged, and nothing in it is needed
	}
	published, err := c.Read(c.Encoder)
	if err != nil {
		return err
	}
	for _, step := range steps {
		switch {
		case step == newest.Step:
			err = c.drop(newest, published.Files)
		case newest.Best == step:
			var best State
			if best, err = c.Read(c.Path(step)); err == nil {
				err = c.drop(best, best.Files)
			}
		default:
			err = c.Work.RemoveAll(c.Path(step))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop removes those files of a checkpoint that are among the given ones.
func (c *Store) drop(s State, files []File) error {
	for _, f := range s.Files {
		if !slices.Contains(files, f) {
			continue
		}
		file := f.in(c.Path(s.Step))
		if err := c.Work.RemoveAll(file); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(file)) // if it is empty
	}
	return nil
}

// prune removes the checkpoints that are too many after the one of a state. The one of its
// best step stays, and so do those that it needs.
func (c *Store) prune(s State) error {
	steps, err := c.List()
	if err != nil {
		return err
	}
	count := 0
	for _, step := range steps {
		switch {
		case step <= s.Step && count < c.Keep:
			count++
		case step <= s.Step && (s.Best == step || slices.Contains(s.Needed, step)):
		default:
			if err := c.Work.RemoveAll(c.Path(step)); err != nil {
				return err
			}
		}
	}
	return nil
}
