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

// WriteExplanation writes a page for the browser that shows the blocks of a page, which of them are kept, and what
// decided. It is written whole or not at all.
func WriteExplanation(ctx context.Context, location, source, title string, j trained.Judgement, list []trained.Explanation) error {
	folder, name, err := folderOf(location)
	if err != nil {
		return err
	}
	var blocks markup.Judged
	count, words, total := 0, 0.0, 0.0
	for i, e := range list {
		t := markup.JudgedText{Text: e.Text, Kept: e.Chosen, Kind: e.Markup, Reason: e.Place, Probability: e.Probability}
		for _, part := range e.Parts {
			t.Parts = append(t.Parts, part.String())
		}
		blocks.Items = append(blocks.Items, t)
		if total += j.Words[i]; e.Chosen {
			count++
			words += j.Words[i]
		}
	}
	var written bytes.Buffer
	if err := markup.Write(&written, markup.Report{
		Title: cmp.Or(title, source),
		Lead: "The blocks of " + source +
			" in their order: those with a solid edge are kept as main content, those with a dashed one are dropped. A line opens what decided most: the part in the logit of the probability, and the number that it comes from.",
		Facts: []markup.Fact{
			{Name: "kind of page", Value: cmp.Or(j.Kind, "unknown")},
			{Name: "expected F1", Value: fmt.Sprintf("%.2f", j.Expected)},
			{Name: "blocks kept", Value: fmt.Sprint(count), Note: fmt.Sprintf("of %d", len(list))},
			{Name: "words kept", Value: fmt.Sprintf("%.0f", words), Note: fmt.Sprintf("of %.0f", total)},
		},
		Sections: []markup.Section{{Title: "Blocks", Blocks: []markup.Block{blocks}}},
	}); err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, name, written.Bytes(), storage.Replace)
}
