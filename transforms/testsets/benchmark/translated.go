package benchmark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/language"
)

// scriptTexts is the least number of translated texts of a file whose script is looked at.
const scriptTexts = 10

// alikeTexts is the least number of different texts of a source's file of which a
// translation may not have less than half.
const alikeTexts = 20

// translations counts the texts of a file with letters: all, those that are the source's,
// and of the others those whose letters are of other scripts than the language's; and the
// different ones.
type translations struct {
	texts, same, foreign int
	kinds, sourceKinds   map[uint64]struct{} // by hash
}

// add counts the texts of a row, and returns how many of them are the source's.
func (c *translations) add(s, r schemas.Benchmark, scripts []*unicode.RangeTable) (unchanged int) {
	for _, side := range [2]struct{ text, source, original string }{{r.TextA, s.TextA, s.OriginalA}, {r.TextB, s.TextB, s.OriginalB}} {
		switch {
		case !hasLetter(side.text):
			continue
		case side.text == side.source || Clean(side.text) == Clean(side.original):
			unchanged++
		case isForeign(side.text, scripts):
			c.foreign++
		}
		c.texts++
		c.kinds[xxh3.HashString(side.text)] = struct{}{}
		c.sourceKinds[xxh3.HashString(side.source)] = struct{}{}
	}
	c.same += unchanged
	return unchanged
}

// translated looks for files that are still the source's, and for those in another
// script than the language's: exchanged languages. More than half of at least ten texts
// that are not the source's must be foreign, each by more than half of its letters: names
// and titles in Latin letters, in Russian or Chinese, are a few percent of the texts,
// and of another language all are. Two languages of one script are not told apart. And
// for those whose texts are all alike, as of an engine that always says the same: less than
// half as many different ones as the source has.
func (w *Comparison) translated() {
	for file, c := range w.files {
		fileRow, c := schemas.Benchmark{Task: file[0], File: file[1], Row: -1}, c.texts
		if c.same > 0 && float64(c.same) > w.config.MaxUntranslated*float64(c.texts) {
			w.fault(fileRow, FaultUntranslated, "%d of %d texts are the source's", c.same, c.texts)
		}
		if changed := c.texts - c.same; changed >= scriptTexts && 2*c.foreign > changed {
			w.fault(fileRow, FaultScript, "%d of %d texts are not in the script of %s (%s)",
				c.foreign, changed, w.language, strings.Join(language.Scripts(w.language), ", "))
		}
		if n, expected := len(c.kinds), len(c.sourceKinds); expected >= alikeTexts && 2*n < expected {
			w.fault(fileRow, FaultAlike, "%d different texts, the source has %d", n, expected)
		}
	}
}

// isForeign says whether most letters of a text are of none of the scripts. Letters that
// several scripts share do not count; no scripts, no foreign text.
func isForeign(text string, scripts []*unicode.RangeTable) bool {
	native, foreign := 0, 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) || r >= utf8.RuneSelf && unicode.In(r, unicode.Common, unicode.Inherited):
		case unicode.In(r, scripts...):
			native++
		default:
			foreign++
		}
	}
	return len(scripts) > 0 && foreign > native
}
