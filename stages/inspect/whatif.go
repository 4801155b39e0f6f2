package inspect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/language"
)

// WhatIf asks which rows a filter would keep, beside those that the dataset's own filters keep: what documents and pairs with
// measures (`corpus --scores`, `pairfilter --scores`) say of themselves. Of other rows, all are kept.
type WhatIf struct {
	// Expression is the filter. Where, if it is not empty, chooses the rows that are counted.
	Expression, Where string
	// Columns are the columns of the rows that are shown; none are those that the expression compares, and texts.
	Columns []string
	// Sample is the number of rows that are shown of those that come and of those that go.
	Sample int
}

// Recount counts the rows of a language, and their sentences where they have some.
type Recount struct {
	// Rows are all; Kept are those that the dataset's own filters keep, and Passing those that the expression does.
	Rows    int64 `json:"rows"`
	Kept    int64 `json:"kept"`
	Passing int64 `json:"passing"`
	// Coming are passing and not kept, Going are kept and not passing.
	Coming int64 `json:"coming"`
	Going  int64 `json:"going"`
	// Sentences are those of all rows, KeptSentences and PassingSentences those of kept and of passing ones.
	Sentences        int64 `json:"sentences"`
	KeptSentences    int64 `json:"kept_sentences"`
	PassingSentences int64 `json:"passing_sentences"`
}

// Join adds other counts.
func (c *Recount) Join(other Recount) {
	c.Rows += other.Rows
	c.Kept += other.Kept
	c.Passing += other.Passing
	c.Coming += other.Coming
	c.Going += other.Going
	c.Sentences += other.Sentences
	c.KeptSentences += other.KeptSentences
	c.PassingSentences += other.PassingSentences
}

// recountOf counts one row.
func recountOf(kept, passing bool, sentences int64) Recount {
	one := Recount{Rows: 1, Sentences: sentences}
	if kept {
		one.Kept, one.KeptSentences = 1, sentences
	}
	if passing {
		one.Passing, one.PassingSentences = 1, sentences
	}
	one.Coming, one.Going = max(0, one.Passing-one.Kept), max(0, one.Kept-one.Passing)
	return one
}

// Answer is what a question brings: counts by language, and rows of each fate, which are chosen by the hash of their ids.
type Answer struct {
	Expression string `json:"expression"`
	// Judged says that the dataset's own filters judged rows. If they did not, no row is coming.
	Judged    bool                `json:"judged"`
	All       Recount             `json:"all"`
	Languages map[string]*Recount `json:"languages"`
	// Coming and Going are such rows. Staying are those that pass, where no filter judged.
	Coming  []json.RawMessage `json:"coming,omitempty"`
	Going   []json.RawMessage `json:"going,omitempty"`
	Staying []json.RawMessage `json:"staying,omitempty"`

	header []string
	cells  [][]string // of the shown rows, in that order
}

// fates are those of which rows are shown.
const (
	fateComing = iota
	fateGoing
	fateStaying
)

var fateNames = [...]string{"comes", "goes", "stays"}

// shownRow is a row that is shown.
type shownRow struct {
	cells []string
	json  json.RawMessage
}

// WhatIf reads all rows once. A fault in the question is found before. Memory is that of the languages, and of the shown rows.
func (d *Dataset) WhatIf(ctx context.Context, q WhatIf) (*Answer, error) {
	table, err := d.Table(ctx)
	if err != nil {
		return nil, err
	}
	expression, err := table.Filter(ctx, q.Expression)
	if err != nil {
		return nil, err
	}
	where, err := table.Filter(ctx, q.Where)
	if err != nil {
		return nil, err
	}
	columns, err := table.whatIfColumns(q.Columns, expression)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Expression: q.Expression, Languages: map[string]*Recount{}}
	var samples [len(fateNames)]*Sample[shownRow]
	for i := range samples {
		samples[i] = newSample[shownRow](q.Sample)
	}
	var key []byte
	for row, err := range table.Rows(ctx, columns.read.Union(expression.Selection).Union(where.Selection)) {
		if err != nil {
			return nil, err
		}
		if !where.Holds(row) {
			continue
		}
		kept, reason, judged := columns.verdict(row)
		answer.Judged = answer.Judged || judged
		passing := expression.Holds(row)
		answer.add(columns.languageOf(row), recountOf(kept, passing, columns.sentencesOf(row)))
		fate := fateStaying
		switch {
		case passing && !kept:
			fate = fateComing
		case kept && !passing:
			fate = fateGoing
		case !passing:
			continue
		}
		key = row.AppendJSON(key[:0], columns.key)
		samples[fate].add(key, func() shownRow {
			return shownRow{append([]string{fateNames[fate], reason}, columns.cells(row)...), columns.json(row)}
		})
	}
	answer.show(columns, samples)
	return answer, nil
}

func (a *Answer) add(code string, one Recount) {
	count := a.Languages[code]
	if count == nil {
		count = &Recount{}
		a.Languages[code] = count
	}
	count.Join(one)
	a.All.Join(one)
}

// show takes the rows that are shown. Where no filter judged, they are those that stay and that go.
func (a *Answer) show(columns *whatIfColumns, samples [len(fateNames)]*Sample[shownRow]) {
	lists := [...]*[]json.RawMessage{&a.Coming, &a.Going, &a.Staying}
	a.header = append([]string{"", "was"}, columns.header()...)
	for fate, sample := range samples {
		if fate == fateStaying && a.Judged {
			continue
		}
		for _, row := range sample.Rows() {
			*lists[fate] = append(*lists[fate], row.json)
			a.cells = append(a.cells, row.cells)
		}
	}
	if !a.Judged {
		a.header = slices.Delete(a.header, 1, 2)
		for i := range a.cells {
			a.cells[i] = slices.Delete(a.cells[i], 1, 2)
		}
	}
}

// shownText is the width of the texts of the rows that are shown.
const shownText = 80

// PrintRows prints the rows that are shown as a table; nothing if there are none.
func (a *Answer) PrintRows(w io.Writer) error {
	if len(a.cells) == 0 {
		return nil
	}
	t := newTable(w, a.header, make([]bool, len(a.header)))
	t.most = shownText
	for _, cells := range a.cells {
		if err := t.row(cells); err != nil {
			return err
		}
	}
	return t.Close()
}

// whatIfColumns are the columns that a question reads beside those of its filters.
type whatIfColumns struct {
	languages []*Column // of a row, one or two
	sentences *Column   // a list, nil for rows that have none
	// names and reason tell what the dataset's own filters say: names of scores, of which one is kept or dropped_REASON,
	// or the reason of a pair. They are nil where rows have no verdict.
	names, reason *Column
	list          []operand // that are shown
	// key selects what a row is chosen by, shown what is shown of it, and read all.
	key, shown, read Selection
}

// shownTexts are the columns of texts that are shown.
var shownTexts = []string{"text", "text_a", "text_b", "translation", "word", "sentences.text"}

func (t Table) whatIfColumns(paths []string, expression Filter) (c *whatIfColumns, err error) {
	c = &whatIfColumns{key: t.selection(), shown: t.selection(), read: t.selection()}
	if id := t.find("id"); id != nil {
		c.key.add(id)
	} else {
		c.key, _ = t.Select()
	}
	for _, path := range []string{"language", "language_a", "language_b"} {
		if column := t.find(path); column != nil && column.Kind == text && column.depth == 0 { // it may be a measure
			c.languages = append(c.languages, column)
			c.read.add(column)
		}
	}
	if c.list, err = t.shownOperands(paths, c.languages, expression); err != nil {
		return nil, err
	}
	for _, o := range c.list {
		if o.names == nil {
			c.shown.add(o.Column)
		}
	}
	if sentences := t.find("sentences"); sentences != nil && sentences.List {
		c.sentences = sentences
		c.read.leaves[c.sentences.end-1] = true // the last one is small
	}
	c.names, _, _ = t.scores()
	if t.dataset.Plan.Schema == (schemas.PairScore{}).Schema().Name {
		c.reason = t.find("reason")
	}
	for _, column := range []*Column{c.names, c.reason} {
		if column != nil {
			c.read.add(column)
		}
	}
	c.read = c.read.Union(c.shown).Union(c.key)
	return c, nil
}

// shownOperands are the columns of these paths. Without paths they are what tells the row, what the expression
// compares, and texts.
func (t Table) shownOperands(paths []string, languages []*Column, expression Filter) (list []operand, err error) {
	add := func(paths ...string) {
		for _, path := range paths {
			if column := t.find(path); column != nil {
				list = append(list, operand{Column: column, path: path})
			}
		}
	}
	if len(paths) > 0 {
		_, err := t.Select(paths...)
		add(paths...)
		return list, err
	}
	add("id")
	for _, column := range languages {
		add(column.Path)
	}
	for _, o := range expression.operands {
		single := o.names != nil || o.Leaf() && o.depth == 0
		if single && !slices.Contains(shownTexts, o.path) && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	add(shownTexts...)
	return list, nil
}

func (c *whatIfColumns) languageOf(r *Row) string {
	var codes [2]string
	for i, column := range c.languages[:min(2, len(c.languages))] {
		if v := r.values[column.first][0]; !v.IsNull() {
			codes[i] = string(v.ByteArray())
		}
	}
	return cmp.Or(schemas.LanguagePair(codes[0], codes[1]), language.Undetermined)
}

func (c *whatIfColumns) sentencesOf(r *Row) (n int64) {
	if c.sentences == nil {
		return 0
	}
	for _, v := range r.values[c.sentences.end-1] {
		if v.DefinitionLevel() >= int(c.sentences.filled) {
			n++
		}
	}
	return n
}

// verdict returns what the dataset's own filters say of a row; all rows that they did not judge are kept.
func (c *whatIfColumns) verdict(r *Row) (kept bool, reason string, judged bool) {
	if c.reason != nil {
		v := r.values[c.reason.first][0]
		return v.IsNull(), string(v.ByteArray()), true
	}
	if c.names != nil {
		for _, v := range r.values[c.names.first] {
			if name := v.ByteArray(); string(name) == schemas.KeptScore {
				return true, "", true
			} else if reason, ok := bytes.CutPrefix(name, []byte(schemas.DroppedScore)); ok {
				return false, string(reason), true
			}
		}
	}
	return true, "", false
}

// json returns the shown columns and scores as one object.
func (c *whatIfColumns) json(r *Row) json.RawMessage {
	dst := r.AppendJSON(nil, c.shown)
	for _, o := range c.list {
		if o.names == nil {
			continue
		}
		if i := r.indexScore(o.names, o.path); i >= 0 {
			if dst = dst[:len(dst)-1]; len(dst) > 1 {
				dst = append(dst, ',')
			}
			dst = append(append(appendString(dst, []byte(o.path)), ':'), o.appendValue(nil, r.values[o.first][i])...)
			dst = append(dst, '}')
		}
	}
	return dst
}

// header and cells are those of the table of rows that are shown. Texts of a list follow each other.
func (c *whatIfColumns) header() (header []string) {
	for _, o := range c.list {
		header = append(header, o.path)
	}
	return header
}

func (c *whatIfColumns) cells(r *Row) (cells []string) {
	for _, o := range c.list {
		cell := []byte(nil)
		if o.Kind == text && o.within > 0 {
			cell = r.AppendLines(cell, o.Column)
		} else {
			cell = o.appendCell(cell, r, c.shown)
		}
		cells = append(cells, string(cell))
	}
	return cells
}

// Order returns the languages, those with the most rows first.
func (a *Answer) Order() []string {
	return slices.SortedFunc(maps.Keys(a.Languages), func(x, y string) int {
		return cmp.Or(cmp.Compare(a.Languages[y].Rows, a.Languages[x].Rows), strings.Compare(x, y))
	})
}
