package warc

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// counted reads a file and returns how many records of each type it has, with pages
// and reasons.
func counted(t testing.TB, name string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, s := range readAll(t, string(data), DefaultConfig()) {
		switch {
		case s.Reason != "":
			n["- "+s.Reason]++
			continue
		case strings.HasPrefix(s.Payload, "<"):
			n["pages"]++
		case s.Type == Response || s.Type == Resource:
			n["- "+s.Payload]++
		}
		n[s.Type]++
	}
	return n
}

// Records of real files, by the lines "WARC-Type: …" that `zcat FILE | grep -a` finds
// and, where it reads the file, by `warcio index`; pages by the responses in them.
func TestRealFiles(t *testing.T) {
	root := filepath.Join(realdata.Folder(t, "warc"), "warc")
	for name, want := range map[string]map[string]int{
		"whirlwind.warc":        {"warcinfo": 1, "request": 1, "response": 1, "metadata": 1, "pages": 1},
		"whirlwind.warc.gz":     {"warcinfo": 1, "request": 1, "response": 1, "metadata": 1, "pages": 1},
		"whirlwind.warc.wet":    {"warcinfo": 1, "conversion": 1},
		"whirlwind.warc.wet.gz": {"warcinfo": 1, "conversion": 1},
		"whirlwind.warc.wat.gz": {"warcinfo": 1, "metadata": 1},
		"example.warc":          {"warcinfo": 2, "response": 1, "request": 2, "revisit": 1, "pages": 1},
		"example.warc.gz":       {"warcinfo": 2, "response": 1, "request": 2, "revisit": 1, "pages": 1},
		// One member for all records, which warcio refuses.
		"example-bad-non-chunked.warc.gz": {"warcinfo": 2, "response": 1, "request": 2, "revisit": 1, "pages": 1},
		"example-bad.warc.gz.bad":         {"warcinfo": 1, "response": 2, "request": 2, "revisit": 1, "pages": 1, "- http_status": 1},
		// A member ends within the first record, where warcio gives up.
		"example-wrong-chunks.warc.gz": {"response": 1, "request": 1, "pages": 1},
		// Two bytes of a compressed page are behind its record.
		"example-trunc.warc":                  {"warcinfo": 2, "response": 1, "request": 1, "pages": 1},
		"example-digest.warc":                 {"request": 4},
		"example-iana.org-chunked.warc":       {"warcinfo": 1, "response": 1, "request": 1, "pages": 1},
		"example-resource.warc.gz":            {"warcinfo": 2, "resource": 1, "pages": 1},
		"example-space-in-target-uri.warc.gz": {"warcinfo": 1, "resource": 1, "- not_html": 1},
		"example-wget-bad-target-uri.warc.gz": {"warcinfo": 1, "request": 1, "response": 1, "resource": 2, "metadata": 1, "pages": 1,
			"- not_html": 2},
		"post-test.warc.gz":             {"response": 3, "request": 3, "- not_html": 3},
		"bad.arc":                       {"- arc": 1},
		"example.arc":                   {"- arc": 1},
		"example.arc.gz":                {"- arc": 1},
		"example-space-in-url.arc":      {"- arc": 1},
		"CC-MAIN-2024-22.warc.paths.gz": {"- not_warc": 1},
	} {
		if diff := cmp.Diff(want, counted(t, filepath.Join(root, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// peerRecord is a record as warcio reads it.
type peerRecord struct {
	File            string
	Offset          int64
	Type, URI, Date string
	Length          int
	Status, Media   string
	SHA1            string `json:"sha1"`
}

// peerRecords are the records of files that warcio reads.
func peerRecords(t testing.TB, files ...string) []peerRecord {
	t.Helper()
	args := append([]string{filepath.Join("testdata", "warcio_records.py")}, files...)
	return peertest.Values[peerRecord](t, peertest.Output(t, nil, peertest.Python(t, "warcio==1.8.1"), args...))
}

// comparePeer reads files and compares what is in each record with what warcio
// read: place, type, address, length, and the decoded content of pages.
func comparePeer(t *testing.T, files ...string) {
	t.Helper()
	want := map[string][]peerRecord{}
	for _, p := range peerRecords(t, files...) {
		want[p.File] = append(want[p.File], p)
	}
	records, pages := 0, 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(file, info.Size(), DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		var decoder Decoder
		for i := 0; ; i++ {
			record, err := r.Next()
			if err == io.EOF {
				if i != len(want[name]) {
					t.Errorf("%s: %d records, warcio finds %d", name, i, len(want[name]))
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if i >= len(want[name]) {
				t.Errorf("%s: warcio finds no record %d", name, i)
				break
			}
			p := want[name][i]
			got := fmt.Sprintln(record.Offset, record.Type, record.TargetURI(), len(record.Block), record.Reason)
			if peer := fmt.Sprintln(p.Offset, p.Type, strings.Trim(p.URI, "<>"), p.Length, ""); got != peer {
				t.Errorf("%s: %s, warcio: %s", name, got, peer)
			}
			records++
			page, reason, _ := decoder.Page(record)
			if isPage := p.Type == Response && p.Status == "200" && p.Media == "text/html"; record.Type == Response &&
				isPage != (reason == "") {
				t.Errorf("%s at %d: %q, warcio: status %s, %s", name, p.Offset, reason, p.Status, p.Media)
			} else if isPage {
				pages++
				if sum := sha1.Sum(page.Payload); hex.EncodeToString(sum[:]) != p.SHA1 {
					t.Errorf("%s at %d: another content of %d bytes than warcio's", name, p.Offset, len(page.Payload))
				}
			}
		}
		file.Close()
	}
	t.Logf("%d records, %d pages", records, pages)
}

func TestRealFilesBesideWarcio(t *testing.T) {
	root := filepath.Join(realdata.Folder(t, "warc"), "warc")
	var files []string
	for _, name := range []string{
		"whirlwind.warc", "whirlwind.warc.gz", "whirlwind.warc.wet", "whirlwind.warc.wet.gz", "whirlwind.warc.wat.gz", "example.warc",
		"example.warc.gz",
		"example-trunc.warc", "example-digest.warc", "example-iana.org-chunked.warc", "example-resource.warc.gz",
		"example-space-in-target-uri.warc.gz",
		"example-wget-bad-target-uri.warc.gz", "post-test.warc.gz",
	} {
		files = append(files, filepath.Join(root, name))
	}
	comparePeer(t, files...)
}

// Every way to send a page that both read.
func TestBesideWarcio(t *testing.T) {
	const html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
	page := "<html>" + strings.Repeat("<p>Grüße, Jürgen!</p>\n", 3000)
	contents := map[string]string{
		"plain": html + "\r\n" + page, "no content": html + "\r\n", "not found": strings.Replace(html, "200 OK", "404 Not Found", 1) +
			"\r\n" + page,
		"text": strings.Replace(html, "text/html", "text/plain", 1) + "\r\n" + page, "chunks": html + "Transfer-Encoding: chunked\r\n\r\n" +
			halves(page),
		"chunks claimed": html + "Transfer-Encoding: chunked\r\n\r\n" + page, "gzip claimed": html + "Content-Encoding: gzip\r\n\r\n" +
			page,
		"chunks of gzip": html + "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" + halves(encoded(t, "gzip", page)),
	}
	for _, encoding := range []string{"gzip", "deflate"} { // warcio 1.8.1 fails on brotli 1.2
		contents[encoding] = html + "Content-Encoding: " + encoding + "\r\n\r\n" + encoded(t, encoding, page)
	}
	var records []string
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		fields := "Content-Type: application/http; msgtype=response\r\nWARC-Date: 2024-05-18T01:58:10Z\r\nWARC-Target-URI: http://a.example/" + strings.ReplaceAll(name,
			" ", "-") + "\r\n"
		records = append(records, made(Response, fields, contents[name]), made("metadata", "WARC-Date: 2024-05-18T01:58:10Z\r\n", name))
	}
	root := t.TempDir()
	var files []string
	for name, content := range map[string]string{"plain.warc": strings.Join(records, ""), "packed.warc.gz": packed(t, records...)} {
		files = append(files, filepath.Join(root, name))
		if err := os.WriteFile(files[len(files)-1], []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	comparePeer(t, files...)
}
