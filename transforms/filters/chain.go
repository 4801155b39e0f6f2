package filters

import (
	"slices"
	"sync"

	"sentweave/schemas"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/thresholds"
	"sentweave/transforms/filters/wordlist"
)

// Chain runs filters one after the other. It is safe for concurrent use.
type Chain struct {
	// Thresholds take the place of those of the rules. They are set before the first page.
	Thresholds thresholds.Languages
	// Classifier is that of the filter fasttext, nil for none. It is set before the first page.
	Classifier *Classifier
	// Models are those of the filter perplexity, by language. They are set before the first page.
	Models map[string]LanguageModel
	// Words are the lists of the filter words, nil for none. They are set before the first page.
	Words *wordlist.Lists

	sentence []SentenceCheck
	document []DocumentCheck
	reasons  []string  // those of sentence
	scores   []string  // the names of their shares
	pages    sync.Pool // of *Page
}

// NewChain returns the chain of these rules, in their order.
func NewChain(list []Rules) *Chain {
	c := &Chain{}
	for _, r := range list {
		if r.Sentence != nil {
			c.sentence = append(c.sentence, r.Sentence)
		}
		c.reasons = append(c.reasons, r.SentenceReasons...)
		if r.Document != nil {
			c.document = append(c.document, r.Document)
		}
	}
	for _, reason := range c.reasons {
		c.scores = append(c.scores, "sentences_"+reason)
	}
	c.pages.New = func() any {
		d := Document{quality: newQuality(c.Classifier), models: newModels(c.Models), words: wordlist.NewScanner(c.Words)}
		return &Page{chain: c, document: d, dropped: make([]int, len(c.reasons))}
	}
	return c
}

// Page is a document on its way through a chain. First its sentences are judged, one
// after the other, then the document of the sentences that are left. Each character is
// counted once. Only one goroutine may use a page, and its memory is reused after
// Close.
type Page struct {
	chain    *Chain
	counts   characters.Counts // of the sentence that is judged
	document Document
	verdict  Verdict
	dropped  []int // sentences, by reason
}

// Page begins a document.
func (c *Chain) Page() *Page { return c.pages.Get().(*Page) }

// Close returns the memory of the page for reuse.
func (p *Page) Close() {
	clear(p.document.Sentences) // they hold the texts
	d := &p.document
	*d = Document{Sentences: d.Sentences[:0], quality: d.quality, models: d.models, words: d.words}
	clear(p.dropped)
	p.chain.pages.Put(p)
}

// Sentence judges a sentence of a block and language (ISO 639-3 with an optional
// script; unknown languages have no expected script). It returns the first reason to
// drop it and the measure that decided. If it returns "" and 0, the sentence becomes
// part of the document.
func (p *Page) Sentence(text, language string, block int32) (reason string, measure float64) {
	p.count(text)
	for _, check := range p.chain.sentence {
		if reason, measure = check(text, language, &p.counts); reason != "" {
			if i := slices.Index(p.chain.reasons, reason); i >= 0 {
				p.dropped[i]++
			}
			return reason, measure
		}
	}
	p.keep(text, block)
	return "", 0
}

// Keep adds a sentence to the document without judging it.
func (p *Page) Keep(text string, block int32) {
	p.count(text)
	p.keep(text, block)
}

func (p *Page) count(text string) {
	p.counts = characters.Counts{}
	p.counts.Add(text)
}

// keep appends the sentence that is counted.
func (p *Page) keep(text string, block int32) {
	p.document.Sentences = append(p.document.Sentences, Sentence{Text: text, Block: block, Characters: p.counts.Characters})
	p.document.Characters.Join(&p.counts)
}

// Document judges the document of the sentences that were kept. Sure says whether the
// score is enough to be sure of its language. It returns the same as Sentence.
func (p *Page) Document(language string, score float32, sure bool) (reason string, measure float64) {
	p.verdict = Verdict{own: p.chain.Thresholds.Of(language)}
	p.judge(language, score, sure)
	return p.verdict.Reason, p.verdict.Measure
}

func (p *Page) judge(language string, score float32, sure bool) {
	p.document.Language, p.document.LanguageScore, p.document.LanguageSure = language, score, sure
	for _, check := range p.chain.document {
		if check(&p.document, &p.verdict); p.verdict.decided() {
			return
		}
	}
}

// Measure judges the document as Document does, and appends all measures to scores: those of the rules on documents that
// apply to it, in the order of the rules, and before them, as sentences_REASON, the shares of the sentences that were
// dropped for each reason.
func (p *Page) Measure(language string, score float32, sure bool, scores []schemas.Score) (Verdict, []schemas.Score) {
	judged := len(p.document.Sentences)
	for _, n := range p.dropped {
		judged += n
	}
	for i, name := range p.chain.scores {
		scores = append(scores, schemas.Score{Name: name, Value: float32(ratio(p.dropped[i], judged))})
	}
	p.verdict = Verdict{measuring: true, scores: scores, own: p.chain.Thresholds.Of(language)}
	p.judge(language, score, sure)
	scores, p.verdict.scores = p.verdict.scores, nil
	return p.verdict, scores
}

// Document is a document as filters see it.
type Document struct {
	// Language is ISO 639-3 with an optional script. LanguageScore is its probability,
	// and LanguageSure says whether that is enough.
	Language      string
	LanguageScore float32
	LanguageSure  bool
	// Sentences are the kept sentences. Characters has the sum of their counts.
	Sentences  []Sentence
	Characters characters.Counts

	quality *quality          // nil without a classifier
	models  *models           // nil without language models
	words   *wordlist.Scanner // nil without lists
}

// Sentence is a sentence of a document.
type Sentence struct {
	Text string
	// Block is the ordinal of its block in the page.
	Block int32
	// Characters is the number of its characters.
	Characters int
}

// blocks yields the sentences of each block.
func (d *Document) blocks(yield func([]Sentence) bool) {
	for rest := d.Sentences; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Block == rest[0].Block {
			n++
		}
		if !yield(rest[:n]) {
			return
		}
		rest = rest[n:]
	}
}
