package learner

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a word with its count.
type Word struct {
	Text  string
	Count int64
}

// Counts collects how often words are in each language.
type Counts struct {
	totals map[string]int64
	words  map[string][]languageCount
}

type languageCount struct {
	language string
	count    int64
}

// Add adds occurrences of a word. The order of the calls does not matter.
func (c *Counts) Add(word, language string, count int64) {
	if c.words == nil {
		c.totals, c.words = map[string]int64{}, map[string][]languageCount{}
	}
	c.totals[language] += count
	list := c.words[word]
	if i := slices.IndexFunc(list, func(l languageCount) bool { return l.language == language }); i >= 0 {
		list[i].count += count
		return
	}
	c.words[word] = append(list, languageCount{language, count})
}

// coefficients returns by how much a word of each language counts, so that
// languages share the mass as their totals to the power of the exponent: 1
// leaves the counts alone, 0 makes all languages equal; the paper on CMLM uses
// .3, the reference .5. With p the share of a language, it is
// p^s / (Σ p^s · p).
func (c *Counts) coefficients(exponent float64) map[string]float64 {
	languages := make([]string, 0, len(c.totals))
	var total int64
	for l, n := range c.totals {
		languages = append(languages, l)
		total += n
	}
	slices.Sort(languages) // sums of floats depend on their order
	sum := 0.
	for _, l := range languages {
		sum += math.Pow(float64(c.totals[l])/float64(total), exponent)
	}
	coefficients := map[string]float64{}
	for _, l := range languages {
		p := float64(c.totals[l]) / float64(total)
		coefficients[l] = math.Pow(p, exponent) / (sum * p)
	}
	return coefficients
}

// Smoothed returns the words with their smoothed counts, the most frequent
// first, equal ones by code point: those counted more than minimum times before
// rounding and of at most longest characters.
func (c *Counts) Smoothed(exponent float64, minimum float64, longest int) []Word {
	coefficients := c.coefficients(exponent)
	var words []Word
	for text, list := range c.words {
		slices.SortFunc(list, func(a, b languageCount) int { return strings.Compare(a.language, b.language) })
		sum := 0.
		for _, l := range list {
			sum += float64(l.count) * coefficients[l.language]
		}
		if sum > minimum && utf8.RuneCountInString(text) <= longest {
			words = append(words, Word{text, int64(math.RoundToEven(sum))})
		}
	}
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return words
}
