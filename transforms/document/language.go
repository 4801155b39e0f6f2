package document

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
)

// identifiedBytes is how much of a document, or of a sentence, is given to the
// identifier at most: more does not change the answer.
const identifiedBytes = 8 << 10

// language decides the document's language, and whether it is wanted.
func (b *Builder) language(d *draft) (reason, detail string) {
	document := &d.Document
	if document.Language != language.Undetermined {
		document.DeclaredLanguage = document.Language
	}
	sample := d.sample()
	if b.identifier != nil {
		b.identifyDocument(d, sample)
	}
	languages := b.config.Languages
	switch {
	case b.identifier != nil && document.Language == language.NoContent && !characters.InScriptOf(sample, language.NoContent, languages):
		return ReasonNoise, fmt.Sprintf("%.2f", document.LanguageScore)
	case len(languages) == 0:
	case document.Language == language.Undetermined:
		return ReasonUnknownLanguage, ""
	case characters.InScriptOf(sample, document.Language, languages):
	case d.declared.identified != "" && language.MatchesAny(d.declared.code, languages):
		document.Language, document.LanguageScore = d.declared.code, 0 // what is in it stays
	case language.MatchesAny(document.Language, languages):
		return ReasonUnwantedLanguage, fmt.Sprintf("%s %.2f, in another script", document.Language, document.LanguageScore)
	default:
		return ReasonUnwantedLanguage, fmt.Sprintf("%s %.2f", document.Language, document.LanguageScore)
	}
	return "", ""
}

// sample is the beginning of the main content.
func (d *draft) sample() string {
	var begin strings.Builder
	for i := range d.Blocks {
		if d.Blocks[i].Kept() && begin.Len() < identifiedBytes {
			begin.WriteString(excerpt.Bytes(d.Blocks[i].Text, identifiedBytes-begin.Len()))
			begin.WriteByte(' ')
		}
	}
	return begin.String()
}

// identifyDocument identifies the language of a sample of the main content, and weighs it against the one that is declared.
func (b *Builder) identifyDocument(d *draft, sample string) {
	identified, score := b.identifier.Identify(sample)
	identified = b.withScript(identified, sample)
	if !d.record.Declared || identified == language.NoContent {
		identified, score = b.commonest(d, identified, score)
	}
	switch document := &d.Document; {
	case d.record.Declared:
		b.declare(d.Outcome, sample, identified, score)
	case !language.Matches(identified, document.Language):
		document.Language, document.LanguageScore = identified, score
	default: // what the page declares tells more where both agree: nob instead of nor
		document.LanguageScore = score
	}
}

// withScript adds the script to Chinese, which models identify as one language, and to languages that are wanted in the
// script of the sample.
func (b *Builder) withScript(code, sample string) string {
	if base := language.Base(code); code != base {
		return code
	} else if base != "zho" && base != "cmn" {
		for _, target := range b.config.Languages {
			if target != base && language.Base(target) == base && characters.InScript(sample, target) {
				return target
			}
		}
		return code
	}
	script, _ := characters.HanScript(sample)
	if script == "Hani" { // the sample has no telling character
		return code
	}
	return code + "_" + script
}

// sentenceLanguages decides the language of each sentence, and drops those in another language than their document.
func (b *Builder) sentenceLanguages(d *draft) (reason, detail string) {
	for i := range d.Sentences {
		s, foreign := &d.Sentences[i], false
		if s.Language, s.score, foreign = b.languageOf(s.Text, d.Outcome); foreign {
			reason := ReasonOtherLanguage
			if s.Language == language.NoContent {
				reason = ReasonNoise
			}
			s.Verdict = Verdict{StepLanguage, reason, fmt.Sprintf("%s %.2f", s.Language, s.score)}
		}
	}
	return "", ""
}

// languageOf returns the language of a sentence and its probability, and whether it is another one than the document's
// and the one that is declared.
func (b *Builder) languageOf(text string, o *Outcome) (code string, score float32, foreign bool) {
	d, l := &o.Document, o.declared
	switch {
	case l.code != "":
		code, score = b.judgeDeclared(excerpt.Bytes(text, identifiedBytes), l)
		return code, score, code != d.Language && code != l.code
	case b.identifier == nil:
		return d.Language, d.LanguageScore, false
	}
	identified, certainty := b.identifier.Identify(excerpt.Bytes(text, identifiedBytes))
	switch {
	case language.Matches(identified, d.Language):
		return d.Language, certainty, false
	case float64(certainty) >= b.config.OtherLanguageScore:
		return identified, certainty, true
	default: // too short or too odd to tell: the document decides
		return d.Language, 0, false
	}
}

// translated drops a document whose text contradicts the declared language and is in none that is wanted: none of its
// sentences is left.
func (*Builder) translated(d *draft) (reason, detail string) {
	if len(d.Document.Sentences) == 0 && d.contradicts() {
		return ReasonDeclaredLanguage, d.declared.identified
	}
	return "", ""
}

// contradicts says whether the text contradicts the declared language, and no sentence passes the filters.
func (d *draft) contradicts() bool {
	return d.declared.identified != "" && d.Document.Language == d.declared.code && !slices.ContainsFunc(d.Sentences, Item.passes)
}
