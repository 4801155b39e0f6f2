package benchmark

import (
	"fmt"
	"strings"
)

// SummaryTable lays out what was compared, one line a task and language: rows of both sides, rows
// without a fault, rows without gold, texts equal to the source's, faults.
func SummaryTable(summaries []Summary) string {
	lines := [][]string{{"task", "language", "source", "rows", "same", "no gold", "untranslated", "faults"}}
	for _, s := range summaries {
		line := []string{s.Task, s.Language}
		for _, n := range []int{s.Source, s.Rows, s.Same, s.Skipped, s.Untranslated, s.Faults} {
			line = append(line, fmt.Sprint(n))
		}
		lines = append(lines, line)
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for i, cell := range line {
			switch {
			case i < 2:
				fmt.Fprintf(&b, "%-*s  ", widths[i], cell)
			case i == len(line)-1:
				fmt.Fprintf(&b, "%*s\n", widths[i], cell)
			default:
				fmt.Fprintf(&b, "%*s  ", widths[i], cell)
			}
		}
	}
	return b.String()
}
