package document

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/transforms/clean/sentences"
	"sentweave/transforms/filters"
)

// split splits the kept blocks into sentences. Boilerplate between two sentences leaves
// them consecutive, other text that was left out does not.
func (b *Builder) split(d *draft) (reason, detail string) {
	position := int32(0)
	splitter := sentences.New(d.Document.Language)
	for i := range d.Blocks {
		block := &d.Blocks[i]
		if !block.Kept() {
			if block.Reason != ReasonBoilerplate {
				position++
			}
			continue
		}
		first := len(d.Sentences)
		for sentence := range splitter.All(block.Text) {
			if blank.IsBlank(sentence) {
				continue // zero-width characters between paragraphs
			}
			if len(d.Sentences) == b.config.MaxItems {
				d.Sentences = nil
				return ReasonTooComplex, fmt.Sprintf("more than %d sentences", b.config.MaxItems)
			}
			// Lines of verse or of an address remain in blocks; a sentence is one line.
			sentence = strings.ReplaceAll(sentence, "\n", " ")
			d.Sentences = append(d.Sentences, Item{Text: sentence, Block: block.Block, Main: block.Main, position: position})
			position++
		}
		for i := first; i < len(d.Sentences); i++ {
			d.Sentences[i].siblings = int32(len(d.Sentences) - first)
		}
	}
	return "", ""
}

// filterSentences judges the sentences that are left. Those that stay are the document's.
func (b *Builder) filterSentences(d *draft) (reason, detail string) {
	for i := range d.Sentences {
		s := &d.Sentences[i]
		if !s.Kept() {
			continue
		}
		if reason, measure := d.filters.Sentence(s.Text, s.Language, s.Block); reason != "" {
			if s.spared = b.config.Scores; !s.spared {
				s.Verdict = Verdict{StepQuality, reason, fmt.Sprint(measure)}
				continue
			}
		}
		d.Document.Sentences = append(d.Document.Sentences, schemas.Sentence{
			Text: s.Text, Language: s.Language, LanguageScore: s.score, Block: s.Block, Position: s.position,
			BlockSentences: s.siblings, Main: s.Main,
		})
	}
	return "", ""
}

// filterDocument judges the document of the sentences that are left.
func (b *Builder) filterDocument(d *draft) (reason, detail string) {
	if b.config.Scores {
		b.measure(d)
		return "", ""
	}
	reason, measure := d.filters.Document(b.judged(d.Outcome))
	if reason == "" || b.shortened(d.Outcome, reason) {
		return "", ""
	}
	detail = fmt.Sprint(measure)
	if reason == filters.ReasonListedWords {
		detail = fmt.Sprintf("%s (%v)", d.filters.Listed(), measure)
	}
	return reason, detail
}

// measure makes scores of the measures of the filters, and of what would become of the document if they dropped.
func (b *Builder) measure(d *draft) {
	code, score, sure := b.judged(d.Outcome)
	verdict, scores := d.filters.Measure(code, score, sure, d.Document.Scores)
	name, value := schemas.KeptScore, 1.
	switch {
	case d.contradicts():
		name, value = schemas.DroppedScore+ReasonDeclaredLanguage, 0
	case verdict.Reason != "" && !b.shortened(d.Outcome, verdict.Reason):
		name, value = schemas.DroppedScore+verdict.Reason, verdict.Measure
	}
	d.Document.Scores = append(scores, schemas.Score{Name: name, Value: float32(value)})
	slices.SortFunc(d.Document.Scores, func(a, b schemas.Score) int { return strings.Compare(a.Name, b.Name) })
}
