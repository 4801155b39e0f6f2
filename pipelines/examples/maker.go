package examples

import (
	"context"
	"fmt"
	"strconv"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/masking"
	"sentweave/transforms/pairing"
	"sentweave/transforms/wordpiece"
)

// Chains and steps of the funnel.
const (
	chainSentences = "sentences"
	chainPairs     = "pairs"
	chainExamples  = "examples"
	stepPair       = "pair"
	stepTokenize   = "tokenize"
	stepMask       = "mask"

	reasonNoTokens = "no_tokens"
)

// maker turns token ids into examples. Its exported fields travel to the worker.
type maker struct {
	Config     Config
	Seed       uint64
	Vocabulary string

	tokenizer *wordpiece.Tokenizer
	special   wordpiece.Special
	masker    *masking.Masker
	pairer    *pairing.Pairer
}

func (m *maker) setup() error {
	v, err := openVocabulary(m.Vocabulary)
	if err != nil {
		return err
	}
	options := wordpiece.Uncased
	if m.Config.Cased {
		options = wordpiece.Cased
	}
	if m.tokenizer, err = wordpiece.New(v, options); err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary, err)
	}
	if m.special, err = v.Special(); err != nil {
		return err
	}
	words := masking.Vocabulary{
		Size: int32(v.Size()), Mask: m.special.Mask, Continues: v.Continues,
		Special: []int32{m.special.Padding, m.special.Classify, m.special.Separate, m.special.Mask},
	}
	if m.masker, err = masking.New(m.Config.masking(m.Seed), words); err != nil {
		return fmt.Errorf("vocabulary %s: %w", m.Vocabulary, err)
	}
	m.pairer, err = pairing.New(m.Config.pairing(m.Seed))
	return err
}

// wrap puts [CLS] and [SEP] around ids, cut to the length of a side.
func (m *maker) wrap(ids []int32) []int32 {
	ids = ids[:min(len(ids), m.Config.MaxTokens-2)]
	side := make([]int32, 0, len(ids)+2)
	return append(append(append(side, m.special.Classify), ids...), m.special.Separate)
}

// write masks the second side as often as asked for and writes the rows.
func (m *maker) write(ctx context.Context, attempt *dataset.Attempt[schemas.Example], e schemas.Example) error {
	e.LengthA, e.LengthB = int32(len(e.TokensA)), int32(len(e.TokensB))
	language := e.LanguageA
	if e.LanguageB != "" && e.LanguageB != e.LanguageA {
		language = min(e.LanguageA, e.LanguageB) + "-" + max(e.LanguageA, e.LanguageB)
	}
	if len(e.TokensB) == 0 || m.Config.Mask == MaskTrainer {
		return m.put(ctx, attempt, language, e)
	}
	original := e.TokensB
	for c := range int32(m.Config.Copies) {
		row := e
		row.Copy = c
		row.TokensB = append([]int32(nil), original...)
		var err error
		row.MaskPositions, row.MaskTokens, err = m.masker.Append(nil, nil, row.TokensB, e.ID, c)
		if err != nil {
			return fmt.Errorf("mask example %s: %w", e.ID, err)
		}
		if err := m.put(ctx, attempt, language, row); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) put(ctx context.Context, attempt *dataset.Attempt[schemas.Example], language string, e schemas.Example) error {
	if err := attempt.Funnel().Keep(chainExamples, language, 1); err != nil {
		return err
	}
	return attempt.Write(ctx, e)
}

// encoded is the tokens of a document's sentences, in memory that is reused.
type encoded struct {
	tokens    [][]int32
	sentences []pairing.Sentence
	arena     []int32
	ends      []int
}

// encode tokenizes the sentences of a document.
func (e *encoded) encode(t *wordpiece.Tokenizer, sentences []schemas.Sentence) {
	e.arena, e.ends, e.tokens, e.sentences = e.arena[:0], e.ends[:0], e.tokens[:0], e.sentences[:0]
	for _, s := range sentences {
		e.arena = t.Encode(e.arena, s.Text)
		e.ends = append(e.ends, len(e.arena))
	}
	start := 0
	for i, end := range e.ends { // after the arena has stopped growing
		e.tokens = append(e.tokens, e.arena[start:end])
		e.sentences = append(e.sentences, pairing.Sentence{Position: sentences[i].Position, Language: sentences[i].Language, Length: end - start})
		start = end
	}
}

// pairID is the identity of two sides of a document, whatever their order.
func pairID(d schemas.Document, p pairing.Pair) string {
	first, second := p.A, p.B
	if p.Swapped {
		first, second = second, first
	}
	place := func(s pairing.Side) string {
		return strconv.Itoa(int(d.Sentences[s.First].Position)) + "." + strconv.Itoa(s.From)
	}
	return schemas.DerivedID(schemas.KindConsecutive, d.ID, place(first), place(second))
}
