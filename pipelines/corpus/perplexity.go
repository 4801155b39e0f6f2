package corpus

import (
	"context"
	"fmt"
	"slices"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/mapped"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/tokens/languagemodel"
	"sentweave/transforms/tokens/ngram"
	"sentweave/transforms/tokens/unigram"
)

// openModels opens the language models of files.
func openModels(ctx context.Context, files []LanguageFile) (map[string]filters.LanguageModel, error) {
	pieces, models := map[string]*unigram.Tokenizer{}, map[string]filters.LanguageModel{}
	for _, f := range slices.Backward(files) { // pieces before the models over them
		fault := func(err error) error { return fmt.Errorf("%s: %s: %w", f.Flag, f.Location, err) }
		if f.Flag == wordsFlag {
			continue
		}
		if f.Flag == piecesFlag {
			t, err := openPieces(ctx, f.Location)
			if err != nil {
				return nil, fault(err)
			}
			pieces[f.Language] = t
			continue
		}
		m, err := openNgram(ctx, f.Location)
		if err != nil {
			return nil, fault(err)
		}
		if models[f.Language], err = languagemodel.New(m, pieces[f.Language]); err != nil {
			return nil, fault(err)
		}
	}
	return models, nil
}

// mostPieces is how many bytes a model of pieces may have: 65,536 pieces have 1 MB.
const mostPieces = 64 << 20

func openPieces(ctx context.Context, location string) (*unigram.Tokenizer, error) {
	data, err := storage.ReadLocation(ctx, location, mostPieces)
	if err != nil {
		return nil, err
	}
	read, err := unigram.ReadModel(data, unigram.XLMRClass)
	if err != nil {
		return nil, err
	}
	vocabulary, err := read.Vocabulary()
	if err != nil {
		return nil, err
	}
	return vocabulary.(*unigram.Tokenizer), nil
}

// openNgram opens an n-gram model. A binary file is not read, but mapped.
func openNgram(ctx context.Context, location string) (*ngram.Model, error) {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	begin := make([]byte, min(64, object.Size()))
	if _, err := object.ReadAt(begin, 0); err != nil {
		return nil, err
	}
	if ngram.IsBinary(begin) {
		data, err := mapped.Content(ctx, location)
		if err != nil {
			return nil, err
		}
		return ngram.ReadBinary(data)
	}
	stream, err := compressed.OpenFile(location, object)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	size := object.Size()
	if _, extension := compressed.Cut(location); extension != "" {
		size *= compressed.MaxExpansion
	}
	return ngram.ReadARPA(stream, size)
}
