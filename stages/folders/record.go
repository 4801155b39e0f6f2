package folders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/senteval"
)

// RecordName is the name of the record in the output folder.
const RecordName = "folders.json"

// Record is what folders.json holds: no clock, no path, so that equal requests give
// equal files.
type Record struct {
	Stage   string `json:"stage"`
	Version int    `json:"version"`
	// Config is what was asked for, Inputs what it was made of.
	Config Config          `json:"config"`
	Inputs []dataset.Input `json:"inputs"`
	// Complete says that all files are written; those of one that is not are unknown.
	Complete  bool       `json:"complete"`
	Languages []Language `json:"languages"`
	Files     []File     `json:"files,omitempty"`
}

// Language is a folder.
type Language struct {
	// Language is the code, and the folder's name.
	Language string `json:"language"`
	// Spacing is how its texts are written, "" in folders that are not for SentEval.
	Spacing string `json:"spacing,omitempty"`
	Tasks   []Task `json:"tasks"`
}

// Task counts what was written of a task.
type Task struct {
	Task string `json:"task"`
	Rows int    `json:"rows"`
}

// File is a file that was written.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	XXH3  string `json:"xxh3"`
}

// maxRecord bounds what is read of folders.json.
const maxRecord = 64 << 20

// LoadRecord reads folders.json. Errors match fs.ErrNotExist and dataset.ErrCorrupt.
func LoadRecord(ctx context.Context, folder storage.Folder) (*Record, error) {
	data, err := storage.ReadFile(ctx, folder, RecordName, maxRecord)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil || r.Stage != "folders" {
		return nil, fmt.Errorf("%s in %s: %w: it is no record of `sentweave folders`", RecordName, folder, dataset.ErrCorrupt)
	}
	return &r, nil
}

func (r *Record) write(ctx context.Context, folder storage.Folder) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, RecordName, append(data, '\n'), storage.Replace)
}

// whole says whether the files of a complete record are there as they were written, by
// sizes and hashes.
func (r *Record) whole(ctx context.Context, folder storage.Folder) (bool, error) {
	sizes := map[string]int64{}
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return false, err
		}
		sizes[info.Name] = info.Size
	}
	for _, f := range r.Files { // sizes first, which cost nothing
		if size, ok := sizes[f.Name]; !ok || size != f.Bytes {
			return false, nil
		}
	}
	for _, f := range r.Files {
		hash, err := hashOf(ctx, folder, f.Name)
		if errors.Is(err, fs.ErrNotExist) { // somebody removes them
			return false, nil
		}
		if err != nil || hash != f.XXH3 {
			return false, err
		}
	}
	return true, nil
}

// hashOf is the hash of a file, which is not held in memory.
func hashOf(ctx context.Context, folder storage.Folder, name string) (string, error) {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer object.Close()
	h := xxh3.New()
	if _, err := io.Copy(h, io.NewSectionReader(object, 0, object.Size())); err != nil {
		return "", fmt.Errorf("read %s in %s: %w", name, folder, err)
	}
	return dataset.HashString(h.Sum64()), nil
}

// difference names what makes two requests unequal, or returns "".
func (r *Record) difference(there *Record) string {
	var parts []string
	if r.Version != there.Version {
		parts = append(parts, fmt.Sprintf("version is %d there and %d here", there.Version, r.Version))
	}
	here, _ := json.Marshal(r.Config) // what was read from a file, or goes into one
	present, _ := json.Marshal(there.Config)
	parts = append(parts, dataset.ConfigDifference(here, present)...)
	if len(r.Inputs) != len(there.Inputs) {
		parts = append(parts, fmt.Sprintf("it was made of %d datasets there and %d here", len(there.Inputs), len(r.Inputs)))
	} else {
		for i, in := range r.Inputs {
			if d := in.Difference(there.Inputs[i]); d != "" {
				parts = append(parts, d)
			}
		}
	}
	return strings.Join(parts, "; ")
}

// present says whether the folder holds what is asked for. It is an error if it holds
// anything else, unless that is an output of this stage that may be overwritten: then
// its record is returned, not done.
func (r *Record) present(ctx context.Context, folder storage.Folder, overwrite bool) (there *Record, done bool, err error) {
	there, err = LoadRecord(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		foreign := r.refuseForeign(ctx, folder)
		if foreign == nil {
			return nil, false, nil
		}
		if there, err = LoadRecord(ctx, folder); err != nil { // unless another process began in between
			return nil, false, foreign
		}
	}
	if err != nil {
		return nil, false, err
	}
	switch difference := r.difference(there); {
	case difference != "" && !overwrite:
		return nil, false, fmt.Errorf("%w stands in %s: %s; choose another --out, or give --overwrite", dataset.ErrOtherPlan, folder, difference)
	case difference != "":
		return there, false, nil
	case !there.Complete:
		return nil, false, nil
	}
	if done, err = there.whole(ctx, folder); !done {
		there = nil
	}
	return there, done, err
}

// refuseForeign returns an error if the folder holds anything.
func (r *Record) refuseForeign(ctx context.Context, folder storage.Folder) error {
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			return fmt.Errorf("%s holds %q, but no %s of an earlier export: %w; choose an empty folder", folder, info.Name, RecordName, fs.ErrExist)
		}
	}
	return nil
}

// remove deletes what the record's request has written, the record last, so that a
// deletion that was cut short can be repeated. A folder with other files in it is
// refused before anything is deleted.
func (r *Record) remove(ctx context.Context, folder storage.Folder) error {
	var names []string
	for info, err := range folder.List(ctx, "") {
		switch {
		case err != nil:
			return fmt.Errorf("overwrite %s: %w", folder, err)
		case info.Name == RecordName || strings.HasPrefix(info.Name, storage.TemporaryFolder):
		case r.wrote(info.Name):
			names = append(names, info.Name)
		default:
			return fmt.Errorf("%s holds %q, which this export did not write; nothing was deleted: move it away, or choose another --out", folder, info.Name)
		}
	}
	for _, name := range append(names, RecordName) {
		if err := folder.Remove(ctx, name); err != nil {
			return fmt.Errorf("overwrite %s: %w", folder, err)
		}
	}
	return nil
}

// wrote says whether a file is of the record: one of its list or, where it was
// interrupted before there was one, one with such a name.
func (r *Record) wrote(name string) bool {
	if r.Complete {
		return slices.ContainsFunc(r.Files, func(f File) bool { return f.Name == name })
	}
	code, rest, _ := strings.Cut(name, "/")
	if !language.Valid(code) || !slices.ContainsFunc(r.Languages, func(l Language) bool { return l.Language == code }) {
		return false
	}
	if r.Config.Format == FormatHuggingFace {
		matched, _ := path.Match("data/*/*.jsonl", rest)
		return matched || rest == "README.md"
	}
	return rest == "README.txt" || rest == senteval.ShimName ||
		slices.ContainsFunc(senteval.Tasks(), func(t senteval.Task) bool { return slices.Contains(t.FileNames(), rest) })
}
