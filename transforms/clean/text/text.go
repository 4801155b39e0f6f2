// Package text reads plain text and JSON lines into records with byte offsets, and
// splits plain text into paragraphs.
//
// # Ranges
//
// A file may be read in byte ranges. A record belongs to the range in which its first
// byte lies, so any division of a file into ranges yields each record exactly once,
// with the same offset and text. A reader reads past the end of its range only to
// finish its last record.
//
// # Bad records
//
// A line that is not JSON, or is too long, becomes a Record with a Reason. Only failed
// reads are errors. Memory is bounded by the longest record allowed, whatever the
// input.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"sentweave/schemas/fault"
	"sentweave/transforms/read/charset"
)

// Reasons why a record is rejected.
const (
	// LineTooLong: a line has more bytes than Config.MaxBytes. It is skipped unread.
	LineTooLong = "line_too_long"
	// TooLarge: a file or block read as one record has more bytes than Config.MaxBytes.
	TooLarge = "too_large"
	// Empty: nothing but white space.
	Empty = "empty"
	// Binary: NUL bytes in a line of JSON, or as more than one of a hundred bytes of plain text; UTF-16 is full of them.
	Binary = "binary"
	// InvalidEncoding: more than one of a hundred characters of plain text is not UTF-8,
	// or not in Config.Charset.
	InvalidEncoding = "invalid_encoding"
	// JSONSyntax: the line is not one JSON value.
	JSONSyntax = "json_syntax"
	// TooDeep: objects and lists of the line stand too deep in each other.
	TooDeep = "too_deep"
	// InvalidUTF8: the text of a line of JSON has bytes that are not UTF-8, or half of a
	// surrogate pair.
	InvalidUTF8 = "invalid_utf8"
	// FieldMissing: the JSON has no field at Fields.Text.
	FieldMissing = "field_missing"
	// FieldNotString: the field at Fields.Text is there, but no string.
	FieldNotString = "field_not_string"
	// FieldRepeated: a name of the path Fields.Text occurs twice in its object.
	FieldRepeated = "field_repeated"
)

// Format says what a record is.
type Format uint8

const (
	// WholeFile: the file is one record.
	WholeFile Format = iota
	// Lines: each line that is not blank is a record.
	Lines
	// Blocks: each run of lines between blank lines (nothing but spaces and tabs) is a
	// record.
	Blocks
	// JSONLines: each line that is not blank is a JSON value with text in a field.
	JSONLines

	formats
)

// Fields are the paths of fields in a JSON value: names of nested objects, or numbers
// of array elements from 0, joined by dots, such as "meta.title". Of equal names in one
// object the last counts, but for the text's, of which there must be one.
type Fields struct {
	// Text is the path of the text; it must be there and be a string.
	Text string
	// ID, URL, Date and Language are optional: where the path is "", or leads to
	// nothing or to no string or number, the record's field is "".
	ID, URL, Date, Language string
}

// Config is the configuration of a Reader.
type Config struct {
	Format Format
	// MaxBytes is the size of the longest record, in bytes of the file.
	MaxBytes int
	// Fields apply to JSONLines.
	Fields Fields
	// Charset is that of records which are not UTF-8 all the same
	// (charset.Charset.ReadsAsUTF8). None
	// stands for UTF-8, or, of a WholeFile, for what charset.OfText finds. UTF-16 is for a WholeFile alone: its
	// bytes do not tell where lines end. There its byte order mark counts more than Charset.
	Charset charset.Charset
	// Language returns the language that a WholeFile is said to be in, as ISO 639-3, or ""; its bytes may be in any character
	// set. It is asked where the language is evidence of the set; nil knows nothing.
	Language func(file []byte) string
}

// DefaultConfig returns the configuration for a format: records of up to 16 MiB, the
// JSON fields "text", "id", "url", "date" and "language".
func DefaultConfig(format Format) Config {
	return Config{
		Format: format, MaxBytes: 16 << 20,
		Fields: Fields{Text: "text", ID: "id", URL: "url", Date: "date", Language: "language"},
	}
}

// Validate reports all faults of the configuration.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Format < formats, "text: Format is %d; it must be WholeFile, Lines, Blocks or JSONLines", c.Format)
	faults.Check(c.MaxBytes >= 1, "text: MaxBytes is %d; it must be at least 1", c.MaxBytes)
	faults.Check(c.Format != JSONLines || c.Fields.Text != "", "text: Fields.Text is empty; it must name the field of the text")
	faults.Check(!c.Charset.IsUTF16Or32() || c.Format == WholeFile,
		"text: Charset is %s, whose bytes do not tell where lines end; files can be read whole", c.Charset.Name())
	return faults.Err()
}

// Record is a document of a file.
type Record struct {
	// Offset is the position of the record's first byte in the file. Length is the
	// number of its bytes, without the line end.
	Offset, Length int64
	// Text is the text: of JSON the string, of plain text the bytes, without byte order
	// mark. It is valid UTF-8: what could not be decoded has become U+FFFD.
	Text string
	// ID, URL, Date and Language are as they are in the JSON.
	ID, URL, Date, Language string
	// Reason is "" for a good record. Otherwise Text is empty or the start of what
	// there was, and Detail says more.
	Reason, Detail string
}

// Reader reads the records of a range. It is not safe for concurrent use.
type Reader struct {
	config Config
	lines  lines
	end    int64 // records start before
	inside bool  // in the middle of a block that started before the range
	json   extractor
	block  []byte
	done   bool
}

// NewReader returns a reader of the records of source that start in [start, end).
// Size is the number of bytes of source.
func NewReader(source io.ReaderAt, size, start, end int64, config Config) (*Reader, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if start < 0 || end < start || size < 0 {
		return nil, fmt.Errorf("text: range [%d, %d) of %d bytes; it must be 0 <= start <= end", start, end, size)
	}
	if start > 0 && start < int64(len(mark)) && end > start {
		// Within a byte order mark: no line begins there.
		var first [3]byte
		if n, err := source.ReadAt(first[:], 0); n == len(first) && bytes.Equal(first[:], mark) {
			start = int64(len(mark))
		} else if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read text at byte 0: %w", err)
		}
	}
	r := newReader(config, end)
	r.lines.reset(io.NewSectionReader(source, start, max(0, size-start)), start)
	if start == 0 {
		r.done = end == 0
		return r, nil
	}
	if start >= min(end, size) || config.Format == WholeFile {
		r.done = true
		return r, nil
	}
	return r, r.align(source, start)
}

// NewStreamReader returns a reader of all records of a stream, such as a file that is
// being decompressed. Offsets count from its first byte.
func NewStreamReader(stream io.Reader, config Config) (*Reader, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	r := newReader(config, 1<<63-1)
	r.lines.reset(stream, 0)
	return r, nil
}

func newReader(config Config, end int64) *Reader {
	r := &Reader{config: config, end: end}
	r.lines.longest, r.lines.returns = config.MaxBytes, config.Format != JSONLines
	if config.Format == JSONLines {
		r.json = newExtractor(config.Fields)
	}
	return r
}

// align moves to the first line that starts at or after start > 0.
func (r *Reader) align(source io.ReaderAt, start int64) error {
	blank, begins, err := lineBefore(source, start, r.lines.returns, r.config.Format == Blocks)
	if err != nil {
		return err
	}
	if !begins {
		l, err := r.lines.next()
		if err == io.EOF {
			r.done = true
			return nil
		}
		if err != nil {
			return err
		}
		blank = blank && l.blank
	}
	r.inside = r.config.Format == Blocks && !blank
	return nil
}

// Next returns the next record, or io.EOF after the last. Another error is one of
// reading; the reader is of no use after it.
func (r *Reader) Next() (Record, error) {
	if r.done {
		return Record{}, io.EOF
	}
	record, err := r.next()
	if err != nil {
		r.done = true
	}
	return record, err
}

func (r *Reader) next() (Record, error) {
	switch r.config.Format {
	case WholeFile:
		return r.whole()
	case Blocks:
		return r.nextBlock()
	}
	for {
		l, err := r.lines.next()
		if err != nil {
			return Record{}, err
		}
		if l.offset >= r.end {
			return Record{}, io.EOF
		}
		if l.blank {
			continue
		}
		record := Record{Offset: l.offset, Length: l.length}
		switch {
		case l.long:
			record.Reason, record.Detail = LineTooLong, fmt.Sprintf("%d bytes", l.length)
		case r.config.Format == JSONLines:
			r.json.extract(decode(l.bytes, r.config.Charset), &record)
		default:
			record.plain(l.bytes, r.config.Charset)
		}
		return record, nil
	}
}
