package pairfilter_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/pairs/pairfilters"
)

// pairs writes a dataset of pairs: a good one, and some that rules drop.
func pairs(t *testing.T) string {
	t.Helper()
	score, low := float32(.5), float32(-.25)
	row := func(i int, a, b string) schemas.Pair {
		return schemas.Pair{ID: schemas.ID("pairs", int64(i)), Kind: schemas.KindBitext, TextA: a, TextB: b, LanguageA: "eng",
			LanguageB: "deu", Origin: "test", Score: &score}
	}
	one := row(5, "One text.", "")
	one.Kind, one.LanguageB = schemas.KindSingle, ""
	html := row(4, "The cat.", "<b>Die Katze.</b>")
	html.Score = &low
	return datasettest.Write(t, nil, []schemas.Pair{
		row(0, "The cat sat on the mat.", "Die Katze saß auf der Matte."),
		row(1, "The cat sat on the mat.", "The cat sat on the Mat"),
		row(2, "The cat sat on the mat, and then on another one.", "Nein."),
		row(3, "It was built in 1995.", "Sie ist 18 Jahre alt."),
		html,
		one,
	})
}

func run(t *testing.T, args ...string) (string, *dataset.Manifest) {
	t.Helper()
	return pipelinetest.Run(t, pipelinetest.Parse[pairfilter.Config](t, append([]string{"--pairs", pairs(t)}, args...)...),
		pipelinetest.Settings(1<<20), pipelinetest.Plain(2))
}

// Each choice of filters drops what it is to drop, and the funnel tells why.
func TestFilters(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", "html identical length_ratio one_text"},
		{"--filters none", "one_text"},
		{"--filters html,numerals", "html numerals one_text"},
		{"--filters numerals --min-numerals 0", "one_text"},
		{"--preset opusfilter --min-letters 0", "html length_ratio numerals one_text similar_sides"},
		{"--preset opusfilter --min-letters 0 --max-length-ratio 100", "html numerals one_text similar_sides word_ratio"},
		{"--preset laser --min-score .5", "low_score one_text"},
		{"--preset bicleaner-hardrules", "few_words identical length_ratio one_text"},
	}
	for _, tt := range tests {
		location, _ := run(t, strings.Fields(tt.args)...)
		reasons := map[string]bool{}
		for _, r := range pipelinetest.Rejects(t, location) {
			reasons[r.Reason] = true
		}
		for _, reason := range strings.Fields(tt.want) {
			if !reasons[reason] {
				t.Errorf("%s: nothing is dropped for %s, but for %v", tt.args, reason, reasons)
			}
			delete(reasons, reason)
		}
		if len(reasons) > 0 {
			t.Errorf("%s: pairs are dropped for %v, too", tt.args, reasons)
		}
		if rows := pipelinetest.Rows[schemas.Pair](t, location); rows[0].TextA != "The cat sat on the mat." || *rows[0].Score != .5 {
			t.Errorf("%s: the first pair is %+v", tt.args, rows[0])
		}
	}
}

// Scores have a column for each measure, drop no pair of two texts, and tell what the filters would.
func TestScores(t *testing.T) {
	row := reflect.TypeFor[schemas.PairScore]()
	columns := map[string]bool{}
	for i := range row.NumField() {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
		columns[name] = row.Field(i).Type == reflect.TypeFor[*float32]()
	}
	for _, name := range pairfilters.Measuring().Measures() {
		if !columns[name] {
			t.Errorf("schemas.PairScore has no column %s", name)
		}
		delete(columns, name)
	}
	for name, measure := range columns {
		if measure {
			t.Errorf("no filter has the measure %s", name)
		}
	}
	location, m := run(t, "--scores", "--filters", "html,numerals")
	rows := pipelinetest.Rows[schemas.PairScore](t, location)
	if m.Rows != 5 || rows[0].Reason != "" || rows[3].Reason != "numerals" || rows[4].Reason != "html" {
		t.Fatalf("%d rows: %+v", m.Rows, rows)
	}
	if r := rows[3]; *r.Numerals >= .5 || *r.LeastCharacters != 21 || *r.Score != .5 || r.Language != nil || *r.HTMLTags != 0 {
		t.Errorf("the fourth pair is measured as %+v", r)
	}
}

// Verdicts of people count more than the filters, and the funnel tells how far these agree.
func TestVerdicts(t *testing.T) {
	sheet := filepath.Join(t.TempDir(), "judge.csv")
	text := "id,verdict\nnowhere,good\n" + schemas.ID("pairs", 3) + ",\n"
	for i, verdict := range []string{"bad", "good", "bad"} { // the second has equal sides, the third unlike lengths
		text += schemas.ID("pairs", int64(i)) + "," + verdict + "\n"
	}
	if err := os.WriteFile(sheet, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	location, m := run(t, "--verdicts", sheet)
	var kept []string
	for _, row := range pipelinetest.Rows[schemas.Pair](t, location) {
		kept = append(kept, row.TextB)
	}
	if got := strings.Join(kept, "|"); got != "The cat sat on the Mat|Sie ist 18 Jahre alt." {
		t.Errorf("%s are kept", got)
	}
	counts := func(m *dataset.Manifest) (list []string) {
		for _, chain := range m.Funnel.Chains[1:] {
			total := chain.Steps[0].Total()
			list = append(list, fmt.Sprint(chain.Items, " ", total.In, " ", total.Out, " ", total.Dropped))
		}
		return list
	}
	want := []string{"pairs judged good 1 0 map[identical:1]", "pairs judged bad 2 1 map[length_ratio:1]"}
	if got := counts(m); !slices.Equal(got, want) || m.Plan.InputHash("verdicts") == "" {
		t.Errorf("the funnel has %q, want %q", got, want)
	}
	if notes := (pairfilter.Config{}).Shortfalls(m); len(notes) != 1 || !strings.HasPrefix(notes[0], "1 of 4 verdicts are of no pair") {
		t.Errorf("notes %q", notes)
	}
	location, m = run(t, "--verdicts", sheet, "--scores")
	if rows := pipelinetest.Rows[schemas.PairScore](t, location); rows[0].Reason != "" || rows[1].Reason != "identical" ||
		!slices.Equal(counts(m), want) {
		t.Errorf("scores %+v with the funnel %q", rows[:2], counts(m))
	}
	if err := os.WriteFile(sheet, []byte("id,verdict\n1,perhaps\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := pipelinetest.Parse[pairfilter.Config](t, "--pairs", pairs(t), "--verdicts", sheet)
	_, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1<<20))
	if err == nil || !strings.Contains(err.Error(), `judge.csv: line 2: the verdict "perhaps"`) {
		t.Errorf("error %v for another verdict", err)
	}
}

// The plan holds the filters that run and their settings, and no others: a preset is what it says.
func TestRecord(t *testing.T) {
	tests := map[string]string{
		"--filters none": `{"filters":["none"]}`,
		"--filters similarity,html --similarity .8":    `{"filters":["html","similarity"],"similarity":0.8}`,
		"--filters words --scores":                     `{"filters":["words"],"max_words":100,"min_words":1,"scores":true}`,
		"--filters only-numbers --digits .6,kor=.65":   `{"digits":"0.6,kor=0.65","filters":["only-numbers"]}`,
		"--filters length-ratio --max-length-ratio 2":  `{"filters":["length-ratio"],"max_length_ratio":2}`,
		"--filters length-ratio --max-length-ratio=2.": `{"filters":["length-ratio"],"max_length_ratio":2}`,
	}
	for args, want := range tests {
		_, m := run(t, strings.Fields(args)...)
		if string(m.Plan.Config) != want {
			t.Errorf("%s: the plan is of %s, want %s", args, m.Plan.Config, want)
		}
		var again pairfilter.Config
		if err := json.Unmarshal(m.Plan.Config, &again); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	preset := pairfilters.Presets[0]
	_, named := run(t, "--filters", strings.Join(preset.Filters, ","), "--min-script", "1")
	if _, chosen := run(t, "--preset", preset.Name); string(chosen.Plan.Config) != string(named.Plan.Config) {
		t.Errorf("the preset is %s, its filters are %s", chosen.Plan.Config, named.Plan.Config)
	}
}

func TestMisuse(t *testing.T) {
	tests := map[string]string{
		"--filters lenght":                    `"lenght" is not a filter: the filters are score`,
		"--filters html --preset opusfilter":  "preset and filters exclude each other",
		"--filters language --langid none":    "the filter language needs langid",
		"--langid x --filters html":           "langid has no effect without the filter language",
		"--filters learned":                   "the filter learned needs model: a model that pairtrain made",
		"--model x --filters html":            "model has no effect without the filter learned",
		"--k 5":                               "k has no effect without the filter margin",
		"--k 65 --embeddings x --scores":      "k is 65, it must be from 0 to 64",
		"--k 0 --embeddings x --preset laser": "the filter margin needs neighbours: k is 0, 4 is usual",
		"--filters margin":                    "the filter margin needs embeddings",
		"--embeddings x --filters html":       "embeddings has no effect without the filter cosine or margin",
		"--min-language .5":                   "min-language has no effect without the filter language",
		"--max-length-ratio .5":               "max-length-ratio .5: want a ratio of at least 1",
		"--min-characters 2000":               "max-characters 1023: want at least 2000",
		"--filters only-numbers --digits 2":   "digits 2: want shares in [0, 1]",
	}
	for args, want := range tests {
		_, err := pipelinetest.Configure[pairfilter.Config](append([]string{"--pairs", "x"}, strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	for languages, want := range map[string]string{"hrv=.2,deu=.1": "",
		"hrv=.2,bos=.3": "min-language has no effect on bos (rather hrv or srp), which the identifier embedded never answers"} {
		config := pipelinetest.Parse[pairfilter.Config](t, "--pairs", pairs(t), "--langid", "embedded", "--min-language", ".5,"+languages)
		_, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", languages, err, want)
		}
	}
}

// Languages of the pairs that the identifier never answers are named before work.
func TestLanguagesOfIdentifier(t *testing.T) {
	row := schemas.Pair{ID: schemas.ID("pairs", 1), Kind: schemas.KindBitext, TextA: "The house is old.", TextB: "Kuća je stara.",
		LanguageA: "eng", LanguageB: "bos", Origin: "test"}
	counted, _ := pipelinetest.Run(t, pipelinetest.Parse[pairfilter.Config](t, "--pairs", datasettest.Write(t, nil, []schemas.Pair{row}),
		"--filters", "none"), pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	for filters, want := range map[string][]string{"words": nil,
		"language": {"the identifier embedded never answers bos (rather hrv or srp): the filter language checks no text in such a language"}} {
		job, err := pipelinetest.Parse[pairfilter.Config](t, "--pairs", counted, "--filters", filters).Plan(t.Context(),
			filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, job.Notes, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", filters, diff)
		}
	}
}
