package views

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/augment/synonym"
)

// maxWordnet is the largest file, in bytes; Princeton's data.noun has 15 MB.
const maxWordnet = 256 << 20

// wordnet is the files of a lexicon. It travels to the worker.
type wordnet struct {
	// Location is absolute: of the folder of Princeton's files, or of a table of synsets.
	Location string
	// Files are the folder's, none for a table.
	Files []dataset.File
	// Table is the table of synsets.
	Table units.File
}

// openWordnet finds the files of a lexicon, for a plan.
func openWordnet(ctx context.Context, location string) (w wordnet, input dataset.Input, err error) {
	if w.Location, err = storage.Absolute(location); err != nil {
		return w, input, fmt.Errorf("wordnet: %w", err)
	}
	if isTable(w.Location) {
		w.Table, input, err = units.OpenFile(ctx, "wordnet", w.Location)
		return w, input, err
	}
	folder, err := storage.Locate(w.Location)
	if err != nil {
		return w, input, fmt.Errorf("wordnet: %w", err)
	}
	names := synonym.PrincetonFiles()
	if w.Files, err = dataset.List(ctx, folder, func(name string) bool { return slices.Contains(names, name) }); err != nil {
		return w, input, fmt.Errorf("wordnet: %w", err)
	}
	for _, name := range names {
		if synonym.Required(name) && !slices.ContainsFunc(w.Files, func(f dataset.File) bool { return f.Name == name }) {
			return w, input, fmt.Errorf("wordnet: %s holds no %s: give the folder of Princeton's files, or a table of synsets whose name ends in .tsv",
				folder, name)
		}
	}
	return w, dataset.ListingInput("wordnet", w.Files), nil
}

// withoutForms names the files of irregular forms that a folder lacks; a table of
// synsets never has any. Adverbs have no forms that are replaced.
func (w wordnet) withoutForms() (missing []string) {
	for _, name := range synonym.PrincetonFiles() {
		present := slices.ContainsFunc(w.Files, func(f dataset.File) bool { return f.Name == name })
		if strings.HasSuffix(name, ".exc") && name != "adv.exc" && !present && !isTable(w.Location) {
			missing = append(missing, name)
		}
	}
	return missing
}

func isTable(location string) bool { return strings.HasSuffix(strings.ToLower(location), ".tsv") }

// read reads the lexicon. It is an error if a file has changed since the job was
// planned.
func (w wordnet) read(ctx context.Context) (*synonym.Lexicon, error) {
	if isTable(w.Location) {
		if err := w.Table.Verify(ctx); err != nil {
			return nil, fmt.Errorf("wordnet: %w", err)
		}
		data, err := storage.ReadLocation(ctx, w.Location, maxWordnet)
		if err != nil {
			return nil, fmt.Errorf("wordnet: %w", err)
		}
		lexicon, err := synonym.ReadSynsets(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("wordnet %s: %w", w.Location, err)
		}
		return lexicon, nil
	}
	folder, err := storage.Locate(w.Location)
	if err != nil {
		return nil, fmt.Errorf("wordnet: %w", err)
	}
	lexicon, err := synonym.ReadPrinceton(func(name string) (io.ReadCloser, error) {
		// Only what the plan knows: a file that came since is not there.
		i := slices.IndexFunc(w.Files, func(f dataset.File) bool { return f.Name == name })
		if i < 0 {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		data, err := storage.ReadFile(ctx, folder, name, maxWordnet)
		if err != nil {
			return nil, err
		}
		if int64(len(data)) != w.Files[i].Bytes || xxh3.Hash(data) != w.Files[i].XXH3 {
			return nil, fmt.Errorf("%s has changed since this job was planned; run the same command again, with --overwrite", name)
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	})
	if err != nil {
		return nil, fmt.Errorf("wordnet %s: %w", folder, err)
	}
	return lexicon, nil
}
