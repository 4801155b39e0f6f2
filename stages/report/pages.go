package report

import (
	"fmt"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
	"sentweave/transforms/document"
)

// Bounds of what is shown of a page: its blocks, and the characters of each text.
const (
	mostBlocks     = 300
	mostCharacters = 400
	mostSentences  = 20 // that are dropped of a block
)

// Page is a page of which documents were made, with what was kept and dropped of it.
type Page struct {
	shown markup.Folded
	kept  bool
}

// NewPage returns what is shown of a page: its first 300 blocks, and 400 characters of each text.
func NewPage(o *document.Outcome) Page {
	return Page{markup.Folded{Summary: pageSummary(o), Blocks: pageBody(o)}, o.Kept()}
}

// pageBlocks show pages, each of them folded.
func pageBlocks(pages []Page) []markup.Block {
	if len(pages) == 0 {
		return nil
	}
	list := []markup.Block{markup.Text{
		Body: "A sample of the pages that the documents were made of. Blocks with a solid edge are kept as main content, those with a dashed one are dropped. The share is the probability that a block is main content. A line below a kept block opens the sentences that later steps drop of it."}}
	for _, p := range pages {
		list = append(list, p.shown)
	}
	return list
}

// pageSummary says in a line what became of a page.
func pageSummary(o *document.Outcome) string {
	d := &o.Document
	name := d.Source
	if d.Offset > 0 {
		name = fmt.Sprintf("%s:%d", name, d.Offset)
	}
	result := "kept"
	if !o.Kept() {
		result = "dropped by " + verdict(o.Verdict)
	}
	return fmt.Sprintf("%s, %s: %s; %s and %s kept", excerpt.Characters(name, mostCharacters), language.Name(d.Language), result,
		keptOf(o.Blocks, "block", "blocks"), keptOf(o.Sentences, "sentence", "sentences"))
}

// keptOf counts items that are kept: 3 of 7 blocks.
func keptOf(items []document.Item, singular, plural string) string {
	n := 0
	for i := range items {
		if items[i].Kept() {
			n++
		}
	}
	return fmt.Sprintf("%s of %s", markup.Count(int64(n)), markup.Counted(len(items), singular, plural))
}

// verdict is the step that dropped something, with its reason.
func verdict(v document.Verdict) string {
	if v.Detail == "" {
		return v.Step + ": " + v.Reason
	}
	return fmt.Sprintf("%s: %s (%s)", v.Step, v.Reason, v.Detail)
}

// pageBody shows the blocks of a page in their order.
func pageBody(o *document.Outcome) (list []markup.Block) {
	if o.Document.URL != "" {
		list = append(list, markup.Text{Body: excerpt.Characters(o.Document.URL, mostCharacters)})
	}
	if len(o.Blocks) == 0 {
		return append(list, markup.Text{Body: "The page was dropped before it had blocks."})
	}
	sentences := map[int32][]document.Item{}
	for _, s := range o.Sentences {
		sentences[s.Block] = append(sentences[s.Block], s)
	}
	var judged markup.Judged
	for i := range o.Blocks[:min(len(o.Blocks), mostBlocks)] {
		judged.Items = append(judged.Items, judgedBlock(&o.Blocks[i], sentences[o.Blocks[i].Block]))
	}
	list = append(list, judged)
	if rest := o.Blocks[len(judged.Items):]; len(rest) > 0 {
		list = append(list, markup.Text{Body: fmt.Sprintf("The rest of the page is not shown: %s kept.", keptOf(rest, "block", "blocks"))})
	}
	return list
}

// judgedBlock is a block with its sentences that are dropped.
func judgedBlock(block *document.Item, sentences []document.Item) markup.JudgedText {
	t := markup.JudgedText{Text: excerpt.Characters(block.Text, mostCharacters), Kept: block.Kept(), Reason: block.Detail,
		Probability: float64(block.Main)}
	if !t.Kept {
		if t.Reason == "" {
			t.Reason = block.Reason
		}
		return t
	}
	dropped := 0
	for i := range sentences {
		s := &sentences[i]
		if s.Kept() {
			continue
		}
		if dropped++; dropped <= mostSentences {
			t.Parts = append(t.Parts, verdict(s.Verdict)+": "+excerpt.Characters(s.Text, mostCharacters))
		}
	}
	if dropped > 0 {
		t.Reason = fmt.Sprintf("%s of %s dropped", markup.Count(int64(dropped)), markup.Counted(len(sentences), "sentence", "sentences"))
	}
	if hidden := dropped - len(t.Parts); hidden > 0 {
		t.Parts = append(t.Parts, fmt.Sprintf("and %s", markup.Counted(hidden, "more sentence", "more sentences")))
	}
	return t
}
