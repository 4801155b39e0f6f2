package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	defaultPayload = 16 << 20
	// maxEncodings is how many compressions may lie on one another, and so for chunks.
	maxEncodings = 2
	// maxWindow bounds the memory of a zstd frame; RFC 9659 gives it for HTTP.
	maxWindow = 8 << 20
)

// decode undoes chunks and compression as the header tells, or the bytes. Many crawlers store the
// payload decoded, in part or whole, and leave the header as it was, or encode it once more: a payload that is not a sequence of
// chunks is taken as it is, and so is one that begins with "<", or is text and cannot be decompressed. Of others
// the first bytes are surer than the header. Truncated says that the crawler has cut the record.
func (d *Decoder) decode(payload []byte, truncated bool) (decoded []byte, reason, detail string) {
	transfer := codings(d.header.all("Transfer-Encoding"))
	isChunked := func(name string) bool { return name == "chunked" }
	said := slices.ContainsFunc(transfer, isChunked)
	for range maxEncodings {
		joined, rest, ok := d.unchunked(payload, said, truncated)
		if !ok {
			break
		}
		if len(bytes.Trim(rest, hexadecimal+" \t\r\n")) > 0 && !truncated { // beyond the size of a chunk that was cut
			return nil, damagedEncoding, fmt.Sprintf("chunked: no chunk begins with %.24q", rest)
		}
		payload, said = joined, false
	}
	encodings := append(codings(d.header.all("Content-Encoding")), slices.DeleteFunc(transfer, isChunked)...)
	if len(encodings) > maxEncodings {
		return nil, unsupportedEncoding, fmt.Sprintf("%d encodings on one another", len(encodings))
	}
	for layer := 0; layer < maxEncodings && !beginsMarkup(payload); layer++ {
		name := ""
		if n := len(encodings); n > 0 {
			encodings, name = encodings[:n-1], encodings[n-1]
		}
		content, err := []byte(nil), errors.ErrUnsupported
		if name = actual(name, payload); name != "" {
			content, err = d.decompress(layer, name, payload)
		}
		if err != nil && isText(payload) {
			break
		}
		if err != nil && (name == "" || !errors.Is(err, io.ErrUnexpectedEOF) || len(content) == 0) {
			page, ok := d.guess(layer, name, payload)
			switch {
			case ok:
				content = page
			case name == "": // some other format, which its own reason tells
				return payload, "", ""
			case errors.Is(err, errors.ErrUnsupported):
				return nil, unsupportedEncoding, fmt.Sprintf("%.40s", name)
			case errors.Is(err, zstd.ErrWindowSizeExceeded):
				return nil, unsupportedEncoding,
					fmt.Sprintf("zstd with a window of more than %d bytes, which HTTP does not allow", maxWindow)
			default:
				return nil, damagedEncoding, fmt.Sprintf("%s: %v", name, err)
			}
		}
		payload = content // of a page that the crawler has cut, as far as it goes
	}
	if payload == nil {
		payload = []byte{}
	}
	return payload, "", ""
}

// beginsMarkup reports whether a payload is empty or begins with a tag, so that nothing is left to decode.
func beginsMarkup(payload []byte) bool {
	rest := bytes.TrimLeft(payload, "\ufeff \t\r\n")
	return len(rest) == 0 || rest[0] == '<'
}

// actual returns the encoding of a payload that is said to be in one: what its first bytes tell, or else
// what is said, if it is not gzip: crawlers leave that name where they decoded the payload.
func actual(said string, payload []byte) string {
	switch {
	case isGzip(payload):
		return "gzip"
	case isZstd(payload):
		return "zstd"
	case strings.HasSuffix(said, "gzip"):
		return ""
	}
	return said
}

// guess decompresses a payload that is not text by the encodings of which the first bytes do not tell. Only a whole page is an answer.
func (d *Decoder) guess(layer int, except string, payload []byte) (page []byte, ok bool) {
	for _, name := range []string{"br", "deflate"} {
		if name == except {
			continue
		}
		if page, err := d.decompress(layer, name, payload); err == nil && len(page) > 0 && beginsMarkup(page) && isText(page) {
			return page, true
		}
	}
	return nil, false
}

// decompress returns the content of data, up to the limit and one byte, and with an error what there is before it.
// It holds until the next call with the same number.
func (d *Decoder) decompress(number int, name string, data []byte) ([]byte, error) {
	reader, err := d.inflate.open(name, data)
	if err != nil {
		return nil, err
	}
	limit := d.MaxPayload
	if limit == 0 {
		limit = defaultPayload
	}
	buffer := &d.inflate.out[number]
	if buffer.Cap() > keep {
		*buffer = bytes.Buffer{}
	}
	buffer.Reset()
	_, err = io.Copy(buffer, io.LimitReader(reader, int64(limit)+1))
	if buffer.Len() > 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)) {
		err = nil // what follows the end is not part of it
	}
	return buffer.Bytes(), err
}

const (
	// looked is how much of a payload is looked at to tell whether it is text.
	looked = 4 << 10
	// leastLooked is from how many bytes on compressed data has control characters in all probability:
	// all but 3 of 10,000 have one among 64.
	leastLooked = 64
)

// isText reports whether data is text rather than compressed.
func isText(data []byte) bool {
	head := data[:min(len(data), looked)]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true // UTF-16
	}
	for _, c := range head {
		const escape, del = 0x1b, 0x7f
		if c < ' ' && !isSpace(c) && c != escape || c == del {
			return false
		}
	}
	return len(head) >= leastLooked || utf8.Valid(head)
}

// codings returns the names in a header, in lower case, without those that change nothing.
func codings(header string) []string {
	var list []string
	for name := range strings.SplitSeq(header, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity", "none":
		default:
			list = append(list, name)
		}
	}
	return list
}

// inflaters keep their memory from page to page.
type inflaters struct {
	gzip    *gzip.Reader
	zlib    io.ReadCloser
	deflate io.ReadCloser
	brotli  *brotli.Reader
	zstd    *zstd.Decoder
	out     [maxEncodings]bytes.Buffer
}

// open returns a reader of data in an encoding of HTTP.
func (f *inflaters) open(name string, data []byte) (io.Reader, error) {
	reader := bytes.NewReader(data)
	var err error
	switch name {
	case "gzip", "x-gzip":
		if f.gzip == nil {
			f.gzip = new(gzip.Reader)
		}
		return f.gzip, f.gzip.Reset(reader)
	case "deflate": // RFC 9110 means zlib; some servers send what the name says
		if len(data) >= 2 && data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0 {
			if f.zlib == nil {
				f.zlib, err = zlib.NewReader(reader)
				return f.zlib, err
			}
			return f.zlib, f.zlib.(zlib.Resetter).Reset(reader, nil)
		}
		if f.deflate == nil {
			f.deflate = flate.NewReader(reader)
			return f.deflate, nil
		}
		return f.deflate, f.deflate.(flate.Resetter).Reset(reader, nil)
	case "br":
		if f.brotli == nil {
			f.brotli = new(brotli.Reader)
		}
		return f.brotli, f.brotli.Reset(reader)
	case "zstd":
		if f.zstd == nil {
			f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
				zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, err
			}
		}
		return f.zstd, f.zstd.Reset(reader)
	}
	return nil, errors.ErrUnsupported
}

// unchunked joins the chunks of a payload (RFC 9112, 7.1). It is false for a payload
// that does not begin with a chunk. Where the chunks end too early, what there is counts:
// a page may have been cut by the crawler. Rest is what follows them and is no chunk. Said says
// that the header tells of chunks. Where it does not, some crawlers have kept the chunks alone: then a second one has to follow the first.
func (d *Decoder) unchunked(payload []byte, said, truncated bool) (joined, rest []byte, ok bool) {
	d.chunks = d.chunks[:0]
	if said {
		payload = bytes.TrimLeft(payload, "\r\n")
	}
	rest = payload
	for first := true; ; first = false {
		size, body, ok := chunkSize(rest)
		if !ok {
			return d.chunks, rest, !first
		}
		if first && !said && (size == 0 || size <= int64(len(body)) && !beginsChunk(body[size:])) {
			return nil, nil, false
		}
		if first && size > int64(len(body)) && !(said && truncated) && !beginsPage(body) {
			return nil, nil, false // digits at the start of a text
		}
		if size == 0 {
			return d.chunks, nil, true
		}
		size = min(size, int64(len(body)))
		d.chunks = append(d.chunks, body[:size]...)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(body[size:], []byte("\r")), []byte("\n"))
	}
}

// beginsChunk reports whether a line end and a further chunk follow a chunk.
func beginsChunk(b []byte) bool {
	line, ok := bytes.CutPrefix(bytes.TrimPrefix(b, []byte("\r")), []byte("\n"))
	if !ok {
		return false
	}
	_, _, ok = chunkSize(line)
	return ok
}

// beginsPage reports whether b is the start of a page, or compressed, rather than text that goes on.
func beginsPage(b []byte) bool {
	start := bytes.ToLower(bytes.TrimLeft(b[:min(len(b), leastLooked)], "\ufeff \t\r\n"))
	for _, tag := range []string{"<!doctype", "<html", "<?xml", "<head", "<!--"} {
		if bytes.HasPrefix(start, []byte(tag)) {
			return true
		}
	}
	return !isText(b)
}

const hexadecimal = "0123456789abcdefABCDEF"

// chunkSize reads the line before a chunk: its size in hexadecimal digits, perhaps
// with extensions.
func chunkSize(b []byte) (size int64, rest []byte, ok bool) {
	digits := 0
	for digits < len(b) && digits < 16 {
		c := b[digits]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			c = 0xff
		}
		if c == 0xff {
			break
		}
		if size = size<<4 | int64(c); size > 1<<40 {
			return 0, nil, false
		}
		digits++
	}
	end := bytes.IndexByte(b, '\n')
	if digits == 0 || end < 0 || end > 256 {
		return 0, nil, false
	}
	extension := bytes.TrimSpace(b[digits:end])
	if len(extension) > 0 && extension[0] != ';' {
		return 0, nil, false
	}
	return size, b[end+1:], true
}
