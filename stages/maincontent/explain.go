package maincontent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"sentweave/schemas/storage"
	"sentweave/stages/report/markup"
	"sentweave/transforms/clean/maincontent/trained"
)

// Explanation shows the blocks of a page, which of them are kept, and what decided.
type Explanation struct {
	// Source names the page; Title is its own, empty where it has none.
	Source, Title string
	trained.Judgement
	Blocks []trained.Explanation
}

// Write writes a page for the browser, whole or not at all.
func (x Explanation) Write(ctx context.Context, location string) error {
	folder, name, err := storage.LocateFile(location)
	if err != nil {
		return err
	}
	var blocks markup.Judged
	count, words, total := 0, 0.0, 0.0
	for i, e := range x.Blocks {
		t := markup.JudgedText{Text: e.Text, Kept: e.Chosen, Kind: e.Markup, Reason: e.Place, Probability: e.Probability}
		for _, part := range e.Parts {
			t.Parts = append(t.Parts, part.String())
		}
		blocks.Items = append(blocks.Items, t)
		if total += x.Words[i]; e.Chosen {
			count++
			words += x.Words[i]
		}
	}
	var written bytes.Buffer
	if err := markup.Write(&written, markup.Report{
		Title: cmp.Or(x.Title, x.Source),
		Lead: "The blocks of " + x.Source +
			" in their order: those with a solid edge are kept as main content, those with a dashed one are dropped. A line opens what decided most: the part in the logit of the probability, and the number that it comes from.",
		Facts: []markup.Fact{
			{Name: "kind of page", Value: cmp.Or(x.Kind, "unknown")},
			{Name: "expected F1", Value: fmt.Sprintf("%.2f", x.Expected)},
			{Name: "blocks kept", Value: fmt.Sprint(count), Note: fmt.Sprintf("of %d", len(x.Blocks))},
			{Name: "words kept", Value: fmt.Sprintf("%.0f", words), Note: fmt.Sprintf("of %.0f", total)},
		},
		Sections: []markup.Section{{Title: "Blocks", Blocks: []markup.Block{blocks}}},
	}); err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, name, written.Bytes(), storage.Replace)
}
