package contamination

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Lengths of n-grams in tokens: of words, and where the last token is of a script without spaces.
const (
	wordGram      = 5
	characterGram = 8
)

// commonGram is the number of texts in which an n-gram may be that is evidence.
const commonGram = 16

// The prior of the frequency of tokens: so many texts, and what a token has in bits there.
const (
	priorTexts     = 1000
	letterBits     = 2
	unspacedBits   = 6
	mostLetters    = 15 // that count
	weightsOfABit  = 4  // weights are in fourths of a bit
	largestWeight  = math.MaxUint8
	hashesOfAWord  = 8 // of the filter, at most
	spreadMultiple = 0x9e3779b97f4a7c15
)

// MostTokens, MostBytes and MostTests bound an index, which takes some 30 bytes for each token, and 150 for each text: its
// texts, and its tests in their languages.
const (
	MostTokens = 1 << 23
	MostBytes  = 128 << 20
	MostTests  = 4096
)

// gram is an n-gram of a text that ends with a token of it.
type gram struct {
	hash      uint64
	text, end uint32
}

// Index is what is looked for: the texts of tests. Many goroutines may use it.
type Index struct {
	config Config
	// texts are the identities and texts of the items, which end at ends, and sources the numbers of their source in kinds.
	texts   []byte
	ends    []uint32
	sources []uint32
	kinds   []source
	whole   map[key]int32
	// first are the tokens with which the texts begin, and where the last one ends; weights are those of all tokens.
	first   []uint32
	weights []uint8
	longest int // normal form, in bytes
	// filter is a Bloom filter of the hashes of whole texts and n-grams, of two bits in a word.
	filter      []uint64
	filterShift int
	// grams are sorted by hash. Those whose highest bits are h begin at directory[h].
	grams          []gram
	directory      []uint32
	directoryShift int
}

// source is a test in a language.
type source struct{ test, language string }

// frequency is the number of texts that have a token, and the last of them.
type frequency struct{ texts, last int32 }

// Builder collects the texts of tests. It is for one goroutine.
type Builder struct {
	index   *Index
	normal  *normal
	sources map[source]uint32
	// hashes are those of the tokens of all texts, letters how many these have, 0 in scripts without spaces.
	hashes  []uint64
	letters []uint8
	// frequencies are by language.
	frequencies map[string]map[uint64]frequency
	languages   map[string]int // and their texts
}

// NewBuilder returns a builder without texts. The configuration must be valid.
func NewBuilder(c Config) *Builder {
	return &Builder{index: &Index{config: c, whole: map[key]int32{}, first: []uint32{0}}, normal: newNormal(),
		sources: map[source]uint32{}, frequencies: map[string]map[uint64]frequency{}, languages: map[string]int{}}
}

// Add adds a text of a test, unless it equals one that was added. The error says that there are too many.
func (b *Builder) Add(item Item) error {
	n, x := b.normal, b.index
	n.reset()
	n.add(item.Text)
	k := xxh3.Hash128(n.whole)
	if _, exists := x.whole[k]; exists || len(n.whole) == 0 {
		return nil
	}
	number := int32(x.Len())
	if len(b.hashes)+len(n.tokens) > MostTokens || len(x.texts)+len(item.Text)+len(item.ID) > MostBytes {
		return fmt.Errorf("the tests have more than %d words, or %d MiB of texts, which is what memory is for: look for some of them at a time",
			MostTokens, MostBytes>>20)
	}
	from := source{item.Test, item.Language}
	if _, exists := b.sources[from]; !exists {
		if len(x.kinds) == MostTests {
			return fmt.Errorf("the texts are of more than %d tests in their languages: look for some of them at a time", MostTests)
		}
		b.sources[from], x.kinds = uint32(len(x.kinds)), append(x.kinds, from)
	}
	x.whole[k], x.sources, x.longest = number, append(x.sources, b.sources[from]), max(x.longest, len(n.whole))
	x.texts = append(x.texts, item.ID...)
	x.ends = append(x.ends, uint32(len(x.texts)))
	x.texts = append(x.texts, item.Text...)
	x.ends = append(x.ends, uint32(len(x.texts)))
	frequencies := b.frequencies[item.Language]
	if frequencies == nil {
		frequencies = map[uint64]frequency{}
		b.frequencies[item.Language] = frequencies
	}
	b.languages[item.Language]++
	for i := range n.tokens {
		token, letters := n.token(i), 0
		if !n.unspaced[i] {
			letters = min(utf8.RuneCount(token), mostLetters)
		}
		h := xxh3.Hash(token)
		b.hashes, b.letters = append(b.hashes, h), append(b.letters, uint8(letters))
		if f := frequencies[h]; f.texts == 0 || f.last != number {
			frequencies[h] = frequency{f.texts + 1, number}
		}
	}
	x.first = append(x.first, uint32(len(b.hashes)))
	return nil
}

// Index builds the index of what was added. Nothing may be added afterwards.
func (b *Builder) Index() *Index {
	x := b.index
	x.weights, x.grams = make([]uint8, len(b.hashes)), make([]gram, 0, len(b.hashes))
	var prefixes []uint64
	for text := range x.Len() {
		start, end, language := int(x.first[text]), int(x.first[text+1]), x.kinds[x.sources[text]].language
		frequencies, texts := b.frequencies[language], float64(b.languages[language])
		prefixes = appendPrefixes(prefixes[:0], b.hashes[start:end])
		for i := start; i < end; i++ {
			expected := unspacedBits
			if b.letters[i] > 0 {
				expected = letterBits * int(b.letters[i])
			}
			f := frequencies[b.hashes[i]]
			p := (float64(f.texts) + math.Ldexp(priorTexts, -expected)) / (texts + priorTexts)
			if x.weights[i] = 1; f.last != ^int32(text) { // else it is there once more
				x.weights[i] = uint8(max(1, min(largestWeight, math.Round(-math.Log2(p)*weightsOfABit))))
				frequencies[b.hashes[i]] = frequency{f.texts, ^int32(text)}
			}
			if h, ok := gramAt(prefixes, i-start, b.letters[i] == 0); ok {
				x.grams = append(x.grams, gram{h, uint32(text), uint32(i - start)})
			}
		}
	}
	slices.SortFunc(x.grams, func(a, b gram) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.text, b.text), cmp.Compare(a.end, b.end))
	})
	x.dropCommon()
	x.directoryShift = 64 - bits.Len(uint(len(x.grams)))
	x.directory = make([]uint32, 1<<(64-x.directoryShift)+1)
	x.filterShift = 64 - bits.Len(uint((len(x.grams)+len(x.whole))/hashesOfAWord))
	x.filter = make([]uint64, 1<<(64-x.filterShift))
	for i, g := range x.grams {
		x.directory[g.hash>>x.directoryShift+1] = uint32(i + 1)
		x.mark(g.hash)
	}
	for i := range x.directory[1:] { // of those that no n-gram has
		x.directory[i+1] = max(x.directory[i+1], x.directory[i])
	}
	for k := range x.whole {
		x.mark(k.Hi)
	}
	return x
}

// dropCommon drops the n-grams that are in too many texts.
func (x *Index) dropCommon() {
	kept := x.grams[:0]
	for i := 0; i < len(x.grams); {
		end, texts := i, 0
		for ; end < len(x.grams) && x.grams[end].hash == x.grams[i].hash; end++ {
			if end == i || x.grams[end].text != x.grams[end-1].text {
				texts++
			}
		}
		if texts <= commonGram {
			kept = append(kept, x.grams[i:end]...)
		}
		i = end
	}
	x.grams = kept
}

func (x *Index) mark(hash uint64) { x.filter[hash>>x.filterShift] |= filterBits(hash) }

// has is true of the hashes of texts and n-grams, and of one in a hundred others.
func (x *Index) has(hash uint64) bool {
	b := filterBits(hash)
	return x.filter[hash>>x.filterShift]&b == b
}

func filterBits(hash uint64) uint64 { return 1<<(hash&63) | 1<<(hash>>6&63) }

// gramsOf returns the n-grams of a hash.
func (x *Index) gramsOf(hash uint64) []gram {
	list := x.grams[x.directory[hash>>x.directoryShift]:x.directory[hash>>x.directoryShift+1]]
	for len(list) > 0 && list[0].hash < hash {
		list = list[1:]
	}
	end := 0
	for end < len(list) && list[end].hash == hash {
		end++
	}
	return list[:end]
}

// Len is the number of different texts.
func (x *Index) Len() int { return len(x.sources) }

// Item returns a text by its number.
func (x *Index) Item(number int) Item {
	start := uint32(0)
	if number > 0 {
		start = x.ends[2*number-1]
	}
	middle, from := x.ends[2*number], x.kinds[x.sources[number]]
	return Item{Test: from.test, ID: string(x.texts[start:middle]), Language: from.language,
		Text: string(x.texts[middle:x.ends[2*number+1]])}
}

// bits is the evidence of a text.
func (x *Index) bits(number int) float64 {
	sum := 0
	for _, w := range x.weights[x.first[number]:x.first[number+1]] {
		sum += int(w)
	}
	return float64(sum) / weightsOfABit
}

// Evident says whether a text has enough evidence to be found as a whole.
func (x *Index) Evident(number int) bool { return x.bits(number) >= x.config.WholeBits }

// prefixBase is the base of the polynomials that are the hashes of sequences of tokens.
const prefixBase = 0xd6e8feb86659fd93

// The powers of prefixBase by which the hashes of prefixes are parted.
var wordPower, characterPower = power(wordGram), power(characterGram)

func power(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= prefixBase
	}
	return p
}

// appendPrefixes appends the hashes of all prefixes of a sequence of tokens, from the empty one on.
func appendPrefixes(prefixes, tokens []uint64) []uint64 {
	sum := uint64(0)
	prefixes = append(prefixes, sum)
	for _, h := range tokens {
		sum = sum*prefixBase + h
		prefixes = append(prefixes, sum)
	}
	return prefixes
}

// gramAt returns the hash of the n-gram that ends with a token; ok is false where too few are before it.
func gramAt(prefixes []uint64, token int, unspaced bool) (hash uint64, ok bool) {
	length, factor := wordGram, wordPower
	if unspaced {
		length, factor = characterGram, characterPower
	}
	if token+1 < length {
		return 0, false
	}
	hash = (prefixes[token+1] - prefixes[token+1-length]*factor) * spreadMultiple
	return hash ^ hash>>32, true // the highest bits stay, which are the best ones
}
