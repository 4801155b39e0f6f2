package bitext_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/realdata"
)

// Inputs after bug reports of other programs, and what must become of them.
func TestReportedCases(t *testing.T) {
	cases := filepath.Join(realdata.Folder(t, "cases"), "cases")
	wheels := func(scores ...string) (list []string) {
		for i, score := range scores {
			n := string(rune('0' + i))
			list = append(list, "x.csv deu:Das Rad "+n+" dreht sich heute langsam. eng:The wheel "+n+" turns slowly today. score "+score)
		}
		return list
	}
	for name, c := range map[string]struct {
		args  []string
		pairs int      // -1: see rows, or the fault
		rows  []string // if set, all of them
		drops map[string]int64
		fault []string // what the error says
	}{
		"09-jsonl-bytes/a-latin1":          {pairs: 0, drops: map[string]int64{"invalid_utf8": 3}},
		"09-jsonl-bytes/b-surrogate":       {pairs: 1, drops: map[string]int64{"invalid_utf8": 1}},
		"09-jsonl-bytes/c-nan":             {pairs: 3},
		"10-csv-quotes/a-stray-open-quote": {pairs: 11, drops: map[string]int64{"damaged_quotes": 1}},
		"10-csv-quotes/l-excel-sep-line":   {pairs: 12},
		"10-csv-quotes/k-cr-only":          {pairs: -1, fault: []string{"Ferry.en-de.", "carriage return"}},
		"10b-scores/a-decimal-comma":       {pairs: -1, rows: wheels("0.25", "1.25", "2.25", "3.25", "4.25", "5.25")},
		"10b-scores/b-thousand":            {pairs: -1, rows: wheels("1.234", "0.5", "2", "3", "1.5", "4.99")},
		"10b-scores/c-scores-multi":        {pairs: 6},
		"10b-scores/d-scores-short":        {pairs: -1, fault: []string{"N.de-en.scores has 5 lines"}},
		"10b-scores/e-score-hex":           {pairs: 3, drops: map[string]int64{"no_number": 3}},
		"10b-scores/g-percent":             {pairs: 1, drops: map[string]int64{"no_number": 5}},
		"11-tmx/b-newline-in-seg": {
			pairs: -1, rows: []string{"m.tmx eng:The first line and the second line. deu:Die erste Zeile und die\tzweite Zeile.",
				"m.tmx eng:padded text here deu:gepolsterter Text hier"}},
		"11-tmx/d-text-in-tuv": {pairs: -1, fault: []string{"m.tmx", "no element seg"}},
		"11-tmx/j2-doctype-entities": {
			pairs: -1, rows: []string{"m.tmx eng:Price\u00a0list of Acme today. deu:Preis\u00a0liste von Acme heute."}},
		"11-tmx/o-two-tmx-concatenated": {
			pairs: -1, rows: []string{"m.tmx eng:The first file of two. deu:Die erste Datei von zweien.",
				"m.tmx eng:The second file of two. deu:Die zweite Datei von zweien."}},
		"12b-parquet-scores/q2-duckdb-literal": {args: []string{"--kind=qe", "--columns=en=src,de=tgt,target=score"}, pairs: 6},
		"12b-parquet-scores/p-score-f32":       {args: []string{"--columns=en=src,de=tgt,score"}, pairs: 40},
		"12b-parquet-scores/p-score-str":       {args: []string{"--columns=en=src,de=tgt,score"}, pairs: 40},
		"29-id-column/a-id-en-de-tsv":          {pairs: 6},
		"29-id-column/b-no-en-de-csv":          {pairs: 6},
		"29-id-column/c-id-eng-deu-name":       {pairs: 6},
		"29-id-column/d-json-id":               {pairs: 6},
		"29-id-column/e-json-id-int":           {pairs: 6},
		"29-id-column/f-uuid":                  {pairs: 6},
		"29-id-column/g-real-indonesian":       {pairs: 6},
		"29-id-column/h-domain":                {pairs: 6},
		"29-id-column/i-et-al":                 {pairs: 6},
	} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			args := append(c.args, "--input="+filepath.Join(cases, filepath.FromSlash(name)))
			if c.fault != nil {
				err := pipelinetest.Fails(t, config(t, args...), pipelinetest.Settings(1<<20))
				for _, part := range c.fault {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v: it does not say %q", err, part)
					}
				}
				return
			}
			rows, m := run(t, 1<<20, args...)
			if diff := cmp.Diff(c.rows, told(rows)); c.rows != nil && diff != "" {
				t.Error(diff)
			}
			if c.rows == nil && len(rows) != c.pairs {
				t.Errorf("%d pairs, want %d: %q", len(rows), c.pairs, told(rows))
			}
			if got := reasons(m); !maps.Equal(got, c.drops) {
				t.Errorf("dropped %v, want %v", got, c.drops)
			}
			for _, p := range rows {
				languages := []string{p.LanguageA, p.LanguageB}
				switch slices.Sort(languages); {
				case strings.HasSuffix(name, "indonesian"):
					if !slices.Equal(languages, []string{"eng", "ind"}) {
						t.Errorf("languages %v", languages)
					}
				case strings.HasSuffix(name, "et-al"):
					if !slices.Equal(languages, []string{"deu", "ton"}) {
						t.Errorf("languages %v", languages)
					}
				case !slices.Equal(languages, []string{"deu", "eng"}):
					t.Errorf("languages %v", languages)
				}
				if strings.HasPrefix(name, "29-") && p.Score != nil {
					t.Errorf("score %v", *p.Score)
				}
			}
		})
	}
}

// Sides without anything to see are empty.
func TestReportedInvisibleSides(t *testing.T) {
	file := filepath.Join(realdata.Folder(t, "cases"), "cases", "24-invisible-sides", "x.jsonl")
	if _, err := os.Stat(file); err != nil {
		t.Skip("skipped: shared/data/cases/24-invisible-sides is absent")
	}
	rows, m := run(t, 1<<20, "--input="+file)
	if got := reasons(m); got["empty"] != 19 || len(rows) != 1 { // a private character is seen
		t.Errorf("dropped %v, kept %q", got, told(rows))
	}
}
