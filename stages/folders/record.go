package folders

import (
	"context"
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

// Record is what folders.json holds.
type Record struct {
	dataset.Record[Config]
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

// LoadRecord reads folders.json. Errors match fs.ErrNotExist and dataset.ErrCorrupt.
func LoadRecord(ctx context.Context, folder storage.Folder) (*Record, error) {
	var r Record
	if err := dataset.ReadRecord(ctx, folder, RecordName, "folders", &r); err != nil {
		return nil, err
	}
	return &r, nil
}

func (r *Record) write(ctx context.Context, folder storage.Folder) error {
	return dataset.WriteRecord(ctx, folder, RecordName, "  ", r)
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

// present says whether the folder holds what is asked for. It is an error if it holds
// anything else, unless that is an output of this stage that may be overwritten: then
// its record is returned, which is not complete.
func (r *Record) present(ctx context.Context, folder storage.Folder, overwrite bool) (existing *Record, complete bool, err error) {
	existing, err = LoadRecord(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		foreign := dataset.Vacant(ctx, folder, RecordName+" of an earlier export")
		if foreign == nil {
			return nil, false, nil
		}
		if existing, err = LoadRecord(ctx, folder); err != nil { // unless another process began in between
			return nil, false, foreign
		}
	}
	if err != nil {
		return nil, false, err
	}
	switch difference := r.Difference(&existing.Record, r.Inputs, existing.Inputs); {
	case difference != "" && !overwrite:
		return nil, false, dataset.OtherRequest(folder, difference)
	case difference != "":
		return existing, false, nil
	case !existing.Complete:
		return nil, false, nil
	}
	if complete, err = existing.whole(ctx, folder); !complete {
		existing = nil
	}
	return existing, complete, err
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
			return fmt.Errorf("%s holds %q, which this export did not write; nothing was deleted: move it away, or choose another --out",
				folder, info.Name)
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
