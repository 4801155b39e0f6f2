package parallel

import "slices"

// What is the probability of a language worth? A paragraph that was left in English
// is German with .003 in the median of the blocks of three partly translated manuals,
// a translated one with .99; names, code and captions are anything.
const (
	// likely is the probability from which on a text may be in a language: many
	// sentences are the same in Danish and Bokmål.
	likely = .25
	// sure is that from which on it is, if the other one is not likely.
	sure = .5
)

// usualOriginal is the language of the original where the pages do not tell.
const usualOriginal = "eng"

// likeness is what the blocks of two pages have in common.
type likeness struct {
	untranslated bool
	same         bool    // all letters and digits are the same
	share        float64 // of words; 1 if they are the same
}

// of returns the likeness of the blocks of pages i and k at the current ordinal.
func (w *walk) of(i, k int) *likeness { return &w.alike[i*len(w.pages)+k] }

// compare compares the blocks at the current ordinal, each with each, and finds
// those that were left in the language of another page.
func (w *walk) compare() {
	for i, x := range w.at {
		for k := i + 1; x != nil && k < len(w.at); k++ {
			if y := w.at[k]; y != nil {
				a, b, l := &w.pages[i], &w.pages[k], w.of(i, k)
				*l = w.joiner.like(a, b, x, y, i == w.original || k == w.original)
				if l.untranslated && !w.joiner.related(a.language, b.language) {
					w.assign(i, k)
				}
			}
		}
	}
}

// assign decides to which of two languages a text belongs that the pages of both have. That is
// the one of the original, unless the texts are the same and surely in the other one:
// the page of the original may be missing, and another one in its place. Of two others
// it is each that is likely, and not clearly less so than the other.
func (w *walk) assign(i, k int) {
	if k == w.original {
		i, k = k, i
	}
	x, y, identical := w.at[i], w.at[k], w.of(min(i, k), max(i, k)).same
	switch plausible := min(x.own, y.own) >= likely && max(x.own, y.own) <= 2*min(x.own, y.own); {
	case identical && plausible:
	case identical && i == w.original && y.own >= sure && x.own < likely:
		x.left = true
	case i == w.original:
		y.left = true
	default:
		x.left = x.left || x.own < likely || y.own > 2*x.own
		y.left = y.left || y.own < likely || x.own > 2*y.own
	}
}

// findOriginal returns the page from which the others were translated: the pivot,
// or that whose blocks stand the most in pages of other languages, too, since what is
// left untranslated is the original's text; what two related languages have in common
// tells nothing, such as Chinese in both scripts. A block counts by the probability of its
// page's language, and a page only if they are likely in the mean: one of which
// nothing was translated is not an original. Where nobody identified languages, all
// blocks count alike. If pages are close, or do not tell, it is the English one, or
// else none, -1.
func (w *walk) findOriginal() int {
	index := func(language string) int {
		return slices.IndexFunc(w.pages, func(p page) bool { return p.language == language })
	}
	if pivot := index(w.joiner.config.Pivot); pivot >= 0 {
		return pivot
	}
	shared, probabilities, identified := make([]float64, len(w.pages)), make([]float64, len(w.pages)), false
	for w.advance() {
		for i, x := range w.at {
			if x == nil {
				continue
			}
			identified = identified || x.own > 0
			for k, y := range w.at {
				if k != i && y != nil && slices.Equal(x.words, y.words) && !w.joiner.related(w.pages[i].language, w.pages[k].language) {
					shared[i]++
					probabilities[i] += x.own
					break
				}
			}
		}
	}
	clear(w.next)
	maximum, original, tied := 0., -1, false
	for i, weight := range shared {
		if identified {
			if weight = probabilities[i]; weight < likely*shared[i] {
				weight = 0
			}
		}
		shared[i] = weight
		switch {
		case weight > maximum:
			tied = maximum >= .9*weight
			maximum, original = weight, i
		case weight >= .9*maximum:
			tied = true
		}
	}
	if english := index(usualOriginal); maximum == 0 || english >= 0 && shared[english] >= maximum/2 {
		return english
	}
	if tied {
		return -1
	}
	return original
}
