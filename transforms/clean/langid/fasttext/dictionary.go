package fasttext

import (
	"fmt"
	"math/bits"
	"strings"
)

// dictionary maps words and n-gram hashes to rows of the input matrix, and
// holds the labels.
type dictionary struct {
	nwords int32
	// Words lie end to end in text; word i is text[starts[i]:starts[i+1]].
	text   string
	starts []uint32
	// table is an open-addressing hash table of word numbers + 1, sized to a power of two.
	table []int32

	labels      []string
	labelCounts []int64

	// pruned maps the buckets that pruning kept to rows; nil means all buckets are kept.
	pruned *prunedIndex

	// Rows of word i and its character n-grams: subwords[subwordStarts[i]:subwordStarts[i+1]].
	// nil where they would take too much memory; they are then computed for each text.
	subwords      []int32
	subwordStarts []uint32
	maxn          int32
	bucket        modulus
}

// Sizes of a dictionary entry and of a pruning entry in the file, at least.
const (
	entryBytes = 1 + 8 + 1
	pruneBytes = 4 + 4
	// subwordLimit bounds the expanded n-grams of all words, in entries; so does
	// subwordShare, in entries per byte of the words.
	subwordLimit = 16 << 20
	subwordShare = 8
)

func readDictionary(r *reader, args *arguments) *dictionary {
	size, nwords, nlabels := r.int32("dictionary size"), r.int32("number of words"), r.int32("number of labels")
	r.int64("number of tokens")
	pruned := r.int64("pruning size")
	d := &dictionary{nwords: nwords, maxn: args.maxn, bucket: newModulus(uint32(args.bucket))}
	if r.err == nil && (nwords < 0 || nlabels < 0 || nlabels == 0 && !args.vectors || int64(nwords)+int64(nlabels) != int64(size)) {
		r.fail("dictionary: %d words and %d labels make no dictionary of %d: the file is corrupt", nwords, nlabels, size)
	}
	if !r.fits("dictionary", int64(size), entryBytes) {
		return d
	}
	var text []byte
	var word []byte
	d.starts = make([]uint32, 0, nwords+1)
	for i := int32(0); i < size && r.err == nil; i++ {
		word = r.word(word[:0])
		count := r.int64("word count")
		kind := r.byte("word kind")
		isLabel := i >= nwords
		if r.err == nil && (kind == 1) != isLabel {
			r.fail("dictionary entry %d %q: an entry of kind %d is among those of the other kind: the file is corrupt", i, word, kind)
		}
		if isLabel {
			d.labels = append(d.labels, strings.TrimPrefix(string(word), labelPrefix))
			d.labelCounts = append(d.labelCounts, count)
			continue
		}
		d.starts = append(d.starts, uint32(len(text)))
		text = append(text, word...)
		if int64(len(text)) > 1<<32-1 {
			r.fail("dictionary: words take more than 4 GiB")
		}
	}
	if r.err != nil {
		return d
	}
	d.starts = append(d.starts, uint32(len(text)))
	d.text = string(text)
	d.index()
	if pruned >= 0 {
		d.pruned = readPruned(r, pruned, args.bucket)
	}
	return d
}

// validate checks the rows that the dictionary points at.
func (d *dictionary) validate(rows int64) error {
	if d.pruned == nil {
		if want := int64(d.nwords) + int64(d.bucket.divisor); rows != want {
			return fmt.Errorf("input matrix: %d rows for %d words and buckets: the file is corrupt", rows, want)
		}
		return nil
	}
	if highest := int64(d.nwords) + int64(d.pruned.highest); highest >= rows || int64(d.nwords) > rows {
		return fmt.Errorf("input matrix: %d rows, but the dictionary points at row %d: the file is corrupt", rows, highest)
	}
	return nil
}

func (d *dictionary) word(i int32) string { return d.text[d.starts[i]:d.starts[i+1]] }

// index builds the hash table. Of equal words the first is found.
func (d *dictionary) index() {
	size := 1 << bits.Len(uint(d.nwords)*2)
	d.table = make([]int32, size)
	for i := range d.nwords {
		w := d.word(i)
		slot := d.slot(w, hash(w))
		if d.table[slot] == 0 {
			d.table[slot] = i + 1
		}
	}
}

// slot returns the place of w in the table: where it is or where it would go.
func (d *dictionary) slot(w string, h uint32) uint32 {
	mask := uint32(len(d.table) - 1)
	index := (h ^ h>>15) & mask
	for d.table[index] != 0 && d.word(d.table[index]-1) != w {
		index = (index + 1) & mask
	}
	return index
}

// find returns the number of the word, or -1.
func (d *dictionary) find(w string, h uint32) int32 { return d.table[d.slot(w, h)] - 1 }

// row returns the input row of an n-gram's bucket, or -1 where it was pruned.
func (d *dictionary) row(bucket uint32) int32 {
	if d.pruned == nil {
		return d.nwords + int32(bucket)
	}
	index := d.pruned.find(bucket)
	if index < 0 {
		return -1
	}
	return d.nwords + index
}

// expandSubwords computes the rows of every word once.
func (d *dictionary) expandSubwords(args *arguments) {
	starts := make([]uint32, 0, d.nwords+1)
	rows := make([]int32, 0, d.nwords)
	limit := min(subwordLimit, subwordShare*(len(d.text)+int(d.nwords)))
	var framed []byte
	for i := range d.nwords {
		starts = append(starts, uint32(len(rows)))
		rows = append(rows, i)
		if w := d.word(i); w != endOfLine {
			framed = frame(framed, w)
			rows = d.appendSubwords(rows, framed, args)
		}
		if len(rows) > limit {
			return
		}
	}
	d.subwords, d.subwordStarts = rows, append(starts, uint32(len(rows)))
}

// prunedIndex maps kept buckets to rows: a bitmap with ranks, so that the usual
// case, a bucket that was dropped, costs one look into a table that fits the
// cache (2 million buckets: 375 kB).
type prunedIndex struct {
	bits    []uint64
	ranks   []uint32
	rows    []int32
	highest int32
}

func readPruned(r *reader, n int64, bucket int32) *prunedIndex {
	if !r.fits("pruned n-grams", n, pruneBytes) {
		return newPruned(nil, nil, 0)
	}
	if n > int64(bucket) {
		r.fail("pruned n-grams: %d of %d buckets are kept: the file is corrupt", n, bucket)
		return newPruned(nil, nil, 0)
	}
	keys, rows := make([]int32, n), make([]int32, n)
	for i := range keys {
		keys[i], rows[i] = r.int32("pruned bucket"), r.int32("pruned row")
		if r.err == nil && (keys[i] < 0 || keys[i] >= bucket || rows[i] < 0) {
			r.fail("pruned n-grams: bucket %d of %d, row %d: the file is corrupt", keys[i], bucket, rows[i])
		}
		if r.err != nil {
			return newPruned(nil, nil, 0)
		}
	}
	return newPruned(keys, rows, bucket)
}

// newPruned returns the index of the rows of keys, which are buckets below the number of buckets.
func newPruned(keys, rows []int32, bucket int32) *prunedIndex {
	p := &prunedIndex{highest: -1}
	if len(keys) == 0 {
		return p
	}
	// Bits are set for all keys first, because ranks need all of them. The bitmap
	// and its ranks take at most 24 MiB (maxBucket).
	p.bits = make([]uint64, (int64(bucket)+63)/64)
	for i, key := range keys {
		p.bits[key/64] |= 1 << (key % 64)
		p.highest = max(p.highest, rows[i])
	}
	p.ranks = make([]uint32, len(p.bits))
	var rank uint32
	for i, b := range p.bits {
		p.ranks[i] = rank
		rank += uint32(bits.OnesCount64(b))
	}
	p.rows = make([]int32, rank)
	for i, key := range keys {
		p.rows[p.rank(uint32(key))] = rows[i]
	}
	return p
}

// size returns the number of buckets that were kept, -1 where nothing was pruned: what the file has.
func (p *prunedIndex) size() int64 {
	if p == nil {
		return -1
	}
	return int64(len(p.rows))
}

func (p *prunedIndex) rank(key uint32) uint32 {
	lower := p.bits[key/64] & (1<<(key%64) - 1)
	return p.ranks[key/64] + uint32(bits.OnesCount64(lower))
}

// find returns the row of a bucket, or -1.
func (p *prunedIndex) find(key uint32) int32 {
	word := key / 64
	if int(word) >= len(p.bits) || p.bits[word]>>(key%64)&1 == 0 {
		return -1
	}
	return p.rows[p.rank(key)]
}

// modulus divides by a constant with two multiplications instead of a division
// (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
type modulus struct {
	divisor uint32
	inverse uint64
}

func newModulus(d uint32) modulus {
	if d == 0 {
		return modulus{}
	}
	return modulus{divisor: d, inverse: ^uint64(0)/uint64(d) + 1}
}

func (m modulus) of(v uint32) uint32 {
	hi, _ := bits.Mul64(m.inverse*uint64(v), uint64(m.divisor))
	return uint32(hi)
}
