package senteval

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/transforms/testsets/benchmark"
)

// CheckLines compares each line of a task's files, byte for byte, with what Write makes
// of the dataset that the folder was made of: its rows of the task and language, in any
// order. It returns a benchmark.FaultLine for each row with another line, and one for
// lines that are too few or too many; of a dataset of which Write makes no files, that.
// Files that cannot be read are Check's to find. The files that belong to one another
// line by line are held in memory at a time.
func (w Format) CheckLines(t Task, languageCode string, read ReadFile, dataset []schemas.Benchmark) (faults []benchmark.Fault) {
	w.Partial = true
	fault := func(file string, row int32, format string, args ...any) {
		faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: file, Row: row, Kind: benchmark.FaultLine,
			Detail: fmt.Sprintf(format, args...)})
	}
	byFile, err := t.byFile(dataset)
	if err != nil {
		fault(t.Files[0].Name, -1, "the dataset gives no folder: %v", err)
		return faults
	}
	for _, f := range t.Files {
		names := f.names()
		rest := make([][]byte, len(names))
		for i, name := range names {
			if rest[i], err = read(name); err != nil {
				break
			}
		}
		if err != nil {
			continue
		}
		rows, header := byFile[f.Name], 0
		if t.hasHeader() {
			header = 1
		}
		err = w.lines(t, f, rows, func(i int, want [][]byte) {
			row, number := int32(i-header), i+1
			for j, line := range want {
				var got []byte
				if end := bytes.IndexByte(rest[j], '\n') + 1; end > 0 {
					got, rest[j] = rest[j][:end], rest[j][end:]
				} else {
					got, rest[j] = rest[j], nil
				}
				if !bytes.Equal(got, line) {
					fault(f.Name, row, "line %d of %s is %s, the dataset gives %s", number, names[j], excerpt(got, line),
						excerpt(line, got))
				}
			}
		})
		if err != nil {
			fault(f.Name, -1, "the dataset gives no folder: %v", err)
			continue
		}
		for j, name := range names {
			if len(rest[j]) > 0 {
				fault(f.Name, -1, "%s has more than the %d lines that the dataset gives", name, len(rows)+header)
			}
		}
	}
	return faults
}

// excerpt quotes a line around the first difference from another.
func excerpt(line, reference []byte) string {
	const lead, width = 20, 60
	difference := 0
	for difference < min(len(line), len(reference)) && line[difference] == reference[difference] {
		difference++
	}
	from, to := max(0, difference-lead), min(len(line), difference+width-lead)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	left, right := "", ""
	if from > 0 {
		left = "…"
	}
	if to < len(line) {
		right = "…"
	}
	return left + strconv.Quote(string(line[from:to])) + right
}
