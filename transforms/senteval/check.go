package senteval

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/transforms/benchmark"
)

// FaultText is the kind of a fault beside benchmark's: a text of a folder is not that of
// the dataset of which the folder should be made.
const FaultText = "text"

// Check compares a task in a translated folder with its source: the checker's. Beside
// what Checker finds in rows it looks at the bytes of the files: those that are missing
// or not UTF-8, that have a byte order mark, another line end than LF or a last line
// without one (a truncated file), lines that are no rows, and, by LoaderRows, files of
// which SentEval would see another number of rows than there are lines.
//
// A folder has no ids of items: rows are known by file and line, so that texts in
// another order show by their lengths alone (CheckConfig.MinCorrelation), and with
// CheckTexts for sure. A folder keeps no folds, and has full stops for some empty texts;
// check a source that InFolder gave.
func (w Format) Check(c *benchmark.Checker, t Task, languageCode string, read ReadFile) (benchmark.Report, error) {
	return w.CheckTexts(c, t, languageCode, read, nil)
}

// CheckTexts is Check, and compares each text, as it stands in the folder, with what
// Write makes of the row of the same file and ordinal in the dataset that the folder was
// made of: FaultText. No rows of it, no such comparison.
func (w Format) CheckTexts(c *benchmark.Checker, t Task, languageCode string, read ReadFile, dataset []schemas.Benchmark) (benchmark.Report, error) {
	if err := w.Validate(); err != nil {
		return benchmark.Report{}, fmt.Errorf("check %s: %w", t.Name, err)
	}
	source := Source{Language: languageCode, Form: w.Form, Spacing: w.Spacing, Partial: true}
	if err := source.Validate(); err != nil {
		return benchmark.Report{}, fmt.Errorf("check %s: %w", t.Name, err)
	}
	faults := w.checkFiles(t, languageCode, read)
	rows, malformed, err := benchmark.Rows(source.Read(t, read))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // files that are missing are faults already
		faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: t.Files[0].Name, Row: -1, Kind: benchmark.FaultFile, Detail: err.Error()})
	}
	for _, m := range malformed {
		kind, ok := faultOf[m.Reason]
		if !ok {
			kind = benchmark.FaultFile
		}
		faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: m.Row.File, Row: m.Row.Row, Kind: kind, Detail: fmt.Sprintf("line %d: %s", m.Line, m.Detail)})
	}
	if len(dataset) == 0 {
		return c.CheckWith(faults, languageCode, rows, t.Name), nil
	}
	differing, bad := w.checkTexts(t, languageCode, read, dataset)
	report := c.CheckWith(append(faults, differing...), languageCode, rows, t.Name)
	if len(bad) > 0 { // the checker knows rows by its own faults alone
		good := slices.DeleteFunc(rows, func(r schemas.Benchmark) bool { return bad[lineOf(r)] })
		for i, s := range c.Check(languageCode, good, t.Name).Summaries {
			report.Summaries[i].Same = s.Same
		}
	}
	return report, nil
}

// line is a row's place in a folder.
type line struct {
	file string
	row  int32
}

func lineOf(r schemas.Benchmark) line { return line{r.File, r.Row} }

// checkTexts compares the texts as they stand in the files; bad are the rows that differ.
func (w Format) checkTexts(t Task, languageCode string, read ReadFile, dataset []schemas.Benchmark) (faults []benchmark.Fault, bad map[line]bool) {
	want := make(map[line]schemas.Benchmark, len(dataset))
	for _, r := range dataset {
		if _, twice := want[lineOf(r)]; !twice {
			want[lineOf(r)] = r
		}
	}
	bad = map[line]bool{}
	asWritten := Source{Language: languageCode, Form: FormUTF8, Spacing: SpacingText, Partial: true}
	for record, err := range asWritten.Read(t, read) {
		if err != nil {
			break // it is a fault of the files already
		}
		if record.Reason != "" {
			continue // likewise
		}
		fault := func(format string, args ...any) {
			bad[lineOf(record.Row)] = true
			faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: record.Row.File, Row: record.Row.Row, Kind: FaultText, Detail: fmt.Sprintf(format, args...)})
		}
		r, ok := want[lineOf(record.Row)]
		if !ok {
			fault("the dataset has no such row")
			continue
		}
		a, b := t.fill(r, w.text(r.TextA), w.text(r.TextB))
		switch got := record.Row; {
		case got.TextA != a:
			fault("text_a is %s", w.difference(got.TextA, a))
		case got.TextB != b:
			fault("text_b is %s", w.difference(got.TextB, b))
		}
	}
	return faults, bad
}

// difference shows two texts of files, without references unless these are all that
// differs.
func (w Format) difference(got, want string) string {
	if a, b := unescape(got), unescape(want); w.Form == FormReferences && a != b {
		got, want = a, b
	}
	return fmt.Sprintf("%s, the dataset has %s", quoted(got), quoted(want))
}

// quoted shows the beginning of a text.
func quoted(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
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
				faults = append(faults, benchmark.Fault{Task: t.Name, Language: languageCode, File: name, Row: -1, Kind: kind, Detail: fmt.Sprintf(format, args...)})
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
	if t.kind == kindMRPC || t.kind == kindSICK {
		lines--
	}
	if n, err := LoaderRows(t, name, data, w.Form == FormUTF8); err != nil || n != lines {
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
