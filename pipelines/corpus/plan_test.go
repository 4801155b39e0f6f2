package corpus_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/storage/storagetest"
)

// manyPages writes n pages of 3 kB into a new folder.
func manyPages(t testing.TB, n int) string {
	t.Helper()
	root := t.TempDir()
	filler := strings.Repeat("<p>A page has paragraphs.</p>\n", 100)
	for i := range n {
		name := filepath.Join(root, fmt.Sprintf("%03d/%06d.html", i%100, i))
		if i < 100 {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(fmt.Sprintf("<title>%d</title>%s", i, filler)[:3000]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Small files are packed: as many units as the bytes ask for, not as many as
// there are files.
func TestManyFilesMakeFewUnits(t *testing.T) {
	const files = 5_000
	config := pipelinetest.Parse[corpus.Config](t, "--input", manyPages(t, files))
	for _, shardBytes := range []int64{1, 3000, 10_000, 1 << 20, 1 << 30} {
		job, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(shardBytes))
		if err != nil {
			t.Fatal(err)
		}
		if most := files*3000/shardBytes + 1; int64(job.Plan.Units) > most {
			t.Errorf("shards of %d bytes: %d units, at most %d wanted", shardBytes, job.Plan.Units, most)
		}
		if got := job.Plan.Inputs[0]; got.Files != files || got.Bytes != files*3000 {
			t.Errorf("the plan's input is %d files and %d bytes", got.Files, got.Bytes)
		}
	}
}

// Names of one language are one plan, and codes of ISO 639-3 stay as they are, in their order.
func TestLanguagesOfPlan(t *testing.T) {
	root := manyPages(t, 1)
	for flag, want := range map[string]string{
		"--languages=deu,eng": `["deu","eng"]`, "--languages=de,en-GB": `["deu","eng"]`, "--languages=eng,ger": `["eng","deu"]`,
		"--languages=zh-Hant,srp_Latn": `["zho_Hant","srp_Latn"]`, "--languages=": "",
	} {
		config := pipelinetest.Parse[corpus.Config](t, "--input", root, "--langid=embedded", flag)
		job, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]json.RawMessage
		if err := json.Unmarshal(job.Plan.Config, &record); err != nil || string(record["languages"]) != want {
			t.Errorf("%s: %s, %v, want %s", flag, record["languages"], err, want)
		}
	}
}

// Wanted languages that the identifier never answers are named before any page is read, unless a layout tells the languages of pages.
func TestLanguagesOfIdentifier(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "1.bs.html"), []byte("<p>Dobar dan.</p>"), 0o666); err != nil {
		t.Fatal(err)
	}
	const note = "the identifier embedded never answers bos (rather hrv or srp): no document"
	for _, test := range []struct{ args, note, fault string }{
		{"--langid embedded --languages hr,de", "", ""},
		{"--langid embedded --languages bs,hr", note, ""},
		{"--langid embedded --languages bs", "", "languages: the identifier embedded answers none of bos (rather hrv or srp)"},
		{"--langid embedded --languages bs --layout {page}.{language}.html", "", ""},
		{"--langid none --languages bs", "", ""},
	} {
		job, err := pipelinetest.Parse[corpus.Config](t, append(strings.Fields(test.args), "--input", root)...).Plan(t.Context(),
			filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if test.fault != "" {
			if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%s: %v, want %q", test.args, err, test.fault)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(job.Notes, "\n")
		if has := strings.Contains(notes, "never answers"); has != (test.note != "") || !strings.Contains(notes, test.note) {
			t.Errorf("%s: notes %q, want %q", test.args, notes, test.note)
		}
	}
}

// BenchmarkPlan plans a folder of 100,000 pages.
func BenchmarkPlan(b *testing.B) {
	const files = 100_000
	config := pipelinetest.Parse[corpus.Config](b, "--input", manyPages(b, files))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := config.Plan(b.Context(), filepath.Join(b.TempDir(), "out"), pipelinetest.Settings(64<<20)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(files)*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

// A text file under a layout would be one block: its lines may translate those of another.
func TestTextsUnderLayout(t *testing.T) {
	const lines = "A line.\nAnother.\n"
	root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"de/news.txt": lines, "en/news.txt": lines, "en/page.html": lines})
	err := pipelinetest.Fails(t, pipelinetest.Parse[corpus.Config](t, "--input", root, "--layout", "{language}/{page}.txt"),
		pipelinetest.Settings(1<<20))
	if !strings.Contains(err.Error(), "sentweave pairs --kind bitext --input "+root) {
		t.Error(err)
	}
}
