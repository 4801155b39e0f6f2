// Package document turns one record of the input, a page or a text, into a row
// of the document schema, and says of everything it drops at which step and why.
//
// # Steps
//
// A document runs through parse, main_content, language and quality. Its blocks
// run through main_content (boilerplate, preformatted); the sentences of the
// blocks that are left run through language and quality, and through document,
// which drops them with their document. The funnel has one chain for each of
// the three.
//
// # Positions
//
// A sentence's position counts the sentences of the main content before any
// filter, so that a dropped sentence leaves a gap; a preformatted block leaves a
// gap as well. Boilerplate leaves none: what stands before and after a menu is
// consecutive. A sentence's block is the ordinal of the block in the markup.
//
// # Determinism
//
// The result depends on the record and the configuration only.
package document

import (
	"strconv"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// Version of the chain: raised when the same record gives another document.
const Version = 1

// Chains of the funnel.
const (
	Documents = "documents"
	Blocks    = "blocks"
	Sentences = "sentences"
)

// Steps. StepRead is the reader's: records that are no pages.
const (
	StepRead        = "read"
	StepParse       = "parse"
	StepMainContent = "main_content"
	StepLanguage    = "language"
	StepQuality     = "quality"
	StepDocument    = "document"
)

// Reasons of this package; parse, main_content and quality have those of the
// packages html, maincontent and quality.
const (
	// ReasonUnwantedLanguage: the document's language is not among the wanted ones.
	ReasonUnwantedLanguage = "unwanted_language"
	// ReasonUnknownLanguage: neither identified nor declared, but languages are asked for.
	ReasonUnknownLanguage = "unknown_language"
	// ReasonOtherLanguage: a sentence is surely in another language than its document.
	ReasonOtherLanguage = "other_language"
	// ReasonBoilerplate: a block that is not main content.
	ReasonBoilerplate = "boilerplate"
	// ReasonPreformatted: a block of code or the like.
	ReasonPreformatted = "preformatted"
	// ReasonDocument: a sentence of a document that was dropped.
	ReasonDocument = "document_dropped"
)

// Chains returns the empty chains of the funnel.
func Chains() []dataset.Chain {
	return []dataset.Chain{
		dataset.NewChain(Documents, StepRead, StepParse, StepMainContent, StepLanguage, StepQuality),
		dataset.NewChain(Blocks, StepMainContent),
		dataset.NewChain(Sentences, StepLanguage, StepQuality, StepDocument),
	}
}

// Record is one record of the input.
type Record struct {
	// Source and Offset say where it stands; ID is the document's identity.
	Source string
	Offset int64
	// HTML is the page's bytes, nil for a text.
	HTML []byte
	// ContentType is the HTTP header of that name, if known.
	ContentType string
	// Text is the text of a record that is no page; blank lines part its paragraphs.
	Text string
	// URL, Date (milliseconds since 1970) and Language (ISO 639-3) are what the
	// input states; empty where it does not.
	URL      string
	Date     int64
	Language string
}

// Verdict is what became of a document, a block or a sentence. Step and Reason
// are empty if it was kept.
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
	Verdict
}

// Outcome is what became of a record.
type Outcome struct {
	// Document is the row; it is complete only if the verdict is kept.
	Document schemas.Document
	Verdict
	// Blocks and Sentences are all blocks, and all sentences of kept blocks, in the
	// order of the page.
	Blocks, Sentences []Item
}

// Count adds the outcome to a funnel of Chains and offers what was dropped to
// the sample of rejects.
func (o *Outcome) Count(f *dataset.Funnel, r *dataset.Rejects) error {
	d := &o.Document
	if err := count(f, Documents, d.Language, o.Verdict); err != nil {
		return err
	}
	if !o.Kept() {
		sample := ""
		if len(o.Sentences) > 0 {
			sample = o.Sentences[0].Text
		}
		o.reject(r, d.ID, d.Language, o.Verdict, sample)
	}
	for chain, items := range map[string][]Item{Blocks: o.Blocks, Sentences: o.Sentences} { // counting commutes
		for i, item := range items {
			// Blocks and sentences count under the language of their document: what is
			// dropped for being in another language is this document's loss.
			if err := count(f, chain, d.Language, item.Verdict); err != nil {
				return err
			}
			if item.Kept() || item.Step == StepDocument || item.Reason == ReasonBoilerplate {
				continue
			}
			id := schemas.DerivedID(chain, d.ID, strconv.Itoa(i))
			o.reject(r, id, d.Language, item.Verdict, item.Text)
		}
	}
	return nil
}

func count(f *dataset.Funnel, chain, language string, v Verdict) error {
	if v.Kept() {
		return f.Keep(chain, language, 1)
	}
	return f.Drop(chain, language, v.Step, v.Reason, 1)
}

func (o *Outcome) reject(r *dataset.Rejects, id, language string, v Verdict, sample string) {
	if !r.Wants(v.Step, v.Reason, language, id) {
		return
	}
	r.Add(schemas.Reject{
		ID: id, Source: o.Document.Source, Offset: o.Document.Offset, Step: v.Step, Reason: v.Reason,
		Language: language, Detail: v.Detail, Sample: sample,
	})
}
