package corpus_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/transforms/clean/langid/fasttext"
)

// qualityModel writes a model that has learned that prose is of the label hq, and what shops say of cc.
func qualityModel(t *testing.T, seed uint64) string {
	t.Helper()
	var texts []fasttext.LabelledText
	for i := range 40 {
		texts = append(texts, fasttext.LabelledText{Label: "hq", Text: prose(i)}, fasttext.LabelledText{Label: "cc", Text: shop(i)})
	}
	trained, err := fasttext.Train(t.Context(), texts, fasttext.TrainingConfig{Dim: 4, Epochs: 20, Rate: .5, Buckets: 1000, MinCount: 1,
		WordNgrams: 2, Seed: seed}, func(float64, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "quality.bin")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := trained.Write(file); err != nil {
		t.Fatal(err)
	}
	return path
}

func shop(n int) string {
	return strings.Repeat(fmt.Sprintf("Buy our best red shoes of number %d today, and save on all orders. Delivery of %d is free. ", n, n+1), 2+n%2)
}

// Documents that the classifier takes for bad ones go, the same at any parallelism; its probability is a score, and the plan knows it.
func TestQualityModel(t *testing.T) {
	root, model := t.TempDir(), qualityModel(t, 1)
	for i := range 6 {
		pipelinetest.File(t, root, fmt.Sprintf("a%d.txt", i), prose(50+i))
		pipelinetest.File(t, root, fmt.Sprintf("b%d.txt", i), shop(50+i))
	}
	args := []string{"--input", root, "--no-repetition", "--quality-model", model, "--quality-label", "hq"}
	location, m := run(t, 1<<9, 1, args...)
	if n := pipelinetest.Dropped(m)["documents quality low_quality"]; n != 6 || m.Rows != 6 {
		t.Errorf("%d documents, %d dropped: %v", m.Rows, n, pipelinetest.Dropped(m))
	}
	again, other := run(t, 1<<9, 3, args...)
	if diff := cmp.Diff(pipelinetest.Digests(t, location), pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	if hash := m.Plan.InputHash(corpus.QualityRole); hash == "" || hash != other.Plan.InputHash(corpus.QualityRole) {
		t.Errorf("the plan has the model %q", hash)
	}
	var record map[string]any
	if err := json.Unmarshal(m.Plan.Config, &record); err != nil || record["quality_label"] != "hq" || record["min_quality"] != .5 {
		t.Errorf("%v, %v", record, err)
	}
	args[len(args)-3] = qualityModel(t, 2)
	if _, m := run(t, 1<<9, 1, args...); m.Plan.InputHash(corpus.QualityRole) == other.Plan.InputHash(corpus.QualityRole) {
		t.Error("another model is the same input")
	}
	location, _ = run(t, 1<<20, 1, "--input", root, "--filters", "fasttext", "--quality-model", model, "--quality-label", "cc",
		"--scores")
	verdicts := map[string]int{}
	for n, d := range pipelinetest.Rows[schemas.Document](t, location) {
		quality, ok := d.Score("fasttext_quality")
		if bad := strings.HasPrefix(d.Source, "b"); !ok || (quality > .5) != bad {
			t.Errorf("document %d, %s: %v", n, d.Source, d.Scores)
		}
		for _, s := range d.Scores {
			verdicts[s.Name]++
		}
	}
	if diff := cmp.Diff(map[string]int{"blocks": 12, "fasttext_quality": 12, "kept": 6, "dropped_low_quality": 6}, verdicts); diff != "" {
		t.Error(diff)
	}
	pipelinetest.File(t, root, "text.bin", "no model")
	for args, want := range map[string]string{
		"--quality-model " + model:                                         `no label "good": give one of `,
		"--quality-model " + filepath.Join(root, "text.bin"):               "quality-model: ",
		"--quality-model " + filepath.Join(root, "none.bin"):               "quality-model: ",
		"--quality-model " + model + " --quality-label hq --min-quality 2": "min-quality 2: want a share",
	} {
		config, err := pipelinetest.Configure[corpus.Config](append([]string{"--input", root}, strings.Fields(args)...)...)
		if err == nil {
			err = pipelinetest.Fails(t, config, pipelinetest.Settings(1<<20))
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
