package learner

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark begins every word.
const mark = '▁'

// text is the words as symbols, which are the ranks of characters by code point, from 1.
type text struct {
	runes   []rune // of symbols
	scripts []int  // of symbols
	// required are the symbols by falling count.
	required []int32
	counted  []int64 // of symbols
	// symbols are the segments, each with a 0 behind it.
	symbols []int32
	// segments are words, cut at characters that are not covered.
	segments []segment
	words    int64 // occurrences
}

// segment is symbols[start:end], which is in the text so many times.
type segment struct {
	start, end int32
	count      int64
}

// newText takes the words that can be learned from.
func newText(words []Word, coverage float64, r *Result) *text {
	t := &text{}
	counts := map[rune]int64{}
	var taken []Word
	characters := 0
	for _, w := range words {
		n := utf8.RuneCountInString(w.Text) + 1
		broken := w.Text == "" || !utf8.ValidString(w.Text) || strings.ContainsRune(w.Text, mark)
		if w.Count < 1 || broken || n > longestWord || characters+n > maxText {
			r.Lost++
			continue
		}
		characters += n
		taken = append(taken, w)
		t.words += w.Count
		counts[mark] += w.Count
		for _, c := range w.Text {
			counts[c] += w.Count
		}
	}
	r.Words = len(taken)
	covered := covered(counts, coverage)
	t.runes = append([]rune{0}, slices.Sorted(slices.Values(covered))...)
	t.scripts, t.counted = make([]int, len(t.runes)), make([]int64, len(t.runes))
	ids := map[rune]int32{}
	for i, c := range t.runes[1:] {
		ids[c], t.scripts[i+1], t.counted[i+1] = int32(i+1), script(c), counts[c]
	}
	for _, c := range covered {
		t.required = append(t.required, ids[c])
	}
	for _, w := range taken {
		start := len(t.symbols)
		for _, c := range string(mark) + w.Text {
			if id, ok := ids[c]; ok {
				t.symbols = append(t.symbols, id)
				continue
			}
			start = t.cut(start, w.Count)
		}
		t.cut(start, w.Count)
	}
	return t
}

// cut ends a segment, and returns where the next one starts.
func (t *text) cut(start int, count int64) int {
	if end := len(t.symbols); end > start {
		t.segments = append(t.segments, segment{int32(start), int32(end), count})
		t.symbols = append(t.symbols, 0)
	}
	return len(t.symbols)
}

// covered returns the characters by falling count, equal ones by code point, until they make up so much of the text.
func covered(counts map[rune]int64, coverage float64) []rune {
	var total, sum int64
	list := make([]rune, 0, len(counts))
	for c, n := range counts {
		list = append(list, c)
		total += n
	}
	slices.SortFunc(list, func(a, b rune) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var taken []rune
	for _, c := range list {
		if float64(sum)/float64(total) >= coverage {
			break
		}
		sum += counts[c]
		if c != 0 { // which SentencePiece takes into no piece
			taken = append(taken, c)
		}
	}
	return taken
}

// string returns the characters of symbols.
func (t *text) string(start, length int32) string {
	var b strings.Builder
	for _, symbol := range t.symbols[start : start+length] {
		b.WriteRune(t.runes[symbol])
	}
	return b.String()
}

// Scripts that are not those of a table.
const (
	anyScript = iota
	inherited
	han
	common
	firstScript
)

var scriptNames = func() (names []string) {
	for name := range unicode.Scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// script returns a number for the script of a character; kana are Han, as in SentencePiece.
func script(c rune) int {
	switch {
	case c == mark:
		return anyScript
	case c == 'ー' || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return han
	case unicode.Is(unicode.Inherited, c):
		return inherited
	}
	for i, name := range scriptNames {
		if name != "Common" && unicode.Is(unicode.Scripts[name], c) {
			return firstScript + i
		}
	}
	return common
}

// joins says whether symbols may be a piece: those of one script, where digits and punctuation have one of their own, with a mark
// before them at most.
func (t *text) joins(symbols []int32) bool {
	previous := anyScript
	for _, symbol := range symbols {
		s := t.scripts[symbol]
		if s == inherited {
			s = previous
		}
		if s != anyScript && previous != anyScript && s != previous {
			return false
		}
		previous = cmp.Or(s, previous)
	}
	return true
}
