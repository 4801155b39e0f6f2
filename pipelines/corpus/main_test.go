package corpus_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/transforms/clean/maincontent/lines"
	"sentweave/transforms/clean/maincontent/trained"
)

// TestMainModel: a plan holds the model that finds main content by its hash, and one of a version
// that had no choice is refused.
func TestMainModel(t *testing.T) {
	root := manyPages(t, 2)
	plan := func(args ...string) (json.RawMessage, error) {
		job, err := pipelinetest.Parse[corpus.Config](t, append([]string{"--input", root}, args...)...).Plan(
			t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<20))
		if err != nil {
			return nil, err
		}
		return job.Plan.Config, nil
	}
	model, err := trained.Default()
	if err != nil {
		t.Fatal(err)
	}
	texts, err := lines.Default()
	if err != nil {
		t.Fatal(err)
	}
	for name, models := range map[string][2]bool{"none": {}, "sentences": {false, true}, "model": {true, true}, "both": {true, true}} {
		record, err := plan("--main", name)
		if err != nil || !strings.Contains(string(record), `"main":"`+name+`"`) ||
			strings.Contains(string(record), `"main_hash":"`+model.Hash()+`"`) != models[0] ||
			strings.Contains(string(record), `"lines_hash":"`+texts.Hash()+`"`) != models[1] {
			t.Errorf("%s: %s: %v", name, record, err)
		}
	}
	if _, err := pipelinetest.Configure[corpus.Config]("--input", root, "--main-threshold", "1.5"); err == nil ||
		!strings.Contains(err.Error(), "is not in [0, 1]") {
		t.Error(err)
	}
	record, err := plan()
	if err != nil || !strings.Contains(string(record), `"main_hash":"`+model.Hash()+`"`) {
		t.Errorf("%s: %v", record, err)
	}
	// As trace reads it.
	var config corpus.Config
	if err := json.Unmarshal(record, &config); err != nil {
		t.Fatal(err)
	}
	config.Input = root
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
	config.MainHash = "0"
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "the version of sentweave that the dataset was made with") {
		t.Error(err)
	}
	config = corpus.Config{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(record), `"main":"model"`, `"focus":"balanced"`)), &config); err != nil {
		t.Fatal(err)
	}
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "made by rules that this version does not have") {
		t.Error(err)
	}
}
