package learner

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// model is the text and its pieces.
type model struct {
	*text
	// pieces are ordered so that a piece comes behind all pieces with which it begins.
	pieces []piece
	// longest is the longest piece that begins at a symbol of the text, none at a 0.
	longest []int32
	// characters are the pieces of symbols.
	characters []int32
}

type piece struct {
	score float64
	// place is where it is in the text, parent the next shorter piece with which it begins.
	place, length, parent int32
	// lost is a character whose piece is none any more: it costs as much as an unknown one.
	lost bool
}

// noPiece is in the place of the id of a piece.
const noPiece = int32(-1)

// interval is a substring, with which the suffixes [from, to) begin.
type interval struct {
	from, to, depth int32
	count           int64
}

func (i interval) score() int64 { return i.count * int64(i.depth) }

// newModel takes the seeds: all characters, and so many other substrings.
func newModel(ctx context.Context, t *text, seeds int) (*model, error) {
	m := &model{text: t, longest: make([]int32, len(t.symbols)), characters: make([]int32, len(t.runes))}
	suffixes, buckets := t.suffixes()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list := t.frequent(suffixes, seeds)
	for symbol := 1; symbol < len(t.runes); symbol++ {
		list = append(list, interval{int32(buckets[symbol]), int32(buckets[symbol+1]), 1, t.counted[symbol]})
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.depth, b.depth)) })
	for i := range m.longest {
		m.longest[i] = noPiece
	}
	total := 0.
	for _, i := range list {
		total += float64(i.score())
	}
	for id, i := range list {
		place := suffixes[i.from]
		p := piece{math.Log(float64(i.score())) - math.Log(total), place, i.depth, m.longest[place], false}
		if m.pieces = append(m.pieces, p); p.length == 1 {
			m.characters[t.symbols[place]] = int32(id)
		}
		for _, suffix := range suffixes[i.from:i.to] {
			m.longest[suffix] = int32(id)
		}
	}
	return m, nil
}

// suffixes returns the suffix array of the segments, and where those that begin with a symbol begin.
func (t *text) suffixes() (list []int32, buckets []int) {
	buckets = make([]int, len(t.runes)+1)
	for _, symbol := range t.symbols {
		if symbol > 0 {
			buckets[symbol+1]++
		}
	}
	for symbol := range buckets[1:] {
		buckets[symbol+1] += buckets[symbol]
	}
	list = make([]int32, buckets[len(t.runes)])
	next := slices.Clone(buckets)
	for place, symbol := range t.symbols {
		if symbol > 0 {
			list[next[symbol]] = int32(place)
			next[symbol]++
		}
	}
	var group sync.WaitGroup
	for symbol := 1; symbol < len(t.runes); symbol++ {
		bucket := list[buckets[symbol]:buckets[symbol+1]]
		group.Go(func() { slices.SortFunc(bucket, t.compare) })
	}
	group.Wait()
	return list, buckets
}

// compare orders suffixes by what may be a piece of them.
func (t *text) compare(a, b int32) int {
	n := t.common(a, b)
	return cmp.Or(cmp.Compare(t.symbols[a+n], t.symbols[b+n]), cmp.Compare(a, b))
}

// common is how many symbols two suffixes begin with in common, one more than a piece has at most.
func (t *text) common(a, b int32) (n int32) {
	for n <= longestPiece && t.symbols[a+n] == t.symbols[b+n] && t.symbols[a+n] > 0 {
		n++
	}
	return n
}

// frequent returns the substrings of more than one symbol with the highest scores, of those that are there twice, and not always with the
// same symbol behind them.
func (t *text) frequent(suffixes []int32, most int) (list []interval) {
	cut := func() {
		slices.SortFunc(list, func(a, b interval) int {
			return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(a.from, b.from), cmp.Compare(a.depth, b.depth))
		})
		list = slices.Clip(list[:min(most, len(list))])
	}
	var stack []interval // each within the one before it
	previous := int32(0)
	for i := range len(suffixes) + 1 {
		depth := int32(0)
		if i > 0 && i < len(suffixes) {
			depth = t.common(previous, suffixes[i])
		}
		for len(stack) > 0 && stack[len(stack)-1].depth > depth {
			top := stack[len(stack)-1]
			top.to = int32(i)
			if stack = stack[:len(stack)-1]; len(stack) > 0 && stack[len(stack)-1].depth >= depth {
				stack[len(stack)-1].count += top.count
			} else if depth > 0 {
				stack = append(stack, interval{top.from, 0, depth, top.count})
			}
			if top.depth < 2 || top.depth > longestPiece || top.count < 2 {
				continue
			}
			if place := suffixes[top.from]; t.joins(t.symbols[place : place+top.depth]) {
				if list = append(list, top); len(list) > 2*most {
					cut()
				}
			}
		}
		if i == len(suffixes) {
			break
		}
		previous = suffixes[i]
		length := t.common(previous, previous)
		if len(stack) > 0 && stack[len(stack)-1].depth == length {
			stack[len(stack)-1].count += t.count(previous)
		} else {
			stack = append(stack, interval{int32(i), 0, length, t.count(previous)})
		}
	}
	cut()
	return list
}

// count returns how often the segment of a symbol is in the text.
func (t *text) count(place int32) int64 {
	i, found := slices.BinarySearchFunc(t.segments, place, func(s segment, place int32) int { return cmp.Compare(s.start, place) })
	if !found {
		i--
	}
	return t.segments[i].count
}
