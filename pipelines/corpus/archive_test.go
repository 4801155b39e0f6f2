package corpus_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
)

// warcRecord returns a record as crawlers write it.
func warcRecord(kind, uri, fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, uri, fields, len(block), block)
}

// crawl returns the records of a page: request, response and metadata.
func crawl(uri, header, page string) []string {
	return []string{
		warcRecord("request", uri, "", "GET / HTTP/1.1\r\n\r\n"),
		warcRecord("response", uri, "Content-Type: application/http; msgtype=response\r\n", "HTTP/1.1 "+header+"\r\n\r\n"+page),
		warcRecord("metadata", uri, "", "fetchTimeMs: 100"),
	}
}

const found = "200 OK\r\nContent-Type: text/html; charset=utf-8"

// members compresses each record into a gzip member.
func members(t testing.TB, records ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, record := range records {
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, record)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// prose is a paragraph that passes the filters.
func prose(n int) string {
	var list []string
	for i := range 6 {
		list = append(list, pipelinetest.Sentence("eng", 31*n+i))
	}
	return strings.Join(list, " ")
}

func htmlPage(n int) string {
	return pipelinetest.HTML("eng", "page", []string{"<p>" + prose(2*n) + "</p>", "<p>" + prose(2*n+1) + "</p>"})
}

// run makes a corpus of a folder and checks that its funnel balances.
func run(t testing.TB, shardBytes int64, parallelism int, args ...string) (location string, m *dataset.Manifest) {
	t.Helper()
	location, m = pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, args...), pipelinetest.Settings(shardBytes),
		pipelinetest.Plain(parallelism))
	if err := m.Funnel.Check(); err != nil {
		t.Error(err)
	}
	return location, m
}

// became tells what became of each record, by file and offset.
func became(t testing.TB, location string) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		list[fmt.Sprint(d.Source, " ", d.Offset)] = "kept " + d.URL
	}
	for _, r := range pipelinetest.Rejects(t, location) {
		if r.ID == schemas.ID(r.Source, r.Offset) { // others are sentences
			list[fmt.Sprint(r.Source, " ", r.Offset)] = r.Step + " " + r.Reason
		}
	}
	return list
}

// Files, and what becomes of their records.
func TestArchives(t *testing.T) {
	first, second := crawl("http://a.example/", found, htmlPage(0)), crawl("<http://b.example/x y>", found, htmlPage(1))
	text := "A title\n" + prose(0) + "\n" + prose(1)
	const conversion = "Content-Type: text/plain\r\nWARC-Identified-Content-Language: eng\r\n"
	wet := []string{warcRecord("warcinfo", "", "", "x: y"), warcRecord("conversion", "http://a.example/", conversion, text)}
	at := len(strings.Join(first, "")) + len(second[0])
	for _, test := range []struct {
		name, content string
		args          []string
		want          map[string]string
	}{
		{"a.warc", strings.Join(append(first, second...), ""), nil, map[string]string{
			fmt.Sprint("a.warc ", len(first[0])): "kept http://a.example/", fmt.Sprint("a.warc ", at): "kept http://b.example/x%20y"}},
		{"a.warc.gz", members(t, append(first, second...)...), nil, map[string]string{
			fmt.Sprint("a.warc.gz ", len(members(t, first[0]))):                    "kept http://a.example/",
			fmt.Sprint("a.warc.gz ", len(members(t, append(first, second[0])...))): "kept http://b.example/x%20y"}},
		{"named otherwise", strings.Join(first, ""), []string{"--format", "warc"},
			map[string]string{fmt.Sprint("named otherwise ", len(first[0])): "kept http://a.example/"}},
		{"a.warc.wet.gz", members(t, wet...), nil,
			map[string]string{fmt.Sprint("a.warc.wet.gz ", len(members(t, wet[0]))): "kept http://a.example/"}},
		{"a.wet", strings.Join(wet, ""), nil, map[string]string{fmt.Sprint("a.wet ", len(wet[0])): "kept http://a.example/"}},

		{"gone.warc", strings.Join(crawl("http://a.example/", "404 Not Found\r\nContent-Type: text/html", htmlPage(0)), ""), nil,
			map[string]string{fmt.Sprint("gone.warc ", len(first[0])): "read http_status"}},
		{"image.warc", warcRecord("resource", "file:///a.png", "Content-Type: image/png\r\n", "\x89PNG"), nil,
			map[string]string{"image.warc 0": "read not_html"}},
		{"empty page.warc", warcRecord("resource", "file:///a", "Content-Type: text/html\r\n", ""), nil,
			map[string]string{"empty page.warc 0": "parse empty"}},
		{"empty.wet", warcRecord("conversion", "http://a.example/", conversion, "") + warcRecord("conversion", "http://b.example/",
			conversion, "a\x00b"), nil,
			map[string]string{"empty.wet 0": "read empty",
				fmt.Sprint("empty.wet ", len(warcRecord("conversion", "http://a.example/", conversion, ""))): "read binary"}},
		{"latin1.wet", warcRecord("conversion", "http://a.example/", conversion, strings.Repeat("caf\xe9 ", 99)), nil,
			map[string]string{"latin1.wet 0": "read invalid_encoding"}},
		{"cut.warc.gz", members(t, first...)[:300], nil,
			map[string]string{fmt.Sprint("cut.warc.gz ", len(members(t, first[0]))): "read damaged_gzip"}},
		{"digest.warc", warcRecord("resource", "file:///a",
			"Content-Type: text/html\r\nWARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n", htmlPage(0)),
			[]string{"--verify-digests"},
			map[string]string{"digest.warc 0": "read digest_mismatch"}},
		{"no bytes.warc.gz", "", nil, map[string]string{"no bytes.warc.gz 0": "read no_pages"}},
		{"html.warc", htmlPage(0), nil, map[string]string{"html.warc 0": "read not_warc"}},
		{"arc.warc.gz", members(t, "filedesc://a.arc 0.0.0.0 20140301000000 text/plain 9\n"), nil,
			map[string]string{"arc.warc.gz 0": "read arc"}},
		{"texts.warc.gz", members(t, wet...), nil, map[string]string{"texts.warc.gz 0": "read no_pages"}},
		{"requests.warc", first[0] + first[2], nil, map[string]string{"requests.warc 0": "read no_pages"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			pipelinetest.File(t, root, test.name, test.content)
			location, _ := run(t, 1<<20, 1, append([]string{"--input", root}, test.args...)...)
			if diff := cmp.Diff(test.want, became(t, location)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The rows of a page are those that its HTML gives as a file, with address and date;
// the rows of a text in a WET file are those of its lines, if files of text are judged, too.
func TestArchiveRows(t *testing.T) {
	text := "A title of the page\n" + prose(0) + "\n" + prose(1) + "\n"
	const fields = "WARC-Identified-Content-Language: spa,eng\r\n"
	root := t.TempDir()
	for name, content := range map[string]string{
		"page.html": htmlPage(0), "page.warc.gz": members(t, crawl("http://a.example/", found, htmlPage(0))...),
		"text.txt": strings.ReplaceAll(text, "\n", "\n\n"), "text.wet": warcRecord("conversion", "http://a.example/", fields, text),
	} {
		pipelinetest.File(t, root, name, content)
	}
	location, _ := run(t, 1<<20, 1, "--input", root, "--main", "sentences")
	rows := map[string]schemas.Document{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		rows[d.Source] = d
	}
	const date = 1715997490000 // date -d 2024-05-18T01:58:10Z +%s
	for plain, archived := range map[string]string{"page.html": "page.warc.gz", "text.txt": "text.wet"} {
		want, got := rows[plain], rows[archived]
		if got.URL != "http://a.example/" || got.Date != date || got.ID != schemas.ID(archived, got.Offset) {
			t.Errorf("%s: %s %d %s", archived, got.URL, got.Date, got.ID)
		}
		if archived == "text.wet" { // the input states its language, and nothing identifies another
			if got.Language != "spa" || want.Language != "und" {
				t.Errorf("%s is in %s, %s in %s", plain, want.Language, archived, got.Language)
			}
			want.Language, want.DeclaredLanguage = got.Language, "spa"
			for i := range want.Sentences {
				want.Sentences[i].Language = got.Language
			}
		}
		want.ID, want.Source, want.Offset, want.URL, want.Date = got.ID, got.Source, got.Offset, got.URL, got.Date
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", archived, diff)
		}
	}
}

// writeArchives writes files of many pages and returns their number.
func writeArchives(t testing.TB, root string, files, each int) int {
	t.Helper()
	for i := range files {
		var records []string
		for k := range each {
			n := i*each + k
			status := found
			if k%5 == 4 {
				status = "404 Not Found"
			}
			records = append(records, crawl(fmt.Sprintf("http://a.example/%d", n), status, htmlPage(n))...)
		}
		name, content := fmt.Sprintf("%02d.warc.gz", i), members(t, records...)
		if i%2 == 1 {
			name, content = fmt.Sprintf("sub/%02d.warc", i), strings.Join(records, "")
		}
		pipelinetest.File(t, root, name, content)
	}
	return files * each
}

// Parallelism changes no byte, and the size of units no row.
func TestArchivesGiveTheSameBytes(t *testing.T) {
	root := t.TempDir()
	pages := writeArchives(t, root, 6, 25)
	first, m := run(t, 20<<10, 1, "--input", root)
	if n := int64(pages); m.Funnel.Chains[0].Steps[0].Total().In != n || m.Rows != n*4/5 {
		t.Errorf("%d rows of %d", m.Rows, n)
	}
	if m.Plan.Units < 3 {
		t.Errorf("%d units", m.Plan.Units)
	}
	want := pipelinetest.Digests(t, first)
	again, _ := run(t, 20<<10, 4, "--input", root)
	if diff := cmp.Diff(want, pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	for _, shardBytes := range []int64{3000, 1 << 30} {
		if _, other := run(t, shardBytes, 2, "--input", root); other.ContentXXH3 != m.ContentXXH3 || other.Rows != m.Rows {
			t.Errorf("shards of %d bytes: content %s of %d rows, want %s of %d", shardBytes, other.ContentXXH3, other.Rows, m.ContentXXH3,
				m.Rows)
		}
	}
}

// Documents, rejects and counts of archives are those of the whole files, whatever their ranges are.
func TestRangesOfArchives(t *testing.T) {
	root := t.TempDir()
	pages := writeArchives(t, root, 1, 60)
	whole, err := os.ReadFile(filepath.Join(root, "00.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	nested := warcRecord("response", "http://b.example/", "Content-Type: application/http\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"+prose(1)+string(whole))
	files := map[string]string{
		"nested.warc.gz":  members(t, nested) + string(whole),
		"damaged.warc.gz": string(whole[:9000]) + "x" + string(whole[9001:]),
		"one.warc.gz":     members(t, strings.Join(crawl("http://c.example/", found, htmlPage(pages)), "")),
		"none.warc.gz":    strings.Repeat(members(t, warcRecord("request", "http://d.example/", "", "GET / HTTP/1.1\r\n\r\n")), 99),
	}
	for name, content := range files {
		pipelinetest.File(t, root, name, content)
	}
	args := []string{"--input", root, "--sample", ".8", "--verify-digests"}
	location, m := run(t, 1<<30, 1, args...)
	want := became(t, location)
	for _, shardBytes := range []int64{400, 7000} {
		other, of := run(t, shardBytes, 3, args...)
		if diff := cmp.Diff(want, became(t, other)); diff != "" || of.ContentXXH3 != m.ContentXXH3 || of.Plan.Units < 10 {
			t.Errorf("shards of %d bytes: %s", shardBytes, diff)
		}
		if diff := cmp.Diff(m.Funnel, of.Funnel); diff != "" {
			t.Errorf("shards of %d bytes: %s", shardBytes, diff)
		}
	}
	if got := want["none.warc.gz 0"]; got != "read no_pages" {
		t.Errorf("a file without pages: %s", got)
	}
	// A record that is not compressed shows the archive in it.
	root = t.TempDir()
	large := warcRecord("response", "http://b.example/", "", strings.Repeat(string(whole), 1+400<<10/len(whole)))
	file := members(t, crawl("http://c.example/", found, htmlPage(0))...) + large +
		members(t, crawl("http://d.example/", found, htmlPage(1))...)
	pipelinetest.File(t, root, "a.warc.gz", file)
	job, err := pipelinetest.Parse[corpus.Config](t, "--input", root).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
		pipelinetest.Settings(int64(len(file))/2))
	if err != nil {
		t.Fatal(err)
	}
	_, err = pipelinetest.Plain(2)(t.Context(), job)
	if way := fmt.Sprint("give --shard-bytes=", len(file)); err == nil || !strings.Contains(err.Error(), way) {
		t.Error(err)
	}
	if _, m := run(t, int64(len(file)), 1, "--input", root); m.Rows != 2 {
		t.Errorf("%d documents", m.Rows)
	}
}

// Each page is in one part, by its address: the same in every file.
func TestPartsOfArchives(t *testing.T) {
	root, moved := t.TempDir(), t.TempDir()
	pages := writeArchives(t, root, 2, 40)
	var records []string
	for n := range pages {
		records = append(records, crawl(fmt.Sprintf("http://a.example/%d", n), found, htmlPage(n))...)
	}
	slices.Reverse(records)
	pipelinetest.File(t, moved, "all.warc.gz", members(t, records...))
	seen := map[string]int{}
	for part := range 3 {
		args := []string{"--pages-modulus", "3", "--pages-ranks", fmt.Sprint(part)}
		location, m := run(t, 1<<20, 1, append(args, "--input", root)...)
		if m.Rows == 0 {
			t.Errorf("part %d is empty", part)
		}
		elsewhere := map[string]bool{}
		other, _ := run(t, 1<<20, 1, append(args, "--input", moved)...)
		for _, d := range pipelinetest.Rows[schemas.Document](t, other) {
			elsewhere[d.URL] = true
		}
		for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
			if seen[d.URL]++; !elsewhere[d.URL] {
				t.Errorf("%s is in part %d of one crawl alone", d.URL, part)
			}
		}
	}
	if len(seen) != pages*4/5 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
		t.Errorf("%d of %d pages in the parts", len(seen), pages*4/5)
	}
}

// A record is traced by its address, its place and its id.
func TestTraceArchive(t *testing.T) {
	root := t.TempDir()
	writeArchives(t, root, 2, 5)
	config := pipelinetest.Parse[corpus.Config](t, "--input", root)
	job, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	trace := func(wanted string) (list []document.Outcome) {
		n, err := config.Trace(t.Context(), job.Units, wanted, func(o *document.Outcome) error {
			list = append(list, *o)
			return nil
		})
		if err != nil || n != len(list) {
			t.Fatalf("%s: %d of %d, %v", wanted, n, len(list), err)
		}
		return list
	}
	one := trace("http://a.example/7")
	if len(one) != 1 || !one[0].Kept() || one[0].Document.Source != "sub/01.warc" {
		t.Fatalf("%+v", one)
	}
	d := one[0].Document
	for _, wanted := range []string{d.ID, fmt.Sprintf("%s:%d", d.Source, d.Offset)} {
		if got := trace(wanted); len(got) != 1 || got[0].Document.ID != d.ID || len(got[0].Sentences) != len(one[0].Sentences) {
			t.Errorf("%s: %+v", wanted, got)
		}
	}
	if got := trace("http://a.example/9"); len(got) != 1 || got[0].Reason != "http_status" || got[0].Detail != "404" {
		t.Errorf("%+v", got)
	}
	if got := trace("sub/01.warc"); len(got) != 5 {
		t.Errorf("%d records of a file", len(got))
	}
	for _, wanted := range []string{fmt.Sprintf("%s:%d", d.Source, d.Offset+1), "sub/02.warc:0", "http://a.example:80"} {
		if got := trace(wanted); len(got) != 0 {
			t.Errorf("%s: %+v", wanted, got)
		}
	}
}

// The real files, counted by `zcat FILE | grep -a WARC-Type` and, where it reads them,
// by warcio: 12 responses, 3 of them JSON; 4 resources, 3 of them no HTML; 2 texts; a
// file of requests alone; and the text SOURCE.txt. Other formats are left out by name.
func TestRealArchives(t *testing.T) {
	root := filepath.Join(realdata.Folder(t, "warc"), "warc")
	location, m := run(t, 1<<20, 2, "--input", root, "--min-sentences", "1", "--min-document-characters", "1")
	documents := m.Funnel.Chains[0].Steps[0].Total()
	want := map[string]int64{"not_html": 6, "no_pages": 1}
	if diff := cmp.Diff(want, documents.Dropped); diff != "" {
		t.Error(diff)
	}
	if kept := int64(13); documents.Out != kept || documents.In != kept+7 { // SOURCE.txt among them
		t.Errorf("%d in, %d out", documents.In, documents.Out)
	}
	addresses := map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		addresses[d.URL]++
	}
	if addresses["https://an.wikipedia.org/wiki/Escopete"] != 4 || addresses["http://example.com/"] != 7 ||
		addresses["http://www.iana.org/"] != 1 {
		t.Error(addresses)
	}
	job, err := pipelinetest.Parse[corpus.Config](t, "--input", root).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
		pipelinetest.Settings(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(job.Notes, "\n")
	for _, part := range []string{"4 of 23 files are left out, such as bad.arc: ARC files", "warcio recompress",
		"1 of 23 files is left out, whirlwind.warc.wat.gz: WAT files"} {
		if !strings.Contains(notes, part) {
			t.Errorf("%q is not in %s", part, notes)
		}
	}
}

// Archives that are compressed by Zstandard give the pages that those of gzip give.
func TestZstandardArchives(t *testing.T) {
	records := slices.Concat(crawl("http://a.example/", found, htmlPage(0)), crawl("http://b.example/", found, htmlPage(1)))
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var frames []byte
	for _, record := range records {
		frames = encoder.EncodeAll([]byte(record), frames)
	}
	root := t.TempDir()
	pipelinetest.File(t, root, "a.warc.gz", members(t, records...))
	pipelinetest.File(t, root, "b.warc.zst", string(frames))
	location, _ := run(t, 1<<20, 1, "--input", root)
	texts := map[string][]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		texts[d.Source] = append(texts[d.Source], d.URL+" "+d.Sentences[0].Text)
	}
	if diff := cmp.Diff(texts["a.warc.gz"], texts["b.warc.zst"]); diff != "" || len(texts["b.warc.zst"]) != 2 {
		t.Errorf("%v\n%s", texts, diff)
	}
}

// A folder that holds nothing but other archives is refused with what to give.
func TestOtherArchives(t *testing.T) {
	for name, want := range map[string]string{"a.warc.wat.gz": "give the .warc.gz or .warc.wet.gz files", "a.arc.gz": "warcio recompress",
		"a.warc.wat.zst": "give the .warc.gz"} {
		root := t.TempDir()
		pipelinetest.File(t, root, name, "x")
		_, err := pipelinetest.Parse[corpus.Config](t, "--input", root).Plan(t.Context(), filepath.Join(t.TempDir(), "out"),
			pipelinetest.Settings(1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkArchive makes documents of real pages in a WARC file, without a language
// model. Bytes are those of HTML.
func BenchmarkArchive(b *testing.B) {
	pages, err := filepath.Glob(filepath.Join(realdata.Folder(b, "main-content"), "main-content", "html", "*.gz"))
	if err != nil || len(pages) == 0 {
		b.Skip("skipped: shared/data/main-content holds no page")
	}
	var records []string
	var size int64
	for _, name := range pages {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		from, err := gzip.NewReader(file)
		if err != nil {
			b.Fatal(err)
		}
		page, err := io.ReadAll(from)
		if err := errors.Join(err, file.Close()); err != nil {
			b.Fatal(err)
		}
		size += int64(len(page))
		records = append(records, crawl("http://a.example/"+filepath.Base(name), found, string(page))...)
	}
	root := b.TempDir()
	pipelinetest.File(b, root, "pages.warc.gz", members(b, records...))
	config := pipelinetest.Parse[corpus.Config](b, "--input", root)
	b.SetBytes(size)
	for b.Loop() {
		output := filepath.Join(b.TempDir(), "out")
		pipelinetest.RunTo(b, config, output, pipelinetest.Settings(1<<30), pipelinetest.Plain(1))
		if _, err := dataset.Load(b.Context(), storage.NewLocal(output)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(pages)*b.N)/b.Elapsed().Seconds(), "pages/s")
}
