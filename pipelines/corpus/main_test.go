package corpus_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/transforms/clean/maincontent/trained"
)

// TestMainModel: a plan holds the model that finds main content by its hash, and one without a
// model is what it was before there was a choice.
func TestMainModel(t *testing.T) {
	root := manyPages(t, 2)
	plan := func(args ...string) (json.RawMessage, error) {
		job, err := pipelinetest.Parse[corpus.Config](t, append([]string{"--input", root}, args...)...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1<<20))
		if err != nil {
			return nil, err
		}
		return job.Plan.Config, nil
	}
	model, err := trained.Default()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := plan()
	if err != nil || strings.Contains(string(rules), `"main`) {
		t.Errorf("%s: %v", rules, err)
	}
	record, err := plan("--main", "model")
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
	config.MainHash, config.Focus = "", "recall"
	if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "focus recall is for --main rules") {
		t.Error(err)
	}
}
