package wordpiece

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// CheckCase returns an error if the vocabulary was clearly learned from text of
// the other case: a tokenizer would find [UNK] for every capital letter, or never
// reach the pieces with one. Scripts without case say nothing, and marks, such as the
// vowels of Thai, are taken off uncased text.
func (v *Vocabulary) CheckCase(cased bool) error {
	special := v.SpecialTokens().Names()
	n, small, marks := 0, false, false
	for _, piece := range v.Pieces() {
		if slices.Contains(special, piece) {
			continue
		}
		if strings.ContainsFunc(piece, unicode.IsUpper) {
			n++
		}
		small = small || strings.ContainsFunc(piece, func(r rune) bool { return unicode.ToUpper(r) != r })
		marks = marks || strings.ContainsFunc(piece, func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	}
	switch {
	case v.options != nil && v.options.Lowercase == cased:
		return fmt.Errorf("its tokenizer.json has lowercase %t: --cased is for tokenizers that keep case", v.options.Lowercase)
	case v.options != nil && !v.options.IsPreset(cased):
		return fmt.Errorf("its tokenizer.json treats accents, ideographs, controls or long words otherwise than BERT's tokenizers, as %+v: there are no examples for it",
			*v.options)
	case cased && n == 0 && small && !marks:
		return errors.New("no piece has a capital letter, so it was learned from uncased text: leave out --cased")
	case !cased && n > v.Size()/20:
		return fmt.Errorf("%d of %d pieces have a capital letter, so it was learned from cased text: give --cased", n, v.Size())
	}
	return nil
}
