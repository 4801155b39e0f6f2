package document

import (
	"slices"
	"unicode/utf8"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/thresholds"
)

// declaration is what the layout declares of a document's language, beside what
// its text says. The zero value stands for a document of which no layout tells.
type declaration struct {
	code string
	// known says whether the identifier knows the language.
	known bool
	// identified is the language of the text where it contradicts the declared one
	// (a page that was left untranslated, wholly or in most of its parts), or "".
	identified string
	// near are languages for which the identifier takes single sentences in the
	// declared one.
	near []string
}

// Scandinavian languages are so near that the identifier is sure of the wrong one in
// 3 % of the sentences in Nynorsk, and in 1 % of those in Danish, of three manuals.
var scandinavian = []string{"dan", "nno", "nob", "nor", "swe"}

// untranslated is the language in which pages are left that nobody translated. Of a
// declared language that the identifier lacks, this one alone is told apart: of any
// other the identifier may be sure because it is the nearest that it knows.
const untranslated = "eng"

// likely is the probability from which on a sentence may be in a language: of code
// and names no language is likely.
const likely = .25

// inScript is the share of the letters of a text from which on it is in a script.
const inScript = .3

// A text of fewer than short characters must be surer to contradict: what the margin
// leaves to certainty is cut to shortRest of it. So .5 becomes .8, and of the
// translated sentences of ten languages in three manuals .04 to 1 % fall in place of
// .04 to 1.6 %; what of the original passes, up to 20 % more, has no probability of
// its own and is found by the page of the original.
const (
	short     = 30
	shortRest = .4
)

// declare compares what the layout declares with the language that was identified
// in the document's text, and decides the document's language. A declaration holds
// unless another language is sure.
func (b *Builder) declare(o *Outcome, text, identified string, score float32) {
	d := &o.Document
	o.declared = declaration{code: d.Language, known: b.identifier.Knows(d.Language)}
	contradicted, declaredScore := false, score
	switch sure := float64(score) >= b.config.MinLanguageScore; {
	case language.Matches(identified, d.Language):
	case language.Base(identified) == language.Base(d.Language): // in another script
		contradicted = sure
	default:
		contradicted, declaredScore = b.contradicted(text, identified, score, o.declared)
		contradicted = contradicted && sure
	}
	if d.LanguageScore = declaredScore; contradicted {
		d.Language, d.LanguageScore, o.declared.identified = identified, score, identified
	}
	// A page in Swedish where Danish was declared has sentences in both.
	if slices.Contains(scandinavian, o.declared.code) && !slices.Contains(scandinavian, o.declared.identified) {
		o.declared.near = scandinavian
	}
}

// contradicted says whether a text that was identified as another language cannot be
// in the declared one, and with which probability it is. Another language must be
// more probable by OtherLanguageScore. Where the identifier lacks the declared one,
// the text must be in its script, or at least be taken for a language of that script,
// and must not be surely untranslated.
func (b *Builder) contradicted(text, identified string, score float32, l declaration) (bool, float32) {
	if !l.known {
		if identified == untranslated && float64(score) >= b.config.OtherLanguageScore {
			return true, 0
		}
		near := language.Scripts(identified)[0] == language.Scripts(l.code)[0]
		return !near && characters.ScriptShare(text, l.code) < inScript, 0
	}
	declaredScore, margin := b.probability(text, l), b.config.OtherLanguageScore
	if utf8.RuneCountInString(text) < short {
		margin = 1 - shortRest*(1-margin)
	}
	return float64(score-declaredScore) >= margin, declaredScore
}

// manyLanguages is more than the number of languages that models have.
const manyLanguages = 1 << 10

// probability returns that of the declared language, with all that match it or are near.
func (b *Builder) probability(text string, l declaration) float32 {
	if !possible(text, l.code) {
		return 0
	}
	sum := float32(0)
	for _, guess := range b.identifier.Top(nil, text, manyLanguages) {
		if language.Matches(guess.Language, l.code) || slices.Contains(l.near, guess.Language) {
			sum += guess.Score
		}
	}
	return min(sum, 1)
}

// possible says whether a text has a letter of a script in which a language is written,
// or no letter at all. Noise may be in any.
func possible(text, code string) bool {
	return code == language.NoContent || characters.ScriptShare(text, code) > 0
}

// identify returns the most probable language of a sentence that is possible: of a few
// Han characters the identifier may be sure that they are Vietnamese.
func (b *Builder) identify(text string) (code string, score float32) {
	if code, score = b.identifier.Identify(text); possible(text, code) {
		return code, score
	}
	for _, guess := range b.identifier.Top(nil, text, manyLanguages) {
		if possible(text, guess.Language) {
			return guess.Language, guess.Score
		}
	}
	return language.Undetermined, 0
}

// judgeDeclared returns the language of a sentence of a document whose language the
// layout declares: the declared one, the document's, or a third that is sure. The score
// is its probability.
func (b *Builder) judgeDeclared(text string, l declaration) (code string, score float32) {
	identified, score := b.identify(text)
	if l.identified != "" && possible(text, l.identified) {
		return b.judgeUndeclared(text, identified, score, l)
	}
	if language.Matches(identified, l.code) {
		return l.code, score
	}
	if contradicted, declaredScore := b.contradicted(text, identified, score, l); !contradicted {
		return l.code, declaredScore
	}
	return identified, score
}

// judgeUndeclared judges a sentence of a document that contradicts its declaration: to
// be in the declared language it must contradict the document's in turn, or be likely
// to be in the declared one, and more so; or, if the identifier lacks the declared one,
// the document's must not be likely.
func (b *Builder) judgeUndeclared(text, identified string, score float32, l declaration) (string, float32) {
	documentScore, contradicts := score, false
	if !language.Matches(identified, l.identified) {
		contradicts, documentScore = b.contradicted(text, identified, score, declaration{code: l.identified, known: true})
	}
	third, declaredScore := b.contradicted(text, identified, score, l)
	switch {
	case !l.known && !third && documentScore < likely:
		return l.code, 0
	case !contradicts && (declaredScore < likely || declaredScore <= 2*documentScore):
		return l.identified, documentScore
	case third && !language.Matches(identified, l.code):
		return identified, score
	case l.known: // more probable than the document's, which another one contradicts
		return l.code, declaredScore
	}
	return l.identified, documentScore
}

// judged returns the document's language as filters see it: its code, its probability,
// and whether that is enough. A declared language that holds needs no probability: it
// may be one that the identifier lacks. Without an identifier there is none to ask for.
func (b *Builder) judged(o *Outcome) (code string, score float32, sure bool) {
	d := &o.Document
	least := thresholds.Value(b.config.Thresholds.Of(d.Language)[thresholds.LanguageScore].Minimum, b.config.MinLanguageScore)
	return d.Language, d.LanguageScore, b.identifier == nil || d.Language == o.declared.code || d.LanguageScore >= float32(least)
}

// shortened says whether a document fails a filter for no other reason than that parts
// of it were left untranslated: what is left is too little, or passes with them. It has
// translations in other pages.
func (b *Builder) shortened(o *Outcome, reason string) bool {
	foreign := slices.ContainsFunc(o.Sentences, func(s Item) bool { return s.Reason == ReasonOtherLanguage })
	if o.declared.code == "" || !slices.ContainsFunc(o.Sentences, Item.passes) || !foreign {
		return false
	}
	if reason == filters.ReasonFewSentences || reason == filters.ReasonFewCharacters {
		return true
	}
	page := b.filters.Page()
	defer page.Close()
	for _, s := range o.Sentences {
		if s.passes() || s.Reason == ReasonOtherLanguage {
			page.Keep(s.Text, s.Block)
		}
	}
	reason, _ = page.Document(b.judged(o))
	return reason == ""
}
