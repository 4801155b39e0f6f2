package corpus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// The record of a dataset decides its identity: what datasets have must
// stay what it is, however many filters there are. The records are those of a program
// that had no list of filters.
func TestFiltersInTheRecord(t *testing.T) {
	const rest = `"date_field":"date","documents":"file","format":"auto","language_field":"language","main":"model","min_language_score":0.5,"other_language_score":0.5,"pages_modulus":0,"pages_ranks":null,"text_field":"text","url_field":"url"`
	root := t.TempDir()
	pipelinetest.File(t, root, "a.txt", "No.")
	for args, want := range map[string]string{
		"":                                     `"max_characters":500,"min_characters":10,"min_document_characters":100,"min_sentences":2,"repetition":true`,
		"--no-repetition":                      `"max_characters":500,"min_characters":10,"min_document_characters":100,"min_sentences":2,"repetition":false`,
		"--c4 --min-sentences 3":               `"c4":true,"max_characters":500,"min_characters":10,"min_document_characters":100,"min_sentences":3,"repetition":true`,
		"--filters none":                       `"filters":["none"]`,
		"--filters none --scores":              `"filters":["none"],"scores":true`,
		"--filters c4,cc-net":                  `"filters":["cc-net","c4"],"min_document_characters":100,"min_sentences":2`,
		"--filters cc-net,c4":                  `"filters":["cc-net","c4"],"min_document_characters":100,"min_sentences":2`,
		"--filters stopes --max-characters 60": `"filters":["stopes"],"max_characters":60,"min_characters":10`,
	} {
		plan := func(config corpus.Config) string {
			job, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<20))
			if err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			return string(job.Plan.Config)
		}
		record := plan(pipelinetest.Parse[corpus.Config](t, append([]string{"--input", root}, strings.Fields(args)...)...))
		var got, wanted map[string]any
		if err := errors.Join(json.Unmarshal([]byte(record), &got), json.Unmarshal([]byte("{"+rest+","+want+"}"), &wanted)); err != nil {
			t.Fatal(err)
		}
		delete(got, "main_hash") // of the models
		delete(got, "lines_hash")
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
		// Trace goes by the record.
		read := corpus.Config{Input: root}
		if err := json.Unmarshal([]byte(record), &read); err != nil {
			t.Fatal(err)
		}
		if again := plan(read); again != record {
			t.Errorf("%s: %s after %s", args, again, record)
		}
	}
}

// Filters run in the order of their list, however they are named, and the funnel has what they drop.
func TestFilters(t *testing.T) {
	root := t.TempDir()
	pipelinetest.File(t, root, "a.txt", prose(0)+" No. JavaScript.\n\n"+prose(1)+" Here is a { bracket in it.") // 15 sentences
	pipelinetest.File(t, root, "b.txt", "No.")
	for args, want := range map[string]map[string]int64{
		"": {"sentences quality too_short": 2, "documents quality too_few_sentences": 1},
		"--c4": {"sentences quality too_short": 2, "documents quality too_few_sentences": 1,
			"documents quality curly_bracket": 1, "sentences document document_dropped": 13, "sentences quality javascript": 1},
		"--filters c4": {"sentences quality javascript": 1, "documents quality curly_bracket": 1,
			"sentences document document_dropped": 14},
		"--filters stopes": {"sentences quality too_short": 2},
		"--filters cc-net": {"documents quality too_few_sentences": 1, "sentences document document_dropped": 1},
		"--filters none":   {},
		"--filters gopher-repetition,stopes --min-characters 15": {"sentences quality too_short": 3},
	} {
		_, m := run(t, 1<<20, 1, append([]string{"--input", root}, strings.Fields(args)...)...)
		if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
}

func TestFiltersMisuse(t *testing.T) {
	for args, want := range map[string][]string{
		"--filters gopher":                              {`"gopher" is not a filter`, "stopes, cc-net, c4, gopher-repetition"},
		"--filters stopes,stopes":                       {"stopes occurs twice"},
		"--filters none,stopes":                         {"none stands alone"},
		"--filters none --min-characters 9":             {"min-characters has no effect without the filter stopes"},
		"--filters stopes --c4":                         {"--c4 and --no-repetition change the default filters"},
		"--filters stopes --no-repetition":              {"--c4 and --no-repetition change the default filters"},
		"--filters stopes,fasttext":                     {"quality-model is empty: give the filter fasttext a model"},
		"--filters stopes --quality-model x":            {"quality-model has no effect without the filter fasttext"},
		"--filters stopes,perplexity":                   {"perplexity-model is empty: give the filter perplexity language models"},
		"--min-language-score .7 --langid none":         {"min-language-score has no effect without langid"},
		"--other-language-score 1":                      {"other-language-score has no effect without langid"},
		"--quality-label hq":                            {"quality-model is empty: give the filter fasttext a model"},
		"--min-sentences=-1 --min-characters":           {"expected"},
		"--min-sentences=-1 --filters=stopes,cc-net,c5": {"min-sentences -1", `"c5"`}, // all at once
	} {
		_, err := pipelinetest.Configure[corpus.Config](append([]string{"--input", t.TempDir()}, strings.Fields(args)...)...)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want an error with %q", args, err, part)
			}
		}
	}
}

// Filters that measure drop nothing, and say of each document what they do with it otherwise, at any parallelism.
func TestScores(t *testing.T) {
	root := t.TempDir()
	pipelinetest.Corpus{Pages: 6, Paragraphs: 3, Languages: []string{"eng", "deu"}}.WriteTo(t, root)
	refrain := strings.Repeat("Buy now and save, only here and only today, red shoes. ", 9)
	pipelinetest.File(t, root, "a.txt", prose(0)+" No. JavaScript.\n\n"+prose(1)+" Here is a { bracket in it.")
	pipelinetest.File(t, root, "b.txt", "No.")
	pipelinetest.File(t, root, "c.txt", refrain)
	pipelinetest.File(t, root, "d.html", htmlPage(3))
	args := []string{"--input", root, "--filters", "stopes,cc-net,c4,gopher-repetition,fineweb"}
	dropping, _ := run(t, 1<<20, 1, args...)
	location, m := run(t, 1<<20, 1, append(args, "--scores")...)
	if _, parallel := run(t, 1<<20, 3, append(args, "--scores")...); parallel.ContentXXH3 != m.ContentXXH3 {
		t.Error("the content is another one at another parallelism")
	}
	want, got := became(t, dropping), map[string]string{}
	maps.DeleteFunc(want, func(_, fate string) bool { return fate == "parse no_text" })
	counts := map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		for _, s := range d.Scores {
			if reason, ok := strings.CutPrefix(s.Name, schemas.DroppedScore); ok {
				got[fmt.Sprint(d.Source, " ", d.Offset)] = "quality " + reason
				counts[reason]++
			} else if s.Name == schemas.KeptScore {
				got[fmt.Sprint(d.Source, " ", d.Offset)] = "kept "
				counts["kept"]++
			}
		}
		if d.Source == "a.txt" {
			short, _ := d.Score("sentences_too_short")
			if sentences, _ := d.Score("cc_net_sentences"); len(d.Sentences) != 15 || sentences != 13 || short != 1./15 {
				t.Errorf("a.txt has %d sentences, %v of them kept and %v too short", len(d.Sentences), sentences, short)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(counts) < 4 {
		t.Errorf("%v: %s", counts, diff)
	}
	for reason, n := range pipelinetest.Dropped(m) {
		if strings.Contains(reason, " quality ") {
			t.Errorf("the filters drop %d: %s", n, reason)
		}
	}
}

// Thresholds of a file take the place of those of the settings, in the language of a document alone; the plan, from which pages
// are traced, holds them.
func TestThresholds(t *testing.T) {
	root := t.TempDir()
	for i := range 5 {
		pipelinetest.File(t, root, fmt.Sprintf("eng/%d.txt", i), prose(i))
		pipelinetest.File(t, root, fmt.Sprintf("deu/%d.txt", i), prose(i))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "thresholds.json")
	pipelinetest.File(t, folder, "thresholds.json", `{"version": 1, "languages": {"deu": {"documents": 5, "thresholds": {
		"cc_net_sentences": {"minimum": 100}, "language_score": {"minimum": 0.9}}}, "fra": {"documents": 1}}}`)
	args := []string{"--input", root, "--layout", "{language}/{page}.txt", "--filters", "stopes,cc-net"}
	location, m := run(t, 1<<20, 1, append(args, "--thresholds", file)...)
	if diff := cmp.Diff(int64(5), pipelinetest.Dropped(m)["documents quality too_few_sentences"]); diff != "" || m.Rows != 5 {
		t.Errorf("%d rows, %v", m.Rows, pipelinetest.Dropped(m))
	}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		if d.Language != "eng" {
			t.Errorf("%s is kept", d.Source)
		}
	}
	if _, cut := run(t, 64, 3, append(args, "--thresholds", file)...); cut.ContentXXH3 != m.ContentXXH3 {
		t.Error("the content is another one in other units")
	}
	var read corpus.Config
	if err := json.Unmarshal(m.Plan.Config, &read); err != nil || len(read.Fitted) != 1 ||
		*read.Fitted["deu"]["cc_net_sentences"].Minimum != 100 {
		t.Errorf("%s: %v", m.Plan.Config, err)
	}
	if _, without := run(t, 1<<20, 1, args...); without.Rows != 10 || strings.Contains(string(without.Plan.Config), "thresholds") {
		t.Errorf("without a file: %s", without.Plan.Config)
	}
	for want, change := range map[string][]string{
		"thresholds.json: deu: cc_net_sentences is not a measure of the filters that run": {"--filters", "stopes"},
		"thresholds: stat " + file + "x: no such file":                                    {"--thresholds", file + "x"},
	} {
		config := pipelinetest.Parse[corpus.Config](t, append([]string{"--input", root, "--thresholds", file}, change...)...)
		_, err := config.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
}
