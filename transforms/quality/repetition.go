package quality

import (
	"sentweave/schemas"

	"github.com/zeebo/xxh3"
)

// repetition measures how much a document repeats itself, by hashes of 64 bits:
// two different texts of a document share one with a probability below 10^-10
// for a million words.
//
// Its units are words, as white space separates them, with their punctuation. A
// letter of a script without spaces is a unit of its own, with the marks that
// follow. Where most letters are such, an n-gram of n words is taken as one of
// n·word letters, word being the usual length of a word: 2 in Chinese, 3 in
// Japanese and in the scripts of South-East Asia.
type repetition struct {
	table     *[tableSize]character
	sentences duplicates
	blocks    duplicates

	word       int      // units that make a word
	hashes     []uint64 // of the first i units, as a polynomial
	characters []int32  // of the first i units
	powers     []uint64 // of base
	seen       counter
}

// duplicates counts elements that repeat an earlier one.
type duplicates struct{ elements, repeated, characters, repeatedCharacters int }

func (d duplicates) share() float64 { return ratio(d.repeated, d.elements) }

func (d duplicates) characterShare() float64 { return ratio(d.repeatedCharacters, d.characters) }

func (d *duplicates) add(characters int, again bool) {
	d.elements++
	d.characters += characters
	if again {
		d.repeated++
		d.repeatedCharacters += characters
	}
}

func ratio(a, b int) float64 { return min(1, float64(a)/float64(max(1, b))) }

// base of the polynomial that hashes sequences: odd, no pattern in its bits.
const base = 0x9e3779b97f4a7c15

// read takes in a document, of which c are the counts.
func (r *repetition) read(c *counts, sentences []schemas.Sentence) {
	letters, _, unspaced := c.letters()
	r.word = 1
	if 2*unspaced > letters {
		for i := range scripts { // a fifth: Kana tell Japanese from Chinese
			if 5*c.script[i] >= unspaced {
				r.word = max(r.word, scripts[i].word)
			}
		}
	}
	r.hashes, r.characters = append(r.hashes[:0], 0), append(r.characters[:0], 0)
	r.sentences, r.blocks = duplicates{}, duplicates{}

	r.seen.reset(len(sentences))
	for _, s := range sentences {
		before := r.total()
		r.split(s.Text)
		r.sentences.add(r.total()-before, r.seen.add(xxh3.HashString(s.Text)) > 1)
	}
	r.readBlocks(sentences)
	for n := len(r.powers); n < len(r.hashes); n++ {
		if n == 0 {
			r.powers = append(r.powers, 1)
			continue
		}
		r.powers = append(r.powers, r.powers[n-1]*base)
	}
}

func (r *repetition) readBlocks(sentences []schemas.Sentence) {
	r.seen.reset(len(sentences))
	for i := 0; i < len(sentences); {
		hash, characters, j := uint64(0), 0, i
		for ; j < len(sentences) && sentences[j].Block == sentences[i].Block; j++ {
			hash = hash*base + xxh3.HashString(sentences[j].Text)
			for range sentences[j].Text {
				characters++
			}
		}
		r.blocks.add(characters, r.seen.add(hash) > 1)
		i = j
	}
}

// total is the number of characters in all units.
func (r *repetition) total() int { return int(r.characters[len(r.characters)-1]) }

// words is the number of words, estimated where they are not separated.
func (r *repetition) words() int { return r.units() / r.word }

// units is the number of units.
func (r *repetition) units() int { return len(r.hashes) - 1 }

// split appends the units of a text.
func (r *repetition) split(text string) {
	start, characters, alone := 0, int32(0), false
	flush := func(end int) {
		if characters > 0 {
			last := len(r.hashes) - 1
			r.hashes = append(r.hashes, r.hashes[last]*base+xxh3.HashString(text[start:end]))
			r.characters = append(r.characters, r.characters[last]+characters)
		}
		characters, alone = 0, false
	}
	for i, c := range text {
		k := classify(r.table, c)
		switch x := k.class(); {
		case x == space:
			flush(i)
			continue
		case x == mark:
		case scripts[k.script()].unspaced:
			flush(i)
			alone = true
		case alone:
			flush(i)
		}
		if characters == 0 {
			start = i
		}
		characters++
	}
	flush(len(text))
}

// hash returns the hash of the n units from i on.
func (r *repetition) hash(i, n int) uint64 { return r.hashes[i+n] - r.hashes[i]*r.powers[n] }

// span returns the number of characters of the n units from i on.
func (r *repetition) span(i, n int) int { return int(r.characters[i+n] - r.characters[i]) }

// topNGram returns the share of characters in the most frequent n-gram, the first
// of those; 0 where none repeats.
func (r *repetition) topNGram(words int) float64 {
	n := words * r.word
	r.seen.reset(r.units())
	most := int32(1)
	for i := 0; i+n <= r.units(); i++ {
		most = max(most, r.seen.add(r.hash(i, n)))
	}
	if most < 2 {
		return 0
	}
	for i := 0; ; i++ {
		if r.seen.count(r.hash(i, n)) == most {
			return ratio(int(most)*r.span(i, n), r.total())
		}
	}
}

// duplicateNGrams returns the share of characters in n-grams that repeat an
// earlier one. After one that does, counting goes on behind it, so that no
// character counts twice.
func (r *repetition) duplicateNGrams(words int) float64 {
	n := words * r.word
	r.seen.reset(r.units())
	repeated := 0
	for i := 0; i+n <= r.units(); {
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
