// Package document turns one record of the input, a page or a text, into a row of the
// document schema. It reports everything that it drops, with the step and the reason.
//
// # Steps
//
// The list of steps in steps.go is all that happens to a record, in that order. The funnel
// follows from the list: it has one chain for the documents, one for their blocks, and one
// for the sentences of the remaining blocks, which ends with the step document: sentences
// that are dropped with their document.
//
// # Declared languages
//
// The language of a document is the identified one. If a layout declares a language,
// that one is taken, unless another is more probable by a margin; a language that the
// identifier lacks needs the right script. A document that contradicts its layout,
// such as a page that was left in English, gets the identified language, and its
// sentences in the declared one stay, because pages are often translated in parts. A
// fourth chain of the funnel counts these conflicts.
//
// # Positions
//
// A sentence's position counts the sentences of the main content before any filter, so
// a dropped sentence leaves a gap. A preformatted block leaves a gap as well.
// Boilerplate leaves none: the sentences before and after a menu are consecutive. A
// sentence's block is the ordinal of the block in the markup.
//
// # Determinism
//
// The result depends on the record and the configuration only.
package document

import (
	"cmp"

	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/personal"
	"sentweave/transforms/read/html"
)

// Chains of the funnel.
const (
	Documents = "documents"
	Blocks    = "blocks"
	Sentences = "sentences"
	// Declared is the chain of the documents whose language a layout declares.
	Declared = "declared"
)

// Steps. StepRead is the reader's: records that are not pages.
const (
	StepRead        = "read"
	StepParse       = "parse"
	StepMainContent = "main_content"
	StepLanguage    = "language"
	StepQuality     = "quality"
	StepDocument    = "document"
)

// Reasons of this package; parse, main_content and quality have those of the
// packages html, maincontent and filters.
const (
	// ReasonUnwantedLanguage: the document's language is not among the wanted ones.
	ReasonUnwantedLanguage = "unwanted_language"
	// ReasonUnknownLanguage: the language is neither identified nor declared, and only
	// some languages are wanted.
	ReasonUnknownLanguage = "unknown_language"
	// ReasonOtherLanguage: a sentence is surely in another language than its document.
	ReasonOtherLanguage = "other_language"
	// ReasonNoise: a document or a sentence that is in no language, by the label zxx of the identifier.
	ReasonNoise = "noise"
	// ReasonDeclaredLanguage: nothing of the document is in the language that the
	// layout declares, and its own language is not wanted.
	ReasonDeclaredLanguage = "declared_language"
	// ReasonIdentified and a language are the reason by which the chain of declared
	// documents counts those that are in that language, not in the declared one.
	ReasonIdentified = "identified_"
	// ReasonBoilerplate: a block that is not main content.
	ReasonBoilerplate = "boilerplate"
	// ReasonPreformatted: a block of code or the like.
	ReasonPreformatted = "preformatted"
	// ReasonTooComplex: a document of more blocks or sentences than Config.MaxItems.
	ReasonTooComplex = "too_complex"
	// ReasonDocument: a sentence of a document that was dropped.
	ReasonDocument = "document_dropped"
)

// Record is one record of the input.
type Record struct {
	// Source and Offset say where it stands; ID is the document's identity.
	Source string
	Offset int64
	// HTML is the page's bytes, nil for a text.
	HTML []byte
	// Origin is what HTTP says of the page.
	Origin html.Origin
	// Text is the text of a record that is not a page; blank lines part its paragraphs. Of a page that was made
	// of a text, it is that text, for samples.
	Text string
	// Bare says that Text is that of a page, of which each paragraph was a block.
	Bare bool
	// Content says that all of the page in HTML is content: that of a file without navigation or other frame around it.
	Content bool
	// URL, Date (milliseconds since 1970) and Language (ISO 639-3) come from the
	// input. They are empty if it does not state them.
	URL      string
	Date     int64
	Language string
	// Declared says that Language is declared by the layout of file names: the text is
	// in it unless another language is sure.
	Declared bool
	// Reason is "" unless the record's reader found a fault, of which Detail says more.
	Reason, Detail string
}

// Verdict says whether a document, a block or a sentence was kept or dropped. Step and
// Reason are empty if it was kept.
type Verdict struct {
	Step, Reason, Detail string
}

// Kept says whether the item passed all steps.
func (v Verdict) Kept() bool { return v.Step == "" }

// Item is a block or a sentence with its verdict.
type Item struct {
	Text     string
	Language string
	Block    int32
	// Main is how probable it is that a block, or that of a sentence, is main content, from 0 to 1.
	Main float32
	Verdict

	score float32 // of the language of a sentence
	// spared says that a filter would drop the sentence if it did not measure alone.
	spared bool
	// position is the sentence's place in the document, and siblings is the number of sentences of its block.
	position, siblings int32
}

// Outcome is the result of a record.
type Outcome struct {
	// Document is the row; it is complete only if the verdict is kept.
	Document schemas.Document
	Verdict
	// Blocks and Sentences are all blocks, and all sentences of kept blocks, in the
	// order of the page.
	Blocks, Sentences []Item
	// start is the start of the record, for the sample of one that was dropped
	// before it had blocks.
	start string
	// declared is what the layout declares; set where a language was identified.
	declared declaration
	// personal counts what was masked by the masker, which is nil if nothing is. Region is that of the document's numbers.
	personal  personal.Counts
	masker    *personal.Masker
	region    string
	hasRegion bool
}

// passes says whether a sentence passes all steps, those of filters that measure alone among them.
func (i Item) passes() bool { return i.Kept() && !i.spared }

func newOutcome(r Record) *Outcome {
	o := &Outcome{Document: schemas.Document{
		ID: schemas.ID(r.Source, r.Offset), Source: r.Source, Offset: r.Offset, URL: r.URL, Date: r.Date,
		Language: cmp.Or(r.Language, language.Undetermined),
	}}
	o.start = r.Text[:min(len(r.Text), schemas.MaxSample)]
	if o.start == "" {
		o.start = string(r.HTML[:min(len(r.HTML), schemas.MaxSample)])
	}
	return o
}
