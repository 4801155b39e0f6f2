package warc

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sentweave/transforms/read/mediatype"
	"sentweave/transforms/read/rights"
)

// Reasons of records that are whole but hold no page.
const (
	// damagedHTTP: the block of a response does not begin with a header of HTTP.
	damagedHTTP = "damaged_http"
	// HTTPStatus: the response has another status than 200.
	HTTPStatus = "http_status"
	// NotHTML: the page is in another format than HTML and XHTML.
	NotHTML = "not_html"
	// unsupportedEncoding: the content is encoded in a way that is not read.
	unsupportedEncoding = "unsupported_encoding"
	// damagedEncoding: the content cannot be decompressed, or something among its chunks is none.
	damagedEncoding = "damaged_encoding"
	// segmented: the record is the first part of one whose other parts are records of type continuation.
	segmented = "segmented"
)

// Page is the page of a record.
type Page struct {
	// Payload is the page's bytes, without chunks and compression, in the page's own
	// character set. It holds until the next call of the Decoder, or of the Reader. It
	// is never nil.
	Payload []byte
	// ContentType is the header of that name, as written: it may name the character set. Several lines are
	// joined by commas.
	ContentType string
	// Language is the first that the header Content-Language names, as written, or "".
	Language string
	// OptOuts are those of the headers X-Robots-Tag and TDM-Reservation.
	OptOuts rights.OptOuts
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
	page.Payload, page.ContentType = r.Block, r.Header.all("Content-Type")
	d.header.parse(nil)
	if r.isHTTP() {
		body, status := d.response(r.Block)
		switch status {
		case http.StatusOK:
		case 0:
			return Page{}, damagedHTTP, fmt.Sprintf("it begins with %.24q", r.Block)
		default:
			return Page{}, HTTPStatus, strconv.Itoa(status)
		}
		page.Payload, page.ContentType = body, d.header.all("Content-Type")
		page.Language, _, _ = strings.Cut(d.header.Get("Content-Language"), ",")
		page.OptOuts = rights.TDM(d.header.Get("TDM-Reservation"))
		for _, line := range d.header.values("X-Robots-Tag") {
			page.OptOuts |= rights.Robots(line)
		}
	}
	types, _ := mediatype.Parse(page.ContentType)
	types = slices.DeleteFunc(types, isUnknown)
	if len(types) == 0 {
		types, _ = mediatype.Parse(r.Header.Get("WARC-Identified-Payload-Type"))
	}
	if len(types) > 0 && !slices.ContainsFunc(types, isHTML) {
		return Page{}, NotHTML, fmt.Sprintf("%.80s", strings.Join(types, ", "))
	}
	if number := r.Header.Get("WARC-Segment-Number"); number != "" {
		return Page{}, segmented, fmt.Sprintf("segment %.20s", number)
	}
	page.Payload, reason, detail = d.decode(page.Payload, len(r.Header.get("WARC-Truncated")) > 0)
	if reason != "" {
		return Page{}, reason, detail
	}
	if len(types) == 0 {
		if looks := http.DetectContentType(page.Payload); !strings.HasPrefix(looks, "text/html") {
			return Page{}, NotHTML, fmt.Sprintf("no Content-Type, and it looks like %s", looks)
		}
	}
	return page, "", ""
}

// response reads the header of the response in a block, and returns its content and status, which is 0 if there is no response. Interim
// responses before it, such as "100 Continue", and that of a proxy to CONNECT, which has no content of a type, are passed over.
func (d *Decoder) response(block []byte) (body []byte, status int) {
	for {
		body, ok := d.head(block)
		if !ok {
			return nil, 0
		}
		status := statusOf(block)
		interim := status/100 == 1 || status == http.StatusOK && d.header.get("Content-Type") == nil
		if !interim || statusOf(body) == 0 || !bytes.HasPrefix(body, []byte("HTTP/")) {
			return body, status
		}
		block = body
	}
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

// isUnknown reports whether a type is one of those that say nothing (WHATWG MIME sniffing, 7).
func isUnknown(media string) bool {
	return media == "*/*" || media == "unknown/unknown" || media == "application/unknown"
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }
