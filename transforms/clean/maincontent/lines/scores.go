package lines

import (
	"fmt"
	"unicode"
)

// Runs of characters of a line are counted in its first and last bytes.
const (
	firstBytes = 240
	lastBytes  = 120
)

// firstForeign is the first letter behind the Latin ones.
const firstForeign = 0x370

// appendRuns appends hashes of the runs of three and four characters of s, in small letters, to runs.
// Runs with letters of other scripts than the Latin one are left out: a model of pages in English knows
// nothing of them, but their hashes are those of others.
func appendRuns(runs []uint32, s string) []uint32 {
	if len(s) > firstBytes+lastBytes {
		s = s[:firstBytes] + s[len(s)-lastBytes:]
	}
	var last [4]uint32
	n := 0
	add := func(r rune) {
		if r >= firstForeign && unicode.In(r, unicode.L, unicode.M) {
			n = 0
			return
		}
		last[0], last[1], last[2], last[3] = last[1], last[2], last[3], uint32(unicode.ToLower(r))
		if n++; n < 3 {
			return
		}
		three := ((last[1]*0x01000193)^last[2])*0x01000193 ^ last[3]
		runs = append(runs, three*0x01000193)
		if n > 3 {
			runs = append(runs, (last[0]*0x85ebca6b)^(three*0xc2b2ae35)+1)
		}
	}
	add('^')
	for _, r := range s {
		add(r)
	}
	add('$')
	return runs
}

// scores are the logits that a linear model of the runs of characters gives the lines of a page, and
// their means over the lines around and those that look alike, weighted by words.
type scores struct {
	page  *Page
	lines []float64
	sums  []float64 // score times weight of the lines before, and one more
	alike map[uint64]*mean
}

type mean struct{ sum, weight float64 }

// leastWeight is what a line weighs beside its words.
const leastWeight = 1

func (p *Page) scored(list []float64) *scores {
	s := &scores{page: p, lines: list, sums: make([]float64, 1, len(list)+1), alike: map[uint64]*mean{}}
	for i, v := range list {
		weight := p.Words(i) + leastWeight
		s.sums = append(s.sums, s.sums[i]+float64(v*weight))
		m := s.alike[p.shapes[i]]
		if m == nil {
			m = &mean{}
			s.alike[p.shapes[i]] = m
		}
		m.sum += float64(v * weight)
		m.weight += weight
	}
	return s
}

// between is the mean over the lines from and up to to.
func (s *scores) between(from, to int) float32 {
	if from >= to {
		return -1
	}
	weight := s.page.sums[to].words - s.page.sums[from].words + float64(leastWeight*float64(to-from))
	return float32((s.sums[to] - s.sums[from]) / weight)
}

// Neighbours, and windows, whose scores a line gets.
var (
	scoredNeighbours = []int{1, 2, 3, 4, 5, -1, -2, -3, -4, -5}
	scoredWindows    = []int{1, 3, 8, 20, 50}
)

// append appends the numbers that scores give of line i.
func (s *scores) append(values []float32, i int) []float32 {
	n := len(s.lines)
	values = append(values, float32(s.lines[i]))
	for _, d := range scoredNeighbours {
		if k := i - d; k >= 0 && k < n {
			values = append(values, float32(s.lines[k]))
		} else {
			values = append(values, -1)
		}
	}
	for _, w := range scoredWindows {
		from, to := max(0, i-w), min(n, i+w+1)
		values = append(values, s.between(from, to), s.between(from, i), s.between(i+1, to))
	}
	alike := s.alike[s.page.shapes[i]]
	return append(values, float32(alike.sum/alike.weight), s.between(0, n), s.between(0, i), s.between(i+1, n))
}

func scoreNames() []string {
	names := []string{"score of its characters"}
	for _, d := range scoredNeighbours {
		names = append(names, fmt.Sprintf("line %+d: score of its characters", -d))
	}
	for _, w := range scoredWindows {
		for _, side := range []string{"around", "before", "behind"} {
			names = append(names, fmt.Sprintf("%d lines %s: score of characters", w, side))
		}
	}
	return append(names, "lines that look alike: score of characters", "page: score of characters", "all lines before: score of characters",
		"all lines behind: score of characters")
}
