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

	"sentweave/schemas/storage"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
	"sentweave/transforms/read/html"
	"sentweave/transforms/read/warc"
)

// reasonNoPages is that of a web archive without one record that could be a page.
const reasonNoPages = "no_pages"

// archives read web archives, one after another.
type archives struct {
	warc, wet *warc.Reader
	pages     warc.Decoder
}

// open begins to read a web archive.
func (a *archives) open(object storage.Object, format string, verify bool) (*warc.Reader, error) {
	reader := &a.warc
	if format == formatWET {
		reader = &a.wet
	}
	if *reader != nil {
		(*reader).Reset(object, object.Size())
		return *reader, nil
	}
	a.pages.MaxPayload = html.DefaultConfig().MaxBytes
	config := warc.DefaultConfig()
	config.Types, config.MaxBlock, config.VerifyDigests = archiveTypes(format), maxRecord, verify
	var err error
	*reader, err = warc.NewReader(object, object.Size(), config)
	return *reader, err
}

// archive reads the records of a WARC or WET file. Those of other types are no pages
// and do not count; a file that holds nothing else is told as one rejected record.
func (r *recordReader) archive(ctx context.Context, object storage.Object, in input, file document.Record, use use) error {
	reader, err := r.archives.open(object, in.format, r.config.VerifyDigests)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, err := reader.Next()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				file.Reason, file.Detail = reasonNoPages, noPages(in.format, reader.Counts())
				return use(file)
			}
			return nil
		}
		if err != nil {
			return err
		}
		record := file
		record.Offset, record.URL, record.Date = found.Offset, found.TargetURI(), found.Date()
		if err := use(r.complete(found, in, record)); err != nil {
			return err
		}
	}
}

// complete gives a record its page or text, or the reason why it has none.
func (r *recordReader) complete(found warc.Record, in input, record document.Record) document.Record {
	record.Reason, record.Detail = found.Reason, found.Detail
	switch {
	case record.Reason != "":
	case !r.config.Selection.takesRecord(cmp.Or(record.URL, fmt.Sprint(in.Name, ":", record.Offset))):
		record.Reason = reasonOtherPart
	case in.format == formatWET:
		if stated := parseStated(found.Language()); stated != "" {
			record.Language = stated
		}
		record.Text, record.Reason, record.Detail = plainText(found.Block)
		record.Bare = true
	default:
		var page warc.Page
		page, record.Reason, record.Detail = r.archives.pages.Page(found)
		record.HTML, record.Origin = page.Payload, html.Origin{ContentType: page.ContentType, Language: page.Language}
	}
	if record.Reason != "" && record.HTML == nil && record.Text == "" {
		record.Text = string(found.Block[:min(len(found.Block), sampled)])
	}
	return record
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
func noPages(format string, counts map[string]int64) string {
	if len(counts) == 0 {
		return "it holds no record"
	}
	var held []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		held = append(held, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	detail := "it holds " + strings.Join(held, ", ")
	if other := otherArchive(format, counts); other != "" {
		detail += "; give --format " + other
	}
	return detail
}
