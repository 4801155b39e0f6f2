package inspect

import (
	"bufio"
	"context"
	"io"
	"iter"
)

// View says which rows and columns are shown, and how.
type View struct {
	// Rejects shows the sampled rejects instead of the rows.
	Rejects bool
	// Where is a filter; empty passes all rows.
	Where string
	// Columns are paths; none are all.
	Columns []string
	// Head is the greatest number of rows; 0 is all.
	Head int
	// Sample, if not 0, shows that many rows, chosen by the hash of their content
	// among all that pass, instead of the first.
	Sample int
	// JSON prints one object a line, otherwise a table is printed.
	JSON bool
}

// Counts counts what a view has printed.
type Counts struct {
	Rows int64
	// More says that rows were left out by Head.
	More bool
}

// Show prints rows. A fault in the filter or the columns is found before
// anything is printed.
func (d *Dataset) Show(ctx context.Context, output io.Writer, v View) (Counts, error) {
	read := d.Table
	if v.Rejects {
		read = d.Rejects
	}
	table, err := read(ctx)
	if err != nil {
		return Counts{}, err
	}
	filter, err := table.Filter(ctx, v.Where)
	if err != nil {
		return Counts{}, err
	}
	selection, err := table.Select(v.Columns...)
	if err != nil {
		return Counts{}, err
	}
	printer := newPrinter(output, table.Schema, selection, v)
	needed := selection.Union(filter.Selection)
	if v.Sample > 0 {
		needed, _ = table.Select() // a row's hash must not depend on the columns that are shown
	}
	rows := func(yield func(*Row, error) bool) {
		for row, err := range table.Rows(ctx, needed) {
			if (err != nil || filter.Holds(row)) && !yield(row, err) {
				return
			}
		}
	}
	counts, err := v.show(rows, needed, printer)
	if err != nil {
		return counts, err
	}
	return counts, printer.close()
}

// show prints rows that pass the filter, of which the needed columns were read.
func (v View) show(rows iter.Seq2[*Row, error], needed Selection, p printer) (Counts, error) {
	sample := newSample[[]string](v.Sample)
	var counts Counts
	var key []byte
	for row, err := range rows {
		if err != nil {
			return counts, err
		}
		if v.Sample > 0 {
			key = row.AppendJSON(key[:0], needed)
			sample.add(key, func() []string { return p.cells(row) })
			continue
		}
		if v.Head > 0 && counts.Rows == int64(v.Head) {
			counts.More = true
			return counts, nil
		}
		if err := p.print(p.cells(row)); err != nil {
			return counts, err
		}
		counts.Rows++
	}
	for _, cells := range sample.Rows() {
		if err := p.print(cells); err != nil {
			return counts, err
		}
		counts.Rows++
	}
	return counts, nil
}

// printer prints rows that were turned into texts.
type printer interface {
	cells(*Row) []string
	print(cells []string) error
	close() error
}

func newPrinter(output io.Writer, schema *Schema, selection Selection, v View) printer {
	if v.JSON {
		return &jsonPrinter{to: bufio.NewWriter(output), shown: selection}
	}
	p := &tablePrinter{shown: selection}
	var header []string
	var right []bool
	add := func(c *Column) {
		p.columns = append(p.columns, c)
		header = append(header, c.Path)
		right = append(right, !c.List && c.Kind >= integer && c.Kind <= double)
	}
	for _, path := range v.Columns {
		if c, err := schema.Column(path); err == nil { // Select has found them all
			add(c)
		}
	}
	if len(v.Columns) == 0 {
		for _, c := range schema.Columns {
			add(c)
		}
	}
	p.table = newTable(output, header, right)
	return p
}

type jsonPrinter struct {
	to    *bufio.Writer
	shown Selection
	line  []byte
}

func (p *jsonPrinter) cells(r *Row) []string {
	p.line = r.AppendJSON(p.line[:0], p.shown)
	return []string{string(p.line)}
}

func (p *jsonPrinter) print(cells []string) error {
	_, err := p.to.WriteString(cells[0] + "\n")
	return err
}

func (p *jsonPrinter) close() error { return p.to.Flush() }

type tablePrinter struct {
	table   *table
	shown   Selection
	columns []*Column
	cell    []byte
}

func (p *tablePrinter) cells(r *Row) []string {
	cells := make([]string, len(p.columns))
	for i, c := range p.columns {
		p.cell = r.AppendCell(p.cell[:0], p.shown, c)
		cells[i] = string(p.cell)
	}
	return cells
}

func (p *tablePrinter) print(cells []string) error { return p.table.row(cells) }

func (p *tablePrinter) close() error { return p.table.Close() }
