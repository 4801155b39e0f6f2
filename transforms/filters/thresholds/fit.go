package thresholds

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/filters/bottomk"
)

// methodTail is the method that is not the default one.
const methodTail = "tail"

// Config says how thresholds are fitted. The tags are read by the command line; the json names are in the file.
type Config struct {
	Method    string  `help:"Share of a language's documents that a threshold drops (${enum}): quantile takes the share that the published threshold drops in --reference, tail takes --tail." default:"quantile" enum:"quantile,tail" group:"Thresholds" json:"method"`
	Reference string  `help:"With quantile: language for which the published thresholds were made, and which keeps them." default:"eng" placeholder:"CODE" group:"Thresholds" json:"reference"`
	Tail      float64 `help:"With tail: share that each threshold drops." default:"0.1" group:"Thresholds" json:"tail"`
	// LanguageScores asks for the least probabilities of languages.
	LanguageScores bool   `name:"language-scores" help:"Fit the least probability of each language, too, as FineWeb-2 does: the median less one standard deviation, from .3 to .9." default:"true" negatable:"" group:"Thresholds" json:"language_scores"`
	Sample         int    `help:"Most documents of a language to fit to, by the hashes of their ids; fewer where the languages are so many that memory asks for it." default:"10000" group:"Thresholds" json:"sample"`
	Least          int    `help:"Least documents of a language, among those of the sample, that have a measure; where there are fewer the published threshold holds." default:"100" group:"Thresholds" json:"least"`
	Seed           uint64 `help:"Seed of the sample." default:"1" group:"Thresholds" json:"seed"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{language.Check(c.Reference)}
	errs.Check(c.Method == "quantile" || c.Method == methodTail, "method %q is neither quantile nor tail", c.Method)
	errs.Check(c.Tail > 0 && c.Tail <= .5, "tail %v is not above 0 and at most 0.5", c.Tail)
	errs.Check(c.Least >= 1, "least %d is not positive", c.Least)
	errs.Check(c.Sample >= c.Least, "sample %d is below %d, the least documents of a language", c.Sample, c.Least)
	return errs.Err()
}

// Of FineWeb-2: the least probability of a language is its median less one standard deviation, and within these.
const leastScore, mostScore = .3, .9

// maxValues is how many measures are kept, of all languages together: 128 MB.
const maxValues = 1 << 25

// Fitter takes documents with measures (`corpus --scores`), in any order, and fits thresholds to a sample of each language. Its
// memory is bounded, and what it fits depends on the documents alone.
type Fitter struct {
	config    Config
	measures  []Measure
	index     map[string]int // of measures
	languages map[string]*sample
}

// NewFitter returns a fitter of measures with the thresholds that were published.
func NewFitter(c Config, measures []Measure) *Fitter {
	f := &Fitter{config: c, measures: measures, index: map[string]int{}, languages: map[string]*sample{}}
	for i, m := range measures {
		f.index[m.Name] = i
	}
	return f
}

// sample has the documents of a language with the lowest ranks, and counts all of them.
type sample struct {
	documents int64
	rows      rows
}

// row is a document: its measures, NaN for those that it lacks, and the probability of its language, NaN for none.
type row struct {
	rank   uint64
	values []float32
}

// Add takes a document; one in no known language is left out.
func (f *Fitter) Add(d *schemas.Document) {
	if d.Language == language.Undetermined {
		return
	}
	s := f.languages[d.Language]
	if s == nil {
		s = &sample{}
		f.languages[d.Language] = s
		for _, other := range f.languages {
			for len(other.rows) > f.most() {
				heap.Pop(&other.rows)
			}
		}
	}
	s.documents++
	rank := bottomk.Rank(f.config.Seed, d.ID)
	r := row{rank: rank}
	if full := len(s.rows) >= f.most(); full && rank >= s.rows[0].rank {
		return
	} else if full {
		r.values = heap.Pop(&s.rows).(row).values
	} else {
		r.values = make([]float32, len(f.measures)+1)
	}
	for i := range r.values {
		r.values[i] = float32(math.NaN())
	}
	for _, score := range d.Scores {
		if i, ok := f.index[score.Name]; ok {
			r.values[i] = score.Value
		}
	}
	if d.LanguageScore > 0 { // documents of languages that nobody identified have 0
		r.values[len(f.measures)] = d.LanguageScore
	}
	heap.Push(&s.rows, r)
}

// most is how many documents of a language are kept.
func (f *Fitter) most() int {
	return max(1, min(f.config.Sample, maxValues/(len(f.measures)+1)/len(f.languages)))
}

// Fit returns the thresholds. An error says why there are none.
func (f *Fitter) Fit() (*File, error) {
	file := &File{Version: version, Config: f.config, Shares: map[string]Bounds{}, Languages: map[string]Language{}}
	reference := f.languages[f.config.Reference]
	if f.config.Method != methodTail && (reference == nil || len(reference.rows) < f.config.Least) {
		return nil, fmt.Errorf("fewer than %d documents are in the reference %s: name another one by --reference, or give --method tail",
			f.config.Least, f.config.Reference)
	}
	shares := map[string]Bounds{}
	for i, m := range f.measures {
		if f.config.Method == methodTail {
			shares[m.Name] = m.bounds(func(float64, bool) float64 { return f.config.Tail })
		} else if column := reference.column(i); len(column) >= f.config.Least {
			shares[m.Name] = m.bounds(func(own float64, above bool) float64 { return shareBeyond(column, own, above) })
		}
	}
	for code, s := range f.languages {
		list := map[string]Bounds{}
		for i, m := range f.measures {
			share, ok := shares[m.Name]
			column := s.column(i)
			if !ok || len(column) < f.config.Least || s == reference && f.config.Method != methodTail {
				continue
			}
			if b := m.fit(column, share); b != (Bounds{}) {
				list[m.Name] = b
			}
			file.Shares[m.Name] = share
		}
		if scores := s.column(len(f.measures)); f.config.LanguageScores && len(scores) >= f.config.Least {
			least := Quantile(scores, .5) - stat.PopStdDev(scores, nil)
			list[LanguageScore] = Bounds{Minimum: pointer(min(max(least, leastScore), mostScore))}
		}
		file.Languages[code] = Language{Documents: s.documents, Thresholds: list}
	}
	if len(file.Shares) == 0 {
		return nil, errors.New("no language but the reference has enough documents with measures of filters: make them by `sentweave corpus --scores`, or lower --least")
	}
	return file, nil
}

// bounds returns the values for the thresholds that a measure has; above says that it is the maximum.
func (m Measure) bounds(value func(own float64, above bool) float64) (b Bounds) {
	if m.Minimum != nil {
		b.Minimum = pointer(value(*m.Minimum, false))
	}
	if m.Maximum != nil {
		b.Maximum = pointer(value(*m.Maximum, true))
	}
	return b
}

func pointer(x float64) *float64 { return &x }

// fit returns the thresholds that drop these shares of the values, without those that are the measure's own.
func (m Measure) fit(column []float64, shares Bounds) Bounds {
	b := m.bounds(func(own float64, above bool) float64 {
		if above {
			return threshold(column, *shares.Maximum, own, above)
		}
		return threshold(column, *shares.Minimum, own, above)
	})
	if b.Minimum != nil && *b.Minimum == *m.Minimum {
		b.Minimum = nil
	}
	if b.Maximum != nil && *b.Maximum == *m.Maximum {
		b.Maximum = nil
	}
	return b
}

// column returns the values of a measure, in order; nil for no sample.
func (s *sample) column(i int) (list []float64) {
	for _, r := range s.rows {
		if x := float64(r.values[i]); !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return list
}

// shareBeyond is the share of the values that a threshold drops. Values are scores of 32 bits, so the threshold is rounded likewise.
func shareBeyond(column []float64, threshold float64, above bool) float64 {
	n := 0
	threshold = float64(float32(threshold))
	for _, x := range column {
		if above && x > threshold || !above && x < threshold {
			n++
		}
	}
	return float64(n) / float64(len(column))
}

// threshold drops a share of the values. Where that is nothing, the filter's own threshold holds unless a value is beyond it.
func threshold(column []float64, share, own float64, above bool) float64 {
	switch {
	case share == 0 && above:
		return max(own, column[len(column)-1])
	case share == 0:
		return min(own, column[0])
	case above:
		return Quantile(column, 1-share)
	}
	return Quantile(column, share)
}

// Quantile returns the quantile q, in [0, 1], of values in rising order, at least one: between two of them it is
// interpolated, as by NumPy and by definition 7 of Hyndman and Fan 1996.
func Quantile(values []float64, q float64) float64 {
	at := q * float64(len(values)-1)
	i := int(at)
	if i+1 >= len(values) {
		return values[len(values)-1]
	}
	low, high, t := values[i], values[i+1], at-float64(i)
	if t >= .5 {
		return high - (high-low)*(1-t)
	}
	return low + (high-low)*t
}

// rows is a heap with the highest rank on top.
type rows []row

func (h rows) Len() int           { return len(h) }
func (h rows) Less(i, j int) bool { return h[i].rank > h[j].rank }
func (h rows) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rows) Push(x any)        { *h = append(*h, x.(row)) }
func (h *rows) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
