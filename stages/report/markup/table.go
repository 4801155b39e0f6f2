package markup

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sentweave/schemas/fault"
)

// Table is a table. The first cell of a row is its heading.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	// Note is small print below the table.
	Note string
	// Languages are the codes of each row, separated by spaces, by which a reader chooses
	// rows. A table that has them, or is Sortable, can be ordered by its columns.
	Languages []string
	Sortable  bool
}

// Column is the head of a column.
type Column struct {
	Name string
	// Number sets its cells to the right, with digits of equal width.
	Number bool
}

// Cell is what is in a table.
type Cell struct {
	Text string
	// Detail is small print after the text: an interval, a difference.
	Detail string
	Strong bool
	// Shade sets the cell off from its background: 1 is the faintest, and shades the
	// strongest; 0 is none.
	Shade int
}

// Shades is the number of shades.
const Shades = 8

// Cells gives cells of texts.
func Cells(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, t := range texts {
		cells[i].Text = t
	}
	return cells
}

// Validate implements Block.
func (t Table) Validate() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.Caption)
	}
	var errs fault.List
	for i, row := range t.Rows {
		errs.Check(len(row) == len(t.Columns), "table %q: row %d has %d cells for %d columns", t.Caption, i+1, len(row), len(t.Columns))
	}
	errs.Check(t.Languages == nil || len(t.Languages) == len(t.Rows), "table %q: %d languages for %d rows", t.Caption, len(t.Languages),
		len(t.Rows))
	return errs.Err()
}

// ordered tells whether a reader can order the rows.
func (t Table) ordered() bool { return t.Sortable || t.Languages != nil }

// tableCell is a cell with what its place says of it.
type tableCell struct {
	Cell
	Head  bool
	Class string
}

type tableRow struct {
	Languages string
	Cells     []tableCell
}

// View implements Block.
func (t Table) View() (string, any) {
	rows := make([]tableRow, len(t.Rows))
	shaded := false
	for i, row := range t.Rows {
		if t.Languages != nil {
			rows[i].Languages = t.Languages[i]
		}
		for k, c := range row {
			class := ""
			if t.Columns[k].Number {
				class = "number"
				if utf8.RuneCountInString(c.Detail) == 1 {
					class += " mark"
				}
			}
			if c.Shade > 0 {
				shaded = true
				class += fmt.Sprintf(" h%d", min(c.Shade, Shades))
			}
			rows[i].Cells = append(rows[i].Cells, tableCell{c, k == 0, class})
		}
	}
	var class []string
	if t.ordered() {
		class = append(class, "sortable")
	}
	if shaded {
		class = append(class, "shaded")
	}
	return "table", struct {
		Table
		Rows  []tableRow
		Class string
	}{t, rows, strings.Join(class, " ")}
}

// Folded hides blocks until the reader opens them.
type Folded struct {
	Summary string
	Blocks  []Block
}

// Validate implements Block.
func (f Folded) Validate() error {
	errs := fault.List{SideBySide(f.Blocks).Validate()}
	errs.Check(f.Summary != "", "what is folded has no summary")
	return errs.Err()
}

// View implements Block.
func (f Folded) View() (string, any) { return "folded", f }
