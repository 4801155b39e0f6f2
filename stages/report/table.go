package report

import (
	"fmt"

	"sentweave/schemas/fault"
)

// Table is a table. The first cell of a row is its heading.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	// Note is small print below the table.
	Note string
}

// Column is the head of a column.
type Column struct {
	Name string
	// Number sets its cells to the right, with digits of equal width.
	Number bool
}

// Cell is what stands in a table.
type Cell struct {
	Text string
	// Detail is small print after the text: an interval, a difference.
	Detail string
	Strong bool
}

// cells gives cells of texts.
func cells(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, t := range texts {
		cells[i].Text = t
	}
	return cells
}

func (t Table) validate() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.Caption)
	}
	var errs fault.List
	for i, row := range t.Rows {
		errs.Check(len(row) == len(t.Columns), "table %q: row %d has %d cells for %d columns", t.Caption, i+1, len(row), len(t.Columns))
	}
	return errs.Err()
}

// tableCell is a cell with what its place says of it.
type tableCell struct {
	Cell
	Number, Head bool
}

func (t Table) view() (string, any) {
	rows := make([][]tableCell, len(t.Rows))
	for i, row := range t.Rows {
		for k, c := range row {
			rows[i] = append(rows[i], tableCell{c, t.Columns[k].Number, k == 0})
		}
	}
	return "table", struct {
		Table
		Rows [][]tableCell
	}{t, rows}
}
