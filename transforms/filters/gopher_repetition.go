package filters

import (
	"sync"

	"sentweave/transforms/clean/characters"

	"github.com/zeebo/xxh3"
)

const (
	reasonDuplicateSentences          = "duplicate_sentences"
	reasonDuplicateSentenceCharacters = "duplicate_sentence_characters"
	reasonDuplicateBlocks             = "duplicate_blocks"
	reasonDuplicateBlockCharacters    = "duplicate_block_characters"
	reasonTopNGram                    = "top_ngram"
	reasonDuplicateNGrams             = "duplicate_ngrams"
)

// gopherRepetition drops documents that repeat themselves (Rae et al. 2021, table A1).
// Its lines are our sentences, its paragraphs our blocks.
var gopherRepetition = Filter{
	Name: "gopher-repetition", Default: true,
	Drops:  "documents that repeat sentences, blocks or phrases",
	Source: "Rae et al. 2021, table A1",
	Reasons: []string{
		reasonDuplicateSentences, reasonDuplicateSentenceCharacters, reasonDuplicateBlocks,
		reasonDuplicateBlockCharacters, reasonTopNGram, reasonDuplicateNGrams,
	},
	New: func() Rules {
		scratch := &sync.Pool{New: func() any { return newRepetition() }}
		return Rules{Document: func(d *Document, v *Verdict) {
			r := scratch.Get().(*repetition)
			defer scratch.Put(r)
			repetitionLimits.check(r, d, v)
		}}
	},
}

// nGramLimit bounds the share of characters in n-grams of one length, which is the score of that name.
type nGramLimit struct {
	n     int
	max   float64
	score string
}

// limits are the thresholds on repetition.
type limits struct {
	// sentences is the greatest share of sentences that repeat an earlier one,
	// sentenceCharacters that of their characters; blocks and blockCharacters are the
	// same for blocks.
	sentences, sentenceCharacters, blocks, blockCharacters float64
	// top bounds the share of characters in the most frequent n-gram, where that occurs
	// at least twice.
	top []nGramLimit
	// duplicate bounds the share of characters in n-grams that repeat an earlier one,
	// none counted twice. In rising n.
	duplicate []nGramLimit
	// nGramsFrom is the number of words from which the two rules on n-grams apply.
	nGramsFrom int
}

// repetitionLimits are those of Gopher. N-grams count from 50 words, the smallest
// document that Gopher keeps at all: in a few lines a name that occurs twice would be a
// fifth of the text.
var repetitionLimits = limits{
	sentences: .3, sentenceCharacters: .2, blocks: .3, blockCharacters: .2,
	top: []nGramLimit{{2, .2, "gopher_repetition_top_2_gram"}, {3, .18, "gopher_repetition_top_3_gram"},
		{4, .16, "gopher_repetition_top_4_gram"}},
	duplicate: []nGramLimit{
		{5, .15, "gopher_repetition_5_grams"}, {6, .14, "gopher_repetition_6_grams"}, {7, .13, "gopher_repetition_7_grams"},
		{8, .12, "gopher_repetition_8_grams"}, {9, .11, "gopher_repetition_9_grams"}, {10, .1, "gopher_repetition_10_grams"},
	},
	nGramsFrom: 50,
}

func (l *limits) check(r *repetition, d *Document, v *Verdict) {
	r.read(d)
	if v.most("gopher_repetition_sentences", reasonDuplicateSentences, r.sentences.share(), l.sentences) ||
		v.most("gopher_repetition_sentence_characters", reasonDuplicateSentenceCharacters, r.sentences.characterShare(),
			l.sentenceCharacters) ||
		v.most("gopher_repetition_blocks", reasonDuplicateBlocks, r.blocks.share(), l.blocks) ||
		v.most("gopher_repetition_block_characters", reasonDuplicateBlockCharacters, r.blocks.characterShare(), l.blockCharacters) ||
		r.words() < l.nGramsFrom {
		return
	}
	for _, limit := range l.top {
		if v.most(limit.score, reasonTopNGram, r.topNGram(limit.n), limit.max) {
			return
		}
	}
	share := 1.
	for _, limit := range l.duplicate {
		if share > 0 { // a longer n-gram that repeats holds a shorter one that does
			share = r.duplicateNGrams(limit.n)
		}
		if v.most(limit.score, reasonDuplicateNGrams, share, limit.max) {
			return
		}
	}
}

// repetition measures how much a document repeats itself, by hashes of 64 bits:
// two different texts of a document share one with a probability below 10^-10
// for a million words.
//
// Its units are those of characters.AppendUnits. Where most letters are of scripts
// that do not separate words, an n-gram of n words is taken as one of n·word letters,
// word being the usual length of a word.
type repetition struct {
	sentences duplicates
	blocks    duplicates

	word       int // units that make a word
	units      []characters.Unit
	hashes     []uint64 // of the first i units, as a polynomial
	characters []int32  // of the first i units
	powers     []uint64 // of base
	seen       counter
}

func newRepetition() *repetition { return &repetition{powers: []uint64{1}} }

// duplicates counts elements that repeat an earlier one.
type duplicates struct{ elements, repeated, characters, repeatedCharacters int }

func (d duplicates) share() float64 { return ratio(d.repeated, d.elements) }

func (d duplicates) characterShare() float64 { return ratio(d.repeatedCharacters, d.characters) }

func (d *duplicates) add(characters int, repeated bool) {
	d.elements++
	d.characters += characters
	if repeated {
		d.repeated++
		d.repeatedCharacters += characters
	}
}

func ratio(a, b int) float64 { return min(1, float64(a)/float64(max(1, b))) }

// base of the polynomial that hashes sequences: odd, no pattern in its bits.
const base = 0x9e3779b97f4a7c15

// read takes in a document.
func (r *repetition) read(d *Document) {
	r.word = d.Characters.WordLetters()
	r.hashes, r.characters = append(r.hashes[:0], 0), append(r.characters[:0], 0)
	r.sentences, r.blocks = duplicates{}, duplicates{}

	r.seen.reset(len(d.Sentences))
	for _, s := range d.Sentences {
		previous := r.total()
		r.split(s.Text)
		r.sentences.add(r.total()-previous, r.seen.add(xxh3.HashString(s.Text)) > 1)
	}
	r.seen.reset(len(d.Sentences))
	for block := range d.blocks {
		hash, characters := uint64(0), 0
		for _, s := range block {
			hash = hash*base + xxh3.HashString(s.Text)
			characters += s.Characters
		}
		r.blocks.add(characters, r.seen.add(hash) > 1)
	}
	for n := len(r.powers); n < len(r.hashes); n++ {
		r.powers = append(r.powers, r.powers[n-1]*base)
	}
}

// split appends the units of a text.
func (r *repetition) split(text string) {
	r.units = characters.AppendUnits(r.units[:0], text)
	hash, total := r.hashes[len(r.hashes)-1], r.characters[len(r.characters)-1]
	for _, u := range r.units {
		hash = hash*base + xxh3.HashString(text[u.Start:u.End])
		total += int32(u.Characters)
		r.hashes, r.characters = append(r.hashes, hash), append(r.characters, total)
	}
}

// total is the number of characters in all units.
func (r *repetition) total() int { return int(r.characters[len(r.characters)-1]) }

// words is the number of words, estimated where they are not separated.
func (r *repetition) words() int { return r.length() / r.word }

// length is the number of units.
func (r *repetition) length() int { return len(r.hashes) - 1 }

// hash returns the hash of the n units from i on.
func (r *repetition) hash(i, n int) uint64 { return r.hashes[i+n] - r.hashes[i]*r.powers[n] }

// span returns the number of characters of the n units from i on.
func (r *repetition) span(i, n int) int { return int(r.characters[i+n] - r.characters[i]) }

// topNGram returns the share of characters in the most frequent n-gram, the first
// of those; 0 where none repeats.
func (r *repetition) topNGram(words int) float64 {
	n := words * r.word
	r.seen.reset(r.length())
	maximum := int32(1)
	for i := 0; i+n <= r.length(); i++ {
		maximum = max(maximum, r.seen.add(r.hash(i, n)))
	}
	if maximum < 2 {
		return 0
	}
	for i := 0; ; i++ {
		if r.seen.count(r.hash(i, n)) == maximum {
			return ratio(int(maximum)*r.span(i, n), r.total())
		}
	}
}

// duplicateNGrams returns the share of characters in n-grams that repeat an
// earlier one. After one that does, counting goes on behind it, so that no
// character counts twice.
func (r *repetition) duplicateNGrams(words int) float64 {
	n := words * r.word
	r.seen.reset(r.length())
	repeated := 0
	for i := 0; i+n <= r.length(); {
		h := r.hash(i, n)
		if r.seen.count(h) > 0 {
			repeated += r.span(i, n)
			i += n
			continue
		}
		r.seen.add(h)
		i++
	}
	return ratio(repeated, r.total())
}
