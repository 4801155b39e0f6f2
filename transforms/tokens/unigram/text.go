package unigram

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"sentweave/transforms/tokens/wordcache"
)

// origin are the bytes of the given text that a byte stands for.
type origin struct{ start, end int32 }

// text is UTF-8 with the origin of each byte, where these are tracked.
type text struct {
	bytes   []byte
	origins []origin
	tracked bool
}

func (t *text) reset(tracked bool) {
	t.bytes, t.origins, t.tracked = t.bytes[:0], t.origins[:0], tracked
}

// read takes a text. Each byte that does not belong to a character becomes U+FFFD.
func (t *text) read(given string, tracked bool) {
	t.reset(tracked)
	if !tracked && utf8.ValidString(given) {
		t.bytes = append(t.bytes, given...)
		return
	}
	for i := 0; i < len(given); {
		r, size := utf8.DecodeRuneInString(given[i:])
		n := len(t.bytes)
		t.bytes = utf8.AppendRune(t.bytes, r)
		t.span(len(t.bytes)-n, origin{int32(i), int32(i + size)})
		i += size
	}
}

// span gives the next n bytes their origin.
func (t *text) span(n int, o origin) {
	if t.tracked {
		for range n {
			t.origins = append(t.origins, o)
		}
	}
}

// keep appends the bytes [from, to) of another text.
func (t *text) keep(src *text, from, to int) {
	t.bytes = append(t.bytes, src.bytes[from:to]...)
	if t.tracked {
		t.origins = append(t.origins, src.origins[from:to]...)
	}
}

// put appends what stands for the byte of another text at a place.
func (t *text) put(piece []byte, src *text, place int) {
	t.bytes = append(t.bytes, piece...)
	if t.tracked {
		t.span(len(piece), src.origins[place])
	}
}

// cut is a piece of a text: the bytes [start, end).
type cut struct{ start, end int }

// edit is a character of a new text: how many bytes it has, and how many characters of the old text
// less than one it stands for; 1 is a character that was added.
type edit struct{ size, change int }

// scratch is the memory of one call.
type scratch struct {
	text, next   *text
	cuts, others []cut
	edits        []edit
	clusters     *graphemes.Iterator[[]byte]
	path         []place
	matches      []match
	words        *wordcache.Cache // nil until a text becomes ids
}

func newScratch() any {
	return &scratch{text: &text{}, next: &text{}, clusters: graphemes.FromBytes(nil)}
}

// swap makes what was written the text.
func (s *scratch) swap() { s.text, s.next = s.next, s.text }

// edited appends characters to the next text in the place of some of the old one, as the library
// tokenizers counts: those that are too many were added, and the last one stands for those that are gone.
func (s *scratch) edited(old, new []byte) {
	s.next.bytes = append(s.next.bytes, new...)
	if !s.text.tracked {
		return
	}
	surplus := utf8.RuneCount(new) - utf8.RuneCount(old)
	for rest := new; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		s.edits = append(s.edits, edit{size, 0})
		rest = rest[size:]
	}
	last := len(s.edits) - 1
	for i := range max(surplus, 0) {
		s.edits[last-i].change = 1
	}
	if surplus < 0 && last >= 0 {
		s.edits[last].change += surplus
	}
}

// realign gives the next text, which edits made of the old one, its origins: those of the characters
// that it was made of one by one, in the order of both. Characters that were dropped at the very
// beginning are nobody's, so that all behind them have those of their neighbours: offsets are to be those
// of the library.
func (s *scratch) realign() {
	if !s.text.tracked {
		return
	}
	place := 0
	skip := func() {
		if place < len(s.text.bytes) {
			_, size := utf8.DecodeRune(s.text.bytes[place:])
			place += size
		}
	}
	for _, e := range s.edits {
		var o origin
		switch {
		case e.change > 0 && place > 0:
			o = s.text.origins[place-1]
		case e.change <= 0 && place < len(s.text.origins):
			o = s.text.origins[place]
		}
		s.next.span(e.size, o)
		for range 1 - e.change {
			skip()
		}
	}
	s.edits = s.edits[:0]
}
