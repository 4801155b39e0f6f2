package benchmark

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/read/bitext"
)

// What Table.Quoted may be where the beginning of the file is to tell what stands between its fields, as it does for the
// imports of pairs. Scores may then have a comma in the place of a point, unless commas stand between fields.
const (
	// DetectCSV is CSV with commas, semicolons or tabs; a first line such as "sep=;" says so itself.
	DetectCSV rune = -1 - iota
	// DetectTSV is tabs, with quotes as RFC 4180 has them where a program has put such quotes.
	DetectTSV
)

// Table describes a file with a record a line and fields between tabs, or between
// commas or tabs with quotes. Columns are named by the header, or by their number from 1; ""
// is a column that the table does not have.
type Table struct {
	// Task, Split and File go into the rows; File is named in errors too.
	Task, Split, File string
	// Quoted is what stands between fields that may be quoted, by RFC 4180. If it is zero
	// they stand between tabs and quotes are characters as all others: fields of MRPC,
	// STS-B and MultiNLI have unbalanced ones. DetectCSV and DetectTSV leave it to the file.
	Quoted rune
	// Header: the first line names the columns.
	Header bool
	// Exact: a record has as many fields as the header.
	Exact bool
	// TextA is required. Without Label and Target all rows are without gold.
	TextA, TextB, Label, Target string
	// Language is the column with the language of both texts; otherwise LanguageA and,
	// for tables with TextB, LanguageB hold for all rows (LanguageB is LanguageA by default).
	Language             string
	LanguageA, LanguageB string
	// Lines: a line is a text, the only column, whatever tabs and quotes are in it.
	Lines bool
	// Key is the column by which the versions of an item in several languages are known;
	// Parallel says that they are known by their ordinal, in a file for each language.
	// Ids then do not depend on the file.
	Key      string
	Parallel bool
	// Unique: a key that occurs twice in a language is a fault.
	Unique bool
	// Labels are the labels that there are, by how they are written in the file; nil
	// takes all. NoGold are labels and scores that mean that there is none, as "" does.
	Labels map[string]string
	NoGold []string
	// NoText are texts that mean that there is none: the row is kept and skipped.
	NoText []string
	// Low and High bound Target, where High is above Low.
	Low, High float64
	// Rows, if set, is the number of rows with gold that there must be of each language.
	Rows int

	told      bool // by the first line, what stands between fields
	backslash bool // before quotes that are characters
}

// Validate returns all faults at once.
func (t Table) Validate() error {
	var faults fault.List
	faults.Check(t.Task != "", "the task is empty")
	faults.Check(t.File != "", "the file has no name")
	faults.Check(t.TextA != "", "no column of the first text is given")
	faults.Check((t.Language == "") != (t.LanguageA == ""), "give either the column of the language or the language: %q, %q", t.Language,
		t.LanguageA)
	faults.Check(t.LanguageB == "" || t.TextB != "", "language %q is given for a second text that the table does not have", t.LanguageB)
	for _, code := range []string{t.LanguageA, t.LanguageB} {
		if code != "" {
			faults.Add(language.Check(code))
		}
	}
	if !t.Header {
		for _, c := range t.columns() {
			n, err := strconv.Atoi(c)
			faults.Check(c == "" || err == nil && n > 0, "column %q is not a number from 1, and the table has no header", c)
		}
	}
	faults.Check(t.Key == "" || !t.Parallel, "items are known by column %q or by their ordinal, not both", t.Key)
	faults.Check(t.Key != "" || !t.Unique, "no column of unique keys is given")
	faults.Check(t.Language == "" || !t.Parallel, "items are known by their ordinal in a file for each language, not with column %q",
		t.Language)
	faults.Check(slices.Contains([]rune{0, ',', ';', '\t', DetectCSV, DetectTSV}, t.Quoted),
		"quoted fields between %q, want a comma, a semicolon or a tab", t.Quoted)
	faults.Check(!t.Lines || !t.Header && t.Quoted == 0 && t.TextA == "1" && strings.Join(t.columns()[1:], "") == "",
		"each line is a text: it has no header and no other columns")
	faults.Check(t.Header || !t.Exact, "the table has no header whose fields could be counted")
	faults.Check(t.Rows >= 0, "rows %d is negative", t.Rows)
	return faults.Err()
}

func (t Table) columns() []string {
	return []string{t.TextA, t.TextB, t.Label, t.Target, t.Language, t.Key}
}

// Read yields the records of a table. Errors: a fault of the table, of the reader, a
// header without the columns, a wrong number of rows.
func (t Table) Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := t.Validate(); err != nil {
			yield(Record{}, fmt.Errorf("read table %s: %w", t.File, err))
			return
		}
		t, r, decimalComma := t.detected(r)
		p := tableReader{Table: t, decimalComma: decimalComma, gold: map[string]int{}, seen: map[string]int{}}
		line := 0
		for fields, err := range t.records(r) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			line = fields.line
			if p.at == nil {
				if err := p.locate(fields); err != nil {
					yield(Record{}, err)
					return
				}
				if t.Header {
					if t.Exact {
						p.width = len(fields.list)
					}
					continue
				}
			}
			if !yield(p.record(fields), nil) {
				return
			}
		}
		if err := p.count(line); err != nil {
			yield(Record{}, err)
		}
	}
}

// fields is one record of a table.
type fields struct {
	list  []string
	line  int
	valid bool
	fault error
}

func (t Table) records(r io.Reader) iter.Seq2[fields, error] {
	if t.Lines {
		return func(yield func(fields, error) bool) {
			for l, err := range Lines(r, t.File, UTF8) {
				if !yield(fields{[]string{l.Text}, l.Number, l.Valid, nil}, err) || err != nil {
					return
				}
			}
		}
	}
	if t.Quoted != 0 {
		return t.quotedRecords(Lines(r, t.File, UTF8))
	}
	return func(yield func(fields, error) bool) {
		for l, err := range Lines(r, t.File, UTF8) {
			if !yield(fields{strings.Split(l.Text, "\t"), l.Number, l.Valid, nil}, err) || err != nil {
				return
			}
		}
	}
}

// tableReader is a table while it is read.
type tableReader struct {
	Table
	// width is the number of fields of the header, where records have as many.
	width int
	// decimalComma says that scores may have a comma in the place of a point.
	decimalComma bool
	at           []int // the columns' places from 0, -1 for none; nil before the first record
	row          int32
	gold         map[string]int // rows with gold so far, by language
	seen         map[string]int // the lines of items, by language and key, where they are unique
}

func (p *tableReader) locate(header fields) error {
	for _, c := range p.columns() {
		index := -1
		if c != "" && p.Header {
			index = slices.Index(header.list, c)
		}
		if index >= 0 && slices.Contains(header.list[index+1:], c) {
			return fmt.Errorf("read %s line %d: two columns are called %q: give the number of one, from 1", p.File, header.line, c)
		}
		if n, err := strconv.Atoi(c); index < 0 && err == nil {
			index = n - 1
		}
		if c != "" && index < 0 {
			return fmt.Errorf("read %s line %d: no column %q; the header has %q", p.File, header.line, c, header.list)
		}
		p.at = append(p.at, index)
	}
	return nil
}

func (p *tableReader) record(f fields) Record {
	r := Record{Line: f.line, Row: schemas.Benchmark{
		Task: p.Task, Split: p.Split, File: p.File, Row: p.row, LanguageA: p.LanguageA, LanguageB: p.LanguageB,
	}}
	p.row++
	row := &r.Row
	if p.TextB != "" && p.LanguageB == "" {
		row.LanguageB = row.LanguageA
	}
	row.ID = ID(p.Task, p.File, row.Row)
	fault := func(reason, format string, args ...any) Record {
		r.Reason, r.Detail = reason, fmt.Sprintf(format, args...)
		return r
	}
	if f.fault != nil {
		return fault(ReasonFields, "%v", f.fault)
	}
	if last := slices.Max(p.at); last >= len(f.list) {
		return fault(ReasonFields, "%d fields, want at least %d", len(f.list), last+1)
	}
	if p.width > 0 && len(f.list) > p.width {
		return fault(ReasonFields, "%d fields, the header has %d", len(f.list), p.width)
	}
	if !f.valid {
		return fault(ReasonEncoding, "not UTF-8")
	}
	value := func(column int) string {
		if p.at[column] < 0 {
			return ""
		}
		return f.list[p.at[column]]
	}
	row.TextA, row.TextB = Trim(value(0)), Trim(value(1))
	if p.Language != "" {
		code, err := language.Parse(value(4))
		if err != nil {
			return fault(ReasonLanguage, "%v", err)
		}
		row.LanguageA = code
		if p.TextB != "" {
			row.LanguageB = code
		}
	}
	switch {
	case p.Parallel: // by its place in the file, whatever is in the lines before
		row.ID = schemas.DerivedID("benchmark", p.Task, p.Split, strconv.Itoa(int(row.Row)))
	case p.Key != "":
		row.ID = schemas.DerivedID("benchmark", p.Task, p.Split, value(5))
		row.KeyA = value(5)
	}
	if p.Unique && value(5) == "" {
		return fault(ReasonKey, "the key is empty")
	}
	if reason, detail := p.goldOf(row, strings.TrimSpace(value(2)), strings.TrimSpace(value(3))); reason != "" {
		return fault(reason, "%s", detail)
	}
	noText := slices.Contains(p.NoText, row.TextA) || p.TextB != "" && slices.Contains(p.NoText, row.TextB)
	// Nobody needs the texts of a row that lacks the gold of others.
	empty := row.TextA == "" || p.TextB != "" && row.TextB == ""
	if empty && !noText && (!row.Skip || p.Label == "" && p.Target == "") {
		return fault(ReasonEmpty, "a text is empty")
	}
	row.Skip = row.Skip || noText
	if row.TextB == "" {
		row.LanguageB = ""
	}
	if item := row.LanguageA + " " + row.ID; p.Unique {
		if line, ok := p.seen[item]; ok {
			return fault(ReasonKey, "key %q is in line %d, too", value(5), line)
		}
		p.seen[item] = f.line
	}
	if !row.Skip {
		p.gold[row.LanguageA]++
	}
	return r
}

// goldOf sets label, target and skip.
func (p *tableReader) goldOf(row *schemas.Benchmark, label, score string) (reason, detail string) {
	if label != "" && !slices.Contains(p.NoGold, label) {
		if p.Labels != nil {
			canonical, ok := p.Labels[label]
			if !ok {
				return ReasonLabel, fmt.Sprintf("label %q is not one of the task's", label)
			}
			label = canonical
		}
		row.Label = label
	}
	if score != "" && !slices.Contains(p.NoGold, score) {
		x, err := scoreOf(score, p.decimalComma, p.Low, p.High)
		if err != nil {
			return ReasonScore, err.Error()
		}
		row.Target = &x
	}
	row.Skip = row.Label == "" && row.Target == nil
	return "", ""
}

// Score reads a gold score: a finite number, between low and high where high is above low.
func Score(text string, low, high float64) (float64, error) { return scoreOf(text, false, low, high) }

func scoreOf(text string, decimalComma bool, low, high float64) (float64, error) {
	x, ok := bitext.ParseNumber(strings.TrimSpace(text), decimalComma)
	if !ok {
		return 0, fmt.Errorf("score %q is not a finite number", text)
	}
	if high > low && (x < low || x > high) {
		return 0, fmt.Errorf("score %v is outside %v to %v", x, low, high)
	}
	return x, nil
}

// count checks the number of rows with gold.
func (p *tableReader) count(line int) error {
	if p.Rows == 0 {
		return nil
	}
	if len(p.gold) == 0 {
		return fmt.Errorf("read %s: it ends at line %d without a row with gold, want %d", p.File, line, p.Rows)
	}
	var faults fault.List
	for _, code := range sortedKeys(p.gold) {
		if n := p.gold[code]; n != p.Rows {
			faults.Addf("read %s: it ends at line %d with %d rows of %s that have gold, want %d", p.File, line, n, code, p.Rows)
		}
	}
	return faults.Err()
}
