package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/warc"
)

// reasonNoPages is that of a web archive without one record that could be a page.
const reasonNoPages = "no_pages"

// archives read web archives, one after another.
type archives struct {
	readers map[*format]*warc.Reader
	pages   warc.Decoder
}

// open begins to read a web archive, or a range of one.
func (a *archives) open(f file, verify bool) (reader *warc.Reader, err error) {
	size := f.object.Size()
	if reader = a.readers[f.format]; reader == nil {
		a.pages.MaxPayload = html.DefaultConfig().MaxBytes
		config := warc.DefaultConfig()
		config.Types, config.MaxBlock, config.VerifyDigests = f.format.records, maxRecord, verify
		if reader, err = warc.NewReader(f.object, size, config); err != nil {
			return nil, err
		}
		if a.readers == nil {
			a.readers = map[*format]*warc.Reader{}
		}
		a.readers[f.format] = reader
	}
	reader.ResetRange(f.object, size, f.span.From, f.span.To)
	return reader, nil
}

// readArchive reads the records of a WARC or WET file, or of a range of one. Those of other types are not pages
// and do not count; a file that holds nothing else is told as one rejected record, by its first range.
func readArchive(ctx context.Context, r *recordReader, f file, use use) error {
	reader, err := r.archives.open(f, r.config.VerifyDigests)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		entry, err := reader.Next()
		none := n == 0 && f.span.From == 0
		if none && errors.Is(err, io.EOF) {
			reader.ReadOn()
			if _, err = reader.Next(); err == nil { // of another range
				return nil
			}
		}
		switch {
		case none && errors.Is(err, io.EOF):
			f.record.Reason, f.record.Detail = reasonNoPages, noPages(f.format, reader.Counts())
			return use(f.record)
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, warc.ErrOverlap):
			return fmt.Errorf("%w: give --shard-bytes=%d, so that no file of that size is cut", err, f.object.Size())
		case err != nil:
			return err
		}
		record := f.record
		record.Offset, record.URL, record.Date = entry.Offset, entry.TargetURI(), entry.Date()
		if err := use(r.complete(entry, f.input, record)); err != nil {
			return err
		}
	}
}

// complete gives a record its page or text, or the reason why it has none.
func (r *recordReader) complete(entry warc.Record, source input, record document.Record) document.Record {
	record.Reason, record.Detail = entry.Reason, entry.Detail
	id := cmp.Or(record.URL, fmt.Sprint(source.Name, ":", record.Offset))
	switch {
	case record.Reason != "":
	case !r.config.Selection.samples(id):
		record.Reason = reasonNotSampled
	case !r.config.Selection.takesRecord(id):
		record.Reason = reasonOtherPart
	default:
		source.format.take(r, entry, &record)
	}
	if record.Reason != "" && record.HTML == nil && record.Text == "" {
		record.Text = string(entry.Block[:min(len(entry.Block), sampled)])
	}
	return record
}

// takePage takes the page of a response.
func takePage(r *recordReader, entry warc.Record, record *document.Record) {
	var page warc.Page
	page, record.Reason, record.Detail = r.archives.pages.Page(entry)
	record.HTML, record.Origin = page.Payload, html.Origin{ContentType: page.ContentType, Language: page.Language, OptOuts: page.OptOuts}
}

// takeText takes the text that was extracted from a page.
func takeText(r *recordReader, entry warc.Record, record *document.Record) {
	languages := entry.Languages()
	if len(languages) > 0 {
		record.Language = cmp.Or(parseStated(languages[0]), record.Language)
	}
	if record.Bare = true; r.config.HeaderLanguages && !r.mayBeWanted(languages) {
		record.Reason, record.Detail = reasonHeaderLanguage, strings.Join(languages, ",")
		return
	}
	record.Text, record.Reason, record.Detail = plainText(entry.Block)
}

// mayBeWanted says whether one of the languages that a header names is wanted or unknown, or the header names none.
func (r *recordReader) mayBeWanted(languages []string) bool {
	if r.codes == nil {
		r.codes, _ = r.config.codes() // which Validate has parsed
	}
	return len(languages) == 0 || slices.ContainsFunc(languages, func(stated string) bool {
		code := parseStated(stated)
		return code == "" || language.MatchesAny(code, r.codes)
	})
}

// sampled is how much of a record that is dropped is kept, at least.
const sampled = 1 << 10

// plainText returns the text of a WET record. Each of its lines was a block of the
// page, so that blank lines have to part them.
func plainText(block []byte) (content, reason, detail string) {
	record := text.Plain(block)
	if record.Reason != "" {
		return record.Text, record.Reason, record.Detail
	}
	return strings.ReplaceAll(record.Text, "\n", "\n\n"), "", ""
}

// noPages says what a file holds that has no page.
func noPages(f *format, counts map[string]int64) string {
	if len(counts) == 0 {
		return "it holds no record"
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	detail := "it holds " + strings.Join(kinds, ", ")
	if alternative := f.otherArchive(counts); alternative != "" {
		detail += "; give --format " + alternative
	}
	return detail
}
