package ngram

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// magic begins KenLM's binary files of any version. With the version, its own zeros and values that tell the byte order and the sizes of
// numbers it makes up sanity.
const magic = "mmap lm http://kheafield.com/code"

var sanity = func() []byte {
	b := make([]byte, 56, 88)
	copy(b, magic+" format version 5\n")
	for _, value := range []uint32{0, math.Float32bits(1), math.Float32bits(-.5), 1, math.MaxUint32, 0, 1, 0} {
		b = binary.LittleEndian.AppendUint32(b, value)
	}
	return b
}()

// Kinds of files, by their number in the header.
const (
	probingKind, restKind, trieKind = 0, 1, 2
	// quantized and arrays are added to trieKind, each or both.
	quantized, arrays = 1, 2
)

var errCut = errors.New("it is cut, or its header is damaged: it is shorter than the numbers of its n-grams ask for")

// IsBinary says whether a file begins as KenLM's binary files do.
func IsBinary(file []byte) bool { return bytes.HasPrefix(file, []byte(magic)) }

// reader cuts a file into parts.
type reader struct {
	file   []byte
	offset uint64
}

// take returns the next n bytes, or errCut.
func (r *reader) take(n uint64) ([]byte, error) {
	if size := uint64(len(r.file)); r.offset > size || n > size-r.offset {
		return nil, errCut
	}
	r.offset += n
	return r.file[r.offset-n : r.offset : r.offset], nil
}

// ReadBinary reads a binary file of KenLM's version 5, which the model keeps and does not change: one with probing hash tables, or with a
// trie, plain or with weights quantized (build_binary -q, -b), with pointers compressed (-a), or both. It looks at the header and takes
// no memory of the size of the file. Other kinds, damaged headers and files that are shorter than their headers say are errors. Damage
// behind the header gives other scores.
func ReadBinary(file []byte) (*Model, error) {
	r := &reader{file: file}
	if begin, err := r.take(uint64(len(sanity))); err != nil || !bytes.Equal(begin, sanity) {
		return nil, errors.New("it does not begin as KenLM's binary files of version 5: build it again from the ARPA file, by build_binary on a 64-bit machine")
	}
	fixed, err := r.take(20)
	if err != nil {
		return nil, err
	}
	order, kind := int(fixed[0]), binary.LittleEndian.Uint32(fixed[8:])
	multiplier := math.Float32frombits(binary.LittleEndian.Uint32(fixed[4:]))
	if order < 2 || order > MaxOrder {
		return nil, fmt.Errorf("its n-grams have up to %d words: from 2 to %d are supported", order, MaxOrder)
	}
	counts := make([]uint64, order)
	for i := range counts {
		number, err := r.take(8)
		if err != nil {
			return nil, err
		}
		if counts[i] = binary.LittleEndian.Uint64(number); counts[i]/8 > uint64(len(file)) { // each n-gram has a bit at least
			return nil, errCut
		}
	}
	r.offset = (r.offset + 7) &^ 7
	version := binary.LittleEndian.Uint32(fixed[16:])
	switch {
	case kind == probingKind && version == 0:
		if !(multiplier >= 1 && multiplier < 1000) {
			return nil, fmt.Errorf("its hash tables have %v entries for each n-gram: damaged", multiplier)
		}
		return r.probing(counts, multiplier)
	case kind >= trieKind && kind <= trieKind+quantized+arrays && version == 1:
		return r.trie(counts, kind-trieKind)
	case kind == restKind:
		return nil, errors.New("it has probing hash tables with rest costs (build_binary -r), which are not supported: build it without -r")
	}
	return nil, fmt.Errorf("it has the unknown kind %d in version %d", kind, version)
}

// probing reads hash tables.
func (r *reader) probing(counts []uint64, multiplier float32) (*Model, error) {
	header, err := r.take(8)
	if err != nil {
		return nil, err
	}
	if version := binary.LittleEndian.Uint32(header); version != 0 {
		return nil, fmt.Errorf("its vocabulary has the unknown version %d", version)
	}
	words, grams := &hashedWords{bound: binary.LittleEndian.Uint32(header[4:])}, &hashedGrams{}
	if uint64(words.bound) > counts[0]+1 {
		return nil, errCut
	}
	table := func(entries, size uint64) (hashTable, error) {
		data, err := r.take(buckets(entries, multiplier) * size)
		return newHashTable(data, size), err
	}
	if words.hashTable, err = table(counts[0], wordEntry); err != nil {
		return nil, err
	}
	if grams.unigrams, err = r.take((counts[0] + 1) * unigramEntry); err != nil {
		return nil, err
	}
	for i, count := range counts[1:] {
		size := uint64(middleEntry)
		if i+2 == len(counts) {
			size = longestEntry
		}
		t, err := table(count, size)
		if err != nil {
			return nil, err
		}
		grams.tables = append(grams.tables, t)
	}
	return newModel(words, grams, len(counts))
}

// trie reads a trie, and what it is said to add to one.
func (r *reader) trie(counts []uint64, added uint32) (*Model, error) {
	words, err := r.words(counts[0])
	if err != nil {
		return nil, err
	}
	t, highest := &trie{levels: make([]level, len(counts)-1)}, len(counts)-2
	for i := range t.levels {
		t.levels[i] = level{entries: counts[i+1], word: requiredBits(counts[0]), weights: quantizer{probability: 31, backoff: 32}}
	}
	if added&quantized != 0 {
		if err := r.quantizers(t.levels); err != nil {
			return nil, err
		}
	}
	t.levels[highest].weights.backoff = 0
	if t.unigrams, err = r.take((counts[0] + 2) * trieEntry); err != nil {
		return nil, err
	}
	for i := range t.levels {
		l := &t.levels[i]
		if i < highest {
			if l.next = requiredBits(counts[i+2]); added&arrays != 0 {
				if err := r.array(l, counts[i+2]); err != nil {
					return nil, err
				}
			}
		}
		l.total = l.word + l.weights.bits() + l.next
		if l.data, err = r.take(((1+l.entries)*uint64(l.total)+7)/8 + 8); err != nil {
			return nil, err
		}
	}
	return newModel(words, t, len(counts))
}

// words reads the vocabulary of a trie, with so many words and <unk>.
func (r *reader) words(count uint64) (sortedWords, error) {
	number, err := r.take(8)
	if err != nil {
		return nil, err
	}
	hashes, err := r.take(8 * count)
	n := binary.LittleEndian.Uint64(number)
	if err != nil || n > count || count > math.MaxUint32 {
		return nil, errCut
	}
	return hashes[:8*n], nil
}

// quantizers reads the values of quantized weights, of all orders from 2 on.
func (r *reader) quantizers(levels []level) error {
	header, err := r.take(8)
	if err != nil {
		return err
	}
	probability, backoff := header[1], header[2]
	if header[0] != 2 || probability == 0 || probability > 25 || backoff == 0 || backoff > 25 {
		return fmt.Errorf("its weights are quantized in the unknown version %d, to %d and %d bits", header[0], probability, backoff)
	}
	for i := range levels {
		q := &levels[i].weights
		q.probability, q.backoff = probability, backoff
		if q.probabilities, err = r.take(4 << probability); err == nil && i+1 < len(levels) {
			q.backoffs, err = r.take(4 << backoff)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array reads the numbers of entries that compress where the extensions of a level begin, up to last.
func (r *reader) array(l *level, last uint64) error {
	begin := r.offset
	header, err := r.take(8)
	if err != nil {
		return err
	}
	if header[0] != 0 {
		return fmt.Errorf("its pointers are compressed in the unknown version %d", header[0])
	}
	chop := chopped(l.entries+1, last, l.next, header[1])
	l.next -= chop
	n := last>>l.next + 1
	r.offset = (begin+7)&^7 + 8
	numbers, err := r.take(8 * n)
	if err != nil {
		return err
	}
	l.high, r.offset = numbers[8:], begin+8*(1+n)+7 // the first number is 0
	return nil
}

// chopped returns how many of the highest bits, of as many as pointers up to last need and at most as configured, are kept in an array:
// those by which so many entries with such pointers become the smallest.
func chopped(entries, last uint64, needed, configured uint8) (best uint8) {
	least := int64(math.MaxInt64)
	for chop := range min(needed, configured) + 1 {
		if change := int64(last>>(needed-chop)*64) - int64(entries*uint64(chop)); change < least {
			best, least = chop, change
		}
	}
	return best
}
