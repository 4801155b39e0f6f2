package ngram

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// MaxGrams is the most n-grams of an ARPA file. They take some 25 bytes of memory each.
const MaxGrams = 1 << 23

// loadFactor is how many entries a hash table of an ARPA file has for each n-gram.
const loadFactor = 1.5

// unknownProbability is the logarithm of the probability of <unk> in a file without it.
const unknownProbability = -100

// ReadARPA reads a model in the ARPA format, of which at most size bytes are left. Errors name the line: one that is malformed, an n-gram
// that is there twice, that begins with one that is not there, or of unknown words, a positive logarithm of a probability, other numbers
// of n-grams than the header says, and more of them than MaxGrams or than size has room for.
func ReadARPA(from io.Reader, size int64) (*Model, error) {
	r := &arpa{lines: bufio.NewReaderSize(from, 1<<16)}
	m, err := r.read(size)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New(`it ends before \end\`)
	}
	if err != nil && r.line > 0 {
		err = fmt.Errorf("line %d: %w", r.line, err)
	}
	return m, err
}

// arpa reads a file of ARPA into hash tables.
type arpa struct {
	lines  *bufio.Reader
	line   int
	counts []int
	words  hashedWords
	grams  hashedGrams
	gaps   bool
}

// next returns the next line, without white space at its ends.
func (r *arpa) next() ([]byte, error) {
	line, err := r.lines.ReadSlice('\n')
	if len(line) > 0 {
		r.line++
	}
	switch {
	case err == bufio.ErrBufferFull:
		return nil, fmt.Errorf("it has more than %d bytes", 1<<16)
	case err == io.EOF && len(line) == 0, err != nil && err != io.EOF:
		return nil, err
	}
	return bytes.Trim(line, " \t\r\n"), nil
}

// filled returns the next line that is not empty.
func (r *arpa) filled() ([]byte, error) {
	for {
		if line, err := r.next(); err != nil || len(line) > 0 {
			return line, err
		}
	}
}

func (r *arpa) read(size int64) (*Model, error) {
	if err := r.header(size); err != nil {
		return nil, err
	}
	r.allocate()
	for order := 1; order <= len(r.counts); order++ {
		line, err := r.filled()
		if err != nil {
			return nil, err
		}
		if want := fmt.Sprintf(`\%d-grams:`, order); string(line) != want {
			return nil, fmt.Errorf("%.80q in the place of %s after as many lines as the header says", line, want)
		}
		for range r.counts[order-1] {
			if line, err = r.next(); err == nil {
				err = r.gram(line, order)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	line, err := r.filled()
	if err != nil {
		return nil, err
	}
	if string(line) != `\end\` {
		return nil, fmt.Errorf(`%.80q in the place of \end\ after as many lines as the header says`, line)
	}
	r.line = 0
	m, err := newModel(&r.words, &r.grams, len(r.counts))
	if err == nil {
		m.gaps = r.gaps
	}
	return m, err
}

// header reads the numbers of n-grams.
func (r *arpa) header(size int64) error {
	line, err := r.filled()
	for err == nil && line[0] == '#' {
		line, err = r.filled()
	}
	if err != nil {
		return err
	}
	if string(line) != `\data\` {
		return fmt.Errorf(`%.80q, want \data\: it is neither in the ARPA format nor a binary file of KenLM`, line)
	}
	sum, least := 0, int64(0)
	for {
		if line, err = r.next(); err != nil {
			return err
		}
		if len(line) == 0 {
			break
		}
		order := len(r.counts) + 1
		number, ok := strings.CutPrefix(string(line), fmt.Sprintf("ngram %d=", order))
		n, err := strconv.Atoi(strings.TrimSpace(number))
		switch {
		case !ok || err != nil || n < 0:
			return fmt.Errorf("%.80q, want ngram %d=NUMBER", line, order)
		case order > MaxOrder:
			return fmt.Errorf("n-grams of more than %d words are not supported", MaxOrder)
		case n > MaxGrams-sum:
			return fmt.Errorf("these are more than %d n-grams: make a binary file of them by KenLM's build_binary trie", MaxGrams)
		}
		sum, least = sum+n, least+int64(n)*int64(2*order+2) // a number and words of one byte, what separates them, an end
		r.counts = append(r.counts, n)
	}
	switch {
	case len(r.counts) < 2:
		return errors.New("the model has no n-grams of two words or more")
	case least > size:
		return fmt.Errorf("by the header there are %d n-grams, for which the file is too short", sum)
	}
	return nil
}

func (r *arpa) allocate() {
	table := func(n int, entry uint64) hashTable {
		return newHashTable(make([]byte, buckets(uint64(n), loadFactor)*entry), entry)
	}
	r.words = hashedWords{hashTable: table(r.counts[0], wordEntry), bound: 1}
	r.grams.unigrams = make([]byte, (r.counts[0]+1)*unigramEntry)
	writeWeights(r.grams.unigrams, unknownProbability, 0)
	for i, n := range r.counts[1:] {
		entry := uint64(middleEntry)
		if i+2 == len(r.counts) {
			entry = longestEntry
		}
		r.grams.tables = append(r.grams.tables, table(n, entry))
	}
}

// gram reads a line: a probability, words, and a back-off weight.
func (r *arpa) gram(line []byte, order int) error {
	fields := bytes.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
	if len(fields) != order+1 && len(fields) != order+2 {
		return fmt.Errorf("%.80q is not the logarithm of a probability and %d words: by the header there are %d such lines", line, order,
			r.counts[order-1])
	}
	probability, err := weight(fields[0])
	if err != nil || probability > 0 {
		return fmt.Errorf("%.80q is not the logarithm of a probability", fields[0])
	}
	backoff := float32(0)
	if len(fields) > order+1 {
		if backoff, err = weight(fields[order+1]); err != nil || order == len(r.counts) && backoff != 0 {
			return fmt.Errorf("%.80q behind %d words is not the back-off weight of a %d-gram", fields[order+1], order, order)
		}
	}
	var values []byte
	if order == 1 {
		values, err = r.word(string(fields[1]))
	} else {
		values, err = r.longer(fields[1 : order+1])
	}
	if err == nil {
		writeWeights(values, probability, backoff)
	}
	return err
}

// weight reads a finite number.
func weight(text []byte) (float32, error) {
	x, err := strconv.ParseFloat(string(text), 32)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		err = strconv.ErrRange
	}
	return float32(x), err
}

// isUnknown says whether a word is one of the names of <unk>.
func isUnknown(word string) bool { return word == "<unk>" || word == "<UNK>" }

// word adds a word to the vocabulary, and returns where its weights are.
func (r *arpa) word(word string) ([]byte, error) {
	id := uint32(Unknown)
	if !isUnknown(word) {
		entry := r.words.insert(hash(word))
		if entry == nil {
			return nil, fmt.Errorf("the word %.80q is there twice", word)
		}
		id = r.words.bound
		binary.LittleEndian.PutUint32(entry[8:], id)
		r.words.bound++
	}
	return r.weights([]uint32{id}), nil
}

// longer adds an n-gram, and returns where its weights are. The n-grams that it begins and ends with learn of it.
func (r *arpa) longer(words [][]byte) ([]byte, error) {
	ids := make([]uint32, len(words))
	for i, word := range words {
		if ids[i] = r.words.index(hash(string(word))); ids[i] == Unknown && !isUnknown(string(word)) {
			return nil, fmt.Errorf("the word %.80q is not among the 1-grams", word)
		}
	}
	context := r.weights(ids[:len(ids)-1])
	if context == nil {
		return nil, fmt.Errorf("the first %d of its words are not among the %d-grams", len(ids)-1, len(ids)-1)
	}
	extendsRight(context)
	if ending := r.weights(ids[1:]); ending != nil {
		extendsLeft(ending)
	} else {
		r.gaps = true
	}
	entry := r.grams.tables[len(ids)-2].insert(key(ids))
	if entry == nil {
		return nil, errors.New("the n-gram is there twice")
	}
	return entry[8:], nil
}

// weights returns where those of an n-gram are, nil if it is not there.
func (r *arpa) weights(ids []uint32) []byte {
	if len(ids) == 1 {
		return r.grams.unigrams[ids[0]*unigramEntry:][:unigramEntry]
	}
	if entry, ok := r.grams.tables[len(ids)-2].find(key(ids)); ok {
		return entry[8:]
	}
	return nil
}

// key returns that of an n-gram.
func key(ids []uint32) uint64 {
	k := uint64(ids[len(ids)-1])
	for i := len(ids) - 2; i >= 0; i-- {
		k = combine(k, ids[i])
	}
	return k
}
