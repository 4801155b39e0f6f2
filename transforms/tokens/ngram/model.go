// Package ngram scores text by n-gram language models with back-off (Katz 1987), as KenLM does (Heafield 2011): the models of ARPA files,
// and those of KenLM's binary files with probing hash tables or tries, quantized or not.
//
// # Parity
//
// Probabilities are those of kenlm 0.3.0, to the last bits of a float32. Words are known by their hashes, as there: of two words with the
// same 64 bits the model knows one.
//
// # Determinism and concurrency
//
// A score depends on the file and the words only. A Model is immutable: one serves any number of goroutines, each with its own State.
package ngram

import (
	"errors"
	"math"
)

// MaxOrder is the longest n-gram, in words, of a model.
const MaxOrder = 10

// Unknown is the index of <unk>, which all words have that a model does not know.
const Unknown = 0

// Model is a language model.
type Model struct {
	vocabulary
	table
	order      int
	begin, end uint32 // of <s> and </s>
	// gaps says that some n-gram is there without its last words as an n-gram of their own, so that a search does not end where it misses
	// one.
	gaps bool
}

// vocabulary knows words by their hashes.
type vocabulary interface {
	// index returns the index of a word, Unknown for none. It is below the number of words.
	index(hash uint64) uint32
}

// table finds n-grams from their last word backwards.
type table interface {
	// unigram finds a word.
	unigram(word uint32) (weights, node)
	// extend goes from an n-gram to the one that has another word before it, of the given order. The node is one to go on from even where
	// no such n-gram is there, unless the table has no gaps.
	extend(order int, from node, word uint32) (weights, node, bool)
}

// node is an n-gram to extend: a hash, or a range of entries of the next order.
type node struct{ begin, end uint64 }

// weights are those of an n-gram, as logarithms to the base 10.
type weights struct {
	probability, backoff float32
	// alone says that no n-gram extends this one to the left.
	alone bool
}

var (
	// inert is the back-off weight of an n-gram that no other one begins with: the two zeros tell that apart, as in KenLM's files.
	inert = math.Float32frombits(1 << 31)

	errMarkers = errors.New("it has no <s> or no </s>: the words that begin and end a sentence")
)

// newModel returns the model of its parts.
func newModel(v vocabulary, t table, order int) (*Model, error) {
	m := &Model{vocabulary: v, table: t, order: order}
	m.begin, m.end = m.Word("<s>"), m.Word("</s>")
	if m.begin == Unknown || m.end == Unknown {
		return nil, errMarkers
	}
	return m, nil
}

// Order returns the greatest number of words of an n-gram.
func (m *Model) Order() int { return m.order }

// Word returns the index of a word, Unknown if the model does not know it.
func (m *Model) Word(word string) uint32 { return m.index(hash(word)) }

// KnowsUnknown says whether the model has a probability of words that it does not know: KenLM takes 10 to the power of -100 where a
// file has none.
func (m *Model) KnowsUnknown() bool {
	w, _ := m.unigram(Unknown)
	return w.probability > unknownProbability
}

// State is what a model remembers of the words so far: as many of the last ones as another word may depend on.
type State struct {
	words   [MaxOrder - 1]uint32 // the last one first
	backoff [MaxOrder - 1]float32
	length  int
}

// Begin returns the state at the beginning of a sentence.
func (m *Model) Begin() State {
	w, _ := m.unigram(m.begin)
	s := State{length: 1}
	s.words[0], s.backoff[0] = m.begin, w.backoff
	return s
}

// Score returns the logarithm, to the base 10, of the probability of a word after those of a state, and takes the word into the state. It
// allocates nothing. Its cost is that of at most Order searches.
func (m *Model) Score(s *State, word uint32) float32 {
	w, n := m.unigram(word)
	probability, matched := w.probability, 1
	var backoff [MaxOrder - 1]float32
	backoff[0] = w.backoff
	for i := 0; i < s.length && (m.gaps || !w.alone); i++ {
		var found bool
		if w, n, found = m.extend(i+2, n, s.words[i]); found {
			probability, matched = w.probability, i+2
			if matched < m.order {
				backoff[matched-1] = w.backoff
			}
		} else if !m.gaps {
			break
		}
	}
	for _, weight := range s.backoff[min(matched-1, s.length):s.length] {
		probability += weight
	}
	length := min(matched, m.order-1)
	for length > 0 && math.Float32bits(backoff[length-1]) == math.Float32bits(inert) {
		length--
	}
	copy(s.words[1:max(length, 1)], s.words[:])
	s.words[0], s.backoff, s.length = word, backoff, length
	return probability
}

// End returns the logarithm of the probability that the sentence ends after the words of a state.
func (m *Model) End(s *State) float32 { return m.Score(s, m.end) }

// Sentence returns the logarithm of the probability of a text that is one sentence, with its end, and the number of its words, which white
// space of ASCII separates.
func (m *Model) Sentence(text string) (logarithm float64, words int) {
	s := m.Begin()
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		if end > i {
			logarithm += float64(m.Score(&s, m.Word(text[i:end])))
			words++
		}
		i = end + 1
	}
	return logarithm + float64(m.End(&s)), words
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Perplexity returns that of so many words, ends of sentences among them, of the probability with this logarithm: from 1 to the greatest
// float32, which damaged models have for any text.
func Perplexity(logarithm float64, words int) float64 {
	if p := math.Pow(10, -logarithm/float64(max(words, 1))); p < math.MaxFloat32 {
		return max(p, 1)
	}
	return math.MaxFloat32
}
