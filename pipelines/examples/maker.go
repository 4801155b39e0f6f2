package examples

import (
	"context"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairs/pairing"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/masking"
	"sentweave/transforms/tokens/wordpiece"
)

// Chains and steps of the funnel.
const (
	chainPairs    = "pairs"
	chainExamples = "examples"
	stepTokenize  = "tokenize"
	stepMask      = "mask"
)

// Reasons of pairs that give no example.
const (
	reasonNoTokens = "no_tokens"
	// ReasonUnknownLabel: the label is not one of schemas.Labels, or that of an item is not a number.
	ReasonUnknownLabel = "unknown_label"
)

// maker turns token ids into examples. Its exported fields travel to the worker.
type maker struct {
	Config     Config
	Seed       uint64
	Vocabulary units.File

	tokenizer tokens.Tokenizer
	special   tokens.Special
	masker    *masking.Masker
}

func (m *maker) setup(ctx context.Context) error {
	if err := m.Vocabulary.Verify(ctx); err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	v, err := openVocabulary(ctx, m.Vocabulary.Location)
	if err != nil {
		return err
	}
	if err := v.CheckCase(m.Config.Cased); err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary.Location, err)
	}
	options := wordpiece.Uncased
	if m.Config.Cased {
		options = wordpiece.Cased
	}
	if m.special, err = v.Special(); err != nil { // first: it names all tokens that are missing
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary.Location, err)
	}
	if m.tokenizer, err = formats.NewTokenizer(v, options); err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary.Location, err)
	}
	words, err := masking.VocabularyOf(v)
	if err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary.Location, err)
	}
	if m.masker, err = masking.New(m.Config.masking(m.Seed), words); err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary.Location, err)
	}
	return nil
}

// writer writes the examples of one unit, in memory that is used again.
type writer struct {
	*maker
	attempt   *dataset.Attempt[schemas.Example]
	a, b      []int32 // the sides
	masked    []int32
	positions []int32
	originals []int32
	languages map[[2]string]string
}

func (m *maker) writer(attempt *dataset.Attempt[schemas.Example]) *writer {
	return &writer{maker: m, attempt: attempt, languages: map[[2]string]string{}}
}

// wrap puts [CLS] and [SEP] around ids, cut to the length of a side.
func (m *maker) wrap(dst, ids []int32) []int32 {
	ids = ids[:min(len(ids), m.Config.MaxTokens-2)]
	return append(append(append(dst[:0], m.special.Classify), ids...), m.special.Separate)
}

// language is the language of an example in a funnel.
func (w *writer) language(a, b string) string {
	if b == "" || a == b {
		return a
	}
	name, ok := w.languages[[2]string{a, b}]
	if !ok {
		name = min(a, b) + "-" + max(a, b)
		w.languages[[2]string{a, b}] = name
	}
	return name
}

// write writes the rows of an example: one for each masking of the second side where
// the texts are consecutive, else the texts as they are.
func (w *writer) write(ctx context.Context, e schemas.Example) error {
	e.LengthA, e.LengthB = int32(len(e.TokensA)), int32(len(e.TokensB))
	if e.Kind != schemas.KindConsecutive || w.Config.Mask == maskTrainer {
		return w.put(ctx, e)
	}
	original := e.TokensB
	for c := range int32(w.Config.Copies) {
		e.Copy = c
		w.masked = append(w.masked[:0], original...)
		var err error
		w.positions, w.originals, err = w.masker.Append(w.positions[:0], w.originals[:0], w.masked, e.ID, c)
		if err != nil {
			return fmt.Errorf("mask example %s: %w", e.ID, err)
		}
		e.TokensB, e.MaskPositions, e.MaskTokens = w.masked, w.positions, w.originals
		if err := w.put(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) put(ctx context.Context, e schemas.Example) error {
	if err := w.attempt.Funnel().Keep(chainExamples, w.language(e.LanguageA, e.LanguageB), 1); err != nil {
		return err
	}
	return w.attempt.Write(ctx, e)
}

// encoded is the tokens of a document's sentences, in memory that is reused.
type encoded struct {
	tokens    [][]int32
	sentences []pairing.Sentence
	arena     []int32
	ends      []int
}

// encode tokenizes the sentences of a document.
func (e *encoded) encode(t tokens.Tokenizer, sentences []schemas.Sentence) {
	e.arena, e.ends, e.tokens, e.sentences = e.arena[:0], e.ends[:0], e.tokens[:0], e.sentences[:0]
	for _, s := range sentences {
		e.arena = t.Encode(e.arena, s.Text)
		e.ends = append(e.ends, len(e.arena))
	}
	start := 0
	for i, end := range e.ends { // after the arena has stopped growing
		e.tokens = append(e.tokens, e.arena[start:end])
		e.sentences = append(e.sentences,
			pairing.Sentence{Position: sentences[i].Position, Language: sentences[i].Language, Length: end - start})
		start = end
	}
}
