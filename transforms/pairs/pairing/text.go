package pairing

import (
	"errors"
	"strconv"

	"sentweave/schemas"
)

// Rows appends the pairs of a document as rows of kind consecutive, with texts,
// and writes what became of its sentences to r. Length gives the number of
// tokens of a text without special ones; a caller without a tokenizer may count
// words or characters and set MaxTokens in that unit. The text of a side is its
// sentences joined by a space. Texts are never cut: a sentence longer than a side
// stands whole, and counts as truncated because the tokenizer will do so.
//
// The id of a row is derived from the document's id and the first positions of
// both sides in the order of the document, so another seed keeps it. Origin is
// the caller's. Languages are those of the first sentence of each side.
//
// It is an error if the configuration splits long sentences: a text has no token
// boundaries to split at.
func (p *Pairer) Rows(rows []schemas.Pair, r *Result, document schemas.Document, length func(text string) int, origin string) (
	[]schemas.Pair, error) {
	if p.config.LongSentences == longSplit {
		return rows, errors.New(`pair texts: long_sentences "split" works on tokens; set it to "truncate"`)
	}
	sentences := make([]Sentence, len(document.Sentences))
	for i, s := range document.Sentences {
		sentences[i] = Sentence{Position: s.Position, Language: s.Language, Length: length(s.Text)}
	}
	p.Pairs(r, document.ID, sentences)
	for _, pair := range r.Pairs {
		rows = append(rows, row(document, pair, origin))
	}
	return rows, nil
}

func row(document schemas.Document, pair Pair, origin string) schemas.Pair {
	a, b := document.Sentences[pair.A.First], document.Sentences[pair.B.First]
	first, second := a.Position, b.Position
	if pair.Swapped {
		first, second = second, first
	}
	positionA, positionB := a.Position, b.Position
	return schemas.Pair{
		ID:        schemas.DerivedID(schemas.KindConsecutive, document.ID, strconv.Itoa(int(first)), strconv.Itoa(int(second))),
		Kind:      schemas.KindConsecutive,
		TextA:     schemas.JoinSentences(document.Sentences[pair.A.First:pair.A.Last]),
		TextB:     schemas.JoinSentences(document.Sentences[pair.B.First:pair.B.Last]),
		LanguageA: a.Language,
		LanguageB: b.Language,
		DocumentA: document.ID,
		DocumentB: document.ID,
		PositionA: &positionA,
		PositionB: &positionB,
		Swapped:   pair.Swapped,
		Origin:    origin,
	}
}
