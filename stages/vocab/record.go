package vocab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens/wordpiece"
)

// Record is what vocab.json holds: no clock, no path, so that equal requests
// give equal files.
type Record struct {
	Stage   string `json:"stage"`
	Version int    `json:"version"`
	// Config is what was asked for, Input what it was learned from.
	Config Config        `json:"config"`
	Input  dataset.Input `json:"input"`
	// Pieces counts the lines of vocab.txt, Hash is the xxh3-128 of them.
	Pieces int    `json:"pieces"`
	Hash   string `json:"hash"`
	// Threshold is where the search ended, Searched the size it gave.
	Threshold int64 `json:"threshold"`
	Searched  int   `json:"searched"`
	// Words were learned from; WordsLost had a character too rare to be taken.
	Words     int `json:"words"`
	WordsLost int `json:"words_lost"`
	// Languages tells how well the pieces cover each language.
	Languages map[string]Coverage `json:"languages"`
}

// Coverage is how well a vocabulary serves one language.
type Coverage struct {
	// Words are the occurrences of all words; Unknown the share of them that has no
	// pieces; PiecesPerWord and CharactersPerPiece are means over the others.
	Words              int64   `json:"words"`
	Unknown            float64 `json:"unknown"`
	PiecesPerWord      float64 `json:"pieces_per_word"`
	CharactersPerPiece float64 `json:"characters_per_piece"`
}

// maxRecord bounds what is read of vocab.json.
const maxRecord = 16 << 20

// LoadRecord reads vocab.json and checks that vocab.txt is the file it speaks of.
func LoadRecord(ctx context.Context, folder storage.Folder) (*Record, error) {
	data, err := storage.ReadFile(ctx, folder, RecordName, maxRecord)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s in %s: %w: %w", RecordName, folder, dataset.ErrCorrupt, err)
	}
	v, err := LoadVocabulary(ctx, folder)
	if err != nil {
		return nil, err
	}
	if v.Hash() != r.Hash {
		return nil, fmt.Errorf("%s in %s: %w: its hash is %s, %s says %s", FileName, folder, dataset.ErrCorrupt, v.Hash(), RecordName, r.Hash)
	}
	return &r, nil
}

// LoadVocabulary reads vocab.txt.
func LoadVocabulary(ctx context.Context, folder storage.Folder) (*wordpiece.Vocabulary, error) {
	data, err := storage.ReadFile(ctx, folder, FileName, 1<<30)
	if err != nil {
		return nil, err
	}
	v, err := wordpiece.ReadVocabulary(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", FileName, folder, err)
	}
	return v, nil
}

// present returns the record of the same request if the folder holds it, nil if
// the folder is free, and an error for anything else.
func (r *Record) present(ctx context.Context, folder storage.Folder, overwrite bool) (*Record, error) {
	there, err := LoadRecord(ctx, folder)
	switch {
	case err == nil:
		if difference := r.difference(there); difference == "" {
			return there, nil
		} else if !overwrite {
			return nil, fmt.Errorf("%w stands in %s: %s; choose another --out, or give --overwrite", dataset.ErrOtherPlan, folder, difference)
		}
		return nil, folder.Remove(ctx, RecordName)
	case errors.Is(err, dataset.ErrCorrupt):
		return nil, nil // half of a run: it is done again
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		if info.Name != FileName && info.Name != RecordName && !strings.HasPrefix(info.Name, storage.TemporaryFolder) {
			return nil, fmt.Errorf("%s holds %q, but no vocabulary: %w; choose an empty folder", folder, info.Name, fs.ErrExist)
		}
	}
	return nil, nil
}

// difference names what makes two requests unequal, or returns "".
func (r *Record) difference(there *Record) string {
	var parts []string
	if r.Version != there.Version {
		parts = append(parts, fmt.Sprintf("version is %d there and %d here", there.Version, r.Version))
	}
	here, _ := json.Marshal(r.Config)
	present, _ := json.Marshal(there.Config)
	parts = append(parts, dataset.ConfigDifference(here, present)...)
	if d := r.Input.Difference(there.Input); d != "" {
		parts = append(parts, d)
	}
	return strings.Join(parts, "; ")
}
