package corpus

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/mapped"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/tokens/languagemodel"
	"sentweave/transforms/tokens/ngram"
	"sentweave/transforms/tokens/unigram"
)

// Perplexity are the flags of the filter perplexity.
type Perplexity struct {
	PerplexityModel map[string]string `help:"N-gram models with back-off by language, as ARPA files (also .gz) or KenLM's binary files: the filter perplexity runs. Documents in languages without one pass it." placeholder:"LANG=FILE" mapsep:"," group:"Filters" json:"-"`
	Pieces          map[string]string `help:"SentencePiece's Unigram models by language: those of --perplexity-model are over their pieces, and texts are normalized as in CCNet. Without it the models are over words, which are parted by white space and not changed." placeholder:"LANG=FILE" mapsep:"," group:"Filters" json:"-"`
	// PerplexityModels are the roles of both among the plan's inputs, if the filter runs.
	PerplexityModels []string `kong:"-" json:"perplexity_models,omitempty"`
}

// LanguageFile is a file of a language that a flag names.
type LanguageFile struct {
	Flag, Language string
	units.File
}

// Role is the role of the file among the plan's inputs.
func (f LanguageFile) Role() string { return f.Flag + " " + f.Language }

// LanguageFiles returns the files of the flags in the order of their roles. An error says what is wrong with the flags.
func (p *Perplexity) LanguageFiles() ([]LanguageFile, error) {
	var list []LanguageFile
	var errs fault.List
	for _, flag := range []struct {
		name  string
		files map[string]string
	}{{"perplexity-model", p.PerplexityModel}, {"pieces", p.Pieces}} {
		given := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(flag.files)) {
			code, err := language.Parse(name)
			if err != nil {
				errs.Addf("%s: %w", flag.name, err)
				continue
			}
			errs.Check(given[code] == "", "%s: %s and %s are one language", flag.name, given[code], name)
			given[code] = name
			list = append(list, LanguageFile{flag.name, code, units.File{Location: flag.files[name]}})
		}
	}
	for _, f := range list {
		hasModel := slices.ContainsFunc(list, func(m LanguageFile) bool { return m.Flag != "pieces" && m.Language == f.Language })
		errs.Check(hasModel, "pieces: %s has no --perplexity-model", f.Language)
	}
	return list, errs.Err()
}

// checkPerplexity returns an error for a filter without models, and for models without the filter.
func (c Config) checkPerplexity() error {
	var errs fault.List
	list, err := c.LanguageFiles()
	errs.Add(err)
	runs := slices.Contains(c.filterNames(), filters.PerplexityName)
	errs.Check(!runs || len(c.PerplexityModel) > 0, "perplexity-model is empty: give the filter perplexity language models, as in eng=en.arpa.bin")
	errs.Check(runs || len(list) == 0, "perplexity-model has no effect without the filter perplexity: name it among the filters")
	return errs.Err()
}

// planPerplexity opens the language models, before any work and in the launcher's words, and reads their files for a plan.
func (c *Config) planPerplexity(ctx context.Context) (files []LanguageFile, inputs []dataset.Input, err error) {
	if files, err = c.LanguageFiles(); err != nil {
		return nil, nil, err
	}
	if _, err := openModels(ctx, files); err != nil {
		return nil, nil, err
	}
	for i := range files {
		var input dataset.Input
		if files[i].File, input, err = units.OpenFile(ctx, files[i].Role(), files[i].Location); err != nil {
			return nil, nil, err
		}
		inputs, c.PerplexityModels = append(inputs, input), append(c.PerplexityModels, files[i].Role())
	}
	return files, inputs, nil
}

// openModels opens the language models of files.
func openModels(ctx context.Context, files []LanguageFile) (map[string]filters.LanguageModel, error) {
	pieces, models := map[string]*unigram.Tokenizer{}, map[string]filters.LanguageModel{}
	for _, f := range slices.Backward(files) { // pieces before the models over them
		fault := func(err error) error { return fmt.Errorf("%s: %s: %w", f.Flag, f.Location, err) }
		if f.Flag == "pieces" {
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
