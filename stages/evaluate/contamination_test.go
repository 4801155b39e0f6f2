package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/stages/model"
	"sentweave/transforms/random"
	"sentweave/transforms/testsets/contamination"
)

// madeOf is a dataset without rows, made of others, in a folder.
func madeOf(t *testing.T, out string, inputs ...dataset.Input) dataset.Input {
	t.Helper()
	folder, units := storage.NewLocal(out), []dataset.Unit{{}}
	plan, err := dataset.Draft{Pipeline: "examples", PipelineVersion: 1, Schema: schemas.Example{}.Schema(), Config: struct{}{},
		ShardBytes: 1, Inputs: inputs, Units: units}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := plan.Complete(t.Context(), folder, units, false, func(dataset.Unit) error {
		a, err := dataset.Begin[schemas.Example](folder, plan, 0, dataset.NewChain("examples", "read"))
		if err != nil {
			return err
		}
		return a.Commit(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.Input("period/source")
}

// inputOf is a dataset as an input.
func inputOf(t *testing.T, location, role string) dataset.Input {
	t.Helper()
	m, err := dataset.Load(t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return m.Input(role)
}

// trainedOnInputs makes the folder of an encoder with the record of its training.
func trainedOnInputs(t *testing.T, out, from string, inputs ...dataset.Input) string {
	t.Helper()
	record, err := json.Marshal(map[string]any{"inputs": inputs, "config": map[string]any{"model": map[string]any{"from": from}}})
	if err != nil {
		t.Fatal(err)
	}
	return storagetest.WriteFiles(t, out, map[string]string{"config.json": "{}", model.WeightsName: out, "training.json": string(record)})
}

// wordCounts is an encoder of dense vectors: how often the words of each of many classes are in a text.
type wordCounts struct{}

func (wordCounts) Name() string { return "counts" }

func (wordCounts) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	const classes = 64
	data := make([]float32, len(texts)*classes)
	for i, t := range texts {
		for _, word := range strings.Fields(t.Text) {
			data[i*classes+int(xxh3.HashString(word)%classes)]++
		}
	}
	return encoder.NewDense(data, classes)
}

// shouted is a text with other case, punctuation and spaces.
func shouted(text string) string {
	return "«" + strings.Join(strings.Fields(strings.ToUpper(text)), " , ") + " !?» "
}

// Where nothing is left out, a figure has the interval that it has over all items.
func TestIntervalWithoutItems(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"tatoeba/tatoeba.deu-eng.deu": "vier a\nzwei b\ndrei c\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\nx\n",
		"tatoeba/tatoeba.fra-eng.fra": "un a\ndeux b\ntrois x\n", "tatoeba/tatoeba.fra-eng.eng": "a\nc\nx\n",
	})
	tasks, _, err := load(t.Context(), Config{Data: root, Tasks: []string{"tatoeba"}, Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var parts []protocol.Part
	rows, err := tasks[0].Measure(t.Context(), mustParse(t, "baseline:bow"), schemas.Result{},
		func(p protocol.Part) { parts = append(parts, p) })
	if err != nil {
		t.Fatal(err)
	}
	all := contaminations{scanner: contamination.NewBuilder(matching()).Index().NewScanner()}
	again, err := all.without(rows, parts, nil)
	if err != nil || len(again) != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(again), len(rows), err)
	}
	for i, r := range again {
		if want := rows[i]; r.Spread == nil || math.Abs(*r.Spread-*want.Spread) > 1e-12 || math.Abs(r.Value-want.Value) > 1e-12 ||
			r.N != want.N {
			t.Errorf("%+v, want %+v", r, want)
		}
		var got, want struct{ Low, High float64 }
		if err := errors.Join(json.Unmarshal([]byte(r.Settings), &got), json.Unmarshal([]byte(rows[i].Settings), &want)); err != nil ||
			math.Abs(got.Low-want.Low) > 1e-12 || math.Abs(got.High-want.High) > 1e-12 {
			t.Errorf("%s, want %s", r.Settings, rows[i].Settings)
		}
	}
}

// 200 sentences of a test that are planted in the pages of a training, with other case and
// punctuation, are all found, and none of 10,000 others; the figures without them are those of
// the items that are left.
func TestContamination(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	const planted, others = 200, 10_000
	var lines strings.Builder
	draw := random.New(1, 1, "contamination", "", 0)
	sentence := func(kind string, i int) string { return fmt.Sprintf("The %s sentence n° %d isn't here.", kind, i) }
	documents := []schemas.Document{}
	for i := range (planted + others) / 2 { // both sides are sentences
		a, b := sentence("first", i), sentence("second", i)
		if i < planted {
			side := a
			if i%2 == 1 {
				side = b
			}
			page := schemas.Document{ID: schemas.ID("pages", int64(i)), Source: "pages", Language: "eng"}
			for k, text := range []string{"Before it.", shouted(side), "After it."} {
				page.Sentences = append(page.Sentences, schemas.Sentence{Text: text, Language: "eng", Position: int32(k)})
			}
			if i%10 == 0 { // cut into two sentences
				half := strings.Index(page.Sentences[1].Text, "SENTENCE")
				rest := page.Sentences[1]
				page.Sentences[1].Text, rest.Text = page.Sentences[1].Text[:half], rest.Text[half:]
				page.Sentences[2].Position = 3
				rest.Position = 2
				page.Sentences = []schemas.Sentence{page.Sentences[0], page.Sentences[1], rest, page.Sentences[2]}
			}
			documents = append(documents, page)
		}
		fmt.Fprintf(&lines, "g\tf\ty\ti\t%.2f\t%s\t%s\n", 5*draw.Float64(), a, b)
	}
	data := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"stsb/sts-test.csv": lines.String(),
		"tatoeba/tatoeba.deu-eng.deu": "vier a\nzwei b\ndrei c\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\nx\n"})
	documents = append(documents, schemas.Document{ID: schemas.ID("pages", -1), Source: "pages", Language: "eng",
		Sentences: []schemas.Sentence{{Text: "Vier: A", Language: "deu"}}})
	pages := datasettest.Write(t, nil, documents)
	run := t.TempDir()
	if err := os.Rename(pages, filepath.Join(run, "documents")); err != nil {
		t.Fatal(err)
	}
	vocabulary := dataset.Input{Role: "vocabulary", XXH3: "0"}
	examples := madeOf(t, filepath.Join(run, "examples"), inputOf(t, filepath.Join(run, "documents"), "documents"), vocabulary)
	first := trainedOnInputs(t, filepath.Join(run, "first"), "", examples)
	in, err := model.Input(t.Context(), "from", first)
	if err != nil {
		t.Fatal(err)
	}
	second := trainedOnInputs(t, filepath.Join(t.TempDir(), "second"), in.XXH3) // of the first, without texts of its own
	out := filepath.Join(t.TempDir(), "results")
	var notes []string
	o := Options{
		Note: func(n string) { notes = append(notes, n) },
		Open: func(context.Context, string) (encoder.Encoder, error) { return wordCounts{}, nil },
	}
	c := Config{Data: data, Tasks: []string{"stsb", "tatoeba"}, Split: "test", Contamination: []string{run}}
	foreign := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"config.json": "{}"})
	models := encoders.Models{Model: []string{"first=" + first, "second=" + second, "foreign=" + foreign, "words=baseline:bow"}}
	if _, _, err := Run(t.Context(), out, c, withModels(o, models)); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "no training of ours made the model foreign") ||
		!strings.Contains(notes[1], "words is a baseline") {
		t.Errorf("notes %q", notes)
	}
	var clean, gold []float64
	for _, item := range rowsAt[schemas.Item](t, filepath.Join(out, "items")) {
		if item.Model == "first" && item.Task == "stsb" && item.Position >= planted {
			clean, gold = append(clean, item.Score), append(gold, *item.Gold)
		}
	}
	got := map[string]schemas.Result{}
	for _, r := range rowsAt[schemas.Result](t, out) {
		got[r.Model+" "+r.Task+" "+r.Subtask+" "+r.Metric] = r
	}
	for _, name := range []string{"first", "second"} {
		r := got[name+" stsb all spearman_uncontaminated"]
		if want := metrics.RankCorrelation(clean, gold); math.Abs(r.Value-want) > 1e-12 || r.N != (others-planted)/2 ||
			!strings.Contains(r.Settings, `"contaminated":200`) {
			t.Errorf("%+v, want %v", r, want)
		}
		// Of three sentences the first is gone, the second is found, the third is not.
		for subtask, want := range map[string]struct {
			value float64
			n     int64
		}{"deu-eng": {.5, 2}, "eng-deu": {.5, 2}, "mean": {.5, 4}} {
			if r := got[name+" tatoeba "+subtask+" accuracy_uncontaminated"]; math.Abs(r.Value-want.value) > 1e-12 || r.N != want.n ||
				r.Spread == nil || math.Abs(*r.Spread-.40547) > 1e-5 {
				t.Errorf("%s: %+v, want %+v with the half of Wilson's interval of 1 of 2, .0945 to .9055", subtask, r, want)
			}
		}
	}
	for _, name := range []string{"foreign", "words"} {
		if r, ok := got[name+" stsb all spearman_uncontaminated"]; ok {
			t.Errorf("%+v", r)
		}
	}
	if r := metrics.ByName("error_uncontaminated"); r.Better != -1 {
		t.Errorf("%+v", r)
	}
	// What cannot be followed.
	lost := trainedOnInputs(t, t.TempDir(), "",
		madeOf(t, filepath.Join(t.TempDir(), "examples"), dataset.Input{Role: "pairs", XXH3: "beef"}))
	unknown := trainedOnInputs(t, t.TempDir(), "cafe")
	empty, other := t.TempDir(), storagetest.WriteFiles(t, t.TempDir(), map[string]string{"a.txt": "a"})
	for want, change := range map[string]func(*Config, *encoders.Models){
		"which lie in none of ":                               func(_ *Config, m *encoders.Models) { m.Model = []string{"m=" + lost} },
		"holds no dataset and no training":                    func(c *Config, _ *encoders.Models) { c.Contamination = []string{other} },
		filepath.Base(empty) + " does not exist, or is empty": func(c *Config, _ *encoders.Models) { c.Contamination = []string{empty} },
		"nope does not exist, or is empty": func(c *Config, _ *encoders.Models) {
			c.Contamination = []string{filepath.Join(empty, "nope")}
		},
		`contamination: "a" is empty or occurs tw`: func(c *Config, _ *encoders.Models) { c.Contamination = []string{"a", "a"} },
	} {
		c, m := c, models
		change(&c, &m)
		if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "r"), c, withModels(o, m)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	notes = nil
	if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "r"), c,
		withModels(o, encoders.Models{Model: []string{"m=" + unknown}})); err != nil ||
		len(notes) != 1 || !strings.Contains(notes[0], "began with another encoder, cafe") {
		t.Errorf("%v, %q", err, notes)
	}
}
