package vocab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/unigram"
	unigramlearner "sentweave/transforms/tokens/unigram/learner"
	"sentweave/transforms/tokens/wordpiece"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	Overwrite bool
	// Observe is called with each threshold of the search of WordPiece and the size it gives, ObservePieces after each step of
	// Unigram with the number of pieces, and of those of a word.
	Observe       func(threshold int64, size int)
	ObservePieces func(pieces int, perWord float64)
}

// Run learns a vocabulary into the folder at output. Existed says that it was
// there already. Memory is that of the words and of the pieces that the thresholds of the search could keep: 4 GB for 5 million words
// and 500,000 pieces.
func Run(ctx context.Context, output string, c Config, o Options) (record *Record, existed bool, err error) {
	folder, input, m, record, err := c.request(ctx, output)
	if err != nil {
		return nil, false, err
	}
	existing, err := record.present(ctx, folder, o.Overwrite)
	if err != nil || existing != nil {
		return existing, existing != nil, err
	}
	if err := storage.CheckWritable(ctx, folder, RecordName); err != nil { // before anything is learned
		return nil, false, fmt.Errorf("write vocabulary: %w", err)
	}
	var counts learner.Counts
	for row, err := range dataset.Rows[schemas.WordCount](ctx, input, m) {
		if err != nil {
			return nil, false, err
		}
		counts.Add(row.Word, row.Language, row.Count)
	}
	v, err := c.learn(ctx, &counts, record, o)
	if err != nil {
		return nil, false, err
	}
	record.Pieces, record.Hash = v.Size(), hashOf(v)
	if record.Languages, err = coverage(ctx, input, m, v); err != nil {
		return nil, false, err
	}
	return record, false, record.write(ctx, folder, v)
}

// learn learns the vocabulary.
func (c Config) learn(ctx context.Context, counts *learner.Counts, record *Record, o Options) (tokens.Vocabulary, error) {
	if c.Model == unigramModel {
		r, err := unigramlearner.Learn(ctx, counts.Smoothed(c.Exponent, 0, math.MaxInt), c.unigram(), o.ObservePieces)
		if err != nil {
			return nil, err
		}
		record.Words, record.WordsLost = r.Words, r.Lost
		file, err := unigram.Serialize(r.Pieces)
		if err != nil {
			return nil, err
		}
		return parse(formats.SerializedName, file)
	}
	r, err := learner.Learn(ctx, counts.Smoothed(c.Exponent, c.MinCount, c.MaxCharacters), c.learner(), o.Observe)
	if err != nil {
		return nil, err
	}
	record.Threshold, record.Searched, record.Words, record.WordsLost = r.Threshold, r.Searched, r.Words, r.WordsLost
	return wordpiece.NewVocabulary(r.Pieces)
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
	var counted struct {
		Spaces bool `json:"spaces"`
	}
	switch err := jsonfile.Unmarshal(m.Plan.Config, &counted); {
	case err != nil:
		return nil, nil, nil, nil, fmt.Errorf("wordcounts: %w", err)
	case counted.Spaces && c.Model != unigramModel:
		return nil, nil, nil, nil, errors.New("wordcounts: its words are those between spaces: give --model unigram, or counts that wordcounts makes without --spaces")
	case !counted.Spaces && c.Model == unigramModel:
		return nil, nil, nil, nil, errors.New("wordcounts: its words are cut at punctuation, as BERT does: for --model unigram give counts that wordcounts makes with --spaces")
	}
	return folder, input, m, &Record{Record: dataset.Record[Config]{Stage: "vocab", Version: Version, Config: c.recorded()},
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

// write publishes the vocabulary, for Unigram with the settings that transformers reads beside it, then the record.
func (r *Record) write(ctx context.Context, folder storage.Folder, v tokens.Vocabulary) error {
	var text bytes.Buffer
	if _, err := v.WriteTo(&text); err != nil {
		return err
	}
	table, err := r.table()
	if err != nil {
		return err
	}
	files := map[string][]byte{r.FileName(): text.Bytes(), CoverageName: table}
	if names := v.SpecialTokens(); r.Config.Model == unigramModel {
		settings, err := json.Marshal(map[string]string{"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": names.Unknown,
			"pad_token": names.Padding, "cls_token": names.Classify, "bos_token": names.Classify, "sep_token": names.Separate,
			"eos_token": names.Separate, "mask_token": names.Mask})
		if err != nil {
			return err
		}
		files[settingsName] = settings
	}
	// Another vocabulary goes once this one is there.
	for _, name := range []string{RecordName, FileName, formats.SerializedName, settingsName, CoverageName} {
		if err := folder.Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for name, content := range files {
		if err := storage.WriteFile(ctx, folder, name, content, storage.Replace); err != nil {
			return fmt.Errorf("write vocabulary: %w", err)
		}
	}
	if err := dataset.WriteRecord(ctx, folder, RecordName, " ", r); err != nil {
		return fmt.Errorf("write vocabulary: %w", err)
	}
	return nil
}
