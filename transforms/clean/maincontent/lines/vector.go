package lines

import (
	"fmt"
	"slices"
	"sync"

	"sentweave/transforms/clean/maincontent/blocks"
)

// Windows around a line, and neighbours, by their distances in lines.
var (
	windows    = []int{2, 5, 12, 30}
	neighbours = []int{1, 2, 3, 4, -1, -2, -3, -4}
	// ofNeighbours are the numbers of their texts that a line gets of its neighbours.
	ofNeighbours = []int{words, ends, endsMark, capital, digits}
)

// Names are the names of the numbers of a line, in order.
var Names = sync.OnceValue(func() []string {
	names := append(slices.Clone(blocks.TextNames),
		"lines with the same text", "lines that look alike", "lines since one that looks alike", "share of words in other lines",
		"share of words in the first line",
		"place among lines", "place among words", "lines before", "lines after", "words before", "words after",
		"lines since prose", "words since prose", "lines up to prose", "words up to prose")
	for k := range regionKinds {
		names = append(names, fmt.Sprintf("lines up to region %d", k), fmt.Sprintf("share of words in region %d", k))
	}
	for _, w := range windows {
		for _, name := range []string{"words", "share of prose", "ends a word", "commas a word", "capitals a line", "digits a line",
			"prices a line", "long a line"} {
			names = append(names, fmt.Sprintf("%d lines around: %s", w, name))
		}
		names = append(names, fmt.Sprintf("%d lines before: share of prose", w), fmt.Sprintf("%d lines behind: share of prose", w))
	}
	for _, d := range neighbours {
		for _, k := range ofNeighbours {
			names = append(names, fmt.Sprintf("line %+d: %s", -d, blocks.TextNames[k]))
		}
		names = append(names, fmt.Sprintf("line %+d: lines that look alike", -d))
	}
	names = append(names, "page: words", "page: lines", "page: words a line", "page: share of prose", "page: ends a word",
		"page: commas a word", "page: share of prices",
		"page: repeated lines", "page: long lines", "page: words of the longest line")
	return append(names, scoreNames()...)
})

// append appends the numbers of line i to values, but for its scores. It does not allocate if values has room.
func (p *Page) append(values []float32, i int) []float32 {
	l, n := &p.lines[i], len(p.lines)
	total := p.sums[n]
	start, end := p.sums[i], p.sums[i+1]
	values = append(values, p.texts[i*textNumbers:(i+1)*textNumbers]...)
	values = append(values, float32(l.same), float32(l.alike), float32(l.since), l.known, l.inTop,
		float32(i)/float32(n), float32(start.words/max(1, total.words)), float32(i), float32(n-i),
		float32(start.words), float32(total.words-end.words))
	if nearest := p.before[i]; nearest >= 0 {
		values = append(values, float32(i-int(nearest)), float32(start.words-p.sums[nearest+1].words))
	} else {
		values = append(values, 999, 9999)
	}
	if nearest := p.after[i]; nearest >= 0 {
		values = append(values, float32(int(nearest)-i), float32(p.sums[nearest].words-end.words))
	} else {
		values = append(values, 999, 9999)
	}
	for k := range regionKinds {
		r := p.region[k]
		values = append(values, float32(l.regions[k]), float32((p.sums[r[1]].words-p.sums[r[0]].words)/max(1, total.words)))
	}
	for _, w := range windows {
		from, to := max(0, i-w), min(n, i+w+1)
		a, b := p.sums[from], p.sums[to]
		lines, count := float64(to-from), max(1, b.words-a.words)
		values = append(values, float32(b.words-a.words), float32((b.prose-a.prose)/count), float32((b.ends-a.ends)/count),
			float32((b.commas-a.commas)/count),
			float32((b.capital-a.capital)/lines), float32((b.digits-a.digits)/lines), float32((b.prices-a.prices)/lines),
			float32((b.long-a.long)/lines),
			float32((start.prose-a.prose)/max(1, start.words-a.words)), float32((b.prose-end.prose)/max(1, b.words-end.words)))
	}
	for _, d := range neighbours {
		k := i - d
		if k < 0 || k >= n {
			for range len(ofNeighbours) + 1 {
				values = append(values, -1)
			}
			continue
		}
		for _, number := range ofNeighbours {
			values = append(values, p.text(k, number))
		}
		values = append(values, float32(p.lines[k].alike))
	}
	count := max(1, total.words)
	return append(values, float32(total.words), float32(n), float32(total.words/float64(n)),
		float32(total.prose/count), float32(total.ends/count), float32(total.commas/count),
		float32(total.prices/float64(n)), p.repeat, float32(total.long), p.longer)
}
