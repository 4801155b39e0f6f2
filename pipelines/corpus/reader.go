package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
	"sentweave/transforms/read/charset"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/layout"
)

// Reasons of records that never become pages.
const (
	reasonOtherPart = "other_part" // a record of a part that was not selected
	reasonGzip      = "damaged_gzip"
)

// maxRecord is the largest page or text, in bytes, after decompression.
const maxRecord = 16 << 20

// recordReader reads the records of spans of input files, one after another.
type recordReader struct {
	config Config
	layout layout.Layout
	folder storage.Folder
	// shardBytes is the length of all ranges of a file but the last; 0 if unknown.
	shardBytes int64

	page     bytes.Buffer // of the last page, used again for the next
	unzipper *gzip.Reader
	archives archives
	raw      *rawReader // of a file that is read as a whole, from its beginning
}

// use is called with a record. Nothing of the record's HTML may be kept.
type use = func(document.Record) error

// records calls use for every record of a span.
func (r *recordReader) records(ctx context.Context, span dataset.Span, use use) error {
	object, err := r.folder.Open(ctx, span.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	in, stated := r.input(span)
	if err := r.checkSize(in, object.Size(), span); err != nil {
		return err
	}
	file := document.Record{Source: span.Name, Language: parseStated(stated)}
	file.Declared = file.Language != ""
	if r.config.Encoding != "" && in.format == formatHTML {
		file.Origin.ContentType = "text/html; charset=" + charset.Lookup(r.config.Encoding).Name()
	}
	r.raw = nil
	if isArchive(in.format) {
		return r.archive(ctx, object, in, file, use)
	}
	raw := &rawReader{from: io.NewSectionReader(object, 0, object.Size())}
	if in.compressed {
		r.raw = raw
		return r.compressed(ctx, raw, in, span, file, use)
	}
	if in.format == formatHTML {
		if err := r.readPage(raw); err != nil {
			return err
		}
		file.HTML = r.page.Bytes()
		return use(file)
	}
	reader, err := text.NewReader(object, object.Size(), span.From, span.To, r.textConfig(in.format))
	if err != nil {
		return err
	}
	return r.texts(ctx, reader, in, file, use)
}

// read returns how many bytes of a span were read when there was a record of it. The
// offsets of a compressed file are those of its content.
func (r *recordReader) read(span dataset.Span, record document.Record) int64 {
	if r.raw != nil {
		return r.raw.read
	}
	return max(0, record.Offset-span.From)
}

// input is what a span's name says.
func (r *recordReader) input(span dataset.Span) (in input, stated string) {
	in.format, in.compressed = r.config.formatOf(r.layout, span.Name)
	stated, in.page, _ = r.layout.Read(span.Name)
	in.Name = span.Name
	return in, stated
}

// checkSize returns an error if the file has another size than when it was
// planned: what would be read then is not what the plan names.
func (r *recordReader) checkSize(in input, size int64, span dataset.Span) error {
	whole := !r.config.splits(in) || span.To-span.From < r.shardBytes // or the last range
	if size < span.To || whole && size != span.To {
		return fmt.Errorf("it has %d bytes, and had %d when the job was planned; `sentweave corpus` with --overwrite makes the dataset anew", size, span.To)
	}
	return nil
}

// compressed reads a file that ends in .gz. One that is damaged gives what was
// readable, if it holds texts, and a rejected record; an error of the disk is
// an error.
func (r *recordReader) compressed(ctx context.Context, raw *rawReader, in input, span dataset.Span, file document.Record, use use) error {
	damaged := func(at int64, err error) error {
		if raw.err != nil {
			return raw.err
		}
		file.Offset, file.Reason, file.Detail = at, reasonGzip, err.Error()
		return use(file)
	}
	if r.unzipper == nil {
		r.unzipper = new(gzip.Reader)
	}
	if err := r.unzipper.Reset(raw); err != nil {
		return damaged(0, err)
	}
	stream := &endingReader{from: r.unzipper}
	if in.format == formatHTML {
		if err := r.readPage(stream); err != nil {
			return err
		}
		if stream.damage != nil {
			return damaged(0, stream.damage)
		}
		file.HTML = r.page.Bytes()
		return use(file)
	}
	reader, err := text.NewStreamReader(stream, r.textConfig(in.format))
	if err != nil {
		return err
	}
	accept := use
	if in.format == formatText && r.config.Documents == documentsFile {
		accept = func(record document.Record) error {
			if stream.damage != nil {
				return nil // a part of a text is no document
			}
			return use(record)
		}
	}
	if err := r.texts(ctx, reader, in, file, accept); err != nil {
		return err
	}
	if stream.damage != nil {
		return damaged(stream.read, stream.damage)
	}
	return nil
}

// rawReader remembers an error of the storage.
type rawReader struct {
	from io.Reader
	read int64
	err  error
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// endingReader ends a stream where it breaks and remembers why.
type endingReader struct {
	from   io.Reader
	read   int64
	damage error
}

func (e *endingReader) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	e.read += int64(n)
	if err != nil && err != io.EOF {
		e.damage, err = err, io.EOF
	}
	return n, err
}

// readPage reads a file that is one page, and one byte more than a page may
// have, so that the parser sees that it is too large.
func (r *recordReader) readPage(from io.Reader) error {
	const keep = 1 << 20
	if r.page.Cap() > keep { // a rare giant must not occupy memory for good
		r.page = bytes.Buffer{}
	}
	r.page.Reset()
	r.page.Grow(1) // so that an empty page is no nil, which would be a text
	_, err := io.Copy(&r.page, io.LimitReader(from, int64(html.DefaultConfig().MaxBytes)+1))
	return err
}

// texts reads plain texts and JSONL.
func (r *recordReader) texts(ctx context.Context, reader *text.Reader, in input, file document.Record, use use) error {
	any := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		any = true
		record := file
		record.Offset, record.Text, record.URL, record.Date = t.Offset, t.Text, t.URL, parseDate(t.Date)
		record.Language = cmp.Or(parseStated(t.Language), file.Language)
		record.Reason, record.Detail = t.Reason, t.Detail
		if t.Reason == "" && in.format == formatJSONL && !r.config.Selection.takesRecord(cmp.Or(t.ID, fmt.Sprint(in.Name, ":", t.Offset))) {
			record.Reason = reasonOtherPart
		}
		if err := use(record); err != nil {
			return err
		}
	}
	if !any && in.format == formatText && r.config.Documents == documentsFile {
		file.Reason, file.Detail = text.Empty, "0 bytes"
		return use(file)
	}
	return nil
}

func (r *recordReader) textConfig(format string) text.Config {
	if format == formatJSONL {
		config := text.DefaultConfig(text.JSONLines)
		config.Fields.Text, config.Fields.URL = r.config.TextField, r.config.URLField
		config.Fields.Date, config.Fields.Language = r.config.DateField, r.config.LanguageField
		config.MaxBytes, config.Charset = maxRecord, charset.Lookup(r.config.Encoding)
		return config
	}
	config := text.DefaultConfig(map[string]text.Format{documentsParagraph: text.Blocks, documentsLine: text.Lines}[r.config.Documents])
	config.MaxBytes, config.Charset = maxRecord, charset.Lookup(r.config.Encoding)
	return config
}

// parseStated returns a stated language in our form, or "" if it tells none.
func parseStated(stated string) string {
	code, err := language.Parse(stated)
	if err != nil {
		return ""
	}
	return code
}

// dates are the forms of dates in JSONL, beside seconds and milliseconds since 1970.
var dates = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05",
	"2006-01-02", "20060102", "2006-01", "2006", "Mon, 02 Jan 2006 15:04:05 GMT", time.RFC1123Z,
}

// parseDate reads a date; other forms than these count as unknown.
func parseDate(date string) int64 {
	for _, layout := range dates {
		if t, err := time.Parse(layout, date); err == nil {
			return t.UnixMilli()
		}
	}
	switch n, err := strconv.ParseInt(date, 10, 64); {
	case err != nil:
	case len(date) == 9 || len(date) == 10:
		return n * 1000
	case len(date) == 12 || len(date) == 13:
		return n
	}
	return 0
}
