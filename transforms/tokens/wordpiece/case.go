package wordpiece

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// capitals counts the pieces with a capital letter, special tokens apart.
func (v *Vocabulary) capitals() (n int) {
	special := v.SpecialTokens().Names()
	for _, piece := range v.Pieces() {
		if strings.ContainsFunc(piece, unicode.IsUpper) && !slices.Contains(special, piece) {
			n++
		}
	}
	return n
}

// CheckCase returns an error if the vocabulary was clearly learned from text of
// the other case: a tokenizer would find [UNK] for every capital letter, or never
// reach the pieces with one.
func (v *Vocabulary) CheckCase(cased bool) error {
	n := v.capitals()
	switch {
	case cased && n == 0:
		return errors.New("no piece has a capital letter, so it was learned from uncased text: leave out --cased")
	case !cased && n > v.Size()/20:
		return fmt.Errorf("%d of %d pieces have a capital letter, so it was learned from cased text: give --cased", n, v.Size())
	}
	return nil
}
