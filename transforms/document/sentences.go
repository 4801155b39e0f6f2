package document

import (
	"fmt"
	"strings"

	"sentweave/schemas"
	"sentweave/transforms/clean/sentences"
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
func (*Builder) filterSentences(d *draft) (reason, detail string) {
	for i := range d.Sentences {
		s := &d.Sentences[i]
		if !s.Kept() {
			continue
		}
		if reason, measure := d.filters.Sentence(s.Text, s.Language, s.Block); reason != "" {
			s.Verdict = Verdict{StepQuality, reason, fmt.Sprint(measure)}
			continue
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
	reason, measure := d.filters.Document(b.judged(d.Outcome))
	if reason == "" || b.shortened(d.Outcome, reason) {
		return "", ""
	}
	return reason, fmt.Sprint(measure)
}
