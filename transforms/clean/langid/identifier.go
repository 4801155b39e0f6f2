// Package langid identifies the language of a text.
//
// An Identifier returns a code of schemas/language and a score. FastText uses a
// fastText model (lid.176, or any other whose labels are languages).
package langid

// Identifier tells the language of a text.
type Identifier interface {
	// Identify returns the language as a code of schemas/language, and how sure the
	// identifier is of it, in [0, 1]. A text without a letter, or of which the
	// identifier knows nothing, gives "und" and 0. The same text gives the same
	// answer, whatever was asked before.
	Identify(text string) (language string, score float32)
	// Top appends the k most probable languages of the text to dst, the most probable
	// first; none for a text without a letter.
	Top(dst []Guess, text string, k int) []Guess
	// Knows reports whether the identifier can answer with the language, or with one
	// that language.Matches takes for it.
	Knows(language string) bool
	// Clone returns an identifier that another goroutine may use at the same time.
	// It shares what is large and costs little.
	Clone() Identifier
}

// Guess is a language and its score.
type Guess struct {
	// Language is a code of schemas/language.
	Language string
	// Score is in [0, 1].
	Score float32
}
