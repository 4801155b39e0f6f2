package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// encoded compresses a payload for HTTP.
func encoded(t testing.TB, encoding, payload string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch encoding {
	case "gzip":
		return packed(t, payload)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, err = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(w, payload)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Records, and the page or the reason in them.
func TestPage(t *testing.T) {
	const ok, html, page = "HTTP/1.1 200 OK\r\n", "Content-Type: text/html; charset=utf-8\r\n", "<p>Grüße</p>"
	long := "<html>" + strings.Repeat("<p>Grüße, Jürgen!</p>\n", 5000)
	header := func(lines, payload string) string { return httpResponse(strings.TrimSuffix(ok+lines, "\r\n"), payload) }
	const chunked = html + "Transfer-Encoding: chunked\r\n"
	for _, test := range []struct{ name, record, want string }{
		{"a page", header(html, page), page},
		{"XHTML", header("content-type: Application/XHTML+xml\r\n", page), page},
		{"no content", header(html, ""), ""},
		{"no header fields", httpResponse("HTTP/1.1 200 OK", page), page},
		{"HTTP/2, no phrase", httpResponse("HTTP/2 200\r\nContent-Type: text/html", page), page},
		{"line ends of other systems",
			made(Response, "Content-Type: application/http\r\n", "HTTP/1.1 200 OK\nContent-Type: text/html\n\n"+page), page},
		{"no type of the record", made(Response, "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+page), page},
		{"no blank line", made(Response, "Content-Type: application/http\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"), ""},
		{"an extra line end, as in CC-MAIN-2018-34", header(html, "\r\n"+page), "\r\n" + page},
		{"a resource", made(Resource, "Content-Type: text/html\r\n", page), page},
		{"a resource of another type", made(Resource, "Content-Type: image/png\r\n", "\x89PNG"), NotHTML},
		{"a response of DNS", made(Response, "Content-Type: text/dns\r\n", "20240518"), NotHTML},

		{"not found", httpResponse("HTTP/1.1 404 Not Found\r\nContent-Type: text/html", page), HTTPStatus},
		{"part of a page", httpResponse("HTTP/1.1 206 Partial Content\r\nContent-Type: text/html", page), HTTPStatus},
		{"no status", httpResponse("HTTP/1.1 OK", page), damagedHTTP},
		{"a status of letters", httpResponse("HTTP/1.1 abc", page), damagedHTTP},
		{"no HTTP", made(Response, "Content-Type: application/http\r\n", page), damagedHTTP},
		{"nothing", made(Response, "Content-Type: application/http\r\n", ""), damagedHTTP},

		{"plain text", header("Content-Type: text/plain\r\n", page), NotHTML},
		{"a bad type", header("Content-Type: text/html;;charset=,\r\n", page), page},
		{"a type without a semicolon", header("Content-Type: text/html charset=utf-8\r\n", page), page},
		{"a type with a slash too many", header("Content-Type: text/html/; charset=utf-8\r\n", page), page},
		{"a type of another header, then HTML", header("Content-Type: text/plain\r\n"+html, page), page},
		{"any type, HTML", header("Content-Type: */*\r\n", "<!DOCTYPE html><p>x"), "<!DOCTYPE html><p>x"},
		{"two types", header("Content-Type: text/html, text/html\r\n", page), page},
		{"no type, HTML", header("", "\n<!DOCTYPE html><p>x"), "\n<!DOCTYPE html><p>x"},
		{"no type, text", header("", "x"), NotHTML},
		{"no type, identified", strings.Replace(header("", "x"), "WARC-Type", "WARC-Identified-Payload-Type: text/html\r\nWARC-Type", 1),
			"x"},
		{"no type, identified as text",
			strings.Replace(header("", page), "WARC-Type", "WARC-Identified-Payload-Type: text/plain\r\nWARC-Type", 1), NotHTML},

		{"chunks", header(chunked, "3\r\n<p>\r\n00A;name=value\r\nGrüße</p\r\n1\r\n>\r\n0\r\n\r\n"), page},
		{"chunks with line ends of other systems", header(chunked, "3 \n<p>\nA\nGrüße</p\n1\n>\n0\n\n"), page},
		{"chunks without an end", header(chunked, "3\r\n<p>\r\nA\r\nGrüße</p"), "<p>Grüße</p"},
		{"a cut chunk", header(chunked, "3\r\n<p>\r\nA\r\nGrü"), "<p>Grü"},
		{"a size of a chunk that was cut", header(chunked, "3\r\n<p>\r\n1a"), "<p>"},
		{"a bad chunk that the crawler says it cut",
			strings.Replace(header(chunked, "3\r\n<p>\r\nxyz\r\nGrü"), "WARC-Type", "WARC-Truncated: length\r\nWARC-Type", 1), "<p>"},
		{"a first chunk that was cut", header(chunked, "15ae\r\n<!DOCTYPE html><p>Grüße"), "<!DOCTYPE html><p>Grüße"},
		{"a first chunk that the crawler says it cut",
			strings.Replace(header(chunked, "15ae\r\nGrüße"), "WARC-Type", "WARC-Truncated: length\r\nWARC-Type", 1), "Grüße"},
		{"a first chunk of gzip that was cut", header(chunked+"Content-Encoding: gzip\r\n", "15ae\r\n"+encoded(t, "gzip", page)), page},
		{"a line end before the first chunk", header(chunked, "\r\n3\r\n<p>\r\n0\r\n\r\n"), "<p>"},
		{"chunks in chunks", header(chunked, halves(halves(page))), page},
		{"chunks in chunks that no header tells of", header(html, halves(halves(page))), page},
		{"gzip in chunks in chunks", header(chunked+"Content-Encoding: gzip\r\n", halves(halves(encoded(t, "gzip", long)))), long},
		{"chunks that no header tells of", header(html, halves(page)), page},
		{"a first chunk that was cut and no header tells of", header(html, "15AE\r\n<html><p>Grüße"), "<html><p>Grüße"},
		{"digits that no header tells of", header(html, "5\r\nhello"), "5\r\nhello"},
		{"no chunks, as crawlers leave it", header(chunked, page), page},
		{"no chunks, though digits", header(chunked, "2024\r\n<p>x</p>"), "2024\r\n<p>x</p>"},
		{"no chunks, digits and words", header(chunked, "2 men\r\n<p>x</p>"), "2 men\r\n<p>x</p>"},
		{"a chunk of absurd size", header(chunked, "ffffffffffffffff\r\n<p>"), "ffffffffffffffff\r\n<p>"},

		{"gzip", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", long)), long},
		{"x-gzip", header(html+"Content-Encoding: X-GZIP\r\n", encoded(t, "gzip", page)), page},
		{"deflate", header(html+"Content-Encoding: deflate\r\n", encoded(t, "deflate", long)), long},
		{"deflate without zlib", header(html+"Content-Encoding: deflate\r\n", encoded(t, "raw deflate", long)), long},
		{"br", header(html+"Content-Encoding: br\r\n", encoded(t, "br", long)), long},
		{"zstd", header(html+"Content-Encoding: zstd\r\n", encoded(t, "zstd", long)), long},
		{"two encodings", header(html+"Content-Encoding: gzip, br\r\n", encoded(t, "br", encoded(t, "gzip", long))), long},
		{"two lines of encodings", header(html+"Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
			encoded(t, "br", encoded(t, "gzip", long))), long},
		{"two lines, encoded once", header(html+"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", encoded(t, "gzip", "Words. "+long)),
			"Words. " + long},
		{"two encodings, of which the first was done", header(html+"Content-Encoding: gzip, br\r\n", encoded(t, "gzip", long)), long},
		{"two encodings, of which the second was done", header(html+"Content-Encoding: br, gzip\r\n", encoded(t, "br", long)), long},
		{"an encoding of the transfer", header(html+"Transfer-Encoding: gzip, chunked\r\n", halves(encoded(t, "gzip", long))), long},
		{"encodings of the transfer and of the content",
			header(html+"Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked\r\n", halves(encoded(t, "gzip", encoded(t, "br", long)))),
			long},
		{"gzip that is said to be br", header(html+"Content-Encoding: br\r\n", encoded(t, "gzip", long)), long},
		{"text that is said to be br", header(html+"Content-Encoding: br\r\n", "Grüße. "+long), "Grüße. " + long},
		{"text that is said to be deflate", header(html+"Content-Encoding: deflate\r\n", "Grüße. "+long), "Grüße. " + long},
		{"text that is said to be zstd", header(html+"Content-Encoding: zstd\r\n", "Grüße. "+long), "Grüße. " + long},
		{"text that is said to be compress", header(html+"Content-Encoding: compress\r\n", "Grüße. "+long), "Grüße. " + long},
		{"few words that are said to be br", header(html+"Content-Encoding: br\r\n", "Grüße."), "Grüße."},
		{"text in another character set", header(html+"Content-Encoding: deflate\r\n", strings.Repeat("\xd0\xf3\xea\xe0 ", 40)),
			strings.Repeat("\xd0\xf3\xea\xe0 ", 40)},
		{"zstd with a large window", header(html+"Content-Encoding: zstd\r\n", wideZstd(t, 16<<20)), unsupportedEncoding},
		{"three encodings", header(html+"Content-Encoding: gzip, br, gzip\r\n", encoded(t, "gzip", page)), unsupportedEncoding},
		{"identity", header(html+"Content-Encoding: identity\r\n", page), page},
		{"chunks of gzip", header(chunked+"Content-Encoding: gzip\r\n", halves(encoded(t, "gzip", long))), long},
		{"no gzip, as crawlers leave it", header(html+"Content-Encoding: gzip\r\n", page), page},
		{"no gzip, nor HTML", header(html+"Content-Encoding: gzip\r\n", "words"), "words"},
		{"no br, as crawlers leave it", header(html+"Content-Encoding: br\r\n", "\n "+page), "\n " + page},
		{"a character set for an encoding", header(html+"Content-Encoding: utf-8\r\n", page), page},
		{"nothing, said to be br", header(html+"Content-Encoding: br\r\n", ""), ""},
		{"another encoding", header(html+"Content-Encoding: compress\r\n", "\x1f\x9dxxx"), unsupportedEncoding},
		{"gzip that no header tells of", header(html, encoded(t, "gzip", long)), long},
		{"zstd that no header tells of", header(html, encoded(t, "zstd", long)), long},
		{"br that no header tells of", header(html, encoded(t, "br", page)), page},
		{"deflate that no header tells of", header(html, encoded(t, "deflate", long)), long},
		{"deflate without zlib that no header tells of", header(html, encoded(t, "raw deflate", long)), long},
		{"zstd that is said to be gzip", header(html+"Content-Encoding: gzip\r\n", encoded(t, "zstd", long)), long},
		{"br that is said to be gzip", header(html+"Content-Encoding: gzip\r\n", encoded(t, "br", long)), long},
		{"deflate that is said to be br", header(html+"Content-Encoding: br\r\n", encoded(t, "deflate", long)), long},
		{"br that is said to be deflate", header(html+"Content-Encoding: deflate\r\n", encoded(t, "br", long)), long},
		{"br that is said to be zstd", header(html+"Content-Encoding: zstd\r\n", encoded(t, "br", long)), long},
		{"gzip twice, said once", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", encoded(t, "gzip", long))), long},
		{"br in gzip, said once", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", encoded(t, "br", long))), long},
		{"gzip twice that no header tells of", header(html, encoded(t, "gzip", encoded(t, "gzip", long))), long},
		{"gzip, then junk", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", page)+"0123456789 junk"), page},
		{"gzip, then few bytes of junk", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", page)+"\r\n"), page},
		{"gzip, then NULs", header(html+"Content-Encoding: gzip\r\n", encoded(t, "gzip", page)+strings.Repeat("\x00", 40)), page},
		{"zstd, then junk", header(html+"Content-Encoding: zstd\r\n", encoded(t, "zstd", page)+"0123456789 junk"), page},
		{"gzip of a resource", made(Resource, "Content-Type: text/html\r\n", encoded(t, "gzip", page)), page},
		{"another format", header(html, "\x89PNG\r\n\x1a\n\x00\x00"), "\x89PNG\r\n\x1a\n\x00\x00"},
		{"continue", httpResponse("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html", page), page},
		{"continue, then not found", httpResponse("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found", page), HTTPStatus},
		{"continue alone", httpResponse("HTTP/1.1 100 Continue", ""), HTTPStatus},
		{"through a proxy", httpResponse("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html", page),
			page},
		{"cut gzip", header(html+"Content-Encoding: gzip\r\n", cut(encoded(t, "gzip", page), 9)), page},
		{"a bad chunk", header(html+"Transfer-Encoding: chunked\r\n", "3\r\n<p>\r\nxyz\r\nGrü"), damagedEncoding},
		{"a segment", strings.Replace(header(html, page), "WARC-Type", "WARC-Segment-Number: 1\r\nWARC-Type", 1), segmented},
		{"gzip without content", header(html+"Content-Encoding: gzip\r\n", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00"), damagedEncoding},
		{"bad gzip", header(html+"Content-Encoding: gzip\r\n", flip(encoded(t, "gzip", page), 12)), damagedEncoding},
		{"bad deflate", header(html+"Content-Encoding: deflate\r\n", "\xff\xff\xff"), damagedEncoding},
		{"bad br", header(html+"Content-Encoding: br\r\n", flip(encoded(t, "br", long), 2)), damagedEncoding},
		{"bad zstd", header(html+"Content-Encoding: zstd\r\n", flip(encoded(t, "zstd", long), 0)), damagedEncoding},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second time with what is left of the first
				list := readAll(t, test.record+test.record, DefaultConfig())
				if len(list) != 2 || list[0].Reason != "" || list[0].Payload != test.want || list[1].Payload != test.want {
					t.Errorf("%.300q, want %.200q", fmt.Sprint(list), test.want)
				}
			}
		})
	}
}

// wideZstd returns a frame of zstd with a window of that size.
func wideZstd(t testing.TB, window int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err = w.Write(bytes.Repeat([]byte("words "), 1000))
		if err := errors.Join(err, w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func cut(s string, n int) string { return s[:len(s)-n] }

// halves sends s in two chunks.
func halves(s string) string {
	half := len(s) / 2
	return fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", half, s[:half], len(s)-half, s[half:])
}

// Few bytes that become many stop at the limit and one byte.
func TestBomb(t *testing.T) {
	const most = 1 << 20
	bomb := strings.Repeat("<p>", 20<<20)
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		payload := encoded(t, encoding, bomb)
		for _, told := range []string{"\r\nContent-Encoding: " + encoding, ""} {
			file := httpResponse("HTTP/1.1 200 OK\r\nContent-Type: text/html"+told, payload)
			r, err := NewReader(strings.NewReader(file), int64(len(file)), DefaultConfig())
			if err != nil {
				t.Fatal(err)
			}
			record, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			decoder := Decoder{MaxPayload: most}
			page, reason, detail := decoder.Page(record)
			if reason != "" || len(page.Payload) != most+1 || string(page.Payload) != bomb[:most+1] {
				t.Errorf("%s%s: %d bytes, %s %s", encoding, told, len(page.Payload), reason, detail)
			}
		}
	}
}

// TestOptOuts: headers in several lines, of which one is for another program.
func TestOptOuts(t *testing.T) {
	file := httpResponse("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: otherbot: noindex\r\n"+
		"x-robots-tag: NoAI, noimageai\r\ntdm-reservation: 1\r\ntdm-policy: https://a.example/policy.json", "<p>a")
	r, err := NewReader(strings.NewReader(file), int64(len(file)), DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	if page, reason, _ := d.Page(record); reason != "" || page.OptOuts.String() != "noai,noimageai,tdm-reservation" {
		t.Errorf("%s %q", reason, page.OptOuts)
	}
}
