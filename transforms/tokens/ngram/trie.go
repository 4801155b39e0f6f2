package ngram

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
)

// sortedWords is a vocabulary in KenLM's files of tries: the hashes of the words in their order, each of 8 bytes, where <unk> is before
// the first.
type sortedWords []byte

func (v sortedWords) index(hash uint64) uint32 {
	n := len(v) / 8
	i := sort.Search(n, func(i int) bool { return binary.LittleEndian.Uint64(v[8*i:]) >= hash })
	if i < n && binary.LittleEndian.Uint64(v[8*i:]) == hash {
		return uint32(i + 1)
	}
	return Unknown
}

// trie is a trie of reversed n-grams in KenLM's files: all words that come before an n-gram are a range of entries of the next order,
// sorted.
type trie struct {
	unigrams []byte
	levels   []level // from the order 2 on
}

// trieEntry is the size of the entry of a word: its weights, and where the range of its extensions begins. That of the next word begins
// where it ends.
const trieEntry = 16

// level are the n-grams of an order, packed in bits: a word, its weights, and where its extensions begin.
type level struct {
	data    []byte // with 8 bytes behind the last entry
	entries uint64
	word    uint8 // bits of a word
	next    uint8 // bits of where extensions begin, 0 in the highest order
	total   uint8
	weights quantizer
	// high are the numbers of the entries from which on the bits above those of next have the values 1, 2 and so on; empty where there
	// are none.
	high []byte
}

// quantizer says how weights are packed. Without values they are floats: 31 bits for the probability, without a sign, and 32 for the
// back-off.
type quantizer struct {
	probability, backoff    uint8 // bits; the back-off of the highest order has 0
	probabilities, backoffs []byte
}

func (q *quantizer) bits() uint8 { return q.probability + q.backoff }

// requiredBits is how many bits numbers up to n need.
func requiredBits(n uint64) uint8 { return uint8(bits.Len64(n)) }

// read returns a number of at most 57 bits.
func read(data []byte, bit uint64, n uint8) uint64 {
	return binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7) & (1<<n - 1)
}

func float(data []byte, i uint64) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
}

// read reads the weights that begin at a bit.
func (q *quantizer) read(data []byte, bit uint64) (w weights) {
	if q.probabilities == nil {
		w.probability = negative(uint32(read(data, bit, 31)))
		if q.backoff > 0 {
			w.backoff = math.Float32frombits(uint32(read(data, bit+31, 32)))
		}
		return w
	}
	if q.backoff > 0 {
		w.backoff = float(q.backoffs, read(data, bit, q.backoff))
	}
	w.probability = negative(math.Float32bits(float(q.probabilities, read(data, bit+uint64(q.backoff), q.probability))))
	return w
}

func (t *trie) unigram(word uint32) (weights, node) {
	data := t.unigrams[uint64(word)*trieEntry:]
	w := readWeights(data)
	n := node{binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[8+trieEntry:])}
	w.alone = n.begin >= n.end
	return w, n
}

func (t *trie) extend(order int, from node, word uint32) (weights, node, bool) {
	l := &t.levels[order-2]
	i, ok := l.find(from, uint64(word))
	if !ok {
		return weights{}, node{}, false
	}
	bit := i*uint64(l.total) + uint64(l.word)
	w := l.weights.read(l.data, bit)
	var n node
	if l.next > 0 || len(l.high) > 0 {
		bit += uint64(l.weights.bits())
		n.begin, n.end = read(l.data, bit, l.next), read(l.data, bit+uint64(l.total), l.next)
		if len(l.high) > 0 {
			begin := l.upper(i)
			end := begin
			for 8*end < uint64(len(l.high)) && binary.LittleEndian.Uint64(l.high[8*end:]) <= i+1 {
				end++
			}
			n.begin, n.end = n.begin|begin<<l.next, n.end|end<<l.next
		}
	}
	w.alone = n.begin >= n.end
	return w, n, true
}

// upper returns the bits of entry i above those of next.
func (l *level) upper(i uint64) uint64 {
	return uint64(sort.Search(len(l.high)/8, func(k int) bool { return binary.LittleEndian.Uint64(l.high[8*k:]) > i }))
}

// find returns the entry of a word in a range. Words are hashes in their order, and so about evenly spread: places are interpolated.
func (l *level) find(in node, word uint64) (uint64, bool) {
	begin, end := in.begin, min(in.end, l.entries)
	low, high := uint64(0), uint64(1)<<l.word // of the words that may be in the range
	for begin < end {
		i := min(begin+(word-low)*(end-begin)/(high-low), end-1)
		found := read(l.data, i*uint64(l.total), l.word)
		switch {
		case found == word:
			return i, true
		case found < word:
			begin, low = i+1, found+1
		default:
			end, high = i, found
		}
		if word < low || word >= high {
			break
		}
	}
	return 0, false
}
