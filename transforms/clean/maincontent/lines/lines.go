// Package lines tells main content from the rest in bare text, a line at a time: the text of a
// WET record, say, of which nothing but its lines is left.
//
// Describe describes each line in numbers: its length, what its characters are (marks, digits,
// capitals), where it stands, how often it or one that looks like it occurs, and the same of
// the lines around it. A linear model scores each line by its runs of three and four
// characters; there is no list of words. A Model, boosted trees, makes a probability of all
// this, and the lines with the greatest expected F1 are main content.
//
// # Scripts
//
// The pages that models are trained on are mostly English. So every second is also trained on
// in another script (package disguise). There the linear model, which
// knows Latin letters alone, says next to nothing, and the trees learn to do without it.
//
// # Determinism and cost
//
// The numbers are functions of the lines alone, the same on every machine. Time is linear in
// the text.
package lines

import (
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/clean/maincontent/blocks"
)

// Places of numbers of blocks.AppendText.
const (
	words    = 0
	ends     = 3
	commas   = 4
	endsMark = 6
	capital  = 10
	digits   = 12
	price    = 13
)

var textNumbers = len(blocks.TextNames)

// line is what is known of a line beside the numbers of its text.
type line struct {
	same    int32   // lines of the page with the same text
	alike   int32   // lines of the page that look like it
	since   int32   // lines since the last one that looks like it
	known   float32 // share of its words that other lines have
	inTop   float32 // share of its words that the first line has
	prose   bool
	regions [regionKinds]int32 // lines up to the region of most prose, negative before it
}

// Page is a page that has been described.
type Page struct {
	texts  []float32 // textNumbers for each line
	lines  []line
	sums   []sum // over the lines before, and one more
	before []int32
	after  []int32 // places of the nearest lines of prose, -1 for none
	region [regionKinds][2]int32
	repeat float32  // share of lines that occur more than once
	longer float32  // words of the longest line
	shapes []uint64 // what the lines look like
	runs   *blocks.NameList
}

// sum is a sum over lines.
type sum struct{ words, prose, ends, commas, capital, digits, prices, long float64 }

// proseWords is the least length of a line of prose, which ends with a mark.
const proseWords = 8

// regionKinds is how many regions of most prose there are: what each other line costs, in words.
const regionKinds = 2

var regionCosts = [regionKinds]float64{4, 16}

// Describe describes the lines of a page.
func Describe(texts []string) *Page {
	p := &Page{texts: make([]float32, 0, len(texts)*textNumbers), lines: make([]line, len(texts)), sums: make([]sum, 1, len(texts)+1)}
	p.before, p.after = make([]int32, len(texts)), make([]int32, len(texts))
	copies, shapes, last := make(map[uint64]int32, len(texts)), make(map[uint64]int32, len(texts)), make(map[uint64]int32, len(texts))
	hashed := make([]uint64, len(texts))
	p.shapes = make([]uint64, len(texts))
	var hashes, runs []uint32
	p.runs = &blocks.NameList{}
	starts := make([]int32, 1, len(texts)+1)
	for i, t := range texts {
		p.texts, hashes = blocks.AppendText(p.texts, hashes, t)
		runs = appendRuns(runs[:0], t)
		p.runs.Append(runs)
		hashes = unique(hashes, int(starts[i]))
		starts = append(starts, int32(len(hashes)))
		hashed[i], p.shapes[i] = xxh3.HashString(t), shapeOf(t)
		copies[hashed[i]]++
		shapes[p.shapes[i]]++
		l := &p.lines[i]
		if previous, ok := last[p.shapes[i]]; ok {
			l.since = int32(i) - previous
		}
		last[p.shapes[i]] = int32(i)
		l.prose = p.text(i, endsMark) > 0 && p.text(i, words) >= proseWords
		p.add(i)
	}
	p.known(hashes, starts)
	repeated := 0
	for i := range p.lines {
		l := &p.lines[i]
		l.same, l.alike = copies[hashed[i]], shapes[p.shapes[i]]
		if l.same > 1 {
			repeated++
		}
	}
	p.repeat = float32(repeated) / float32(max(1, len(texts)))
	p.nearest()
	for k := range regionKinds {
		p.densest(k)
	}
	return p
}

// Len is the number of lines.
func (p *Page) Len() int { return len(p.lines) }

// Words is the length of a line in words; see package blocks for scripts without spaces.
func (p *Page) Words(i int) float64 { return float64(p.text(i, words)) }

func (p *Page) text(i, number int) float32 { return p.texts[i*textNumbers+number] }

// add adds line i to the sums.
func (p *Page) add(i int) {
	s := p.sums[i]
	n := float64(p.text(i, words))
	s.words += n
	if p.lines[i].prose {
		s.prose += n
	}
	s.ends += float64(p.text(i, ends))
	s.commas += float64(p.text(i, commas))
	s.capital += float64(p.text(i, capital))
	s.digits += float64(p.text(i, digits))
	s.prices += float64(p.text(i, price))
	if n > 20 {
		s.long++
	}
	p.sums = append(p.sums, s)
	p.longer = max(p.longer, float32(n))
}

// unique drops repetitions from the hashes from start on.
func unique(hashes []uint32, start int) []uint32 {
	slices.Sort(hashes[start:])
	n := start
	for i := start; i < len(hashes); i++ {
		if i == start || hashes[i] != hashes[i-1] {
			hashes[n] = hashes[i]
			n++
		}
	}
	return hashes[:n]
}

// known computes which words of a line other lines have, and the first line has.
func (p *Page) known(hashes []uint32, starts []int32) {
	counts := make(map[uint32]int32, len(hashes))
	for _, h := range hashes {
		counts[h]++
	}
	top := map[uint32]bool{}
	if len(p.lines) > 0 {
		for _, h := range hashes[starts[0]:starts[1]] {
			top[h] = true
		}
	}
	for i := range p.lines {
		lineHashes := hashes[starts[i]:starts[i+1]]
		shared, inTop := 0, 0
		for _, h := range lineHashes {
			if counts[h] > 1 {
				shared++
			}
			if top[h] {
				inTop++
			}
		}
		n := float32(max(1, len(lineHashes)))
		p.lines[i].known, p.lines[i].inTop = float32(shared)/n, float32(inTop)/n
	}
}

// nearest finds the lines of prose around each line.
func (p *Page) nearest() {
	last := int32(-1)
	for i := range p.lines {
		p.before[i] = last
		if p.lines[i].prose {
			last = int32(i)
		}
	}
	last = -1
	for i := len(p.lines) - 1; i >= 0; i-- {
		p.after[i] = last
		if p.lines[i].prose {
			last = int32(i)
		}
	}
}

// densest finds the run of lines with most words of prose, where each other line costs some (the
// body text of Finn, Kushmerick and Smyth 2001, with lines for tags).
func (p *Page) densest(kind int) {
	best, sum := 0.0, 0.0
	start, region := 0, [2]int32{}
	for i := range p.lines {
		if sum <= 0 {
			start, sum = i, 0
		}
		if p.lines[i].prose {
			sum += float64(p.text(i, words))
		} else {
			sum -= regionCosts[kind]
		}
		if sum > best {
			best, region = sum, [2]int32{int32(start), int32(i + 1)}
		}
	}
	p.region[kind] = region
	for i := range p.lines {
		switch k := int32(i); {
		case k < region[0]:
			p.lines[i].regions[kind] = k - region[0]
		case k >= region[1]:
			p.lines[i].regions[kind] = k - region[1] + 1
		}
	}
}

// shapeRunes is how many characters of a line its shape has.
const shapeRunes = 24

// shapeOf hashes what a line looks like: letters are a, capitals A, digits 0, repetitions count once, and
// the length counts by its magnitude.
func shapeOf(s string) uint64 {
	var buffer [4 * shapeRunes]byte
	shape := buffer[:0]
	last, n := rune(0), 0
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z':
			r = 'a'
		case '0' <= r && r <= '9':
			r = '0'
		case unicode.IsUpper(r):
			r = 'A'
		case unicode.IsLetter(r) || unicode.IsMark(r):
			r = 'a'
		case unicode.IsDigit(r):
			r = '0'
		}
		if r == last {
			continue
		}
		last = r
		if n++; n > shapeRunes {
			break
		}
		shape = utf8.AppendRune(shape, r)
	}
	return xxh3.Hash(append(shape, byte(bits.Len(uint(len(s))))))
}
