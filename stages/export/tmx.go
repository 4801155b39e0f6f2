package export

import (
	"context"
	"fmt"
	"io"

	"sentweave/stages/inspect"
	"sentweave/transforms/read/tmx"
)

// creation is what a memory says of who made it. It has no clock and no revision, so
// that the same dataset gives the same file.
var creation = tmx.Header{CreationTool: "sentweave", CreationToolVersion: "1"}

// memory is the columns of a row that is two texts in two languages.
type memory struct {
	where                           string // the rows that are translations; a filter takes some of them
	id, text, translation, from, to string
	tool, version, options          string // "" where the row does not say
	source                          bool   // the text is the one that was translated
}

var memories = map[string]memory{
	"translation": {`status == "ok"`, "key", "text", "translation", "source_language", "target_language", "engine", "model", "options_xxh3",
		true},
	"pair": {`kind == "bitext"`, "id", "text_a", "text_b", "language_a", "language_b", "", "", "", false},
}

// memoryOf returns the columns of a dataset's rows.
func memoryOf(schema string) (memory, error) {
	m, ok := memories[schema]
	if !ok {
		return m, inspect.Faultf("rows of %s are not translations; format %s takes rows of translation and of pair", schema, TMX)
	}
	return m, nil
}

// write writes the rows of which both texts have a language as the units of a memory.
func (m memory) write(ctx context.Context, output io.Writer, table inspect.Table, filter inspect.Filter) (Counts, error) {
	names := []string{m.id, m.text, m.translation, m.from, m.to}
	if m.tool != "" {
		names = append(names, m.tool, m.version, m.options)
	}
	columns := make([]*inspect.Column, len(names))
	for i, name := range names {
		var err error
		if columns[i], err = table.Column(name); err != nil {
			return Counts{}, err
		}
	}
	selection, err := table.Select(names...)
	if err != nil {
		return Counts{}, err
	}
	usable, err := table.Filter(ctx, m.where)
	if err != nil {
		return Counts{}, err
	}
	w, err := tmx.NewWriter(output, creation)
	if err != nil {
		return Counts{}, err
	}
	var counts Counts
	values := make([]string, 8)
	var cell []byte
	for row, err := range table.Rows(ctx, selection.Union(filter.Selection).Union(usable.Selection)) {
		if err != nil {
			return counts, err
		}
		if !usable.Holds(row) || !filter.Holds(row) {
			continue
		}
		for i, c := range columns {
			cell = row.AppendCell(cell[:0], selection, c)
			values[i] = string(cell)
		}
		if values[4] == "" { // a pair of one text
			continue
		}
		u := tmx.Unit{ID: values[0], CreationTool: values[5], CreationToolVersion: values[6],
			Variants: []tmx.Variant{{Language: values[3], Text: values[1]}, {Language: values[4], Text: values[2]}}}
		if m.source {
			u.Source = values[3]
		}
		if m.options != "" {
			u.Properties = []tmx.Property{{Type: tmx.OptionsProperty, Text: values[7]}}
		}
		if err := w.Write(u); err != nil {
			return counts, fmt.Errorf("row %s: %w", values[0], err)
		}
		counts.Rows++
	}
	counts.Replaced = w.Replaced()
	return counts, w.Close()
}
