// Package masking chooses and replaces the tokens that a masked language model
// predicts, as in BERT (Devlin et al. 2019, section 3.1, and the reference
// create_pretraining_data.py).
//
// # Method
//
// In a sequence of L tokens, including [CLS] and [SEP], n = min(MaxPredictions, max(1,
// round(L·Ratio))) are chosen without bias among the tokens that are not special;
// round is half to even, as in Python. Of the chosen, independently, MaskShare become
// [MASK], RandomShare an entry drawn from the vocabulary (it may be the original), and
// the rest stay. In whole-word mode a token that continues a word goes with the word.
// Words are drawn in random order, and one that would exceed n is skipped, so a
// sequence may get fewer than n, even none.
//
// CMLM masks 80 of 256 tokens (Yang et al. 2021, section 3), which are the defaults.
// BERT's own ratio of .15 would mask 38.
//
// # Determinism
//
// Masks are a pure function of (Version, Config, vocabulary, tokens, id, copy or
// epoch). They do not depend on order, shards or concurrency. They follow the
// distribution of the reference script, not its stream of random numbers.
package masking

import (
	"errors"
	"fmt"
	"math"

	"sentweave/schemas/fault"
	"sentweave/transforms/random"
)

// Version of the method: raised when the same input gives other masks.
const Version = 1

// Where random tokens are drawn from.
const (
	randomVocabulary = "vocabulary" // every entry, special ones included, as in BERT
	randomWords      = "words"      // every entry but Vocabulary.Special
)

// Config says how much is masked, and how. DefaultConfig gives the values of CMLM.
type Config struct {
	// Seed makes another set of masks.
	Seed uint64
	// Ratio of tokens to predict, of all tokens with [CLS] and [SEP]; in (0, 1).
	// Default 80/256 = .3125 (CMLM); BERT has .15.
	Ratio float64
	// MaxPredictions is the most tokens of one sequence. Default 80 (CMLM); BERT has 20 at 128 tokens.
	MaxPredictions int
	// MaskShare of the chosen tokens become [MASK]. Default .8 (BERT).
	MaskShare float64
	// RandomShare of the chosen tokens become a random entry. Default .1 (BERT);
	// what is left stays as it is.
	RandomShare float64
	// RandomTokens is randomVocabulary (default, BERT) or randomWords.
	RandomTokens string
	// WholeWords masks all pieces of a word or none. Default false (BERT, CMLM).
	WholeWords bool
}

// DefaultConfig returns the masking of CMLM: 80 of 256 tokens, 80/10/10.
func DefaultConfig() Config {
	return Config{Ratio: 80. / 256, MaxPredictions: 80, MaskShare: .8, RandomShare: .1, RandomTokens: randomVocabulary}
}

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Ratio > 0 && c.Ratio < 1, "ratio %v: want a share between 0 and 1, both excluded", c.Ratio)
	faults.Check(c.MaxPredictions >= 1, "max_predictions %d: want at least 1", c.MaxPredictions)
	faults.Check(c.MaskShare >= 0 && c.MaskShare <= 1, "mask_share %v: want a share in [0, 1]", c.MaskShare)
	faults.Check(c.RandomShare >= 0 && c.RandomShare <= 1, "random_share %v: want a share in [0, 1]", c.RandomShare)
	faults.Check(!(c.MaskShare+c.RandomShare > 1+1e-9), "mask_share %v and random_share %v: together more than 1", c.MaskShare,
		c.RandomShare)
	faults.Check(c.RandomTokens == randomVocabulary || c.RandomTokens == randomWords, "random_tokens %q: want %q or %q", c.RandomTokens,
		randomVocabulary, randomWords)
	return faults.Err()
}

// predictions returns n for a sequence of length tokens, [CLS] and [SEP] counted.
// A sequence that holds fewer candidates gets as many as it holds.
func (c Config) predictions(length int) int {
	n := int(math.RoundToEven(float64(length) * c.Ratio))
	return min(c.MaxPredictions, max(1, n))
}

// Masker masks sequences. It is safe for concurrent use.
type Masker struct {
	config     Config
	vocabulary Vocabulary
	special    []uint64 // one bit an id
}

// New returns a masker, or all faults of the configuration and the vocabulary.
func New(c Config, v Vocabulary) (*Masker, error) {
	m := &Masker{config: c, vocabulary: v}
	if err := errors.Join(c.Validate(), v.validate(c.WholeWords)); err != nil {
		return nil, err
	}
	m.special = make([]uint64, (int(v.Size)+63)/64)
	words := int(v.Size)
	for _, id := range v.Special {
		if !m.isSpecial(id) {
			m.special[id/64] |= 1 << (id % 64)
			words--
		}
	}
	if words == 0 {
		return nil, fmt.Errorf("all %d entries of the vocabulary are special: nothing can be masked", v.Size)
	}
	return m, nil
}

// Append masks tokens in place, and appends the positions chosen, ascending, and
// the original ids there to the two slices. Id is the identity of the example;
// copy counts the maskings of one sequence from 0 (BERT's duplicate factor): each
// gets its own masks.
//
// A sequence without candidates gets no masks. An error tells of a token id that
// is not in the vocabulary; tokens are unchanged then. It costs about 15 ns a
// token, and allocates nothing where the slices have room, but in whole-word mode
// for sequences of more than 512 words.
func (m *Masker) Append(positions, originals, tokens []int32, id string, copy int32) ([]int32, []int32, error) {
	s := random.New(Version, m.config.Seed, "mask", id, int64(copy))
	return m.mask(positions, originals, tokens, &s)
}

// AppendEpoch is Append for a trainer that masks while it reads: every epoch gets
// its own masks, other ones than any stored copy.
func (m *Masker) AppendEpoch(positions, originals, tokens []int32, id string, epoch int64) ([]int32, []int32, error) {
	s := random.New(Version, m.config.Seed, "mask epoch", id, epoch)
	return m.mask(positions, originals, tokens, &s)
}

func (m *Masker) mask(positions, originals, tokens []int32, s *random.Stream) ([]int32, []int32, error) {
	candidates := 0
	for i, id := range tokens {
		if id < 0 || id >= m.vocabulary.Size {
			return positions, originals, fmt.Errorf(
				"mask tokens: id %d at position %d is outside the vocabulary of %d: the text was tokenised with another one", id, i,
				m.vocabulary.Size)
		}
		if !m.isSpecial(id) {
			candidates++
		}
	}
	n := min(candidates, m.config.predictions(len(tokens)))
	first := len(positions)
	if m.config.WholeWords {
		positions = m.chooseWords(positions, tokens, n, s)
	} else {
		positions = m.choose(positions, tokens, candidates, n, s)
	}
	for _, p := range positions[first:] {
		originals = append(originals, tokens[p])
		tokens[p] = m.replace(tokens[p], s)
	}
	return positions, originals, nil
}

// choose appends n of the candidates by selection sampling: as fair as BERT's
// shuffle, ascending at once, without memory.
func (m *Masker) choose(positions, tokens []int32, candidates, n int, s *random.Stream) []int32 {
	for i := 0; n > 0 && i < len(tokens); i++ {
		if m.isSpecial(tokens[i]) {
			continue
		}
		if s.IntN(candidates) < n {
			positions = append(positions, int32(i))
			n--
		}
		candidates--
	}
	return positions
}

// replace returns what stands for a chosen token.
func (m *Masker) replace(original int32, s *random.Stream) int32 {
	u := s.Float64()
	switch {
	case u < m.config.MaskShare:
		return m.vocabulary.Mask
	case u >= m.config.MaskShare+m.config.RandomShare:
		return original
	}
	for {
		id := int32(s.IntN(int(m.vocabulary.Size)))
		if m.config.RandomTokens == randomVocabulary || !m.isSpecial(id) {
			return id
		}
	}
}

func (m *Masker) isSpecial(id int32) bool { return m.special[id/64]>>(id%64)&1 != 0 }
