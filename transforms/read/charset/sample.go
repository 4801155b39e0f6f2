package charset

import (
	"unicode"
	"unicode/utf8"
)

// sample is what is counted of a text once, whatever its character set.
type sample struct {
	bytes [256]int
	pairs []neighbours
	ascii [64]float64    // by the number of a writing, what its words speak for it
	other map[string]int // words that are not ASCII
}

// neighbours are two bytes, one of which at least is not ASCII, and how often they stand together.
type neighbours struct {
	a, b byte
	n    int32
}

// mostDistinct is how many distinct words are looked at, and longestWord how long they are in bytes.
const (
	mostDistinct = 4000
	longestWord  = 16
)

func newSample(text []byte) *sample {
	s := &sample{other: map[string]int{}}
	pairs := make([]int32, 1<<16)
	counts := [64]int{}
	previous := byte(' ')
	start, lettered := -1, false
	end := func(i int) {
		word := text[max(start, 0):i]
		switch {
		case start < 0 || len(word) > longestWord:
		case !lettered:
			var lower [longestWord]byte
			for k, c := range word {
				lower[k] = c | 0x20
			}
			for _, w := range tables().words[string(lower[:len(word)])] {
				counts[w]++
			}
		case len(s.other) < mostDistinct || s.other[string(word)] > 0:
			s.other[string(word)]++
		}
		start, lettered = -1, false
	}
	for i, b := range text {
		s.bytes[b]++
		if b >= utf8.RuneSelf || previous >= utf8.RuneSelf {
			pairs[int(previous)<<8|int(b)]++
		}
		previous = b
		if b >= utf8.RuneSelf || b|0x20 >= 'a' && b|0x20 <= 'z' {
			if start < 0 {
				start = i
			}
			lettered = lettered || b >= utf8.RuneSelf
		} else {
			end(i)
		}
	}
	end(len(text))
	for i, n := range pairs {
		if n > 0 {
			s.pairs = append(s.pairs, neighbours{byte(i >> 8), byte(i), n})
		}
	}
	for w, n := range counts {
		limit := mostWords
		if w == english {
			limit = mostEnglish
		}
		s.ascii[w] = perWord * float64(min(n, limit))
	}
	return s
}

// words returns, by the number of a writing, what the words of the sample speak for it in a set.
func (s *sample) words(set *singleByte) [64]float64 {
	weights := s.ascii
	counts := [64]int{}
	var decoded []byte
	for word, n := range s.other {
		decoded = decoded[:0]
		for i := 0; i <= len(word); i++ {
			r := ' '
			if i < len(word) {
				r = unicode.ToLower(set.runes[word[i]])
			}
			if unicode.IsLetter(r) || unicode.IsMark(r) {
				decoded = utf8.AppendRune(decoded, r)
				continue
			}
			if utf8.RuneCount(decoded) > 1 {
				for _, w := range tables().words[string(decoded)] {
					counts[w] += n
				}
			}
			decoded = decoded[:0]
		}
	}
	for w, n := range counts {
		weights[w] += perLetteredWord * float64(min(n, mostWords))
	}
	return weights
}

// mostCapitals bounds what neighbouring capitals speak against a set: a text may be written in them throughout, and then its
// letters decide.
const mostCapitals = -9.

// links weighs the neighbours in the sample.
func (s *sample) links(set *singleByte) (score float64) {
	capitals := 0.
	for _, p := range s.pairs {
		a, b := set.kinds[p.a], set.kinds[p.b]
		weight := link(a, b)
		if a.capital() && b.capital() && a.script() == b.script() {
			capitals += float64(p.n) * weight
			weight = 0
		}
		if p.a >= utf8.RuneSelf && p.b >= utf8.RuneSelf && a.isLatin() && b.isLatin() {
			weight += joined
		}
		score += float64(p.n) * weight
	}
	return score + max(capitals, mostCapitals)
}
