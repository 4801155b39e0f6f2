package warc

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Reasons of records that are whole but hold no page.
const (
	// damagedHTTP: the block of a response does not begin with a header of HTTP.
	damagedHTTP = "damaged_http"
	// httpStatus: the response has another status than 200.
	httpStatus = "http_status"
	// notHTML: the page is in another format than HTML and XHTML.
	notHTML = "not_html"
	// unsupportedEncoding: the content is encoded in a way that is not read.
	unsupportedEncoding = "unsupported_encoding"
	// damagedEncoding: the content cannot be decompressed.
	damagedEncoding = "damaged_encoding"
)

// Page is the page of a record.
type Page struct {
	// Payload is the page's bytes, without chunks and compression, in the page's own
	// character set. It holds until the next call of the Decoder, or of the Reader. It
	// is never nil.
	Payload []byte
	// ContentType is the header of that name, as written: it may name the character set.
	ContentType string
}

// Decoder takes pages out of records. It is not safe for concurrent use. The zero
// Decoder is ready for use.
type Decoder struct {
	// MaxPayload is how much of a compressed page is decompressed, in bytes; one more
	// tells that it was larger. 0 means 16 MiB.
	MaxPayload int

	header  Header
	lines   []byte
	chunks  []byte
	inflate inflaters
}

// isHTTP says whether the block of a record is a response of HTTP.
func (r Record) isHTTP() bool {
	if r.Type != Response {
		return false
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(media), "application/http") || media == "" && bytes.HasPrefix(r.Block, []byte("HTTP/"))
}

// Page returns the page of a response, or of a resource, which is a page without
// HTTP. Reason is "" for a page; otherwise it is one of the constants of this file,
// and detail gives what decided. The format is what Content-Type says; where it is
// absent, what the crawler identified, and at last what the first bytes look like.
func (d *Decoder) Page(r Record) (page Page, reason, detail string) {
	page.Payload, page.ContentType = r.Block, r.Header.Get("Content-Type")
	if r.isHTTP() {
		body, ok := d.head(r.Block)
		if !ok {
			return Page{}, damagedHTTP, fmt.Sprintf("it begins with %.24q", r.Block)
		}
		if status := statusOf(r.Block); status != http.StatusOK {
			if status == 0 {
				return Page{}, damagedHTTP, fmt.Sprintf("it begins with %.24q", r.Block)
			}
			return Page{}, httpStatus, strconv.Itoa(status)
		}
		page.Payload, page.ContentType = body, d.header.Get("Content-Type")
	}
	media := mediaType(page.ContentType)
	if media == "" {
		media = mediaType(r.Header.Get("WARC-Identified-Payload-Type"))
	}
	if media != "" && !isHTML(media) {
		return Page{}, notHTML, fmt.Sprintf("%.80s", media)
	}
	if r.isHTTP() {
		page.Payload, reason, detail = d.decode(page.Payload)
		if reason != "" {
			return Page{}, reason, detail
		}
	}
	if media == "" {
		if media = mediaType(http.DetectContentType(page.Payload)); !isHTML(media) {
			return Page{}, notHTML, fmt.Sprintf("no Content-Type, and it looks like %s", media)
		}
	}
	return page, "", ""
}

// head reads the header of HTTP and returns what follows it. A response without a
// blank line has no content.
func (d *Decoder) head(block []byte) (body []byte, ok bool) {
	if !bytes.HasPrefix(block, []byte("HTTP/")) {
		return nil, false
	}
	first, length, ok := headerEnd(block)
	if !ok {
		length = len(block)
		if first == 0 {
			first = length
		}
	}
	d.lines = append(d.lines[:0], block[first:length]...) // folded lines are written to
	d.header.parse(d.lines)
	return block[length:], true
}

// statusOf returns the status of a response, 0 if it has none.
func statusOf(block []byte) int {
	line, _, _ := bytes.Cut(block, []byte("\n"))
	words := bytes.Fields(line)
	if len(words) < 2 || len(words[1]) != 3 {
		return 0
	}
	status, err := strconv.ParseUint(string(words[1]), 10, 16)
	if err != nil {
		return 0
	}
	return int(status)
}

// mediaType returns the type in a Content-Type without its parameters, in lower case.
func mediaType(contentType string) string {
	if media, _, err := mime.ParseMediaType(contentType); err == nil {
		return media
	}
	media, _, _ := strings.Cut(contentType, ";")
	media, _, _ = strings.Cut(media, ",")
	return strings.ToLower(strings.TrimSpace(media))
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }
