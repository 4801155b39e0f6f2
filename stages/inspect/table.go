package inspect

import (
	"bufio"
	"io"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// table prints rows in aligned columns. Widths follow from the first rows, so
// that any number of rows needs the memory of some hundred.
type table struct {
	to      *bufio.Writer
	header  []string
	right   []bool // numbers
	most    int    // of a cell
	waiting [][]string
	widths  []int
}

// tableRows is the number of rows by which the widths are chosen.
const tableRows = 500

// newTable begins a table. Right marks the columns that are aligned to the right.
func newTable(output io.Writer, header []string, right []bool) *table {
	return &table{to: bufio.NewWriter(output), header: header, right: right, most: min(120, max(24, 160/max(1, len(header))))}
}

// row adds a row. Line breaks and control characters become spaces, and long
// texts are cut: a table is for looking at.
func (t *table) row(cells []string) error {
	clean := make([]string, len(cells))
	for i, c := range cells {
		clean[i] = t.cell(c)
	}
	if t.widths != nil {
		return t.print(clean)
	}
	if t.waiting = append(t.waiting, clean); len(t.waiting) == tableRows {
		return t.settle()
	}
	return nil
}

// Close prints what waits.
func (t *table) Close() error {
	if t.widths == nil {
		if err := t.settle(); err != nil {
			return err
		}
	}
	return t.to.Flush()
}

func (t *table) settle() error {
	t.widths = make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.waiting...) {
		for i, c := range row {
			t.widths[i] = max(t.widths[i], width(c))
		}
	}
	if err := t.print(t.header); err != nil {
		return err
	}
	for _, row := range t.waiting {
		if err := t.print(row); err != nil {
			return err
		}
	}
	t.waiting = nil
	return nil
}

func (t *table) print(row []string) error {
	var line strings.Builder
	for i, c := range row {
		if i > 0 {
			line.WriteString("  ")
		}
		padding := strings.Repeat(" ", max(0, t.widths[i]-width(c)))
		if t.right[i] {
			line.WriteString(padding + c)
		} else {
			line.WriteString(c + padding)
		}
	}
	_, err := t.to.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	return err
}

// cell makes one line of a text and cuts it.
func (t *table) cell(text string) string {
	const manyBytes = 4096 // before looking at every character
	if len(text) > manyBytes {
		text = strings.ToValidUTF8(text[:manyBytes], "")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
	if width(text) <= t.most {
		return text
	}
	return condition.Truncate(text, t.most, "…")
}

// condition does not look at the environment: the same table everywhere.
var condition = &runewidth.Condition{StrictEmojiNeutral: true}

func width(text string) int { return condition.StringWidth(text) }
