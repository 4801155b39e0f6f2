package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
	"sentweave/transforms/read/charset"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/layout"
	"sentweave/transforms/read/markdown"
)

// reasonOtherPart is that of a record of a part that was not selected.
const reasonOtherPart = "other_part"

// reasonNotSampled is that of a record that --sample does not take.
const reasonNotSampled = "not_sampled"

// reasonHeaderLanguage is that of a page in WET whose header names only languages that are not wanted.
const reasonHeaderLanguage = "header_language"

// maxRecord is the largest page or text, in bytes, after decompression.
const maxRecord = 16 << 20

// recordReader reads the records of spans of input files, one after another.
type recordReader struct {
	config Config
	layout layout.Layout
	folder storage.Folder
	// shardBytes divides the length of all ranges of a file but the last; 0 if unknown.
	shardBytes int64

	page     bytes.Buffer // of the last page, used again for the next
	archives archives
	codes    []string   // the wanted languages, once they are asked for
	raw      *rawReader // of a file that is read as a whole, from its beginning
}

// use is called with a record. Nothing of the record's HTML may be kept.
type use = func(document.Record) error

// file is a file, or a range of one, that is read.
type file struct {
	input
	span   dataset.Span
	object storage.Object
	// content is that of a file that is read from its beginning, and damage, nil if there is none, says where that
	// ends too early. Archives, and ranges of files that are read record by record, are read from the object.
	content *endingReader
	// record is what the name says of each record.
	record document.Record
	// stated returns what a whole file says of its language, in the file's own words; nil for formats that say nothing.
	stated func(text []byte) string
}

// records calls use for every record of a span.
func (r *recordReader) records(ctx context.Context, span dataset.Span, use use) error {
	object, err := r.folder.Open(ctx, span.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	source, stated := r.input(span)
	if err := r.checkSize(source, object.Size(), span); err != nil {
		return err
	}
	f := file{input: source, span: span, object: object, record: document.Record{Source: span.Name, Language: parseStated(stated)}}
	f.record.Declared = f.record.Language != ""
	r.raw = nil
	if r.config.Limit > 0 {
		use = limited(r.config.Limit, use)
	}
	if source.compression != "" && !source.format.isArchive() {
		r.raw = &rawReader{from: io.NewSectionReader(object, 0, object.Size())}
		err = r.compressed(ctx, f, use)
	} else {
		err = source.format.read(ctx, r, f, use)
	}
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

// errLimit ends the reading of a file of which as many records are used as --limit allows.
var errLimit = errors.New("limit of records")

// limited returns a use that ends with errLimit after n records with a page or a text.
func limited(n int, use use) use {
	return func(record document.Record) error {
		if err := use(record); err != nil {
			return err
		}
		if record.Reason == "" {
			n--
		}
		if n == 0 {
			return errLimit
		}
		return nil
	}
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
func (r *recordReader) input(span dataset.Span) (source input, stated string) {
	source.format, source.compression = r.config.formatOf(r.layout, span.Name)
	stated, source.page, _ = r.layout.Read(span.Name)
	source.Name = span.Name
	return source, stated
}

// checkSize returns an error if the file has another size than when it was
// planned: what would be read then is not what the plan names.
func (r *recordReader) checkSize(source input, size int64, span dataset.Span) error {
	length := span.To - span.From
	uncut := !r.config.splits(source) || r.shardBytes > 0 && (length == 0 || length%r.shardBytes != 0) // or the last range
	if size < span.To || uncut && size != span.To {
		return fmt.Errorf("it has %d bytes, and had %d when the job was planned; `sentweave corpus` with --overwrite makes the dataset anew",
			size, span.To)
	}
	return nil
}

// compressed reads a file that is compressed. One that is damaged gives what was
// readable, if it holds several records, and a rejected record; an error of the disk is
// an error.
func (r *recordReader) compressed(ctx context.Context, f file, use use) error {
	damaged := func(offset int64, err error) error {
		if r.raw.err != nil {
			return r.raw.err
		}
		f.record.Offset, f.record.Reason, f.record.Detail = offset, reasonOfDamage(f.compression), err.Error()
		return use(f.record)
	}
	content, err := compressed.Open(r.raw, f.compression)
	if err != nil {
		return damaged(0, err)
	}
	defer content.Close()
	f.content = &endingReader{from: content}
	accept := use
	if f.format.whole(r.config) {
		accept = func(record document.Record) error {
			if f.content.damage != nil {
				return nil // a part of a document does not count as one
			}
			return use(record)
		}
	}
	if err := f.format.read(ctx, r, f, accept); err != nil {
		return err
	}
	if f.content.damage != nil {
		return damaged(f.content.read, f.content.damage)
	}
	return nil
}

// reasonOfDamage names the damage of a compressed file, such as damaged_gzip and damaged_zst.
func reasonOfDamage(compression string) string {
	if compression == ".gz" {
		compression = ".gzip"
	}
	return "damaged_" + compression[1:]
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

// readHTML reads a file that is one page, and one byte more than a page may
// have, so that the parser sees that it is too large.
func readHTML(_ context.Context, r *recordReader, f file, use use) error {
	const keep = 1 << 20
	if r.page.Cap() > keep { // a rare giant must not occupy memory for good
		r.page = bytes.Buffer{}
	}
	r.page.Reset()
	r.page.Grow(1) // so that an empty page is not nil, which would be a text
	var content io.Reader = io.NewSectionReader(f.object, 0, f.object.Size())
	if f.content != nil {
		content = f.content
	}
	if _, err := io.Copy(&r.page, io.LimitReader(content, int64(html.DefaultConfig().MaxBytes)+1)); err != nil {
		return err
	}
	if f.content != nil && f.content.damage != nil {
		f.content.read = 0 // it is the page that is damaged, not what begins there
	}
	f.record.HTML = r.page.Bytes()
	if r.config.Encoding != "" {
		f.record.Origin.ContentType = "text/html; charset=" + charset.Lookup(r.config.Encoding).Name()
	}
	return use(f.record)
}

// readMarkdown reads a file of Markdown as a page. Names such as page.mdx.gz and page.mdx.fr are those of MDX.
func readMarkdown(ctx context.Context, r *recordReader, f file, use use) error {
	f.stated = markdown.Language
	mdx := slices.Contains(strings.Split(strings.ToLower(path.Base(f.span.Name)), ".")[1:], "mdx")
	return readTexts(ctx, r, f, func(record document.Record) error {
		if record.Reason == "" {
			var page markdown.Page
			page, record.Reason, record.Detail = markdown.Convert(record.Text, mdx)
			record.HTML, record.Date, record.Content = page.HTML, parseDate(page.Date), true
			record.Origin.ContentType = "text/html; charset=utf-8"
		}
		return use(record)
	})
}

// readTexts reads plain texts and JSONL.
func readTexts(ctx context.Context, r *recordReader, f file, use use) error {
	var reader *text.Reader
	var err error
	if config := r.textConfig(f); f.content != nil {
		reader, err = text.NewStreamReader(f.content, config)
	} else {
		reader, err = text.NewReader(f.object, f.object.Size(), f.span.From, f.span.To, config)
	}
	if err != nil {
		return err
	}
	empty := true
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
		empty = false
		record := f.record
		record.Offset, record.Text, record.URL, record.Date = t.Offset, t.Text, t.URL, parseDate(t.Date)
		record.Language = cmp.Or(parseStated(t.Language), f.record.Language)
		record.Reason, record.Detail = t.Reason, t.Detail
		if t.Reason == "" && !f.format.pages && !r.config.Selection.takesRecord(cmp.Or(t.ID, fmt.Sprint(f.Name, ":", t.Offset))) {
			record.Reason = reasonOtherPart
		}
		id := cmp.Or(t.URL, t.ID, fmt.Sprint(f.Name, ":", t.Offset))
		if record.Reason == "" && !f.format.whole(r.config) && !r.config.Selection.samples(id) {
			record.Reason = reasonNotSampled
		}
		if err := use(record); err != nil {
			return err
		}
	}
	if empty && f.format.whole(r.config) {
		f.record.Reason, f.record.Detail = text.Empty, "0 bytes"
		return use(f.record)
	}
	return nil
}

// textConfig says how the texts of a file are read.
func (r *recordReader) textConfig(f file) text.Config {
	config := text.DefaultConfig(text.WholeFile)
	switch {
	case f.format.fields:
		config.Format = text.JSONLines
		config.Fields.Text, config.Fields.URL = r.config.TextField, r.config.URLField
		config.Fields.Date, config.Fields.Language = r.config.DateField, r.config.LanguageField
	case !f.format.whole(r.config):
		config.Format = map[string]text.Format{documentsParagraph: text.Blocks, documentsLine: text.Lines}[r.config.Documents]
	}
	config.MaxBytes, config.Charset = maxRecord, charset.Lookup(r.config.Encoding)
	config.Language = func(content []byte) string {
		if f.stated == nil {
			return f.record.Language
		}
		return cmp.Or(parseStated(f.stated(content)), f.record.Language)
	}
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
