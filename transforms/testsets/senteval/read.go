package senteval

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/testsets/benchmark"
)

// ReadFile returns the content of a file under data/downstream, by its name with '/';
// an error that is fs.ErrNotExist where there is none.
type ReadFile func(name string) ([]byte, error)

// Source says what a folder holds.
type Source struct {
	// Language is that of the texts, by ISO 639-3. Files in English have the encodings of
	// the originals, all others must be UTF-8.
	Language string
	// Form is that of a folder that Write made; "" is FormUTF8, and the originals'.
	Form Form
	// Spacing is that of a folder that Write made.
	Spacing Spacing
	// Partial takes files with other numbers of rows than SentEval's.
	Partial bool
	// KeepEmpty takes a line with gold and without a text for a row, so that the rows
	// after it keep their places; otherwise it is none, for benchmark.ReasonEmpty:
	// SentEval's loaders stop at such a line, except where a text has a line for itself.
	// Write puts a full stop there.
	KeepEmpty bool
	// Strict takes labels and scores only as SentEval's loaders do: in their spelling, without
	// spaces that these do not strip, and numbers as decimals. Otherwise one that means the
	// same is read, and Write spells it as it should be.
	Strict bool
}

// Validate returns all faults at once.
func (s Source) Validate() error {
	var faults fault.List
	faults.Add(language.Check(s.Language))
	faults.Add(s.Form.validate(), s.Spacing.validate())
	return faults.Err()
}

// english says whether the files are the originals, with their encodings.
func (s Source) english() bool { return language.Base(s.Language) == "eng" && s.Form == "" }

// Read yields the records of a task in the order of its files and lines. The bytes of one
// file, and of those that go with it, are held in memory at a time. Errors name the file and the line: a file that is missing,
// files of one task that end at different lines, and, unless Partial, another number of
// rows than SentEval has.
func (s Source) Read(t Task, read ReadFile) iter.Seq2[benchmark.Record, error] {
	return func(yield func(benchmark.Record, error) bool) {
		fail := func(err error) { yield(benchmark.Record{}, fmt.Errorf("read %s: %w", t.Name, err)) }
		if err := s.Validate(); err != nil {
			fail(err)
			return
		}
		for _, f := range t.Files {
			ok, err := s.file(t, f, read, yield)
			if errors.Is(err, fs.ErrNotExist) {
				err = missing(t, read)
			}
			if err != nil {
				fail(err)
			}
			if err != nil || !ok {
				return
			}
		}
	}
}

// missing names all files of a task that are not there.
func missing(t Task, read ReadFile) error {
	var names []string
	var err error
	for _, f := range t.Files {
		for _, name := range f.names() {
			if _, e := read(name); errors.Is(e, fs.ErrNotExist) {
				names, err = append(names, name), e
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("files are missing: %s; want the folder that SentEval's get_transfer_data.bash calls data/downstream: %w",
		strings.Join(names, ", "), err)
}

// ErrRows is in the chain of the error for a file of which rows are gone, or to which rows were added.
var ErrRows = errors.New("rows are gone or added")

// file yields the records of one file; false after the consumer has stopped.
func (s Source) file(t Task, f File, read ReadFile, yield func(benchmark.Record, error) bool) (bool, error) {
	var columns []column
	for _, name := range f.names() {
		data, err := read(name)
		if err != nil {
			return false, err
		}
		c := s.column(t, f, name, data)
		defer c.stop()
		columns = append(columns, c)
	}
	p := parser{source: s, task: t, file: f}
	total, header := columns[0].total, 0
	for _, companion := range columns[1:] {
		if companion.total != total {
			return false, fmt.Errorf("%s ends at line %d, %s at line %d: they must go line by line",
				companion.name, companion.total, f.Name, total)
		}
	}
	if t.hasHeader() {
		first, err, ok := columns[0].next()
		if err != nil {
			return false, err
		}
		if !ok || !p.readHeader(first.Text) {
			return false, fmt.Errorf("%s line 1 is not the header %q", f.Name, headers[t.kind])
		}
		header = 1
	}
	gold := 0
	line := make([]benchmark.Line, len(columns))
	for i := header; i < total; i++ {
		for c := range columns {
			var err error
			if line[c], err, _ = columns[c].next(); err != nil {
				return false, err
			}
		}
		r := p.record(line, int32(i-header))
		if r.Reason == "" && !r.Row.Skip {
			gold++
		}
		if !yield(r, nil) {
			return false, nil
		}
	}
	if gold != f.Rows && !s.Partial {
		return false, fmt.Errorf("%s ends at line %d with %d rows that have gold, SentEval's has %d: %w", f.Name, total, gold, f.Rows, ErrRows)
	}
	return true, nil
}

// column is the lines of one file, which are read one at a time.
type column struct {
	name  string
	total int
	next  func() (benchmark.Line, error, bool)
	stop  func()
}

func (s Source) column(t Task, f File, name string, data []byte) column {
	encoding := benchmark.UTF8
	if s.english() && name != f.gold {
		encoding = t.encoding()
	}
	c := column{name: name, total: bytes.Count(data, []byte("\n"))}
	if text := bytes.TrimPrefix(data, []byte("\ufeff")); len(text) > 0 && text[len(text)-1] != '\n' {
		c.total++
	}
	c.next, c.stop = iter.Pull2(benchmark.Lines(bytes.NewReader(data), name, encoding))
	return c
}

// parser makes records of the lines of one file.
type parser struct {
	source Source
	task   Task
	file   File
	// columns are where those of headers are in a file that has others, too, of which
	// there are width; nil where it has these alone.
	columns []int
	width   int
}

// record makes the record of a line of the first file and of those that go with it.
func (p parser) record(line []benchmark.Line, ordinal int32) benchmark.Record {
	row := schemas.Benchmark{Task: p.task.Name, Split: p.file.Split, Row: ordinal, File: p.file.Name, LanguageA: p.source.Language}
	row.ID = benchmark.ID(row.Task, row.File, row.Row)
	r := benchmark.Record{Line: line[0].Number}
	var companions [2]string
	valid := line[0].Valid
	for c, companion := range line[1:] {
		valid = valid && companion.Valid
		companions[c] = companion.Text
	}
	if !valid {
		r.Reason, r.Detail = benchmark.ReasonEncoding, "not UTF-8"
	} else {
		r.Reason, r.Detail = p.parse(&row, line[0].Text, companions)
	}
	row.TextA, row.TextB = p.text(row.TextA), p.text(row.TextB)
	if p.task.Pairs() && row.TextB != "" {
		row.LanguageB = p.source.Language
	}
	if r.Reason == "" && !row.Skip && !p.task.takesEmpty() && !p.source.KeepEmpty &&
		(row.TextA == "" || p.task.Pairs() && row.TextB == "") {
		r.Reason, r.Detail = benchmark.ReasonEmpty, "a text is empty"
	}
	r.Row = row
	return r
}

// text undoes what the files did to a text.
func (p parser) text(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	text = strings.TrimSpace(text)
	if p.source.Form == FormReferences {
		text = unescape(text)
	}
	if p.source.Spacing == SpacingCharacters {
		text = benchmark.Join(text)
	}
	if p.source.english() && p.task.kind == kindLines {
		text = undoCatV(text)
	}
	if blank.IsBlank(text) {
		return ""
	}
	return text
}
