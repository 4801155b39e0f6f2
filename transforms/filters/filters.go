// Package filters decides which sentences and documents are worth keeping. Each file
// is one published method. A filter takes a text and returns the reason to drop it,
// with the measure that decided; the reason "" means that the text is kept.
//
// # Languages
//
// No rule assumes English by default. Lengths account for scripts in which a character
// is a word or a syllable, shares of white space apply to scripts that separate words,
// and repeated n-grams are counted in characters where words are not separated.
// English rules (those of C4, and Gopher's on words and stop words) are an option: on
// parallel pages in 26 languages, datatrove's kept 19 % by them; gopher-quality, which
// applies those that can apply, keeps 92 %.
//
// # Scores
//
// A rule on documents has a measure of a fixed name. Chains stop at the first reason to
// drop a document, or take all measures and drop nothing (Page.Measure). A measure is
// absent where its rule does not apply.
//
// # Determinism
//
// A verdict depends on the text, its language and the thresholds only. Character
// classes follow the Unicode version of the Go release.
package filters

import (
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/choice"
)

// List lists the filters in the order in which they run, in whatever order a user names them.
var List = choice.List[Rules]{
	stopes,
	ccNet,
	c4,
	gopherRepetition,
	fineWeb,
	gopherQuality,
	listedWords,
	fastText,
	perplexity,
}

// Filter is a published method: rules on sentences, on documents or on both.
type Filter = choice.Filter[Rules]

// Setting is a threshold that a user may change.
type Setting = choice.Setting

// Rules are the rules of a filter and their thresholds.
type Rules struct {
	// Settings are the thresholds that a user may set.
	Settings []Setting
	// Validate returns an error for thresholds that do not fit together. It is nil if
	// all thresholds do.
	Validate func() error
	// Sentence judges sentences, and Document judges documents. Each is nil if no rule
	// does. Many goroutines call them at once, for every sentence, so they should not
	// allocate.
	Sentence SentenceCheck
	Document DocumentCheck
	// SentenceReasons are those of the filter's reasons that Sentence returns.
	SentenceReasons []string
}

// SentenceCheck returns the first reason to drop a sentence and the measure that
// decided, or "" and 0. C holds the counts of the sentence's text. The language is ISO
// 639-3 with an optional script.
type SentenceCheck func(text, language string, c *characters.Counts) (reason string, measure float64)

// DocumentCheck measures a document, rule by rule, until v is decided. It does not keep d.
type DocumentCheck func(d *Document, v *Verdict)

// Thresholds implements choice.Rules.
func (r Rules) Thresholds() []Setting { return r.Settings }

// Check implements choice.Rules.
func (r Rules) Check() error {
	if r.Validate == nil {
		return nil
	}
	return r.Validate()
}
