package vocab

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/wordpiece"
)

// Record is what vocab.json holds.
type Record struct {
	dataset.Record[Config]
	// Input is what it was learned from.
	Input dataset.Input `json:"input"`
	// Pieces counts those of the vocabulary, Hash is the xxh3-128 of all that decides ids.
	Pieces int    `json:"pieces"`
	Hash   string `json:"hash"`
	// Threshold is where the search of WordPiece ended, Searched the size it gave.
	Threshold int64 `json:"threshold"`
	Searched  int   `json:"searched"`
	// Words were learned from; WordsLost were not: WordPiece leaves out those with a character too rare to be taken.
	Words     int `json:"words"`
	WordsLost int `json:"words_lost"`
	// Languages tells how well the pieces cover each language.
	Languages map[string]Coverage `json:"languages"`
}

// FileName is the name of the file of the vocabulary.
func (r *Record) FileName() string { return r.Config.fileName() }

// Load reads vocab.json and the vocabulary, and checks that the vocabulary is the one it speaks of.
func Load(ctx context.Context, folder storage.Folder) (*Record, tokens.Vocabulary, error) {
	var r Record
	if err := dataset.ReadRecord(ctx, folder, RecordName, "vocab", &r); err != nil {
		return nil, nil, err
	}
	name := r.FileName()
	data, err := storage.ReadFile(ctx, folder, name, formats.MaxFile)
	if err != nil {
		return nil, nil, err
	}
	v, err := parse(name, data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s in %s: %w", name, folder, err)
	}
	if hash := hashOf(v); hash != r.Hash {
		return nil, nil, fmt.Errorf("%s in %s: %w: its hash is %s, %s says %s", name, folder, dataset.ErrCorrupt, hash, RecordName, r.Hash)
	}
	return &r, v, nil
}

// parse reads the file of a vocabulary.
func parse(name string, data []byte) (tokens.Vocabulary, error) {
	if name == FileName {
		return wordpiece.ReadVocabulary(bytes.NewReader(data))
	}
	s, err := formats.ReadSerialized(data)
	if err != nil {
		return nil, err
	}
	return s.Vocabulary()
}

// hashOf is the xxh3-128 of all that decides ids.
func hashOf(v tokens.Vocabulary) string {
	sum := xxh3.HashString128(v.Content()).Bytes()
	return hex.EncodeToString(sum[:])
}

// present returns the record of the same request if the folder holds it, nil if
// the folder is free, and an error for anything else.
func (r *Record) present(ctx context.Context, folder storage.Folder, overwrite bool) (*Record, error) {
	existing, _, err := Load(ctx, folder)
	switch {
	case errors.Is(err, dataset.ErrCorrupt):
		return nil, nil // half of a run: it is done again
	case errors.Is(err, fs.ErrNotExist):
		return nil, dataset.Vacant(ctx, folder, "vocabulary", FileName, formats.SerializedName, settingsName, CoverageName,
			RecordName)
	case err != nil:
		return nil, err
	}
	switch difference := r.Difference(&existing.Record, []dataset.Input{r.Input}, []dataset.Input{existing.Input}); {
	case difference == "":
		return existing, nil
	case !overwrite:
		return nil, dataset.OtherRequest(folder, difference)
	}
	return nil, nil
}
