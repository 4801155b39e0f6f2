// Package judged writes and reads sheets on which people judge pairs of parallel texts. A sheet is CSV with the columns of Columns and
// a line for each pair. Of what a spreadsheet saves, only id and verdict are read.
package judged

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/transforms/read/quoted"
)

// Columns are those of a sheet.
var Columns = []string{idColumn, "languages", "source", "target", verdictColumn}

const (
	idColumn      = "id"
	verdictColumn = "verdict"
	good, bad     = "good", "bad"
	// MaxBytes bounds a sheet, which is in memory.
	MaxBytes = 64 << 20
)

// ErrNone says that nobody has judged any pair of a sheet.
var ErrNone = fmt.Errorf("no pair has a verdict: write %s or %s into the column %s", good, bad, verdictColumn)

// Pair is a line of a sheet that nobody has judged yet.
type Pair struct{ ID, Languages, Source, Target string }

// Encode writes a sheet whose verdicts are empty. Cells that a spreadsheet would take for a formula begin with an apostrophe.
func Encode(pairs []Pair) []byte {
	var buffer bytes.Buffer
	w := csv.NewWriter(&buffer)
	_ = w.Write(Columns) // a buffer takes all
	for _, p := range pairs {
		row := []string{p.ID, p.Languages, p.Source, p.Target, ""}
		for i, cell := range row {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
				row[i] = "'" + cell
			}
		}
		_ = w.Write(row)
	}
	w.Flush()
	return buffer.Bytes()
}

// Decode reads the verdicts of a sheet by the ids of the pairs: true is good. Lines without a verdict are left out. Cells are
// separated by commas, semicolons or tabs, and the columns may have any order, with others between.
func Decode(data []byte) (map[string]bool, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	comma, named := quoted.Separator(data, true)
	if named { // by a first line of Excel's
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	heading, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = rune(comma), -1, true
	row, err := r.Read()
	column := func(name string) int {
		return slices.IndexFunc(row, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) })
	}
	id, verdict := column(idColumn), column(verdictColumn)
	if err != nil || id < 0 || verdict < 0 {
		return nil, fmt.Errorf("the first line, %.60q, does not name the columns %s and %s: save the sheet as CSV in UTF-8", heading, idColumn,
			verdictColumn)
	}
	verdicts := map[string]bool{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		text := ""
		if verdict < len(row) {
			text = strings.ToLower(strings.TrimSpace(row[verdict]))
		}
		if text == "" {
			continue
		}
		if text != good && text != bad {
			return nil, fmt.Errorf("line %d: the verdict %q is neither %s nor %s", line, excerpt.Bytes(text, 40), good, bad)
		}
		if id >= len(row) || row[id] == "" {
			return nil, fmt.Errorf("line %d has a verdict and no id", line)
		}
		if was, twice := verdicts[row[id]]; twice && was != (text == good) {
			return nil, fmt.Errorf("line %d: the pair %s has another verdict above", line, excerpt.Bytes(row[id], 40))
		}
		verdicts[strings.Clone(row[id])] = text == good
	}
	if len(verdicts) == 0 {
		return nil, ErrNone
	}
	return verdicts, nil
}
