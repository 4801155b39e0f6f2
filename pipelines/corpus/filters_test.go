package corpus_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
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
