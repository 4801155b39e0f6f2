package ngram

import (
	"encoding/binary"
	"math"
)

// hash is MurmurHash64A (Appleby 2008) with the seed 0, by which KenLM's files know words.
func hash(text string) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := uint64(len(text)) * m
	for ; len(text) >= 8; text = text[8:] {
		k := tail(text[:8]) * m
		k = (k ^ k>>r) * m
		h = (h ^ k) * m
	}
	if len(text) > 0 {
		h = (h ^ tail(text)) * m
	}
	h = (h ^ h>>r) * m
	return h ^ h>>r
}

// tail returns the number whose lowest bytes are those of a text of up to eight.
func tail(text string) (n uint64) {
	for i := range len(text) {
		n |= uint64(text[i]) << (8 * i)
	}
	return n
}

// Sizes of entries in bytes: a key, and a word, the weights of an n-gram, or those of one of the highest order.
const (
	wordEntry    = 8 + 4
	middleEntry  = 8 + 8
	longestEntry = 8 + 4
	unigramEntry = 8
)

// hashTable has entries of a size, each with a key of 8 bytes in front, 0 for none: open addressing with linear probing, as in KenLM's
// files.
type hashTable struct {
	data    []byte
	entry   uint64
	buckets uint64
}

func newHashTable(data []byte, entry uint64) hashTable {
	return hashTable{data, entry, uint64(len(data)) / entry}
}

// buckets returns how many a table of so many entries has.
func buckets(entries uint64, multiplier float32) uint64 {
	return max(entries+1, uint64(multiplier*float32(entries)))
}

// find returns the entry of a key, and whether it is there. If not, the entry is the empty one where it belongs, nil if the table is full.
func (t *hashTable) find(key uint64) (entry []byte, ok bool) {
	i := key % t.buckets
	for range t.buckets {
		entry := t.data[i*t.entry : (i+1)*t.entry]
		switch binary.LittleEndian.Uint64(entry) {
		case key:
			return entry, key != 0
		case 0:
			return entry, false
		}
		if i++; i == t.buckets {
			i = 0
		}
	}
	return nil, false
}

// insert returns the entry of a new key, nil if the key is there or the table is full.
func (t *hashTable) insert(key uint64) []byte {
	entry, ok := t.find(key)
	if ok || entry == nil || key == 0 {
		return nil
	}
	binary.LittleEndian.PutUint64(entry, key)
	return entry
}

// hashedWords is a vocabulary in a hash table.
type hashedWords struct {
	hashTable
	bound uint32 // the number of words, with <unk>
}

func (v *hashedWords) index(hash uint64) uint32 {
	entry, ok := v.find(hash)
	if !ok {
		return Unknown
	}
	if word := binary.LittleEndian.Uint32(entry[8:]); word < v.bound {
		return word
	}
	return Unknown
}

// hashedGrams are n-grams in hash tables. The key of an n-gram is made of its last word and the words before it, one by one.
type hashedGrams struct {
	unigrams []byte // by the indexes of words
	tables   []hashTable
}

func (g *hashedGrams) unigram(word uint32) (weights, node) {
	return readWeights(g.unigrams[uint64(word)*unigramEntry:]), node{begin: uint64(word)}
}

func (g *hashedGrams) extend(order int, from node, word uint32) (weights, node, bool) {
	from.begin = combine(from.begin, word)
	entry, ok := g.tables[order-2].find(from.begin)
	switch {
	case !ok:
		return weights{}, from, false
	case len(entry) == longestEntry:
		return weights{probability: negative(binary.LittleEndian.Uint32(entry[8:])), alone: true}, from, true
	}
	return readWeights(entry[8:]), from, true
}

// combine returns the key of an n-gram with one word more before it.
func combine(key uint64, word uint32) uint64 {
	return key*8978948897894561157 ^ (1+uint64(word))*17894857484156487943
}

// readWeights reads two floats. Probabilities are negative, so that their signs say something else.
func readWeights(data []byte) weights {
	bits := binary.LittleEndian.Uint32(data)
	return weights{negative(bits), math.Float32frombits(binary.LittleEndian.Uint32(data[4:])), bits>>31 != 0}
}

// negative returns the logarithm of a probability, whatever its sign is.
func negative(bits uint32) float32 { return math.Float32frombits(bits | 1<<31) }

// writeWeights writes weights of an n-gram that nothing extends yet, to either side.
func writeWeights(data []byte, probability, backoff float32) {
	if backoff == 0 {
		backoff = inert
	}
	binary.LittleEndian.PutUint32(data, math.Float32bits(probability)|1<<31)
	if len(data) >= 8 {
		binary.LittleEndian.PutUint32(data[4:], math.Float32bits(backoff))
	}
}

// extendsLeft and extendsRight note in the values of an n-gram that a longer one ends or begins with it.
func extendsLeft(values []byte) { values[3] &^= 1 << 7 }

func extendsRight(values []byte) {
	if bits := binary.LittleEndian.Uint32(values[4:]); bits == 1<<31 {
		binary.LittleEndian.PutUint32(values[4:], 0)
	}
}
