// Package filters decides which sentences and documents are worth keeping. Each file
// is one published method. A filter takes a text and returns the reason to drop it,
// with the measure that decided; the reason "" means that the text is kept.
//
// # Languages
//
// No rule assumes English by default. Lengths account for scripts in which a character
// is a word or a syllable, shares of white space apply to scripts that separate words,
// and repeated n-grams are counted in characters where words are not separated.
// English rules (those of C4) are an option. Gopher's thresholds for words and stop
// words are left out: on parallel pages in 26 languages, they and C4's rules kept 19
// %.
//
// # Determinism
//
// A verdict depends on the text, its language and the thresholds only. Character
// classes follow the Unicode version of the Go release.
package filters

import (
	"fmt"
	"strconv"

	"sentweave/transforms/clean/characters"
)

// List lists the filters in the order in which they run, in whatever order a user names them.
var List = []Filter{
	stopes,
	ccNet,
	c4,
	gopherRepetition,
	fineWeb,
}

// Filter is a published method: one or several rules on sentences, on documents or on
// both.
type Filter struct {
	// Name is what a user calls it.
	Name string
	// Drops says what it drops, and Source says where the method was published.
	Drops, Source string
	// Default says that it runs if the user names no filters.
	Default bool
	// Reasons are the reasons that its rules return. No other filter returns the same.
	Reasons []string
	// New returns its rules with their default thresholds.
	New func() Rules
}

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
}

// SentenceCheck returns the first reason to drop a sentence and the measure that
// decided, or "" and 0. C holds the counts of the sentence's text. The language is ISO
// 639-3 with an optional script.
type SentenceCheck func(text, language string, c *characters.Counts) (reason string, measure float64)

// DocumentCheck does the same for a document. It does not keep d.
type DocumentCheck func(d *Document) (reason string, measure float64)

// Setting is a threshold that a user may change: a flag and a line of the plan.
type Setting struct {
	// Name is the name of the flag.
	Name, Help string
	// Value points to the threshold, which holds its default at first. An *int is a
	// number of at least 0, and a *float64 is a share from 0 to 1.
	Value any
}

// set parses a text and sets the threshold to its value.
func (s Setting) set(text string) error {
	switch value := s.Value.(type) {
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%s %s: want a whole number of at least 0", s.Name, text)
		}
		*value = n
	case *float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return fmt.Errorf("%s %s: want a share in [0, 1]", s.Name, text)
		}
		*value = x
	default:
		return fmt.Errorf("setting %s has the unsupported type %T", s.Name, value)
	}
	return nil
}

// Get returns the threshold, an int or a float64; nil for any other type.
func (s Setting) Get() any {
	switch value := s.Value.(type) {
	case *int:
		return *value
	case *float64:
		return *value
	}
	return nil
}
