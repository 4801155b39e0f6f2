package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"sentweave/stages/inspect"
)

// vectorColumn is the column of embeddings that is a matrix unless another one is named.
const vectorColumn = "vector"

// npyHeader is what comes before the numbers of a matrix in version 1.0 of NumPy's format: its type, and its size, in a text that
// spaces bring to a multiple of 64 bytes (NumPy enhancement proposal 1).
func npyHeader(descr string, rows int64, width int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, width)
	const prefix = 10
	text += strings.Repeat(" ", 63-(prefix+len(text))%64) + "\n"
	return append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), byte(len(text) >> 8)}, text...)
}

// matrix is what NumPy has of a dataset: a column of the rows that pass a filter, of so many, as numbers or as codes of vectors.
type matrix struct {
	table  inspect.Table
	column string
	filter inspect.Filter
	rows   int64
	codes  string
	ranges *inspect.Table // of the vectors by which those of the table are coded; nil for their own
}

// write writes a column of lists of floating-point numbers, or of bytes, as a matrix of NumPy, a row of the dataset in each of
// its rows. Rows of different lengths are an error, as are rows without a value.
func (m matrix) write(ctx context.Context, output io.Writer) (counts Counts, err error) {
	column, err := m.table.Column(m.column)
	if err != nil {
		return counts, err
	}
	descr, size := column.NumPy()
	if descr == "" {
		return counts, inspect.Faultf("column %s is a %s; a matrix is made of a list of float or double, or of binary", m.column, column.Type())
	}
	rows := int64(0) // the size of a matrix comes before its rows
	if m.filter.All() {
		rows = m.rows
	} else {
		for row, err := range m.table.Rows(ctx, m.filter.Selection) {
			if err != nil {
				return counts, err
			}
			if m.filter.Holds(row) {
				rows++
			}
		}
	}
	var coder *coder
	if m.codes != noCodes {
		if coder, err = m.newCoder(ctx, descr, rows); err != nil {
			return counts, err
		}
		descr, size = coder.numPy(), 1
	}
	buffered := bufio.NewWriterSize(output, flushBytes)
	width := -1
	err = m.each(ctx, func(values []byte) (err error) {
		if coder != nil {
			if values, err = coder.code(values); err != nil {
				return err
			}
		}
		if width < 0 {
			width = len(values) / size
			if _, err := buffered.Write(npyHeader(descr, rows, width)); err != nil {
				return err
			}
		}
		if got := len(values) / size; got != width || width == 0 {
			return fmt.Errorf("row %d has %d values in %s, the first one has %d: the rows of a matrix have one size; choose rows by --where",
				counts.Rows, got, m.column, width)
		}
		counts.Rows++
		_, err = buffered.Write(values)
		return err
	})
	if err == nil && width < 0 {
		_, err = buffered.Write(npyHeader(descr, 0, 0))
	}
	if err = errors.Join(err, buffered.Flush()); err == nil && coder != nil {
		counts.Codes, err = coder.measure(ctx)
	}
	return counts, err
}

// each calls visit with the values of each row that passes the filter, as NumPy has them.
func (m matrix) each(ctx context.Context, visit func(values []byte) error) error {
	column, err := m.table.Column(m.column)
	if err != nil {
		return err
	}
	selection, err := m.table.Select(m.column)
	if err != nil {
		return err
	}
	var values []byte
	for row, err := range m.table.Rows(ctx, selection.Union(m.filter.Selection)) {
		if err != nil {
			return err
		}
		if !m.filter.Holds(row) {
			continue
		}
		values = row.AppendNumbers(values[:0], column)
		if err := visit(values); err != nil {
			return err
		}
	}
	return nil
}
