// Package languagemodel measures the perplexity of documents by n-gram models over words, or over pieces as CCNet's are (Wenzek et al.
// 2020).
package languagemodel

import (
	"errors"
	"fmt"
	"sync"

	"sentweave/transforms/tokens/ngram"
	"sentweave/transforms/tokens/unigram"
)

// mark is the piece that a space becomes, which models over pieces know.
const mark = "▁"

// Model is an n-gram model of a language. It is immutable and safe for concurrent use.
type Model struct {
	model       *ngram.Model
	pieces      *unigram.Tokenizer // nil for words
	words       []uint32           // of the model, by the ids of pieces
	normalizers sync.Pool
}

// New returns a model over the pieces of a tokenizer, or over words if that is nil. With pieces, texts become what CCNet makes of them:
// they are normalized by its rules, and a document is one sentence of pieces. Without, each sentence of a document is one of the words
// between its white space. It is an error if the model is over pieces without a tokenizer, or knows fewer than half of the pieces.
func New(m *ngram.Model, pieces *unigram.Tokenizer) (*Model, error) {
	l := &Model{model: m, pieces: pieces, normalizers: sync.Pool{New: func() any { return new(normalizer) }}}
	if pieces == nil {
		if m.Word(mark) != ngram.Unknown {
			return nil, errors.New("it knows the word " + mark + ", and so is over pieces of SentencePiece: give its model by --pieces")
		}
		return l, nil
	}
	count := 0
	for _, piece := range pieces.Pieces() {
		word := m.Word(piece)
		l.words = append(l.words, word)
		if word != ngram.Unknown {
			count++
		}
	}
	if 2*count < len(l.words) {
		return nil, fmt.Errorf("it knows %d of the %d pieces of --pieces, which are those of another model", count, len(l.words))
	}
	return l, nil
}

// KnowsUnknown is that of the n-gram model.
func (l *Model) KnowsUnknown() bool { return l.model.KnowsUnknown() }

// Perplexity returns that of the sentences of a document: 10 to the power of minus the mean logarithm of the probabilities of its words or
// pieces and of the ends of sentences.
func (l *Model) Perplexity(sentences []string) float64 {
	sum, count := 0., 0
	if l.pieces == nil {
		for _, text := range sentences {
			logarithm, words := l.model.Sentence(text)
			sum, count = sum+logarithm, count+words+1
		}
		return ngram.Perplexity(sum, count)
	}
	n := l.normalizers.Get().(*normalizer)
	defer l.normalizers.Put(n)
	n.text = n.text[:0]
	for i, text := range sentences {
		if i > 0 {
			n.text = append(n.text, ' ')
		}
		n.add(text)
	}
	state := l.model.Begin()
	l.pieces.Each(string(n.text), func(id int32, piece []byte, listed bool) {
		word := l.words[id]
		if !listed {
			word = l.model.Word(string(piece))
		}
		sum, count = sum+float64(l.model.Score(&state, word)), count+1
	})
	return ngram.Perplexity(sum+float64(l.model.End(&state)), count+1)
}
