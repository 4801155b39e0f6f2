package wordcounts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// Chains and steps of the funnel.
const (
	chainSentences  = "sentences"
	chainWords      = "words"
	chainWordCounts = "wordcounts"
	stepCount       = "count"
	stepLength      = "length"
	stepSum         = "sum"

	reasonTooLong = "too_long"
)

// The longest words that are counted, in bytes, far above what a vocabulary takes: of the basic tokenizer, and between spaces, where
// scripts without spaces have sentences.
const (
	maxWord   = 256
	maxSpaced = 2048
)

func chains() []dataset.Chain {
	return []dataset.Chain{
		dataset.NewChain(chainSentences, stepCount), dataset.NewChain(chainWords, stepLength), dataset.NewChain(chainWordCounts, stepSum),
	}
}

// Counting is what the tasks that count have in common.
type Counting struct {
	Config Config
	Input  *units.Dataset
	// Extended are word counts of a part of the input, nil for none.
	Extended *units.Dataset
}

// Chains implements graph.Task.
func (t *Counting) Chains() []dataset.Chain { return chains() }

// Combine implements graph.Spiller.
func (t *Counting) Combine() exchange.Combine { return exchange.Sum }

func (t *Counting) counter(output *exchange.Output) *counter {
	options := wordpiece.Uncased
	if t.Config.Cased {
		options = wordpiece.Cased
	}
	c := &counter{out: output, splitter: wordpiece.NewSplitter(options), longest: maxWord, sentences: map[string]*tally{}}
	if t.Config.Spaces {
		c.splitter, c.longest = unigram.NewSplitter(), maxSpaced
	}
	return c
}

// countTask counts the words of a unit's documents.
type countTask struct{ Counting }

// Setup implements graph.Task.
func (t *countTask) Setup(ctx context.Context) error {
	return errors.Join(units.Reopen[schemas.Document](ctx, t.Input), units.ReopenExtended[schemas.WordCount](ctx, t.Extended))
}

// Spill implements graph.Spiller.
func (t *countTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if unit.Adopts != nil {
		return t.adopt(ctx, unit, output)
	}
	counts := t.counter(output)
	err := units.DatasetRows(ctx, t.Input, unit.Unit, func(d schemas.Document) error {
		for _, s := range d.Sentences {
			if err := counts.add(s.Language, s.Text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return counts.report()
}

// countPairsTask counts the words of a unit's pairs, in which a side is one sentence.
type countPairsTask struct{ Counting }

// Setup implements graph.Task.
func (t *countPairsTask) Setup(ctx context.Context) error {
	return errors.Join(units.Reopen[schemas.Pair](ctx, t.Input), units.ReopenExtended[schemas.WordCount](ctx, t.Extended))
}

// Spill implements graph.Spiller.
func (t *countPairsTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if unit.Adopts != nil {
		return t.adopt(ctx, unit, output)
	}
	counts := t.counter(output)
	err := units.DatasetRows(ctx, t.Input, unit.Unit, func(p schemas.Pair) error {
		if err := counts.add(p.LanguageA, p.TextA); err != nil || p.TextB == "" {
			return err
		}
		return counts.add(p.LanguageB, p.TextB)
	})
	if err != nil {
		return err
	}
	return counts.report()
}

// appendKey appends the key of a word: the word, a zero byte, the language.
func appendKey[W string | []byte](dst []byte, word W, language string) []byte {
	return append(append(append(dst, word...), 0), language...)
}

// counter hands every word to the exchange, which sums equal ones in its own
// memory.
type counter struct {
	out      *exchange.Output
	splitter interface {
		Words(text string) iter.Seq[[]byte]
	}
	longest   int               // word
	sentences map[string]*tally // by language
	key       []byte
}

// tally is what a unit holds of one language.
type tally struct {
	sentences, words, tooLong int64
}

// oneOccurrence is the value of a word that is seen once.
var oneOccurrence = exchange.AppendCount(nil, 1)

// add counts the words of a sentence.
func (c *counter) add(language, text string) error {
	t := c.sentences[language]
	if t == nil {
		t = &tally{}
		c.sentences[language] = t
	}
	t.sentences++
	for word := range c.splitter.Words(text) {
		if len(word) > c.longest {
			t.tooLong++
			continue
		}
		t.words++
		c.key = appendKey(c.key[:0], word, language)
		if err := c.out.Add(c.key, oneOccurrence); err != nil {
			return err
		}
	}
	return nil
}

// report fills in the funnel.
func (c *counter) report() error {
	f := c.out.Funnel()
	for language, t := range c.sentences { // counting commutes
		err := errors.Join(
			f.Keep(chainSentences, language, t.sentences), f.Keep(chainWords, language, t.words),
			f.Drop(chainWords, language, stepLength, reasonTooLong, t.tooLong))
		if err != nil {
			return err
		}
	}
	return nil
}

// sumTask sums the counts of one bucket of words.
type sumTask struct{ graph.Nothing }

// Chains implements graph.Task.
func (t *sumTask) Chains() []dataset.Chain { return chains() }

// Write implements graph.Writer.
func (t *sumTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.WordCount]) error {
	for record, err := range unit.Merge(ctx, exchange.Sum) {
		if err != nil {
			return err
		}
		word, language, ok := bytes.Cut(record.Key, []byte{0})
		if !ok {
			return fmt.Errorf("word count with key %q: it has no language", record.Key)
		}
		row := schemas.WordCount{Word: string(word), Language: string(language), Count: exchange.Count(record.Value)}
		if err := attempt.Funnel().Keep(chainWordCounts, row.Language, 1); err != nil {
			return err
		}
		if err := attempt.Write(ctx, row); err != nil {
			return err
		}
	}
	return nil
}
