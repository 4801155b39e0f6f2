package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"

	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
	"sentweave/transforms/html"
	"sentweave/transforms/text"
)

// Reasons of records that never become pages.
const (
	reasonOtherPart = "other_part" // a JSONL record of a part that was not selected
	reasonGzip      = "damaged_gzip"
)

// maxRecord is the largest page or text, in bytes, after decompression.
const maxRecord = 16 << 20

// recordReader reads the records of spans of input files.
type recordReader struct {
	config Config
	layout Layout
	folder storage.Folder
}

// records calls use for every record of a span, with the fault of a bad one.
func (r *recordReader) records(ctx context.Context, span dataset.Span, use func(document.Record, document.Verdict) error) error {
	object, err := r.folder.Open(ctx, span.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	format, compressed := formatOf(span.Name)
	if r.config.Format != FormatAuto {
		format = r.config.Format
	}
	stated, _, _ := r.layout.Read(span.Name)
	file := document.Record{Source: span.Name, Language: parseStated(stated)}
	reader := &damageTolerant{from: io.NewSectionReader(object, 0, object.Size())}
	if compressed {
		unzipped, err := gzip.NewReader(reader.from)
		if err != nil {
			return use(file, document.Verdict{Step: document.StepRead, Reason: reasonGzip, Detail: err.Error()})
		}
		reader.from = unzipped
	}
	if format == FormatHTML {
		err = r.page(reader, file, use)
	} else {
		err = r.texts(ctx, reader, object, span, compressed, format, file, use)
	}
	if err != nil {
		return err
	}
	if reader.damage != nil && !compressed {
		return reader.damage // of the storage
	}
	if reader.damage != nil && format != FormatHTML {
		// What was readable is used; the rest is one rejected record.
		file.Offset = reader.read
		return use(file, document.Verdict{Step: document.StepRead, Reason: reasonGzip, Detail: reader.damage.Error()})
	}
	return nil
}

// damageTolerant ends a stream where it breaks and remembers why.
type damageTolerant struct {
	from   io.Reader
	read   int64
	damage error
}

func (d *damageTolerant) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	d.read += int64(n)
	if err != nil && err != io.EOF {
		d.damage, err = err, io.EOF
	}
	return n, err
}

// page reads a file that is one page.
func (r *recordReader) page(from *damageTolerant, file document.Record, use func(document.Record, document.Verdict) error) error {
	// One byte more than a page may have, so that the parser sees that it is too large.
	limit := int64(html.DefaultConfig().MaxBytes) + 1
	var page bytes.Buffer
	if _, err := io.Copy(&page, io.LimitReader(from, limit)); err != nil {
		return err
	}
	if from.damage != nil {
		return use(file, document.Verdict{Step: document.StepRead, Reason: reasonGzip, Detail: from.damage.Error()})
	}
	file.HTML = page.Bytes()
	if file.HTML == nil {
		file.HTML = []byte{}
	}
	return use(file, document.Verdict{})
}

// texts reads plain texts and JSONL.
func (r *recordReader) texts(ctx context.Context, from io.Reader, object storage.Object, span dataset.Span, compressed bool, format string, file document.Record, use func(document.Record, document.Verdict) error) error {
	config := r.textConfig(format)
	var reader *text.Reader
	var err error
	if compressed {
		reader, err = text.NewStreamReader(from, config)
	} else {
		reader, err = text.NewReader(object, object.Size(), span.From, span.To, config)
	}
	if err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record := file
		record.Offset, record.Text, record.URL, record.Date = t.Offset, t.Text, t.URL, parseDate(t.Date)
		record.Language = cmp.Or(parseStated(t.Language), file.Language)
		fault := document.Verdict{}
		switch {
		case t.Reason != "":
			fault = document.Verdict{Step: document.StepRead, Reason: t.Reason, Detail: t.Detail}
		case format == FormatJSONL && !r.config.Selection.takesRecord(cmp.Or(t.ID, fmt.Sprint(span.Name, ":", t.Offset))):
			fault = document.Verdict{Step: document.StepRead, Reason: reasonOtherPart}
		}
		if err := use(record, fault); err != nil {
			return err
		}
	}
}

func (r *recordReader) textConfig(format string) text.Config {
	if format == FormatJSONL {
		config := text.DefaultConfig(text.JSONLines)
		config.Fields.Text, config.Fields.URL = r.config.TextField, r.config.URLField
		config.Fields.Date, config.Fields.Language = r.config.DateField, r.config.LanguageField
		config.MaxBytes = maxRecord
		return config
	}
	config := text.DefaultConfig(map[string]text.Format{"paragraph": text.Blocks, "line": text.Lines}[r.config.Documents])
	config.MaxBytes = maxRecord
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

// parseDate reads the usual forms of dates in JSONL; others count as unknown.
func parseDate(date string) int64 {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, date); err == nil {
			return t.UnixMilli()
		}
	}
	return 0
}
