package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
)

func gzipped(f testing.TB, content string) []byte {
	f.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// Whatever a list holds, the names that it gives are those of files below the input.
func FuzzPaths(f *testing.F) {
	f.Add([]byte("a.warc.gz\nsub/b.html\r\n\n \ufeffc.txt"))
	f.Add([]byte("../a.html\n/b.html\ngs://c/d.html\na//b.html\n\xff.html\n"))
	f.Add(gzipped(f, "a.html\nb.html\na.html\n"))
	f.Add(gzipped(f, strings.Repeat("x", 9_000))[:20])
	root := f.TempDir()
	list := filepath.Join(root, "list.paths")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(list, data, 0o666); err != nil {
			t.Fatal(err)
		}
		names, err := Config{Paths: list, Format: formatAuto}.readPaths(t.Context(), "out/")
		if (len(names) == 0) != (err != nil) {
			t.Fatalf("%d names, error %v", len(names), err)
		}
		if err != nil && len(err.Error()) > 50_000 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
		for name, line := range names {
			if !filepath.IsLocal(filepath.FromSlash(name)) || storage.CheckName(name) != nil || line < 1 ||
				strings.HasPrefix(name, "out/") {
				t.Errorf("line %d: %q", line, name)
			}
		}
	})
}

// Compressed files of all formats, whole or damaged, give records or an error, and no
// more than they hold.
func FuzzCompressed(f *testing.F) {
	var names []string
	for _, one := range formats {
		names = append(names, "a"+one.extensions[0]+".gz")
	}
	kind := func(name string) uint8 {
		return uint8(slices.IndexFunc(formats, func(one *format) bool { return one.name == name }))
	}
	for i := range formats { // what holds next to nothing
		for _, odd := range []string{"\n", " \n\n", "-\n", "1\n\n2\n", "<>", "[]\n", "{}\n"} {
			f.Add(uint8(i), gzipped(f, odd))
		}
	}
	f.Add(kind("html"), gzipped(f, "<p>hello"))
	f.Add(kind("text"), gzipped(f, "one\n\ntwo\n"))
	f.Add(kind("markdown"), gzipped(f, "# one\n\n- two\n"))
	f.Add(kind("jsonl"), gzipped(f, `{"text": "hello"}`+"\n"))
	record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: 24\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<p>hi\r\n\r\n"
	f.Add(kind("warc"), gzipped(f, record))
	f.Add(kind("warc"), []byte(record))
	f.Add(kind("wet"), gzipped(f, strings.ReplaceAll(record, "response", "conversion")))
	f.Add(kind("html"), gzipped(f, strings.Repeat("<p>", 50_000))[:60])
	f.Add(kind("text"), append(gzipped(f, "one\n"), "rest"...))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		name := names[int(kind)%len(names)]
		if err := os.WriteFile(filepath.Join(root, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, documents := range []string{documentsFile, documentsLine} {
			r := recordReader{config: Config{Format: formatAuto, Documents: documents, TextField: "text"}, folder: storage.NewLocal(root)}
			size, records := int64(len(data)), 0
			err := r.records(t.Context(), dataset.Span{Name: name, To: size}, func(record document.Record) error {
				if records++; len(record.HTML) > maxRecord+1 || len(record.Text) > maxRecord+1 {
					t.Errorf("a record of %d and %d bytes", len(record.HTML), len(record.Text))
				}
				if record.Reason == "" && record.HTML == nil && record.Text == "" {
					t.Error("a record with neither HTML nor text nor reason")
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", name, len(data), err)
			}
		}
	})
}
