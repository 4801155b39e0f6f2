package fasttext

// memo keeps the rows of words, because to look up all n-grams of a word takes longer than to find
// it here, and running text says most words again. A word has one slot, by its hash.
//
// Of the two words in a slot the second makes room, and comes first when it is said again: words
// that are said once, as most numbers are, drive out none that are frequent.
type memo [8192][2]memorised

// memorised is a word and its rows: 64 bytes, a line of the cache. Words that are longer or have
// more rows are not kept.
type memorised struct {
	hash  uint32
	bytes uint8 // 0 in a free place
	count uint8
	word  [22]byte
	rows  [9]int32
}

func (m *memo) slot(h uint32) *[2]memorised { return &m[(h^h>>15)%uint32(len(m))] }

// find returns the rows of a word, valid until the next call.
func (m *memo) find(word string, h uint32) (rows []int32, ok bool) {
	s := m.slot(h)
	if !s[0].is(word, h) {
		if !s[1].is(word, h) {
			return nil, false
		}
		s[0], s[1] = s[1], s[0]
	}
	return s[0].rows[:s[0].count], true
}

func (w *memorised) is(word string, h uint32) bool {
	return w.hash == h && string(w.word[:w.bytes]) == word
}

// keep takes the rows of a word that find does not know.
func (m *memo) keep(word string, h uint32, rows []int32) {
	w := &m.slot(h)[1]
	if len(word) > len(w.word) || len(rows) > len(w.rows) {
		return
	}
	w.hash, w.bytes, w.count = h, uint8(copy(w.word[:], word)), uint8(copy(w.rows[:], rows))
}
