// Package detokenize turns tokenised English text back into text as people write it,
// which translators expect: "it does n't -LRB- yet -RRB- ." becomes "it doesn't
// (yet)."
//
// # Method
//
// Tokens are separated by white space. Each one joins the token before it, the token
// after it, both or neither, depending on itself and its neighbours. Quotation marks
// without a direction open and close by turns. Two styles are known: that of the Penn
// Treebank (tokenizer.sed, with which SentEval tokenises MR, CR, SUBJ, MPQA and SNLI;
// SST and TREC were published that way) and that of Moses' tokenizer.perl for English
// (SICK, STS, STS-B). SentEval also deletes all quotes and apostrophes from TREC;
// parts of words that remain alone ("what s", "can t") get theirs back.
//
// Some losses cannot be undone: whether "--" or "&" had spaces, whether "can not" was
// one word. In these cases the package always makes the same guess.
//
// # Casing
//
// Most of these texts are lower-cased. Translators treat an "i" or a first word in
// lower case as any other word, so Truecase writes the first letter of a sentence and
// the pronoun I in capitals. Names stay as they are, because they need a model.
// Truecase returns the original casing, to be kept beside the translation.
//
// Everything is a pure function of the text. It costs one pass and two allocations a
// text.
package detokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style says what cut the text.
type Style string

const (
	// None leaves the text as it is, but for white space: it was never tokenised.
	None Style = "none"
	// PTB is the Penn Treebank's tokenising.
	PTB Style = "ptb"
	// PTBUnquoted is the Penn Treebank's without any ' and `, as SentEval makes TREC.
	PTBUnquoted Style = "ptb-unquoted"
	// Moses is tokenizer.perl's for English, with or without its escapes.
	Moses Style = "moses"
)

// Casing is how a text used capitals before anything was done to it.
type Casing string

const (
	// casingLower: letters, and no capital among them.
	casingLower Casing = "lower"
	// casingMixed: at least one capital.
	casingMixed Casing = "mixed"
	// casingNone: no letter that has case.
	casingNone Casing = "none"
)

// Config says how texts were cut and what is done about capitals.
type Config struct {
	Style Style
	// Truecase capitalises sentences and the pronoun I in texts of casingLower.
	Truecase bool
}

// Text returns the text without its tokenising, and the casing that it had.
// Invalid UTF-8 stays as it is.
func (c Config) Text(text string) (string, Casing) {
	casing := CasingOf(text)
	tokens := strings.Fields(text)
	var plain string
	if c.Style == None {
		plain = strings.Join(tokens, " ")
	} else {
		plain = join(tokens, c.Style)
	}
	if c.Truecase && casing == casingLower {
		plain = truecase(plain)
	}
	return plain, casing
}

// CasingOf returns the casing of a text.
func CasingOf(text string) Casing {
	casing := casingNone
	for _, r := range text {
		if unicode.IsUpper(r) || unicode.IsTitle(r) {
			return casingMixed
		}
		if unicode.IsLower(r) {
			casing = casingLower
		}
	}
	return casing
}

// truecase capitalises the first letter of each sentence of a lower-cased English
// text, and the pronoun I. A sentence ends at '.', '!' or '?' before a space, but not
// after one letter ("j. r. r. tolkien") or at an ellipsis. Tags (<em>) are passed over:
// the first letter after one counts. Addresses stay as they are, and begin a sentence
// as any word does: tokens with "://" or "@" in them, and those that begin with "www.".
func truecase(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	first := true              // the next letter begins a sentence
	word := 0                  // letters of the word that this one ends or goes on
	last, previous := ' ', ' ' // the two characters before this one
	tag, address := 0, 0       // where the last of each ended
	marked := strings.IndexByte(text, '<') >= 0 || strings.IndexByte(text, '@') >= 0 || strings.Contains(text, "://") ||
		strings.Contains(text, "www.")
	for i, r := range text {
		if marked {
			if i >= address && i >= tag && last == ' ' {
				address = i + addressLength(text[i:])
			}
			if r == '<' && i >= tag && i >= address {
				tag = i + tagLength(text[i:])
			}
		}
		if i < tag {
			b.WriteRune(r)
			continue
		}
		letter := unicode.IsLetter(r)
		switch {
		case i >= address && letter && (first || r == 'i' && isPronoun(text, i, last)):
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(r)
		}
		switch {
		case letter || unicode.IsDigit(r):
			if strings.ContainsRune(" .!?([\"-/", last) {
				word = 0
			}
			first, word = false, word+1
		case r == ' ' && (last == '!' || last == '?' || last == '.' && previous != '.' && word != 1):
			first = true
		}
		previous, last = last, r
	}
	return b.String()
}

// addressLength returns how many bytes the text begins with that are an address, or 0.
func addressLength(text string) int {
	token, _, _ := strings.Cut(text, " ")
	if strings.Contains(token, "://") || strings.IndexByte(token, '@') >= 0 ||
		strings.HasPrefix(strings.TrimLeftFunc(token, unicode.IsPunct), "www.") {
		return len(token)
	}
	return 0
}

// tagLength returns how many bytes the text, which begins with "<", begins with that are
// a tag or a comment of HTML, or 0.
func tagLength(text string) int {
	if len(text) < 3 || !(text[1] >= 'a' && text[1] <= 'z' || text[1] >= 'A' && text[1] <= 'Z' || text[1] == '/' || text[1] == '!') {
		return 0
	}
	if end := strings.IndexAny(text[1:], "<>"); end >= 0 && text[1+end] == '>' {
		return end + 2
	}
	return 0
}

// isPronoun says whether the i at this place stands alone, or before an apostrophe.
func isPronoun(text string, offset int, previous rune) bool {
	if unicode.IsLetter(previous) || unicode.IsDigit(previous) || strings.ContainsRune("-'’./", previous) {
		return false
	}
	rest := text[offset+1:]
	if next, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(next) || unicode.IsDigit(next) || next == '-' || next == '/' {
		return false
	}
	// "i.e." is no pronoun, "so do i." is one.
	return !strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ". ") || rest == "."
}
