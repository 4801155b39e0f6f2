package fasttext

import "strings"

// FNV-1a as the program computes it: bytes are sign-extended before the XOR.
const (
	hashStart uint32 = 2166136261
	hashPrime uint32 = 16777619
)

func hash(s string) uint32 {
	h := hashStart
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(int8(s[i]))) * hashPrime
	}
	return h
}

// frame puts a word between the marks of word begin and end.
func frame(dst []byte, word string) []byte {
	dst = append(dst[:0], '<')
	dst = append(dst, word...)
	return append(dst, '>')
}

// appendSubwords appends the rows of the character n-grams of a framed word.
// N-grams are counted in UTF-8 characters; the marks alone are not n-grams.
func (d *dictionary) appendSubwords(rows []int32, word []byte, args *arguments) []int32 {
	minn, maxn := int(args.minn), int(args.maxn)
	for i := range word {
		if word[i]&0xC0 == 0x80 {
			continue
		}
		h := hashStart
		j := i
		for n := 1; n <= maxn && j < len(word); n++ {
			h = (h ^ uint32(int8(word[j]))) * hashPrime
			for j++; j < len(word) && word[j]&0xC0 == 0x80; j++ {
				h = (h ^ uint32(int8(word[j]))) * hashPrime
			}
			if n < minn || (n == 1 && (i == 0 || j == len(word))) {
				continue
			}
			if row := d.row(d.bucket.of(h)); row >= 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// wordGramPrime joins word hashes to the hash of a word n-gram.
const wordGramPrime = 116049371

// appendWordGrams appends the rows of n-grams of 2 to n words. Hashes are
// sign-extended to 64 bits, as the program's conversion from int32 does.
func (d *dictionary) appendWordGrams(rows []int32, hashes []int32, n int) []int32 {
	if d.bucket.divisor == 0 {
		return rows
	}
	for i := range hashes {
		h := uint64(int64(hashes[i]))
		for j := i + 1; j < len(hashes) && j < i+n; j++ {
			h = h*wordGramPrime + uint64(int64(hashes[j]))
			if row := d.row(uint32(h % uint64(d.bucket.divisor))); row >= 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// space marks the bytes that part tokens: the program's list, which holds NUL
// and line breaks. Other Unicode white space is part of words.
var space = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '\v': true, '\f': true, 0: true}

// features fills c.rows with the input rows of a text, after the parts that were added, and its end of line.
func (c *Classifier) features(text string) {
	c.Add(text)
	if !c.ended {
		c.token(endOfLine, hash(endOfLine))
	}
	c.begun, c.ended = false, false
	if n := int(c.model.args.wordNgrams); n > 1 {
		c.rows = c.model.words.appendWordGrams(c.rows, c.hashes, n)
	}
}

// Add takes the next part of a text of which Predict takes the last one, so that a text in parts need not be joined. Between two parts
// is a space.
func (c *Classifier) Add(part string) {
	if !c.begun {
		c.rows, c.hashes, c.begun = c.rows[:0], c.hashes[:0], true
	}
	for offset := 0; !c.ended; {
		for offset < len(part) && space[part[offset]] {
			offset++
		}
		if offset == len(part) {
			return
		}
		start, h := offset, hashStart
		for offset < len(part) && !space[part[offset]] {
			h = (h ^ uint32(int8(part[offset]))) * hashPrime
			offset++
		}
		c.token(part[start:offset], h)
		c.ended = part[start:offset] == endOfLine // the program takes it for the end of the line
	}
}

// token appends the rows of one token. A token that looks like a label is none.
func (c *Classifier) token(word string, h uint32) {
	if c.memo == nil {
		c.memo = &memo{}
	}
	rows, ok := c.memo.find(word, h)
	if ok {
		c.rows = append(c.rows, rows...)
	} else {
		start := len(c.rows)
		if !c.lookUp(word, h) {
			return
		}
		c.memo.keep(word, h, c.rows[start:])
	}
	c.hashes = append(c.hashes, int32(h))
}

// lookUp appends the rows of a token as the dictionary has them; it is false for one that looks
// like a label.
func (c *Classifier) lookUp(word string, h uint32) bool {
	d, args := c.model.words, &c.model.args
	id := d.find(word, h)
	switch {
	case id >= 0 && args.maxn > 0 && d.subwordStarts != nil:
		c.rows = append(c.rows, d.subwords[d.subwordStarts[id]:d.subwordStarts[id+1]]...)
		return true
	case id >= 0:
		c.rows = append(c.rows, id)
	case strings.HasPrefix(word, labelPrefix):
		return false
	}
	if args.maxn > 0 && word != endOfLine {
		c.framed = frame(c.framed, word)
		c.rows = d.appendSubwords(c.rows, c.framed, args)
	}
	return true
}
