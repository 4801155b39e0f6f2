package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
)

// translatedPages are pages in each language, and a file of their sentences for each.
func translatedPages(t *testing.T, languages ...string) (pages, bitext string) {
	t.Helper()
	pages, bitext = t.TempDir(), t.TempDir()
	for _, language := range languages {
		var lines strings.Builder
		for i := range 40 {
			text := page(fmt.Sprintf("This is page %d in %s.", i, language))
			place(t, filepath.Join(pages, language, fmt.Sprintf("%02d.html", i)), []byte("<html><body><p>"+text+"</p></body></html>"))
			fmt.Fprintf(&lines, "Sentence %d of %s.\n", i, language)
		}
		place(t, filepath.Join(bitext, "corpus."+language), []byte(lines.String()))
	}
	return pages, bitext
}

// tatoebaOf is a folder of test data with a pair of Tatoeba.
func tatoebaOf(t *testing.T, text string) string {
	folder := t.TempDir()
	place(t, filepath.Join(folder, "tatoeba", "tatoeba.deu-eng.deu"), []byte(text+"\n"))
	place(t, filepath.Join(folder, "tatoeba", "tatoeba.deu-eng.eng"), []byte("A sentence.\n"))
	return folder
}

// The corpus of a crawl has neither copies nor pages with texts of the tests, and its page accounts for both.
func TestCommonCrawl(t *testing.T) {
	pages, _ := translatedPages(t, "eng")
	copied := page("This is a copy of another page.")
	place(t, filepath.Join(pages, "copy", "1.html"), []byte("<p>"+copied+"</p>"))
	place(t, filepath.Join(pages, "copy", "2.html"), []byte("<p>"+copied+"</p>"))
	tested := "Seven zealous quokkas juggled fluorescent xylophones beside Kilimanjaro's frozen observatory yesterday."
	place(t, filepath.Join(pages, "tested.html"), []byte("<p>Something else is written here about quite another matter. "+tested+
		" Nobody would have thought that before it was seen by those who were there and told the others.</p>"))
	out := filepath.Join(t.TempDir(), "out")
	sentweave(t, "run", "common-crawl", "--out", out, "--quiet", "--set", "input="+pages, "--set", "data="+tatoebaOf(t, tested),
		"--set", "filters=none", "--set", "documents.main=none", "--set", "vocabulary.min-count=0").expect(
		t, 0, []string{filepath.Join(out, "documents.csv")}, nil)
	table, err := os.ReadFile(filepath.Join(out, "documents.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"read,und,in,43", "duplicates,und,near_duplicate,41", "contamination,und,tatoeba.deu-eng deu,1"} {
		if !strings.Contains(string(table), ",documents,"+want+"\n") {
			t.Errorf("the counts lack %q:\n%.3000s", want, table)
		}
	}
}

// The dry run of each recipe that is built in ends with 0 where the run would begin, and with 1 where
// that would not; then the run itself does nothing either.
func TestDryRuns(t *testing.T) {
	shared := ""
	t.Run("test sets", func(t *testing.T) { shared = realdata.Folder(t, "tatoeba", "sts") })
	standIn(t, "")
	pages, bitext := translatedPages(t, "eng", "spa", "fra", "deu")
	absent := filepath.Join(t.TempDir(), "absent")
	table := func(settings ...string) []string {
		return append([]string{"input=" + pages, "data=" + shared, "device=cpu"}, settings...)
	}
	for name, test := range map[string]struct {
		good []string
		bad  map[string]string // a setting in place of a good one, and what is said
		data bool
	}{
		"handbook": {good: []string{"input=" + pages, "engine=identity"}, bad: map[string]string{
			"layout={page}.{language}.html": "only names that match the layout",
			"layout={page}/{language}.html": "reads no known language off any of the 160 files that match it",
			"layout={language}/{page}.htm":  "only names that match the layout",
			"languages=eng,spa,jpn,kor":     `no file is in jpn, kor; there are files in deu, eng, fra, spa`,
			"languages=eng":                 "finds no page that is there in two languages",
			"langid=" + absent:              "--set langid=…: " + absent + " does not exist",
		}},
		"pages": {good: []string{"input=" + pages}, bad: map[string]string{
			"input=" + absent:               "absent does not exist",
			"layout={page}/{language}.html": "reads no known language off any",
		}},
		"pages-encoder": {good: []string{"input=" + pages, "layout={language}/{page}.html"}, bad: map[string]string{
			"layout={page}/{language}.html": "reads no known language off any",
			"layout=":                       "it takes pages of step documents that are translations of each other: give --set layout=…",
			"languages=eng,jpn":             "no file is in jpn",
		}},
		"bitext-encoder": {good: []string{"input=" + bitext}, bad: map[string]string{
			"input=" + pages:    "no input",
			"languages=jpn,kor": "no input is in two of the languages jpn, kor",
		}},
		"xeval": {good: []string{"input=" + partOfSentEval(t), "partial=true", "engine=identity", "languages=spa"},
			bad: map[string]string{"input=" + pages: "step benchmarks"}},
		"common-crawl": {good: []string{"input=" + pages, "data=" + tatoebaOf(t, "Ein Satz.")}, bad: map[string]string{
			"data=" + absent:                "step tatoeba",
			"layout={page}/{language}.html": "reads no known language off any",
		}},
		"cmlm-tatoeba": {good: table("tasks=tatoeba", "languages-measured=fra"),
			bad: map[string]string{"languages=eng,jpn": "no file is in jpn"}, data: true},
		"cmlm-english": {good: table("tasks=sts16"),
			bad: map[string]string{"languages=jpn": "by name in another language than jpn", "data=" + absent: "step results"}, data: true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.data && shared == "" {
				t.Skip("skipped: there are no test sets")
			}
			call := func(dry bool, settings []string) outcome {
				out := filepath.Join(t.TempDir(), "out")
				args := []string{"run", name, "--out", out}
				if dry {
					args = append(args, "--dry-run")
				}
				for _, s := range settings {
					args = append(args, "--set", s)
				}
				o := sentweave(t, args...)
				if _, err := os.Stat(out); err == nil {
					t.Errorf("%q made a folder", args)
				}
				return o
			}
			call(true, test.good).expect(t, 0, []string{"sentweave ", "CPU minutes  output\n"}, []string{"!would not begin"})
			tried := 0
			for setting, want := range test.bad {
				if tried++; tried > 1 && testing.Short() {
					break
				}
				settings := []string{setting}
				key, _, _ := strings.Cut(setting, "=")
				for _, s := range test.good {
					if !strings.HasPrefix(s, key+"=") {
						settings = append(settings, s)
					}
				}
				call(true, settings).expect(t, 1, []string{"CPU minutes  output\n"},
					[]string{"the run would not begin: ", want, "nothing was begun"})
				call(false, settings).expect(t, 1, nil, []string{want, "nothing was begun"})
			}
		})
	}
}
