package diff

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/metrics"
)

// angles is an encoder that gives each text the direction of an angle.
type angles map[string]float64

func (angles) Name() string { return "angles" }

func (a angles) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		angle := a[t.Text] * math.Pi / 180
		data = append(data, float32(math.Cos(angle)), float32(math.Sin(angle)))
	}
	return encoder.NewDense(data, 2)
}

// evaluated are the results of an encoder.
func evaluated(t *testing.T, data, name string, e angles) string {
	t.Helper()
	t.Setenv(cache.Variable, t.TempDir())
	out := filepath.Join(t.TempDir(), "r")
	model := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"config.json": fmt.Sprintf("{%q: %q}", name, fmt.Sprint(e))})
	o := evaluate.Options{Models: encoders.Models{Model: []string{name + "=" + model}},
		Open: func(context.Context, string) (encoder.Encoder, error) { return e, nil }}
	if _, _, err := evaluate.Run(t.Context(), out, evaluate.Config{Data: data, Tasks: []string{"stsb", "tatoeba"}, Split: "test"},
		o); err != nil {
		t.Fatal(err)
	}
	return out
}

// The items that changed sides are named with their texts, and those whose similarity came
// nearer to people's score. By hand.
func TestItems(t *testing.T) {
	// Similarities of the pairs fall with the angle of the second text, from 0.
	data := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"stsb/sts-test.csv":           "g\tf\ty\ti\t5\tzero\tp\ng\tf\ty\ti\t3\tzero\tq\ng\tf\ty\ti\t1\tzero\tr\n",
		"tatoeba/tatoeba.deu-eng.deu": "eins\nzwei\n", "tatoeba/tatoeba.deu-eng.eng": "one\ntwo\n",
	})
	before := evaluated(t, data, "m", angles{"p": 10, "q": 20, "r": 30, "eins": 100, "one": 101, "zwei": 200, "two": 201})
	after := evaluated(t, data, "m",
		angles{"p": 30, "q": 20, "r": 10, "eins": 100, "one": 101, "zwei": 150, "two": 110}) // zwei finds two, two finds eins
	tasks, err := Items(t.Context(), before, after, nil, 5)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks {
		got = append(got, fmt.Sprintf("%s %s %s: %d items, %d worse, %d better, %d other", task.Task, task.A, task.B, task.Items,
			task.Worse, task.Better, task.Other))
		for _, c := range task.Changes {
			gold := ""
			if c.Gold != nil {
				gold = fmt.Sprintf(" gold %g", *c.Gold)
			}
			got = append(got, fmt.Sprintf("%s %d %q %q %+g%s %s %s", c.Subtask, c.Position, c.TextA, c.TextB, c.Change, gold, c.FoundA,
				c.FoundB))
		}
	}
	want := []string{
		"stsb m m: 3 items, 2 worse, 0 better, 0 other",
		`all 0 "zero" "p" -1 gold 5  `, `all 2 "zero" "r" -1 gold 1  `, // from the first rank to the last, and back
		"tatoeba m m: 4 items, 1 worse, 0 better, 0 other",
		`eng-deu 1 "two" "zwei" -1 zwei eins`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if tasks, err = Items(t.Context(), after, before, nil, 1); err != nil || tasks[0].Better != 2 || len(tasks[0].Changes) != 1 ||
		tasks[0].Changes[0].Change != 1 {
		t.Errorf("the other way round, one of each: %+v, %v", tasks, err)
	}
	other := evaluated(t, storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"stsb/sts-test.csv":           "g\tf\ty\ti\t5\tzero\tp\ng\tf\ty\ti\t3\tzero\tq\ng\tf\ty\ti\t2\tzero\tr\n",
		"tatoeba/tatoeba.fra-eng.fra": "un\ndeux\n", "tatoeba/tatoeba.fra-eng.eng": "one\ntwo\n",
	}), "n", angles{"p": 1, "q": 2, "r": 3})
	if tasks, err = Items(t.Context(), before, other, nil, 1); err != nil || tasks[0].Other != 1 || tasks[0].Items != 0 ||
		tasks[1].Other != 4 || tasks[0].B != "n" {
		t.Errorf("other items: %+v, %v", tasks, err)
	}
	if err := os.RemoveAll(filepath.Join(other, "items")); err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]func() error{
		"has no items: it was made by": func() error { _, err := Items(t.Context(), before, other, nil, 1); return err },
		`models: "x" has no items: those th`: func() error {
			_, err := Items(t.Context(), before, after, []Models{{"m", "x"}}, 1)
			return err
		},
		"no model has the same name in both: ": func() error { _, err := chosen([]string{"a", "b"}, []string{"c"}, nil); return err },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What lies next to a text, of whatever language, is neither right nor wrong.
func TestCompareNeighbours(t *testing.T) {
	group := func(score float64) []metrics.Group {
		return []metrics.Group{{Subtask: "deu", Language: "deu", A: []uint64{1},
			Outcomes: [][]metrics.Outcome{{{Score: []float64{score}, Found: []uint64{2}}}}}}
	}
	var task Task
	if task.compare(group(0), group(1), 5); task.Items != 0 || task.Better != 0 || task.Worse != 0 || len(task.Changes) > 0 {
		t.Errorf("%+v", task)
	}
}
