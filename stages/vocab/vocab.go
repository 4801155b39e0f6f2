package vocab

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens/wordpiece"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	Overwrite bool
	// Observe is called with each threshold of the search and the size it gives.
	Observe func(threshold int64, size int)
}

// Run learns a vocabulary into the folder at output. Existed says that it was
// there already. Memory is that of the words, some 100 bytes each.
func Run(ctx context.Context, output string, c Config, o Options) (record *Record, existed bool, err error) {
	folder, input, m, record, err := c.request(ctx, output)
	if err != nil {
		return nil, false, err
	}
	existing, err := record.present(ctx, folder, o.Overwrite)
	if err != nil || existing != nil {
		return existing, existing != nil, err
	}
	var counts learner.Counts
	for row, err := range dataset.Rows[schemas.WordCount](ctx, input, m) {
		if err != nil {
			return nil, false, err
		}
		counts.Add(row.Word, row.Language, row.Count)
	}
	words := counts.Smoothed(c.Exponent, c.MinCount, c.MaxCharacters)
	result, err := learner.Learn(ctx, words, c.learner(), o.Observe)
	if err != nil {
		return nil, false, err
	}
	v, err := wordpiece.NewVocabulary(result.Pieces)
	if err != nil {
		return nil, false, err
	}
	record.Pieces, record.Hash, record.Threshold, record.Searched = v.Size(), v.Hash(), result.Threshold, result.Searched
	record.Words, record.WordsLost = result.Words, result.WordsLost
	if record.Languages, err = coverage(ctx, input, m, v); err != nil {
		return nil, false, err
	}
	return record, false, record.write(ctx, folder, v)
}

// request opens the folder at output and the word counts, and returns the record of what is asked for.
func (c Config) request(ctx context.Context, output string) (folder, input storage.Folder, m *dataset.Manifest, r *Record, err error) {
	if err = c.Validate(); err != nil {
		return nil, nil, nil, nil, err
	}
	if folder, err = storage.Locate(output); err != nil {
		return nil, nil, nil, nil, err
	}
	if input, m, err = dataset.OpenAs[schemas.WordCount](ctx, c.WordCounts); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("wordcounts: %w", err)
	}
	return folder, input, m, &Record{Record: dataset.Record[Config]{Stage: "vocab", Version: Version, Config: c},
		Input: m.Input("wordcounts")}, nil
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config) (dataset.Fate, error) {
	folder, _, _, record, err := c.request(ctx, output)
	if err != nil {
		return dataset.Fresh, err
	}
	existing, err := record.present(ctx, folder, false)
	if existing != nil {
		return dataset.Complete, nil
	}
	return dataset.Fresh, err
}

// write publishes the vocabulary, then the record.
func (r *Record) write(ctx context.Context, folder storage.Folder, v *wordpiece.Vocabulary) error {
	var text bytes.Buffer
	if _, err := v.WriteTo(&text); err != nil {
		return err
	}
	if err := storage.WriteFile(ctx, folder, FileName, text.Bytes(), storage.Replace); err != nil {
		return fmt.Errorf("write vocabulary: %w", err)
	}
	if err := dataset.WriteRecord(ctx, folder, RecordName, " ", r); err != nil {
		return fmt.Errorf("write vocabulary: %w", err)
	}
	return nil
}

// coverage tokenizes all counted words.
func coverage(ctx context.Context, input storage.Folder, m *dataset.Manifest, v *wordpiece.Vocabulary) (map[string]Coverage, error) {
	t, err := wordpiece.New(v, wordpiece.Cased) // the words are folded already
	if err != nil {
		return nil, nil // without special tokens nothing can be tokenized: no figures
	}
	special, err := v.Special()
	if err != nil {
		return nil, err
	}
	type sums struct{ words, unknown, pieces, characters int64 }
	totals := map[string]sums{}
	var ids []int32
	for row, err := range dataset.Rows[schemas.WordCount](ctx, input, m) {
		if err != nil {
			return nil, err
		}
		ids = t.Encode(ids[:0], row.Word)
		s := totals[row.Language]
		s.words += row.Count
		if len(ids) == 1 && ids[0] == special.Unknown {
			s.unknown += row.Count
		} else {
			s.pieces += row.Count * int64(len(ids))
			s.characters += row.Count * int64(utf8.RuneCountInString(row.Word))
		}
		totals[row.Language] = s
	}
	languages := map[string]Coverage{}
	for l, s := range totals {
		covered := max(1, s.words-s.unknown)
		languages[l] = Coverage{
			Words: s.words, Unknown: float64(s.unknown) / float64(max(1, s.words)),
			PiecesPerWord: float64(s.pieces) / float64(covered), CharactersPerPiece: float64(s.characters) / float64(max(1, s.pieces)),
		}
	}
	return languages, nil
}
