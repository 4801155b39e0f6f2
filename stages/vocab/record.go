package vocab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/wordpiece"
)

// Record is what vocab.json holds.
type Record struct {
	dataset.Record[Config]
	// Input is what it was learned from.
	Input dataset.Input `json:"input"`
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

// LoadRecord reads vocab.json and checks that vocab.txt is the file it speaks of.
func LoadRecord(ctx context.Context, folder storage.Folder) (*Record, error) {
	var r Record
	if err := dataset.ReadRecord(ctx, folder, RecordName, "vocab", &r); err != nil {
		return nil, err
	}
	v, err := loadVocabulary(ctx, folder)
	if err != nil {
		return nil, err
	}
	if v.Hash() != r.Hash {
		return nil, fmt.Errorf("%s in %s: %w: its hash is %s, %s says %s", FileName, folder, dataset.ErrCorrupt, v.Hash(), RecordName,
			r.Hash)
	}
	return &r, nil
}

// loadVocabulary reads vocab.txt.
func loadVocabulary(ctx context.Context, folder storage.Folder) (*wordpiece.Vocabulary, error) {
	data, err := storage.ReadFile(ctx, folder, FileName, formats.MaxFile)
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
	existing, err := LoadRecord(ctx, folder)
	switch {
	case errors.Is(err, dataset.ErrCorrupt):
		return nil, nil // half of a run: it is done again
	case errors.Is(err, fs.ErrNotExist):
		return nil, dataset.Vacant(ctx, folder, "vocabulary", FileName, RecordName)
	case err != nil:
		return nil, err
	}
	switch difference := r.Difference(&existing.Record, []dataset.Input{r.Input}, []dataset.Input{existing.Input}); {
	case difference == "":
		return existing, nil
	case !overwrite:
		return nil, dataset.OtherRequest(folder, difference)
	}
	return nil, folder.Remove(ctx, RecordName)
}
