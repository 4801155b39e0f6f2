// Package pairfilters decides which pairs of parallel texts are worth keeping, by the published rules of
// OpusFilter and of bicleaner-hardrules. Each rule measures a pair and compares the measure with a
// threshold, so that pairs can be dropped, or measured and kept.
//
// # Languages
//
// A rule on words does not apply to texts of which most letters are of a script that does not separate
// words, but that on their number, where letters count as words by characters.WordLetters. Ratios of
// characters compare letters as characters.Weights has them, so that a Chinese sentence is as long as its
// translation. Digits are compared by value, whatever the script. The published rules count code points
// and white space in all languages; for alphabets the verdicts are equal.
//
// # Determinism
//
// A verdict depends on the texts, their languages, the thresholds and the language identifier only.
// Character classes follow the Unicode version of the Go release.
//
// Sources: Aulamo et al., OpusFilter: A configurable parallel corpus filtering toolbox, ACL 2020
// (opusfilter 3.3.1); Ramírez-Sánchez et al., Bifixer and Bicleaner: two open-source tools to clean
// your parallel data, EAMT 2020 (bicleaner-hardrules 2.10.8).
package pairfilters

import (
	"math"
	"slices"

	"sentweave/transforms/clean/langid"
	"sentweave/transforms/filters/choice"
	"sentweave/transforms/pairs/parallel"
)

// Sources of filters.
const (
	opusFilter = "OpusFilter, Aulamo et al. 2020: "
	hardRules  = "bicleaner-hardrules, Ramírez-Sánchez et al. 2020: "
)

// List lists the filters in the order in which they run: what costs least comes first.
var List = choice.List[Rules]{
	score, lengths, lengthRatio, wordRatio, words, averageWord, longWord,
	identical, alphabet, onlySymbols, onlyNumbers, script,
	badEncoding, unicodeNoise, escapedUnicode, spaceNoise, gluedWords, breadcrumbs, parentheses, literals, titles,
	emptyBrackets, html, urls,
	terminalPunctuation, numerals, numberInconsistencies,
	repetition, repeatedWords, overlap, commonSubstring, similarity, languages, cosine, margin, learned,
}

// Filter is a published method.
type Filter = choice.Filter[Rules]

// Setting is a threshold that a user may change.
type Setting = choice.Setting

// Rules are the rules of a filter and their thresholds.
type Rules struct {
	Settings []Setting
	// Validate returns an error for thresholds that do not fit together; nil if all do.
	Validate func() error
	Rules    []Rule
	// Needs is what the rules need beside the texts.
	Needs Need
}

// Need is what rules need beside the texts; "" is nothing.
type Need string

// Needs of rules.
const (
	Identifier    Need = "identifier"    // of languages: Pair.Identifier
	Vectors       Need = "vectors"       // of both sides: Pair.Cosine
	Neighborhoods Need = "neighborhoods" // of both sides, among the vectors of other pairs: Pair.Margin
	Learning      Need = "learning"      // of good and bad pairs: Pair.Classifier
)

// Thresholds implements choice.Rules.
func (r Rules) Thresholds() []Setting { return r.Settings }

// Check implements choice.Rules.
func (r Rules) Check() error {
	if r.Validate == nil {
		return nil
	}
	return r.Validate()
}

// Rule is a measure, and when it drops a pair. Many goroutines call its functions at once, for every
// pair, so they should not allocate.
type Rule struct {
	// Reason is why it drops a pair, Measure the name of what it measures: one column of scores.
	Reason, Measure string
	// Of measures a pair; the result is not a number where the rule does not apply to it.
	Of func(*Pair) float64
	// Drops says whether a pair of that measure is dropped. It is false for what is not a number.
	Drops func(p *Pair, measure float64) bool
	// Passes, if it is not nil, says at a small cost of some pairs that they are not dropped.
	Passes func(*Pair) bool
}

// notApplicable is the measure of a pair to which a rule does not apply.
var notApplicable = math.NaN()

// Chain runs rules one after the other. It is safe for concurrent use.
type Chain struct{ rules []Rule }

// NewChain returns the chain of these rules, in their order.
func NewChain(list []Rules) *Chain {
	c := &Chain{}
	for _, r := range list {
		c.rules = append(c.rules, r.Rules...)
	}
	return c
}

// Measuring returns the chain of the rules of all filters, with their defaults: of several rules on one measure, the first.
func Measuring() *Chain {
	c := &Chain{}
	for _, f := range List {
		for _, r := range f.New().Rules {
			if !slices.Contains(c.Measures(), r.Measure) {
				c.rules = append(c.rules, r)
			}
		}
	}
	return c
}

// Judge returns the first reason to drop a pair and the measure that decided, or "" and 0.
func (c *Chain) Judge(p *Pair) (reason string, measure float64) {
	for i := range c.rules {
		r := &c.rules[i]
		if r.Passes != nil && r.Passes(p) {
			continue
		}
		if x := r.Of(p); r.Drops(p, x) {
			return r.Reason, x
		}
	}
	return "", 0
}

// Measure calls use with each measure of a pair, in order, but those that do not apply.
func (c *Chain) Measure(p *Pair, use func(name string, value float64)) {
	for i := range c.rules {
		if x := c.rules[i].Of(p); !math.IsNaN(x) {
			use(c.rules[i].Measure, x)
		}
	}
}

// Measures returns the names of the measures, in their order.
func (c *Chain) Measures() (names []string) {
	for _, r := range c.rules {
		names = append(names, r.Measure)
	}
	return names
}

// simple returns the rules of a filter with one rule.
func simple(rule Rule, settings ...Setting) Rules {
	return Rules{Settings: settings, Rules: []Rule{rule}}
}

// lesserSide and greaterSide return the smaller or greater measure of both sides: of the one to which the rule
// applies, if that is one alone.
func lesserSide(of func(*Side) float64) func(*Pair) float64 {
	return func(p *Pair) float64 {
		a, b := of(&p.A), of(&p.B)
		if math.IsNaN(b) || a <= b {
			return a
		}
		return b
	}
}

func greaterSide(of func(*Side) float64) func(*Pair) float64 {
	return func(p *Pair) float64 {
		a, b := of(&p.A), of(&p.B)
		if math.IsNaN(b) || a >= b {
			return a
		}
		return b
	}
}

// occurs is the rule that drops pairs of which a side holds something, however often.
func occurs(reason, measure string, count func(*Side) float64) Rule {
	return Rule{Reason: reason, Measure: measure, Of: greaterSide(count), Drops: positive}
}

func positive(_ *Pair, x float64) bool { return x > 0 }

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Pair is a pair that is judged. Its memory is used for one pair after the other, by one goroutine.
type Pair struct {
	A, B Side
	// Identifier identifies the languages of texts, for the filter language alone.
	Identifier langid.Identifier
	// Cosine is that of the vectors of both sides, for the filter cosine alone; it is not a number where they are not known.
	Cosine float64
	// Margin is that cosine by the mean of those of both sides to their nearest ones, for the filter margin alone; not a number, too.
	Margin float64
	// Score is that of the pair as a row, for the filter score alone; it is not a number where the pair has none.
	Score float64
	// Classifier judges by what the other rules measure, for the filter learned alone.
	Classifier *Classifier

	overlap  parallel.Overlap
	row      []int32 // of a table of distances
	trigrams [1 << 12]uint16
}

// Load takes the next pair: texts in UTF-8, and their languages, ISO 639-3 with an optional script.
func (p *Pair) Load(textA, languageA, textB, languageB string) {
	p.A.load(textA, languageA)
	p.B.load(textB, languageB)
	p.Cosine, p.Margin, p.Score = notApplicable, notApplicable, notApplicable
}

// room returns a row of n zeros.
func (p *Pair) room(n int) []int32 {
	if cap(p.row) < n {
		p.row = make([]int32, 2*n)
	}
	row := p.row[:n]
	clear(row)
	return row
}
