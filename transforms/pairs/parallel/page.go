package parallel

import (
	"fmt"
	"math"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/transforms/read/layout"
)

// PageOf returns a document as a version of a page, and the name of that page, as the
// layout reads them off its source. It is an error if the layout does not match it.
func PageOf(l layout.Layout, d schemas.Document) (name string, p Page, err error) {
	stated, name, ok := l.Read(d.Source)
	if !ok {
		return "", p, fmt.Errorf("document %s: its name does not match the layout %q", d.Source, l)
	}
	code, err := language.Parse(stated)
	if err != nil {
		code = d.Language
	}
	return name, Page{Language: code, Identified: err != nil, Document: d}, nil
}

// block is what one page holds of a block.
type block struct {
	ordinal   int32
	sentences []schemas.Sentence
	text      string // the sentences joined by a space
	words     []word // of text
	letters   int    // of words
	weight    float64
	complete  bool
	foreign   float64 // share of the text that is in another language
	own       float64 // probability of the page's language, by the length of sentences
	// left says that the text is in the page of another language, too, which it is
	// more likely to be in.
	left bool
}

// set gives the block a text. Its words go where those of the last text were.
func (b *block) set(text string) {
	b.text, b.weight, b.words = text, Weight(text), appendWords(b.words[:0], text, math.MaxInt32)
	b.letters = 0
	for _, w := range b.words {
		b.letters += int(w.length)
	}
}

// page is a page of one language, cut into blocks.
type page struct {
	language string
	document string // its id
	main     string // the language of the document, as it was identified
	count    float32
	counted  bool // whether count is known
	blocks   []block
	vectors  [][]float32 // of the sentences of all blocks, or nil
}

func (j *Joiner) cut(p Page) page {
	result := page{language: p.Language, document: p.Document.ID, main: p.Document.Language, vectors: p.Vectors}
	result.count, result.counted = p.Document.Score(schemas.BlocksScore)
	s := p.Document.Sentences
	room := make([]word, 0, roomFor(s)) // for the words of all blocks
	for i := 0; i < len(s); {
		k := i + 1
		for k < len(s) && s[k].Block == s[i].Block {
			k++
		}
		b := block{ordinal: s[i].Block, sentences: s[i:k], complete: complete(s, i, k)}
		b.words = room
		b.set(schemas.JoinSentences(b.sentences))
		room = b.words[len(b.words):]
		b.foreign, b.own = j.foreign(b.sentences, &result)
		result.blocks = append(result.blocks, b)
		i = k
	}
	return result
}

// roomFor guesses how many words the sentences have. Few texts have more than one
// in four bytes; the words of those go elsewhere.
func roomFor(sentences []schemas.Sentence) int {
	bytes := 0
	for i := range sentences {
		bytes += len(sentences[i].Text)
	}
	return bytes / 4
}

// complete says whether the block of the sentences [i, k) has lost none of them to
// a filter. Where the number of its sentences is unknown, it goes by positions: a
// gap inside the block is a loss, and so is one to the next block, but what is
// lost beside a block that is gone, or at the end of the page, does not show.
func complete(s []schemas.Sentence, i, k int) bool {
	if n := s[i].BlockSentences; n > 0 {
		return k-i == int(n)
	}
	if i == 0 && s[0].Block == 0 && s[0].Position != 0 {
		return false
	}
	for x := max(i, 1); x < min(k+1, len(s)); x++ {
		if s[x].Position != s[x-1].Position+1 && s[x].Block <= s[x-1].Block+1 {
			return false
		}
	}
	return true
}

// foreign returns the share of a block's text in sentences that are in another
// language than the page: surely, or as the document is. Probability is the mean one
// of the page's language, by the length of sentences.
func (j *Joiner) foreign(sentences []schemas.Sentence, p *page) (share, probability float64) {
	total, mismatched := 0, 0
	for i := range sentences {
		s := &sentences[i]
		total += len(s.Text)
		switch {
		case j.same(s.Language, p.language):
			probability += float64(len(s.Text)) * float64(s.LanguageScore)
		case s.LanguageScore >= j.config.MinLanguageScore || s.Language == p.main:
			mismatched += len(s.Text)
		}
	}
	return float64(mismatched) / float64(max(1, total)), probability / float64(max(1, total))
}

// same says whether two codes mean one language: an unknown one may be any, and
// scripts count only where both codes tell theirs.
func (j *Joiner) same(a, b string) bool {
	if a == b || a == undetermined || b == undetermined {
		return true
	}
	a, scriptA, _ := strings.Cut(a, "_")
	b, scriptB, _ := strings.Cut(b, "_")
	if scriptA != "" && scriptB != "" && scriptA != scriptB {
		return false
	}
	return j.related(a, b)
}

// related says whether two languages are taken for each other.
func (j *Joiner) related(a, b string) bool {
	a, _, _ = strings.Cut(a, "_")
	b, _, _ = strings.Cut(b, "_")
	return j.representative(a) == j.representative(b)
}

const undetermined = "und"

func (j *Joiner) representative(language string) string {
	if r, ok := j.equivalent[language]; ok {
		return r
	}
	return language
}
