package pairfilter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/transforms/pairs/pairclassifier"
)

// model writes a model of one feature, for which pairs are good whose sides have about the same length, and returns its file.
func model(t *testing.T, measure string, version int) string {
	t.Helper()
	m := pairclassifier.Model{PairFilter: version,
		Regression: pairclassifier.Regression{Features: []pairclassifier.Feature{{Measure: measure, Mean: 2, Scale: 1, Weight: -4}}}}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// The filter learned drops pairs by their probability, which is a column of --scores; the model is an input of the plan.
func TestLearned(t *testing.T) {
	for args, want := range map[string]int{"": 3, "--min-learned 0": 5, "--min-learned 0.9999": 0} {
		file := model(t, "length_ratio", pairfilter.Version)
		location, m := run(t, append(strings.Fields(args), "--filters", "learned", "--model", file)...)
		if int(m.Rows) != want || m.Plan.InputHash("model") == "" {
			t.Errorf("%q keeps %d pairs, want %d; inputs %+v", args, m.Rows, want, m.Plan.Inputs)
		}
		for _, r := range pipelinetest.Rejects(t, location) {
			if r.Reason == "learned" && len(r.Detail) < 3 {
				t.Errorf("%q drops %+v", args, r)
			}
		}
	}
	location, _ := run(t, "--scores", "--filters", "learned", "--model", model(t, "length_ratio", pairfilter.Version))
	for _, row := range pipelinetest.Rows[schemas.PairScore](t, location) {
		if (*row.Learned < .5) != (row.Reason == "learned") || (*row.LengthRatio > 2) != (*row.Learned < .5) {
			t.Errorf("length ratio %v, learned %v, reason %q", *row.LengthRatio, *row.Learned, row.Reason)
		}
	}
}

func TestForeignModels(t *testing.T) {
	for want, args := range map[string][]string{
		"it knows the measures of pairfilter 99, this is 2":    {"--model", model(t, "length_ratio", 99)},
		`no filter has the measure "magic"`:                    {"--model", model(t, "magic", pairfilter.Version)},
		`no filter has the measure "learned"`:                  {"--model", model(t, "learned", pairfilter.Version)},
		"has the feature cosine: give embeddings, or train it": {"--model", model(t, "cosine", pairfilter.Version)},
		"has the feature language: give langid":                {"--model", model(t, "language", pairfilter.Version)},
	} {
		c := pipelinetest.Parse[pairfilter.Config](t, append([]string{"--pairs", pairs(t)}, args...)...)
		if err := pipelinetest.Fails(t, c, pipelinetest.Settings(1<<20)); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
