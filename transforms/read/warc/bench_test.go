package warc

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// crawled returns real pages as Common Crawl stores them, request, response and
// metadata of each, and the bytes of HTML.
func crawled(b *testing.B) (records []string, html int64) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(realdata.Folder(b, "main-content"), "main-content", "html", "*.gz"))
	if err != nil || len(files) == 0 {
		b.Skip("skipped: shared/data/main-content holds no page")
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		from, err := gzip.NewReader(file)
		if err != nil {
			b.Fatal(err)
		}
		page, err := io.ReadAll(from)
		if err != nil {
			b.Fatal(err)
		}
		file.Close()
		fields := "WARC-Target-URI: http://a.example/" + filepath.Base(name) + "\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n"
		records = append(records,
			made(Request, fields, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
			made(Response, fields+"Content-Type: application/http; msgtype=response\r\n",
				"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"+string(page)),
			made(Metadata, fields, "fetchTimeMs: 100\r\n"))
		html += int64(len(page))
	}
	return records, html
}

// BenchmarkReader reads pages out of web archives. Bytes are those of HTML.
func BenchmarkReader(b *testing.B) {
	records, html := crawled(b)
	for name, file := range map[string]string{"plain": strings.Join(records, ""), "packed": packed(b, records...)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(html)
			b.ReportAllocs()
			for b.Loop() {
				if n := pagesIn(b, strings.NewReader(file), int64(len(file))); n != len(records)/3 {
					b.Fatalf("%d pages", n)
				}
			}
		})
	}
}

func pagesIn(t testing.TB, source io.ReaderAt, size int64) (pages int) {
	t.Helper()
	config := DefaultConfig()
	config.Types = []string{Response}
	r, err := NewReader(source, size, config)
	if err != nil {
		t.Fatal(err)
	}
	var decoder Decoder
	for {
		record, err := r.Next()
		if err == io.EOF {
			return pages
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, reason, _ := decoder.Page(record); reason == "" {
			pages++
		}
	}
}

// BenchmarkBesideWarcio reads the same file here and by warcio, on one core each, and
// reports how many times longer warcio takes.
func BenchmarkBesideWarcio(b *testing.B) {
	records, html := crawled(b)
	name := filepath.Join(b.TempDir(), "pages.warc.gz")
	if err := os.WriteFile(name, []byte(packed(b, records...)), 0o666); err != nil {
		b.Fatal(err)
	}
	const times = 5
	var seconds float64
	peertest.Answer(b, nil, &seconds, peertest.Python(b, "warcio==1.8.1"), filepath.Join("testdata", "warcio_time.py"), name,
		strconv.Itoa(times))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b.SetBytes(html)
	start, n := time.Now(), 0
	for b.Loop() {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			b.Fatal(err)
		}
		pagesIn(b, file, info.Size())
		file.Close()
		n++
	}
	b.ReportMetric(seconds/times/(time.Since(start).Seconds()/float64(n)), "x-warcio")
}
