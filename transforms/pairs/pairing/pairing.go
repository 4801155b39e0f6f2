// Package pairing makes pairs of consecutive sequences from documents: the s1, s2 of
// Conditional Masked Language Modeling (Yang et al. 2021, section 3). These are two
// sequences of up to 256 tokens that follow each other on a page, swapped half of the
// time.
//
// # Method
//
// A run is a stretch of sentences whose positions, counted before any filter, follow
// each other without a gap. Unless AcrossLanguages is set, its sentences are in one
// language. Within a run sentences are packed greedily: a side takes sentences while
// they fit. A side with fewer than MinTokens is dropped, and the sides before and
// after it are not consecutive. Sides are paired one after another, (1,2), (3,4), or
// overlapping with Sliding.
//
// # Determinism
//
// The pairs of a document depend on the document and the configuration only. A pair is
// swapped by a hash of (Version, seed, document id, ordinal of the pair).
package pairing

import (
	"sentweave/transforms/random"
)

// Sentence is what pairing has to know of a sentence.
type Sentence struct {
	// Position is the ordinal of the sentence in the document before filters.
	Position int32
	// Language is the sentence's own.
	Language string
	// Length is the number of its tokens without [CLS] and [SEP]; less than 0 counts as 0.
	Length int
}

// Side is one side of a pair: the tokens of the sentences [First, Last) of the
// input, in order, of the first one from token From on and of the last one up to
// token To, excluded.
type Side struct {
	First, Last int
	From, To    int
	// Tokens is their number, special tokens not counted.
	Tokens int
}

// Pair is two sides that follow each other in the document.
type Pair struct {
	// A and B are the sides in the order of the row: B comes first in the
	// document where Swapped is set.
	A, B    Side
	Swapped bool
}

// Result is what Pairs says about one document. Its slices are reused by the
// next call.
type Result struct {
	// Pairs in the order of the document.
	Pairs []Pair
	// Reasons has one entry per sentence: "" where it is in a pair, else why
	// not. A sentence that is split over sides counts where it starts.
	Reasons []string
	// Truncated is the number of sentences that lost tokens.
	Truncated int
}

// Count returns the number of sentences with that reason; "" counts those used.
func (r *Result) Count(reason string) int {
	n := 0
	for _, x := range r.Reasons {
		if x == reason {
			n++
		}
	}
	return n
}

// Pairer makes pairs. It is safe for concurrent use.
type Pairer struct {
	config Config
	limit  int // tokens of a side, special ones not counted
}

// New returns a pairer, or all faults of the configuration.
func New(c Config) (*Pairer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Pairer{config: c, limit: c.MaxTokens - c.SpecialTokens}, nil
}

// Pairs writes the pairs of one document to r. Id is the document's; sentences
// are in the order of the document with rising positions. It takes a few
// nanoseconds a sentence and allocates nothing where r has room.
func (p *Pairer) Pairs(r *Result, id string, sentences []Sentence) {
	r.Pairs, r.Reasons, r.Truncated = r.Pairs[:0], r.Reasons[:0], 0
	for range sentences {
		r.Reasons = append(r.Reasons, "")
	}
	w := walk{pairer: p, result: r, id: id}
	for i, s := range sentences {
		if i > 0 && p.breaks(sentences[i-1], s) {
			w.endRun()
		}
		w.add(i, max(0, s.Length))
	}
	w.endRun()
}

// breaks says whether b does not belong to the run of a.
func (p *Pairer) breaks(a, b Sentence) bool {
	return int64(b.Position) != int64(a.Position)+1 || (!p.config.AcrossLanguages && a.Language != b.Language)
}

// walk is the state while the sentences of a document go by.
type walk struct {
	pairer *Pairer
	result *Result
	id     string

	open     Side // the side that is being filled
	filling  bool
	previous Side // the side before it, that may become a partner
	waiting  bool // whether there is one
	paired   bool // whether it is in a pair already
}

// add puts sentence i with its tokens into sides.
func (w *walk) add(i, length int) {
	limit := w.pairer.limit
	if length <= limit {
		w.addPiece(i, 0, length)
		return
	}
	if w.pairer.config.LongSentences == longTruncate {
		w.result.Truncated++
		w.addPiece(i, 0, limit)
		w.closeSide() // even an empty sentence would hide where this one was cut
		return
	}
	for start := 0; start < length; start += limit {
		w.addPiece(i, start, min(length, start+limit))
	}
}

// addPiece puts the tokens [from, to) of sentence i, which fit into an empty
// side, into the open side or the next one.
func (w *walk) addPiece(i, from, to int) {
	single := w.pairer.config.Mode == ModeSentence
	if w.filling && (single || w.open.Tokens+to-from > w.pairer.limit) {
		w.closeSide()
	}
	if !w.filling {
		w.open, w.filling = Side{First: i, From: from}, true
	}
	w.open.Last, w.open.To = i+1, to
	w.open.Tokens += to - from
}

// closeSide ends the open side: it becomes a partner of the one before, or the
// one before for the next.
func (w *walk) closeSide() {
	side := w.open
	w.filling = false
	if side.Tokens < w.pairer.config.MinTokens {
		w.settle()
		w.mark(side, ReasonTooShort)
		return
	}
	if !w.waiting {
		w.previous, w.waiting, w.paired = side, true, false
		return
	}
	w.emit(w.previous, side)
	w.previous, w.waiting, w.paired = side, w.pairer.config.Sliding, true
}

// settle says what became of the side that waits for a partner.
func (w *walk) settle() {
	if w.waiting && !w.paired {
		w.mark(w.previous, ReasonNoNeighbour)
	}
	w.waiting = false
}

// endRun closes everything: what follows is not consecutive.
func (w *walk) endRun() {
	if w.filling {
		w.closeSide()
	}
	w.settle()
}

func (w *walk) emit(first, second Side) {
	c := w.pairer.config
	s := random.New(Version, c.Seed, "swap", w.id, int64(len(w.result.Pairs)))
	pair := Pair{A: first, B: second, Swapped: s.Bool(c.SwapProbability)}
	if pair.Swapped {
		pair.A, pair.B = second, first
	}
	w.result.Pairs = append(w.result.Pairs, pair)
}

// mark gives the reason to the sentences that start in side.
func (w *walk) mark(side Side, reason string) {
	first := side.First
	if side.From > 0 {
		first++
	}
	for i := first; i < side.Last; i++ {
		w.result.Reasons[i] = reason
	}
}

// Append appends the tokens of a side to dst; tokens holds those of each sentence.
func (s Side) Append(dst []int32, tokens [][]int32) []int32 {
	for i := s.First; i < s.Last; i++ {
		ids := tokens[i]
		if i == s.Last-1 {
			ids = ids[:s.To]
		}
		if i == s.First {
			ids = ids[s.From:]
		}
		dst = append(dst, ids...)
	}
	return dst
}
