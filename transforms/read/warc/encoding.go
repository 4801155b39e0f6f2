package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	defaultPayload = 16 << 20
	// maxEncodings is how many compressions may lie on one another.
	maxEncodings = 2
	// maxWindow bounds the memory of a zstd frame; RFC 9659 gives it for HTTP.
	maxWindow = 8 << 20
)

// decode undoes chunks and compression as the header tells. Many crawlers store the
// payload decoded and leave the header as it was: a payload that is no sequence of
// chunks, or that begins with "<", is taken as it is.
func (d *Decoder) decode(payload []byte) (decoded []byte, reason, detail string) {
	if strings.Contains(strings.ToLower(d.header.Get("Transfer-Encoding")), "chunked") {
		if whole, ok := d.unchunked(payload); ok {
			payload = whole
		}
	}
	encodings := d.encodings()
	if len(encodings) > maxEncodings {
		return nil, unsupportedEncoding, fmt.Sprintf("%d encodings on one another", len(encodings))
	}
	for i := len(encodings) - 1; i >= 0; i-- {
		name := encodings[i]
		if rest := bytes.TrimLeft(payload, "\ufeff \t\r\n"); len(rest) == 0 || rest[0] == '<' {
			break
		}
		if strings.HasSuffix(name, "gzip") && !isGzip(payload) {
			break
		}
		from, err := d.inflate.open(name, payload)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, unsupportedEncoding, fmt.Sprintf("%.40s", name)
		}
		if err != nil {
			return nil, damagedEncoding, fmt.Sprintf("%s: %v", name, err)
		}
		most := d.MaxPayload
		if most == 0 {
			most = defaultPayload
		}
		out := &d.inflate.out[i]
		if out.Cap() > keep {
			*out = bytes.Buffer{}
		}
		out.Reset()
		// A page that the crawler has cut counts as far as it goes.
		_, err = io.Copy(out, io.LimitReader(from, int64(most)+1))
		if err != nil && (out.Len() == 0 || !errors.Is(err, io.ErrUnexpectedEOF)) {
			return nil, damagedEncoding, fmt.Sprintf("%s: %v", name, err)
		}
		payload = out.Bytes()
	}
	if payload == nil {
		payload = []byte{}
	}
	return payload, "", ""
}

// encodings returns what Content-Encoding names, without those that change nothing.
func (d *Decoder) encodings() []string {
	var list []string
	for name := range strings.SplitSeq(d.header.Get("Content-Encoding"), ",") {
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
	from := bytes.NewReader(data)
	var err error
	switch name {
	case "gzip", "x-gzip":
		if f.gzip == nil {
			f.gzip = new(gzip.Reader)
		}
		return f.gzip, f.gzip.Reset(from)
	case "deflate": // RFC 9110 means zlib; some servers send what the name says
		if len(data) >= 2 && data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0 {
			if f.zlib == nil {
				f.zlib, err = zlib.NewReader(from)
				return f.zlib, err
			}
			return f.zlib, f.zlib.(zlib.Resetter).Reset(from, nil)
		}
		if f.deflate == nil {
			f.deflate = flate.NewReader(from)
			return f.deflate, nil
		}
		return f.deflate, f.deflate.(flate.Resetter).Reset(from, nil)
	case "br":
		if f.brotli == nil {
			f.brotli = new(brotli.Reader)
		}
		return f.brotli, f.brotli.Reset(from)
	case "zstd":
		if f.zstd == nil {
			f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, err
			}
		}
		return f.zstd, f.zstd.Reset(from)
	}
	return nil, errors.ErrUnsupported
}

// unchunked joins the chunks of a payload (RFC 9112, 7.1). It is false for a payload
// that does not begin with a chunk. Where the chunks break off, what there is counts:
// a page may have been cut by the crawler.
func (d *Decoder) unchunked(payload []byte) (whole []byte, ok bool) {
	d.chunks = d.chunks[:0]
	for rest, first := payload, true; ; first = false {
		size, after, ok := chunkSize(rest)
		if !ok || first && size > int64(len(after)) {
			return d.chunks, !first
		}
		if size == 0 {
			return d.chunks, true
		}
		size = min(size, int64(len(after)))
		d.chunks = append(d.chunks, after[:size]...)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(after[size:], []byte("\r")), []byte("\n"))
	}
}

// chunkSize reads the line before a chunk: its size in hexadecimal digits, perhaps
// with extensions.
func chunkSize(b []byte) (size int64, after []byte, ok bool) {
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
