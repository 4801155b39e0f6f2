package fasttext

// memo keeps the rows of words that the dictionary lacks, because to look up all n-grams of a
// word takes longer than to find it here, and running text says most words again. A word has one
// slot, by its hash, and the latest word has it.
type memo [8192]memorised

// memorised is a word and its rows. Words that are longer or have more rows are not kept.
type memorised struct {
	hash  uint32
	bytes uint8 // 0 in a free slot
	count uint8
	word  [34]byte
	rows  [14]int32
}

func (m *memo) slot(h uint32) *memorised { return &m[(h^h>>15)%uint32(len(m))] }

// find returns the rows of a word.
func (m *memo) find(word string, h uint32) (rows []int32, ok bool) {
	s := m.slot(h)
	if s.hash != h || string(s.word[:s.bytes]) != word {
		return nil, false
	}
	return s.rows[:s.count], true
}

// keep takes the rows of a word that find does not know.
func (m *memo) keep(word string, h uint32, rows []int32) {
	s := m.slot(h)
	if len(word) > len(s.word) || len(rows) > len(s.rows) {
		return
	}
	s.hash, s.bytes, s.count = h, uint8(copy(s.word[:], word)), uint8(copy(s.rows[:], rows))
}
