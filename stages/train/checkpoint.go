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
	"strconv"

	"sentweave/schemas/storage/workspace"
)

// checkpoints are the folders of a run's states.
type checkpoints struct {
	folder string
	// encoder is the folder of the trained encoder, which gets all files of a checkpoint
	// but the private ones.
	encoder string
	work    *workspace.Workspace
	keep    int
	private []string
	// shown is the location of a path, for messages.
	shown func(path string) string
}

func (c *checkpoints) path(step int64) string {
	return filepath.Join(c.folder, fmt.Sprintf("%06d", step))
}

// list returns the steps of all checkpoints, the newest first.
func (c *checkpoints) list() ([]int64, error) {
	entries, err := os.ReadDir(c.folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var steps []int64
	for _, e := range entries {
		if step, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && e.IsDir() && filepath.Base(c.path(step)) == e.Name() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, nil
}

// newest returns the record and the folder of the newest whole checkpoint, nil if
// there is none. Notice is told of each that is passed over.
func (c *checkpoints) newest(ctx context.Context, plan *Record, options Options, notice func(string)) (*Record, string, error) {
	steps, err := c.list()
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
		path := c.path(step)
		r, err := readRecord(path)
		if err == nil {
			if err := c.restore(ctx, path, r); err != nil {
				return nil, "", fmt.Errorf("restore checkpoint %s: %w", c.shown(path), wayOut(err))
			}
			err = r.checkFiles(path)
		}
		if err == nil && r.Step == step {
			if _, difference := plan.changes(r, options); difference != "" {
				return nil, "", fmt.Errorf("checkpoint %s is of another training: %s; remove it, or choose another --out", c.shown(path), difference)
			}
			if err = c.checkBest(ctx, r); err == nil {
				return r, path, nil
			}
		} else if err == nil {
			err = fmt.Errorf("its %s speaks of step %d", RecordName, r.Step)
		} else if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("it has no %s", RecordName)
		}
		notice(fmt.Sprintf("checkpoint %s is damaged or incomplete and passed over: %v", c.shown(path), err))
	}
	return nil, "", nil
}

// usable says whether there is a checkpoint from which a training can go on: one that holds its files, but for
// those that the encoder's folder holds unchanged in its place. It changes nothing.
func (c *checkpoints) usable() (bool, error) {
	steps, err := c.list()
	if err != nil {
		return false, err
	}
	for _, step := range steps {
		r, err := readRecord(c.path(step))
		if err != nil || r.Step != step {
			continue
		}
		lacks := slices.ContainsFunc(r.Files, func(f File) bool {
			info, err := os.Stat(filepath.Join(c.path(step), filepath.FromSlash(f.Name)))
			if err == nil {
				return info.Size() != f.Bytes
			}
			published, err := hashFile(filepath.Join(c.encoder, filepath.FromSlash(f.Name)))
			return err != nil || published.Bytes != f.Bytes || published.XXH3 != f.XXH3 || slices.Contains(c.private, f.Name)
		})
		if !lacks {
			return true, nil
		}
	}
	return false, nil
}

// checkBest returns an error unless the model of the best step of a record's period is
// whole. What only the training needs is not looked at.
func (c *checkpoints) checkBest(ctx context.Context, r *Record) error {
	if r.Validated == nil || r.Validated.Best == 0 || r.Validated.Best == r.Step {
		return nil
	}
	path := c.path(r.Validated.Best)
	best, err := readRecord(path)
	if err == nil {
		err = c.restore(ctx, path, best)
	}
	if err == nil {
		best.Files = best.without(c.private)
		err = best.checkFiles(path)
	}
	if err != nil {
		return fmt.Errorf("its best step %d: %w", r.Validated.Best, err)
	}
	return nil
}

// save writes a checkpoint: the files into a temporary folder, the record last,
// then the folder under its name. Then it removes those that are too many, and
// those of later steps, which are damaged, since the run began before them.
func (c *checkpoints) save(ctx context.Context, r *Record, model Model) (path string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write checkpoint %s: %w", c.shown(c.path(r.Step)), wayOut(err))
		}
	}()
	temporary, err := saved(c.work, c.path(r.Step), model)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = c.work.RemoveAll(temporary)
		}
	}()
	if r.Files, err = hashTree(temporary); err != nil {
		return "", err
	}
	data, err := r.encode()
	if err != nil {
		return "", err
	}
	if err := c.work.Write(ctx, filepath.Join(temporary, RecordName), bytes.NewReader(data)); err != nil {
		return "", err
	}
	path = c.path(r.Step)
	if err := c.work.RemoveAll(path); err != nil { // a damaged one
		return "", err
	}
	if err := c.work.Publish(temporary, path); err != nil {
		return "", err
	}
	return path, c.prune(r)
}

// restore brings back what strip took away.
func (c *checkpoints) restore(ctx context.Context, path string, r *Record) error {
	for _, f := range r.Files {
		file := filepath.Join(path, filepath.FromSlash(f.Name))
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) || slices.Contains(c.private, f.Name) {
			continue
		}
		published := filepath.Join(c.encoder, filepath.FromSlash(f.Name))
		if existing, err := hashFile(published); err == nil && existing.Bytes == f.Bytes && existing.XXH3 == f.XXH3 {
			if err := c.work.Copy(ctx, published, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// strip removes all checkpoints but the newest and the one of its best step. What the
// encoder's folder has, too, goes of both, and all but the record of the best one if it is
// another.
func (c *checkpoints) strip() error {
	steps, err := c.list()
	if err != nil || len(steps) == 0 {
		return err
	}
	newest, err := readRecord(c.path(steps[0]))
	if err != nil {
		return nil // it is damaged, and nothing in it is needed
	}
	published, err := readRecord(c.encoder)
	if err != nil {
		return err
	}
	for _, step := range steps {
		switch {
		case step == newest.Step:
			err = c.drop(newest, published.Files)
		case newest.Validated != nil && newest.Validated.Best == step:
			var best *Record
			if best, err = readRecord(c.path(step)); err == nil {
				err = c.drop(best, best.Files)
			}
		default:
			err = c.work.RemoveAll(c.path(step))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop removes those files of a checkpoint that are among the given ones.
func (c *checkpoints) drop(r *Record, files []File) error {
	for _, f := range r.Files {
		if !slices.Contains(files, f) {
			continue
		}
		file := filepath.Join(c.path(r.Step), filepath.FromSlash(f.Name))
		if err := c.work.RemoveAll(file); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(file)) // if it is empty
	}
	return nil
}

// prune removes the checkpoints that are too many after the one of a record. The one of its
// best step stays.
func (c *checkpoints) prune(r *Record) error {
	steps, err := c.list()
	if err != nil {
		return err
	}
	count := 0
	for _, step := range steps {
		switch {
		case step <= r.Step && count < c.keep:
			count++
		case step <= r.Step && r.Validated != nil && r.Validated.Best == step:
		default:
			if err := c.work.RemoveAll(c.path(step)); err != nil {
				return err
			}
		}
	}
	return nil
}
