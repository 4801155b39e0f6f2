package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/metrics"
)

// withModels returns options for models.
func withModels(o Options, models encoders.Models) Options {
	o.Models = models
	return o
}

// twoParagraphs is a dataset of two paragraphs in three languages.
func twoParagraphs(t *testing.T) string {
	var rows []schemas.Pair
	group, position := []uint64{1, 2}, []int32{0, 1}
	for i, words := range [][3]string{{"red apple", "apfel apple", "pomme apple"}, {"blue sky", "himmel sky", "ciel sky"}} {
		for _, to := range []struct {
			code string
			k    int
		}{{"deu", 1}, {"fra", 2}} {
			rows = append(rows, schemas.Pair{
				ID: fmt.Sprintf("%032x", 10*i+to.k), Kind: schemas.KindBitext, TextA: words[0], TextB: words[to.k], LanguageA: "eng",
				LanguageB: to.code,
				Group:     &group[i], PositionA: &position[i], PositionB: &position[i],
			})
		}
	}
	return datasettest.Write(t, map[string]any{}, rows)
}

func TestMake(t *testing.T) {
	ctx := t.Context()
	t.Setenv(cache.Variable, t.TempDir())
	output := filepath.Join(t.TempDir(), "results")
	c := Config{Texts: twoParagraphs(t), Tasks: []string{metrics.RetrievalTask}, Split: "test"}
	models := encoders.Models{Baseline: []string{"char3"}, Model: []string{"words=baseline:bow", "near=there/model"}}
	opened := 0
	fail := errors.New("broken")
	o := Options{Open: func(_ context.Context, location string) (encoder.Encoder, error) {
		if location != "there/model" {
			t.Errorf("opens %q", location)
		}
		if opened++; opened == 1 {
			return nil, fail
		}
		return encoder.Parse(ctx, "baseline:random")
	}}
	if _, _, err := Run(ctx, output, c, withModels(o, models)); err == nil || !strings.Contains(err.Error(), "model near") ||
		!strings.Contains(err.Error(), "there/model") {
		t.Errorf("an encoder that is not there: %v", err)
	}
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("there/model", 0o777), os.WriteFile("there/model/config.json", []byte("{}"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(ctx, output, c, withModels(o, models)); !errors.Is(err, fail) {
		t.Errorf("an encoder that does not open: %v", err)
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("the output was made before all encoders were opened")
	}
	m, done, err := Run(ctx, output, c, withModels(o, models))
	if err != nil || done {
		t.Fatal(err, done)
	}
	folder := storage.NewLocal(output)
	if _, err := dataset.Verify(ctx, folder); err != nil {
		t.Error(err)
	}
	accuracy := map[string]float64{}
	for r, err := range dataset.Rows[schemas.Result](ctx, folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Metric == metrics.Accuracy && r.Subtask == metrics.SubtaskMean {
			accuracy[r.Model] = r.Value
			if r.N != 2*6 {
				t.Errorf("%s: n is %d", r.Model, r.N)
			}
		}
	}
	// Each paragraph shares one word with its translations and none with others.
	if len(accuracy) != 3 || accuracy["words"] != 1 || accuracy["char3"] != 1 {
		t.Errorf("accuracies %v", accuracy)
	}
	if _, done, err := Run(ctx, output, c, withModels(o, models)); err != nil || !done {
		t.Errorf("again: %v, %v", done, err)
	}
	models.FitComponents = map[string]int{"near": 1}
	if _, _, err := Run(ctx, output, c, withModels(o, models)); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "fit_components") {
		t.Errorf("other components: %v", err)
	}
	o.Overwrite, opened = true, 0 // the next one fails
	if _, _, err := Run(ctx, output, c, withModels(o, models)); !errors.Is(err, fail) {
		t.Errorf("an encoder that does not open: %v", err)
	}
	if _, err := dataset.Verify(ctx, folder); err != nil {
		t.Errorf("what was to be overwritten: %v", err)
	}
	if _, _, err := Run(ctx, output, c, withModels(o, models)); err != nil {
		t.Error(err)
	}
}

// What is odd about vectors is told by task, and complete results without their items are not taken for whole.
func TestOddVectors(t *testing.T) {
	root := t.TempDir()
	storagetest.WriteFiles(t, root, map[string]string{
		"words.txt": "red 1 0\nblue 0 1\nsky .5 .5\n",
		"mine.tsv":  "a\tb\tscore\nred\tblue\t1\n?\tred\t2\nsky\t?\t3\n",
		"mine.yaml": "name: mine\nmetric: correlation\nlanguage: eng\nfiles: {test: mine.tsv}\ncolumns: {text_a: a, text_b: b, score: score}\n",
	})
	c, models := Config{TaskFiles: []string{root + "/mine.yaml"}, Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1},
		encoders.Models{Model: []string{"words=baseline:vectors=" + root + "/words.txt"}}
	var notes []string
	o, out := Options{Note: func(text string) { notes = append(notes, text) }}, root+"/results"
	if _, _, err := Run(t.Context(), out, c, withModels(o, models)); err != nil ||
		!slices.Equal(notes, []string{"words: the vectors of 1 different texts of mine are zeros; their cosine with all others is 0"}) {
		t.Errorf("%q, %v", notes, err)
	}
	if _, done, err := Run(t.Context(), out, c, withModels(o, models)); err != nil || !done {
		t.Errorf("again: %t, %v", done, err)
	}
	if err := os.RemoveAll(out + "/items"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(t.Context(), out, c, withModels(o, models)); err == nil ||
		!strings.Contains(err.Error(), "items is damaged or gone: delete the folder of the results") {
		t.Errorf("without items: %v", err)
	}
	notes = nil
	models.Model, models.Baseline, models.Vectors = nil, []string{"random"}, []string{"whitened"}
	if _, _, err := Run(t.Context(), root+"/whitened", c, withModels(o, models)); err != nil || len(notes) != 1 ||
		!strings.HasPrefix(notes[0], "random+whitened: 6 texts of mine are whitened in as many dimensions or more") {
		t.Errorf("%q, %v", notes, err)
	}
}

// The error of a model, or of a part of one, has its name once.
func TestModelFaults(t *testing.T) {
	root, empty := storagetest.WriteFiles(t, t.TempDir(), sts13), t.TempDir()
	for want, models := range map[string]encoders.Models{
		"model v: there is no file nope in " + empty: {Model: []string{"v=baseline:vectors=" + empty + "/nope"}},
		"model random: there is no file components.json in " +
			empty: {Baseline: []string{"random"}, Components: map[string]string{"random": empty}},
		"components: bow has no vectors of a fixed size": {Baseline: []string{"bow"},
			Components: map[string]string{"bow": empty}},
		"pooling, layer, prompt and no-prompt have no effect":                            {Baseline: []string{"bow"}, Pooling: "cls"},
		`model "v=": nothing comes after the =`:                                          {Model: []string{"v="}},
		"model v: " + empty + " holds no encoder: there is no config.json; give a whole": {Model: []string{"v=" + empty}},
	} {
		_, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), Config{Data: root, Tasks: []string{"sts13"}, Split: "test"},
			Options{Models: models})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestModels(t *testing.T) {
	m := encoders.Models{Model: []string{"a=dir/x", "dir/y/", "baseline:vectors=f=g.txt", "https://host/v1#x", "b+c=baseline:vectors=v"}}
	want := []encoders.Spec{{Name: "a", Location: "dir/x"}, {Name: "y", Location: "dir/y/"},
		{Name: "baseline:vectors=f=g.txt", Location: "baseline:vectors=f=g.txt"}, {Name: "x", Location: "https://host/v1#x"},
		{Name: "b+c", Location: "baseline:vectors=v"}}
	if got := m.Variants(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	m = encoders.Models{Baseline: []string{"bow"}, Model: []string{"a=x", "b=y"}, Vectors: []string{"raw", "pcr"},
		Similarity: []string{"bertscore-recall", "cosine"}, Distilled: map[string]string{"b": "z"}}
	var labels []string
	for _, s := range m.Variants() {
		labels = append(labels, s.Label())
	}
	if got := strings.Join(labels,
		" "); got != "bow a+bertscore-recall a a+pcr b b+pcr" { // the vectors of b are changed, and those of bow sparse
		t.Error(got)
	}
	bad := encoders.Models{Vectors: []string{"raw", "pcr"}, Model: []string{"x/a", "a=y", "a+pcr=z", "my model=encoder",
		strings.Repeat("n", 129) + "=x"},
		Components: map[string]string{"b": "c", "a": "d"}, FitComponents: map[string]int{"a": 0, "d": 1}}
	err := bad.Validate()
	for _, part := range []string{`two models have the name "a"`, `model "a+pcr": this is the name of what pcr of --vectors makes of a`,
		`components: no model has the name "b"`, `no model has the name "d"`, "components 0", "give one",
		`model "my model=encoder": a name begins with a letter`, "its name has 129 bytes: give NAME=… of 128 at most"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

// A text is encoded once for all tasks and runs, and the figures are those of an encoder
// without a cache.
func TestEncodedOnce(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	root := storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), sts13),
		map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\nb\n", "tatoeba/tatoeba.deu-eng.eng": "a b\nb\n"})
	model := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"config.json": "{}"})
	seen := map[encoder.Text]int{}
	o := Options{Open: func(context.Context, string) (encoder.Encoder, error) {
		return encoder.Rename(spy{mustParse(t, "baseline:random"), seen}, "spied"), nil
	}}
	figures := func(c Config, models encoders.Models) string {
		out := filepath.Join(t.TempDir(), "results")
		m, _, err := Run(t.Context(), out, c, withModels(o, models))
		if err != nil {
			t.Fatal(err)
		}
		return m.ContentXXH3
	}
	models := encoders.Models{Model: []string{"m=" + model}}
	c := Config{Data: root, Tasks: []string{"sts13"}, Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
	figures(c, models)
	c.Tasks = []string{"all"}
	kept := figures(c, models)
	before := seen
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%+v was encoded %d times", text, n)
		}
	}
	models.NoCache, seen = true, map[encoder.Text]int{}
	if without := figures(c, models); without != kept {
		t.Errorf("content %s with a cache, %s without", kept, without)
	}
	models.NoCache = false
	seen = before
	estimate, err := EstimateAll(t.Context(), c, encoders.Models{Model: models.Model, Baseline: []string{"bow"}}, o)
	if err != nil || len(estimate) != 2 || estimate[1].Missing != 0 || estimate[0].Distinct != len(seen) || estimate[0].Texts <= len(seen) {
		t.Errorf("%+v, %v", estimate, err)
	}
}

// spy counts the texts that are encoded.
type spy struct {
	encoder.Encoder
	seen map[encoder.Text]int
}

func (s spy) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	for _, t := range texts {
		s.seen[t]++
	}
	return s.Encoder.Encode(ctx, texts)
}
