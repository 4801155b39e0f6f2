package senteval

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"sentweave/transforms/testsets/benchmark"
)

// Check compares a task in a translated folder with its source: the checker's. Beside
// what Checker finds in rows it looks at the bytes of the files: those that are missing
// or not UTF-8, that have a byte order mark, another line end than LF or a last line
// without one (a truncated file), lines that are not rows or whose labels and scores
// SentEval's loader does not take (Source.Strict), and, by loaderRows, files of which
// SentEval would see another number of rows than there are lines. What CheckLines has
// found is sorted, counted and cut with that.
//
// A folder has no ids of items: rows are known by file and line, so that texts in
// another order show by their lengths alone (CheckConfig.MinCorrelation), and with
// CheckLines for sure. A folder keeps no folds, and has full stops for some empty texts;
// check a source that InFolder gave. One file is held in memory at a time.
func (w Format) Check(
	c *benchmark.Checker, t Task, languageCode string, read ReadFile, faults ...benchmark.Fault,
) (benchmark.Report, error) {
	if err := w.Validate(); err != nil {
		return benchmark.Report{}, fmt.Errorf("check %s: %w", t.Name, err)
	}
	source := Source{Language: languageCode, Form: w.Form, Spacing: w.Spacing, Partial: true, Strict: true}
	if err := source.Validate(); err != nil {
		return benchmark.Report{}, fmt.Errorf("check %s: %w", t.Name, err)
	}
	comparison := c.Compare(languageCode, t.Name)
	for _, f := range slices.Concat(faults, w.checkFiles(t, languageCode, read)) {
		comparison.Fault(f)
	}
	fault := func(file string, row int32, kind, detail string) {
		comparison.Fault(benchmark.Fault{Task: t.Name, Language: languageCode, File: file, Row: row, Kind: kind, Detail: detail})
	}
	for r, err := range source.Read(t, read) {
		switch {
		case errors.Is(err, fs.ErrNotExist): // files that are missing are faults already
		case err != nil:
			fault(t.Files[0].Name, -1, benchmark.FaultFile, err.Error())
		case r.Reason != "":
			fault(r.Row.File, r.Row.Row, cmp.Or(faultOf[r.Reason], benchmark.FaultFile), fmt.Sprintf("line %d: %s", r.Line, r.Detail))
		default:
			comparison.Row(r.Row)
		}
	}
	return comparison.Report(), nil
}

var faultOf = map[string]string{
	benchmark.ReasonEncoding: benchmark.FaultEncoding, benchmark.ReasonLabel: benchmark.FaultLabel,
	benchmark.ReasonScore: benchmark.FaultTarget, benchmark.ReasonEmpty: benchmark.FaultEmpty,
}

// checkFiles looks at the bytes.
func (w Format) checkFiles(t Task, languageCode string, read ReadFile) (faults []benchmark.Fault) {
	for _, f := range t.Files {
		for _, name := range f.names() {
			data, err := read(name)
			fault := func(kind, format string, args ...any) {
				faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: name, Row: -1, Kind: kind,
					Detail: fmt.Sprintf(format, args...)})
			}
			if err != nil {
				fault(benchmark.FaultFile, "%v", err)
				continue
			}
			w.checkBytes(t, name, data, fault)
		}
	}
	return faults
}

func (w Format) checkBytes(t Task, name string, data []byte, fault func(kind, format string, args ...any)) {
	if !utf8.Valid(data) {
		fault(benchmark.FaultEncoding, "line %d is not UTF-8", invalidLine(data))
		return
	}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		fault(benchmark.FaultEncoding, "it begins with a byte order mark, which SentEval takes for text")
	}
	if w.Form == FormReferences && !isASCII(data) {
		fault(benchmark.FaultEncoding, "it is not ASCII, as files with character references are")
	}
	if bytes.ContainsRune(data, '\r') {
		fault(benchmark.FaultCharacters, "it has CR, at which SentEval ends lines")
	}
	if len(data) == 0 || data[len(data)-1] != '\n' {
		fault(benchmark.FaultFile, "the last line has no end: the file may be truncated")
	}
	lines := bytes.Count(data, []byte("\n"))
	if t.hasHeader() {
		lines--
	}
	if n, err := loaderRows(t, name, data, w.Form == FormUTF8); err != nil || n != lines {
		fault(benchmark.FaultFile, "SentEval's loader sees %d rows, there are %d", n, lines)
	}
}

func invalidLine(data []byte) int {
	line := 1
	for l := range bytes.Lines(data) {
		if !utf8.Valid(l) {
			return line
		}
		line++
	}
	return line
}

func isASCII(data []byte) bool {
	return !bytes.ContainsFunc(data, func(r rune) bool { return r >= 0x80 })
}
