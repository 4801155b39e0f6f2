// Package reference compares the text of a page with the text that people say is its main
// content.
//
// Score is the measure of the Web Content Extraction Benchmark (WCXB, Foley 2026): precision and recall over
// multisets of words. align finds which words of a page the reference text consists of,
// which gives labels to train on.
package reference

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Words returns the words of a text: runs of letters, digits and underscores in small letters, as \w+ of
// Python finds them.
func Words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// Score says how well a text agrees with a reference.
type Score struct{ F1, Precision, Recall float64 }

// Compare scores a text. An empty reference gives 1 to an empty text and 0 to others.
func Compare(text, reference string) Score { return compareWords(Words(text), Words(reference)) }

// compareWords is Compare of words.
func compareWords(text, reference []string) Score {
	switch {
	case len(text) == 0 && len(reference) == 0:
		return Score{1, 1, 1}
	case len(text) == 0 || len(reference) == 0:
		return Score{}
	}
	counts := make(map[string]int, len(reference))
	for _, w := range reference {
		counts[w]++
	}
	common := 0
	for _, w := range text {
		if counts[w] > 0 {
			counts[w]--
			common++
		}
	}
	n := float64(common)
	return Score{2 * n / float64(len(text)+len(reference)), n / float64(len(text)), n / float64(len(reference))}
}

// Labels returns, for each part of a page, the share of its words that a reference text has, and
// how many words that text has.
func Labels(reference string, parts []string) (shares []float32, length int) {
	var words []string
	ends := make([]int, len(parts))
	for i, p := range parts {
		words = append(words, Words(p)...)
		ends[i] = len(words)
	}
	target := Words(reference)
	matched := align(target, words)
	shares = make([]float32, len(parts))
	start := 0
	for i, end := range ends {
		n := 0
		for _, m := range matched[start:end] {
			if m {
				n++
			}
		}
		if end > start {
			shares[i] = float32(n) / float32(end-start)
		}
		start = end
	}
	return shares, len(target)
}

// Weight is what a part counts in a training, given its words and those of the reference: a page counts
// once, and its long parts count for more, but less than their length.
func Weight(words float64, length int) float32 {
	share := min(1, words/float64(length+100))
	root := math.Sqrt(share)
	return float32(float64(20*float64(root*math.Sqrt(root))) + .02)
}

const (
	// longRun is the length from which a run of equal words counts wherever it stands.
	longRun = 4
	// nearby is how far, in words, a shorter run may stand from one that counts.
	nearby = 12
	// mostPlaces is how many places in the reference a word of the page is looked for, and
	// mostPairs how many there may be for all words together.
	mostPlaces = 400
	mostPairs  = 20_000_000
	// shortReference is the number of words below which short runs count alone.
	shortReference = 30
)

// run are equal words: length of them from page on in the page, from reference on there.
type run struct{ page, reference, length int32 }

// aligner matches words.
type aligner struct {
	matched []bool  // of the page
	used    []bool  // of the reference
	partner []int32 // of words of the page, in the reference
}

// align says of each word of a page whether the reference text has it: the longest runs of
// equal words first, each word of the reference once. Runs of four words or more count
// wherever they stand, since references put blocks in another order; shorter ones only beside
// others and in their order, so that words of menus match nothing. The time grows with the
// number of pairs of equal words, which is bounded.
func align(reference, page []string) []bool {
	a := aligner{make([]bool, len(page)), make([]bool, len(reference)), make([]int32, len(page))}
	if len(reference) == 0 || len(page) == 0 {
		return a.matched
	}
	long, short := runs(reference, page)
	for _, r := range long {
		a.accept(r)
	}
	for range 2 {
		a.near(short)
	}
	if len(reference) < shortReference && !slices.Contains(a.matched, true) {
		for _, r := range slices.Concat(long, short) {
			if a.free(r) {
				a.take(r, 0, r.length)
			}
		}
	}
	return a.matched
}

// runs returns all maximal runs of equal words, the longest first.
func runs(reference, page []string) (long, short []run) {
	places := map[string][]int32{}
	for i, w := range reference {
		places[w] = append(places[w], int32(i))
	}
	limit := min(mostPlaces, max(1, mostPairs/len(page)))
	open := make([]run, len(page)+len(reference)) // by diagonal
	end := func(r run) {
		if r.length >= longRun {
			long = append(long, r)
		} else if r.length > 0 {
			short = append(short, r)
		}
	}
	for i, w := range page {
		list := places[w]
		for _, k := range list[:min(len(list), limit)] {
			r := &open[int(k)-i+len(page)-1]
			if r.length > 0 && int(r.page+r.length) == i {
				r.length++
				continue
			}
			end(*r)
			*r = run{int32(i), k, 1}
		}
	}
	for _, r := range open {
		end(r)
	}
	order := func(a, b run) int {
		if a.length != b.length {
			return int(b.length - a.length)
		}
		if d, e := a.reference-a.page, b.reference-b.page; d != e {
			return int(d - e)
		}
		return int(a.page - b.page)
	}
	slices.SortFunc(long, order)
	return long, longestFirst(short)
}

// longestFirst sorts short runs by their length.
func longestFirst(short []run) []run {
	sorted := make([]run, 0, len(short))
	for length := int32(longRun - 1); length > 0; length-- {
		for _, r := range short {
			if r.length == length {
				sorted = append(sorted, r)
			}
		}
	}
	return sorted
}

// accept takes the words of a long run that are free on both sides.
func (a *aligner) accept(r run) {
	n := int32(0)
	for i := range r.length {
		if !a.matched[r.page+i] && !a.used[r.reference+i] {
			n++
		}
	}
	if n < longRun && n < r.length {
		return
	}
	for i := range r.length {
		if !a.matched[r.page+i] && !a.used[r.reference+i] {
			a.take(r, i, i+1)
		}
	}
}

func (a *aligner) free(r run) bool {
	return !slices.Contains(a.matched[r.page:r.page+r.length], true) && !slices.Contains(a.used[r.reference:r.reference+r.length], true)
}

func (a *aligner) take(r run, from, to int32) {
	for i := from; i < to; i++ {
		a.matched[r.page+i], a.used[r.reference+i], a.partner[r.page+i] = true, true, r.reference+i
	}
}

// near takes short runs beside words that are matched so far.
func (a *aligner) near(short []run) {
	n := len(a.matched)
	previous, next := make([]int32, n), make([]int32, n) // the nearest matched words
	last := int32(-1)
	for i := range n {
		previous[i] = last
		if a.matched[i] {
			last = int32(i)
		}
	}
	last = -1
	for i := n - 1; i >= 0; i-- {
		if a.matched[i] {
			last = int32(i)
		}
		next[i] = last
	}
	adjacent := func(r run) bool {
		if b := previous[r.page]; b >= 0 && r.page-b <= nearby {
			if d := r.reference - a.partner[b]; d > 0 && d <= nearby {
				return true
			}
		}
		if b := next[r.page]; b >= 0 && b-r.page <= nearby {
			if d := a.partner[b] - r.reference; d > 0 && d <= nearby {
				return true
			}
		}
		return false
	}
	var list []run
	for _, r := range short {
		if a.free(r) && adjacent(r) {
			list = append(list, r)
		}
	}
	for _, r := range list {
		if a.free(r) {
			a.take(r, 0, r.length)
		}
	}
}
