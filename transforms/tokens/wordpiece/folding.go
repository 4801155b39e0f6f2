package wordpiece

import (
	"slices"
	"unicode/utf8"
)

// The rows of the tables in tables.go.
type (
	span      struct{ lo, hi rune }
	classSpan struct {
		lo, hi rune
		class  uint8
	}
	caseSpan struct{ lo, hi, stride, delta rune }
	// runes are what stands for code and its successors, one each (stripped), or for
	// code alone (decomposed).
	runes struct {
		code rune
		text string
	}
)

// kind is what the basic tokenizer does with a character.
type kind uint32

const (
	letter   kind = iota // part of a word
	alone                // a word of its own
	space                // ends a word
	drop                 // ignored
	barrier              // ignored, but nothing is reordered across it
	reorder              // part of a word; canonical reordering decides where
	syllable             // a Hangul syllable, part of a word, to be decomposed
)

// action is a kind (3 bits) and the length (5 bits) and place of the text that
// stands for the character; length 0 is the character itself.
type action uint32

func (a action) kind() kind { return kind(a & 7) }

func (a action) replaces() bool { return a>>3&31 != 0 }

const pageSize = 256

// folding is the table of the basic tokenizer for one set of options: 60 to 100
// KiB, since most of Unicode shares a few pages.
type folding struct {
	// ascii is what stands for a byte that is a letter, 0 for all other bytes.
	ascii [256]byte
	index [(utf8.MaxRune + 1) / pageSize]uint16
	pages [][pageSize]action
	texts []byte
}

func (f *folding) action(r rune) action {
	return f.pages[f.index[uint32(r)/pageSize]][uint32(r)%pageSize]
}

// text returns what stands for a character whose action replaces.
func (f *folding) text(a action) []byte {
	start := uint32(a) >> 8
	return f.texts[start : start+uint32(a)>>3&31]
}

// newFolding builds the table, in well under a millisecond. Later steps win over
// earlier ones: they follow the reference backwards, from splitting to cleaning.
func newFolding(o Options) *folding {
	b := &foldingBuilder{folding: &folding{}, uniform: map[kind]uint16{}}
	b.uniformPage(letter)
	b.fill(punctuation, alone)
	lower := map[rune]rune{}
	if o.Lowercase {
		for _, row := range lowered {
			for r := row.lo; r <= row.hi; r += row.stride {
				lower[r] = r + row.delta
				b.replace(r, letter, string(r+row.delta))
			}
		}
		// The only character whose full lower case has two characters.
		b.replace('İ', letter, "i\u0307")
	}
	if !o.KeepAccents {
		b.strip(lower)
	}
	if !o.JoinIdeographs {
		b.fill(ideographs, alone)
	}
	b.fill(spaces, space) // U+2000 and U+2001 decompose to other spaces
	if o.KeepControls {
		// It stands for itself, and for bytes that are not UTF-8.
		b.replace(utf8.RuneError, letter, string(utf8.RuneError))
	} else {
		b.fill(removed, drop)
	}
	for c := range byte(utf8.RuneSelf) {
		if a := b.action(rune(c)); a.kind() == letter {
			b.ascii[c] = c
			if a.replaces() {
				b.ascii[c] = b.text(a)[0]
			}
		}
	}
	return b.folding
}

type foldingBuilder struct {
	*folding
	uniform map[kind]uint16 // pages that hold nothing but one kind
}

// strip sets what stands for characters that are decomposed, in lower case where
// there is one. What stands for them decides whether they are alone.
func (b *foldingBuilder) strip(lower map[rune]rune) {
	for _, row := range stripped {
		code := row.code
		for _, r := range row.text {
			if small, ok := lower[r]; ok {
				r = small
			}
			k := letter
			if contains(punctuation, r) {
				k = alone
			}
			b.replace(code, k, string(r))
			code++
		}
	}
	for _, row := range decomposed { // they hold neither case nor punctuation
		k := letter
		for _, r := range row.text {
			if rank(r) > 0 {
				k = reorder
			}
		}
		b.replace(row.code, k, row.text)
	}
	b.fill([]span{{syllableFirst, syllableLast}}, syllable)
	for _, row := range reordered {
		b.fill([]span{{row.lo, row.hi}}, reorder)
	}
	b.fill(marks, drop)
	b.fill(barriers, barrier)
}

func (b *foldingBuilder) uniformPage(k kind) uint16 {
	page, ok := b.uniform[k]
	if !ok {
		page = uint16(len(b.pages))
		b.uniform[k] = page
		b.pages = append(b.pages, [pageSize]action{})
		for i := range b.pages[page] {
			b.pages[page][i] = action(k)
		}
	}
	return page
}

// set changes one action; a page that is shared is copied first.
func (b *foldingBuilder) set(r rune, a action) {
	slot := uint32(r) / pageSize
	page := b.index[slot]
	if shared, ok := b.uniform[b.pages[page][0].kind()]; ok && shared == page {
		b.pages = append(b.pages, b.pages[page])
		page = uint16(len(b.pages) - 1)
		b.index[slot] = page
	}
	b.pages[page][uint32(r)%pageSize] = a
}

// fill gives all characters of spans a kind. Letters that became another letter
// stay so.
func (b *foldingBuilder) fill(spans []span, k kind) {
	for _, s := range spans {
		for r := s.lo; r <= s.hi; r++ {
			page := b.index[r/pageSize]
			if full := r%pageSize == 0 && r+pageSize-1 <= s.hi; full && page == b.uniform[letter] {
				b.index[r/pageSize] = b.uniformPage(k)
				r += pageSize - 1
				continue
			}
			b.set(r, b.action(r)&^7|action(k))
		}
	}
}

func (b *foldingBuilder) replace(r rune, k kind, text string) {
	start := len(b.texts)
	b.texts = append(b.texts, text...)
	b.set(r, action(k)|action(len(text))<<3|action(start)<<8)
}

// contains says whether a character lies in one of the spans, which ascend.
func contains(spans []span, r rune) bool {
	_, ok := slices.BinarySearchFunc(spans, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return ok
}
