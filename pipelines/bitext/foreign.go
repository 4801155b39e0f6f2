package bitext

import (
	"fmt"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid"
)

// guessed is the number of languages that are asked for: one that is not among them has
// no probability to speak of.
const guessed = 3

// rounding is more than what the sum of the probabilities of all languages exceeds 1 by.
const rounding = .01

// foreign says which other language a text is in, or "". A text in a language that the
// model does not know is in it.
func (w *writer) foreign(text, stated string) string {
	// The first guess takes half the time of all. Most often it is the stated language and leaves
	// too little for any other. Where the last text was in doubt, the next one is likely to be.
	ask := 1
	if w.doubt {
		ask = guessed
	}
	w.guesses = w.identifier.Top(w.guesses[:0], text, ask)
	w.doubt = len(w.guesses) == 0 || !language.Matches(w.guesses[0].Language, stated) ||
		float64(1-2*w.guesses[0].Score)+rounding > w.config.LangidMargin
	if !w.doubt {
		return ""
	}
	if ask < guessed {
		w.guesses = w.identifier.Top(w.guesses[:0], text, guessed)
	}
	return w.other(stated)
}

// other is foreign by all guesses.
func (w *writer) other(stated string) string {
	var agreeing, rival langid.Guess
	for _, g := range w.guesses {
		switch {
		case language.Matches(g.Language, stated):
			agreeing.Score += g.Score
		case g.Score > rival.Score:
			rival = g
		}
	}
	if float64(rival.Score-agreeing.Score) <= w.config.LangidMargin || !w.identifier.Knows(stated) {
		return ""
	}
	return fmt.Sprintf("%s for %s, by %.2f", rival.Language, stated, rival.Score-agreeing.Score)
}
