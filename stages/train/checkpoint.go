package train

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// checkpoints are the folders of a run's states.
type checkpoints struct {
	folder string
	// encoder is the folder of the trained encoder, which gets all files of a checkpoint
	// but the private ones.
	encoder string
	disk    *disk
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
func (c *checkpoints) newest(plan *Record, changeable map[string]string, notice func(string)) (*Record, string, error) {
	steps, err := c.list()
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
		path := c.path(step)
		r, err := readRecord(path)
		if err == nil {
			if err := c.restore(path, r); err != nil {
				return nil, "", fmt.Errorf("restore checkpoint %s: %w", c.shown(path), wayOut(err))
			}
			err = r.checkFiles(path)
		}
		if err == nil && r.Step == step {
			if _, difference := plan.changes(r, changeable); difference != "" {
				return nil, "", fmt.Errorf("checkpoint %s is of another training: %s; remove it, or choose another --out", c.shown(path), difference)
			}
			return r, path, nil
		}
		if err == nil {
			err = fmt.Errorf("its %s speaks of step %d", RecordName, r.Step)
		} else if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("it has no %s", RecordName)
		}
		notice(fmt.Sprintf("checkpoint %s is damaged or incomplete and passed over: %v", c.shown(path), err))
	}
	return nil, "", nil
}

// save writes a checkpoint: the files into a temporary folder, the record last,
// then the folder under its name. Then it removes those that are too many, and
// those of later steps, which are damaged, since the run began before them.
func (c *checkpoints) save(r *Record, model Model) (path string, err error) {
	temporary, err := c.disk.scratch(c.path(r.Step))
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil { // a full disk gets its room back
			_ = c.disk.removeAll(temporary)
			err = fmt.Errorf("write checkpoint %s: %w", c.shown(c.path(r.Step)), wayOut(err))
		}
	}()
	if err := c.disk.makeFolder(temporary); err != nil {
		return "", err
	}
	if err := c.disk.before("save", temporary); err != nil {
		return "", err
	}
	if err := model.Save(temporary); err != nil {
		return "", err
	}
	if r.Files, err = c.disk.hashTree(temporary); err != nil {
		return "", err
	}
	data, err := r.encode()
	if err != nil {
		return "", err
	}
	if err := c.disk.write(filepath.Join(temporary, RecordName), bytes.NewReader(data)); err != nil {
		return "", err
	}
	path = c.path(r.Step)
	if err := c.disk.removeAll(path); err != nil { // a damaged one
		return "", err
	}
	if err := c.disk.makeFolder(c.folder); err != nil {
		return "", err
	}
	if err := c.disk.rename(temporary, path); err != nil {
		return "", err
	}
	return path, c.prune(r.Step)
}

// restore brings back what strip took away.
func (c *checkpoints) restore(path string, r *Record) error {
	for _, f := range r.Files {
		file := filepath.Join(path, filepath.FromSlash(f.Name))
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) || slices.Contains(c.private, f.Name) {
			continue
		}
		published := filepath.Join(c.encoder, filepath.FromSlash(f.Name))
		if there, err := hashFile(published); err == nil && there.Bytes == f.Bytes && there.XXH3 == f.XXH3 {
			if err := c.disk.copy(published, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// strip removes all checkpoints but the newest, and of that one the files that the
// encoder's folder has.
func (c *checkpoints) strip() error {
	steps, err := c.list()
	if err != nil || len(steps) == 0 {
		return err
	}
	for _, step := range steps[1:] {
		if err := c.disk.removeAll(c.path(step)); err != nil {
			return err
		}
	}
	r, err := readRecord(c.path(steps[0]))
	if err != nil {
		return nil // it is damaged, and nothing in it is needed
	}
	for _, f := range r.Files {
		file := filepath.Join(c.path(steps[0]), filepath.FromSlash(f.Name))
		if slices.Contains(c.private, f.Name) {
			continue
		}
		if err := c.disk.removeAll(file); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(file)) // if it is empty
	}
	return nil
}

func (c *checkpoints) prune(newest int64) error {
	steps, err := c.list()
	if err != nil {
		return err
	}
	kept := 0
	for _, step := range steps {
		if step <= newest && kept < c.keep {
			kept++
		} else if err := c.disk.removeAll(c.path(step)); err != nil {
			return err
		}
	}
	return nil
}
