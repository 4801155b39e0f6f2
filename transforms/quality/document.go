package quality

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"sentweave/schemas"
)

// Why a document is dropped.
const (
	ReasonFewSentences          = "too_few_sentences"
	ReasonFewCharacters         = "too_few_characters"
	ReasonLanguageScore         = "language_score"
	ReasonLoremIpsum            = "lorem_ipsum"   // with DocumentConfig.C4
	ReasonCurlyBracket          = "curly_bracket" // with DocumentConfig.C4
	ReasonDuplicateSentences    = "duplicate_sentences"
	ReasonDuplicateSentenceText = "duplicate_sentence_characters"
	ReasonDuplicateBlocks       = "duplicate_blocks"
	ReasonDuplicateBlockText    = "duplicate_block_characters"
	ReasonTopNGram              = "top_ngram"
	ReasonDuplicateNGrams       = "duplicate_ngrams"
)

// NGramLimit bounds the share of characters in n-grams of one length.
type NGramLimit struct {
	N   int
	Max float64
}

// DocumentConfig holds the thresholds for documents. "Gopher" is Rae et al. 2021,
// table A1; its lines are our sentences, its paragraphs our blocks.
type DocumentConfig struct {
	// MinSentences is the least number of sentences. Default 2: a pair needs two.
	MinSentences int
	// MinCharacters is the least number of characters of all sentences. Default 100;
	// cc_net has 300 for text that is not yet split. MinDenseCharacters stands for it
	// in scripts where a character is a word or a syllable. Default 40.
	MinCharacters, MinDenseCharacters int
	// MinLanguageScore is the least score of the document's language. Default .5
	// (stopes). LanguageScores replaces it for single languages; stopes goes down to
	// .2 for some.
	MinLanguageScore float64
	LanguageScores   map[string]float64
	// MaxDuplicateSentences is the greatest share of sentences that repeat an
	// earlier one, MaxDuplicateSentenceCharacters that of their characters.
	// Defaults .3 and .2 (Gopher).
	MaxDuplicateSentences, MaxDuplicateSentenceCharacters float64
	// MaxDuplicateBlocks and MaxDuplicateBlockCharacters are the same for blocks.
	// Defaults .3 and .2 (Gopher).
	MaxDuplicateBlocks, MaxDuplicateBlockCharacters float64
	// TopNGrams bounds the share of characters in the most frequent n-gram, where
	// that occurs at least twice. Default 2: .2, 3: .18, 4: .16 (Gopher).
	TopNGrams []NGramLimit
	// DuplicateNGrams bounds the share of characters in n-grams that repeat an
	// earlier one, none counted twice. In rising N. Default 5: .15, 6: .14, 7: .13,
	// 8: .12, 9: .11, 10: .1 (Gopher).
	DuplicateNGrams []NGramLimit
	// NGramsFrom is the number of words from which the two rules on n-grams apply.
	// Default 50, the smallest document that Gopher keeps at all: in a few lines a
	// name that stands twice would be a fifth of the text.
	NGramsFrom int
	// C4 drops documents with "lorem ipsum" or "{" (Raffel et al. 2020, section
	// 2.2). Default false: program text is no reason to lose a manual.
	C4 bool
}

// DefaultDocumentConfig returns the repetition filters of Gopher and small minima.
func DefaultDocumentConfig() DocumentConfig {
	return DocumentConfig{
		MinSentences: 2, MinCharacters: 100, MinDenseCharacters: 40, MinLanguageScore: .5,
		MaxDuplicateSentences: .3, MaxDuplicateSentenceCharacters: .2,
		MaxDuplicateBlocks: .3, MaxDuplicateBlockCharacters: .2,
		TopNGrams:       []NGramLimit{{2, .2}, {3, .18}, {4, .16}},
		DuplicateNGrams: []NGramLimit{{5, .15}, {6, .14}, {7, .13}, {8, .12}, {9, .11}, {10, .1}},
		NGramsFrom:      50,
	}
}

// Validate returns all faults of c, joined, or nil.
func (c DocumentConfig) Validate() error {
	var f faults
	f.check(c.MinSentences >= 0, "min_sentences %d: want 0 or more", c.MinSentences)
	f.check(c.MinCharacters >= 0, "min_characters %d: want 0 or more", c.MinCharacters)
	f.check(c.MinDenseCharacters >= 0, "min_dense_characters %d: want 0 or more", c.MinDenseCharacters)
	f.share("min_language_score", c.MinLanguageScore)
	for _, language := range slices.Sorted(maps.Keys(c.LanguageScores)) {
		f.share("language_scores of "+language, c.LanguageScores[language])
	}
	f.share("max_duplicate_sentences", c.MaxDuplicateSentences)
	f.share("max_duplicate_sentence_characters", c.MaxDuplicateSentenceCharacters)
	f.share("max_duplicate_blocks", c.MaxDuplicateBlocks)
	f.share("max_duplicate_block_characters", c.MaxDuplicateBlockCharacters)
	f.limits("top_ngrams", c.TopNGrams)
	f.limits("duplicate_ngrams", c.DuplicateNGrams)
	f.check(c.NGramsFrom >= 0, "ngrams_from %d: want 0 or more", c.NGramsFrom)
	return errors.Join(f...)
}

func (f *faults) limits(name string, limits []NGramLimit) {
	for i, l := range limits {
		f.check(l.N >= 1, "%s %d: n is %d, want at least 1", name, i, l.N)
		f.check(i == 0 || l.N > limits[i-1].N, "%s %d: n is %d after %d, want rising lengths", name, i, l.N, limits[max(1, i)-1].N)
		f.share(name, l.Max)
	}
}

// DocumentFilter judges documents. It is safe for concurrent use.
type DocumentFilter struct {
	config  DocumentConfig
	table   *[tableSize]character
	scratch sync.Pool // of *repetition
}

// NewDocumentFilter returns a filter, or all faults of the configuration.
func NewDocumentFilter(c DocumentConfig) (*DocumentFilter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	f := &DocumentFilter{config: c, table: table()}
	f.scratch.New = func() any { return &repetition{table: f.table} }
	return f, nil
}

// Check judges a document by its language score and its sentences. It returns the
// first reason to drop it, in the order of the constants, and the measure that
// decided; or "" and 0. Memory is reused from call to call.
func (f *DocumentFilter) Check(d schemas.Document) (reason string, measure float64) {
	conf := &f.config
	if n := len(d.Sentences); n < conf.MinSentences {
		return ReasonFewSentences, float64(n)
	}
	var c counts
	for _, s := range d.Sentences {
		c.add(f.table, s.Text)
	}
	letters, dense, _ := c.letters()
	minimum := conf.MinCharacters
	if 2*dense > letters {
		minimum = conf.MinDenseCharacters
	}
	if c.characters < minimum {
		return ReasonFewCharacters, float64(c.characters)
	}
	least, ok := conf.LanguageScores[d.Language]
	if !ok {
		least = conf.MinLanguageScore
	}
	if d.LanguageScore < float32(least) {
		return ReasonLanguageScore, float64(d.LanguageScore)
	}
	if conf.C4 {
		for _, s := range d.Sentences {
			if containsFold(s.Text, "lorem ipsum") {
				return ReasonLoremIpsum, 0
			}
			if strings.IndexByte(s.Text, '{') >= 0 {
				return ReasonCurlyBracket, 0
			}
		}
	}
	r := f.scratch.Get().(*repetition)
	defer f.scratch.Put(r)
	return f.repeats(r, &c, d.Sentences)
}

// repeats applies the rules on repetition.
func (f *DocumentFilter) repeats(r *repetition, c *counts, sentences []schemas.Sentence) (string, float64) {
	conf := &f.config
	r.read(c, sentences)
	rules := [...]struct {
		reason  string
		measure float64
		max     float64
	}{
		{ReasonDuplicateSentences, r.sentences.share(), conf.MaxDuplicateSentences},
		{ReasonDuplicateSentenceText, r.sentences.characterShare(), conf.MaxDuplicateSentenceCharacters},
		{ReasonDuplicateBlocks, r.blocks.share(), conf.MaxDuplicateBlocks},
		{ReasonDuplicateBlockText, r.blocks.characterShare(), conf.MaxDuplicateBlockCharacters},
	}
	for _, rule := range rules {
		if rule.measure > rule.max {
			return rule.reason, rule.measure
		}
	}
	if r.words() < conf.NGramsFrom {
		return "", 0
	}
	for _, l := range conf.TopNGrams {
		if share := r.topNGram(l.N); share > l.Max {
			return ReasonTopNGram, share
		}
	}
	for _, l := range conf.DuplicateNGrams {
		share := r.duplicateNGrams(l.N)
		if share > l.Max {
			return ReasonDuplicateNGrams, share
		}
		if share == 0 {
			break // a longer n-gram that repeats holds a shorter one that does
		}
	}
	return "", 0
}
