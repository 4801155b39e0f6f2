package datasets

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"sentweave/runners/command"
	"sentweave/stages/inspect"
)

const (
	// defaultShown is how many rows are shown of each fate where nobody says.
	defaultShown = 5
	// recountedLanguages is the number of languages of the table; the rest is summed, and --json tells it.
	recountedLanguages = 20
)

// whatIf prints how many rows a filter would keep, and some of those that it decides otherwise.
func (c *inspectCommand) whatIf(ctx context.Context, p *command.Program, d *inspect.Dataset) error {
	answer, err := d.WhatIf(ctx, inspect.WhatIf{Expression: c.WhatIf, Where: c.Where, Columns: c.Columns,
		Sample: cmp.Or(c.Sample, defaultShown)})
	if err != nil {
		return usage(err)
	}
	if c.JSON {
		return command.PrintJSON(p.Stdout, answer)
	}
	if err := printRecount(p.Stdout, answer); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout)
	return answer.PrintRows(p.Stdout)
}

// printRecount prints a line for all rows, and one for each of the languages with the most rows.
func printRecount(w io.Writer, a *inspect.Answer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name string, r inspect.Recount) {
		numbers := []int64{r.Rows, r.Passing, r.Going}
		if a.Judged {
			numbers = []int64{r.Rows, r.Kept, r.Passing, r.Coming, r.Going}
		}
		if a.All.Sentences > 0 {
			numbers = append(numbers, r.KeptSentences, r.PassingSentences)
		}
		fmt.Fprint(t, name)
		for _, n := range numbers {
			fmt.Fprint(t, "\t", command.Count(n))
		}
		fmt.Fprint(t, "\t\n")
	}
	header := "\trows\tpass\tgo"
	if a.Judged {
		header = "\trows\tkept\tpass\tcome\tgo"
	}
	if a.All.Sentences > 0 {
		header += "\tsentences kept\tsentences pass"
	}
	fmt.Fprintln(t, header+"\t")
	line("all", a.All)
	order := a.Order()
	var rest inspect.Recount
	for i, code := range order {
		if i < recountedLanguages {
			line(code, *a.Languages[code])
		} else {
			rest.Join(*a.Languages[code])
		}
	}
	if more := len(order) - recountedLanguages; more > 0 {
		line(fmt.Sprintf("%d more", more), rest)
	}
	return t.Flush()
}
