package document

import (
	"fmt"

	"golang.org/x/text/unicode/norm"

	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/schemas/language"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/read/html"
)

// read passes on the fault that the record's reader found, and drops what is blocked.
func (b *Builder) read(d *draft) (reason, detail string) {
	if d.record.Reason == "" && b.config.Blocks != nil && b.config.Blocks(d.record.URL) {
		return ReasonBlocked, d.record.URL
	}
	return d.record.Reason, d.record.Detail
}

// parse makes blocks of a page, or of the paragraphs of a text, in normalization form C (Unicode Standard Annex 15): languages are not told
// of letters without their accents, and texts that differ in how these are written are equal. A text of other form with more than 30 marks
// in a row gets U+034F between them, as its section on stream-safe text has it.
func (b *Builder) parse(d *draft) (reason, detail string) {
	if d.record.HTML == nil {
		return b.parseText(d)
	}
	origin := d.record.Origin
	if d.record.Declared {
		origin.Language = d.record.Language // the layout is about this page, HTTP at times about a site
	}
	page, reason, detail := html.Parse(d.record.HTML, origin, b.config.HTML)
	if reason != "" {
		return reason, detail
	}
	if d.Document.Language == language.Undetermined {
		if code, err := language.Parse(page.Language); err == nil {
			d.Document.Language = code
		}
	}
	if d.Document.URL == "" {
		d.Document.URL = page.Canonical
	}
	d.Document.License, d.optOuts = page.Licenses, page.OptOuts
	d.Document.OptOut = page.OptOuts.String()
	d.page, d.ordinals, d.Blocks = page, page.Ordinals, make([]Item, len(page.Blocks))
	for i, k := range page.Blocks {
		d.Blocks[i] = Item{Text: norm.NFC.String(k.Content), Language: d.Document.Language, Block: k.Ordinal}
	}
	return "", ""
}

// parseText makes blocks of the paragraphs of a plain text.
func (b *Builder) parseText(d *draft) (reason, detail string) {
	visible := false
	for paragraph := range text.Paragraphs(d.record.Text) {
		if len(d.Blocks) == b.config.MaxItems {
			d.Blocks = nil
			return ReasonTooComplex, fmt.Sprintf("more than %d paragraphs", b.config.MaxItems)
		}
		d.Blocks = append(d.Blocks, Item{Text: norm.NFC.String(paragraph), Language: d.Document.Language, Block: d.ordinals})
		d.ordinals++
		visible = visible || !blank.IsBlank(paragraph)
	}
	if !visible {
		d.Blocks = nil
		return text.Empty, ""
	}
	return "", ""
}

// mainContent judges the blocks.
func (b *Builder) mainContent(d *draft) (reason, detail string) {
	parts, reason, detail := b.classify(d)
	page := d.page
	d.page = nil // the tree takes more memory than all that the later steps need
	if reason != "" && !b.config.Explain {
		d.Blocks = nil
		return reason, detail
	}
	var why []string
	if explainer, ok := b.classifier.(maincontent.Explainer); ok && b.config.Explain && page != nil && !d.record.Content {
		why = explainer.Why(page)
	}
	for i := range d.Blocks {
		block := &d.Blocks[i]
		block.Main = parts[i].Main
		switch {
		case page != nil && page.Blocks[i].Kind == html.Preformatted && !b.config.Preformatted: // the extractor's opinion does not matter
			block.Verdict = Verdict{StepMainContent, ReasonPreformatted, ""}
		case !parts[i].Kept:
			block.Verdict = Verdict{StepMainContent, ReasonBoilerplate, ""}
			if why != nil {
				block.Detail = why[i]
			}
		}
	}
	if reason == "" {
		d.Document.Scores = []schemas.Score{{Name: schemas.BlocksScore, Value: float32(d.ordinals)}}
	}
	return reason, detail
}

// classify returns what the classifier of pages, or that of texts, says of the blocks. The threshold, if there is one,
// decides in the place of the classifier. A text, and a page that is content throughout, is all main content, unless AllTexts asks
// for a judgement.
func (b *Builder) classify(d *draft) (parts []maincontent.Part, reason, detail string) {
	switch {
	case d.page != nil && (!d.record.Content || b.config.AllTexts):
		parts, reason, detail = b.classifier.Classify(d.page)
	case d.page == nil && b.config.Lines != nil && (d.record.Bare || b.config.AllTexts) && len(d.Blocks) > 0:
		paragraphs := make([]string, len(d.Blocks))
		for i := range d.Blocks {
			paragraphs[i] = d.Blocks[i].Text
		}
		parts, reason, detail = b.config.Lines.ClassifyLines(paragraphs)
	default:
		parts = make([]maincontent.Part, len(d.Blocks))
		for i := range parts {
			parts[i] = maincontent.Part{Main: 1, Kept: true}
		}
		return parts, "", ""
	}
	if b.config.MainThreshold > 0 {
		reason, detail = maincontent.NoMainContent, fmt.Sprintf("all below %v", b.config.MainThreshold)
		for i, p := range parts {
			if parts[i].Kept = float64(p.Main) >= b.config.MainThreshold; parts[i].Kept {
				reason = ""
			}
		}
	}
	return parts, reason, detail
}
