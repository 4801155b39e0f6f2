package similarity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

const scipy = `
import json, sys, numpy
from scipy.stats import pearsonr, spearmanr
for task in json.load(sys.stdin):
    a, b = (numpy.asarray(task[k], dtype=numpy.float32).astype(float) for k in "ab")
    cosines = (a * b).sum(1) / numpy.linalg.norm(a, axis=1) / numpy.linalg.norm(b, axis=1)
    print(pearsonr(cosines, task["gold"]).statistic, spearmanr(cosines, task["gold"]).statistic)
`

// Both correlations on WMT's data are those of scipy on the same vectors, of which many are
// equal, so that ranks have ties.
func TestQualityBesideScipy(t *testing.T) {
	python := peertest.PyTorch(t)
	p, err := evaluatetest.Read(t, QualityEstimation, realdata.Folder(t, "mlqe"), &protocol.Input{Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	rows := evaluatetest.Measure(t, p, letterCounts{})
	subtasks := p.(*similarity).subtasks
	var tasks []map[string]any
	for _, p := range subtasks {
		vectors := func(texts []encoder.Text) (list [][]float32) {
			for _, text := range texts {
				list = append(list, letterCounts{}.vector(text.Text))
			}
			return list
		}
		tasks = append(tasks, map[string]any{"a": vectors(p.a), "b": vectors(p.b), "gold": p.gold})
	}
	input, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	printed := bytes.NewReader(peertest.Output(t, input, python, "-c", scipy))
	for _, p := range subtasks {
		var pearson, spearman float64
		if _, err := fmt.Fscan(printed, &pearson, &spearman); err != nil {
			t.Fatal(err)
		}
		for metric, want := range map[string]float64{metrics.Pearson: pearson, metrics.Spearman: spearman} {
			if r := rows[evaluatetest.Key{Subtask: p.subtask, Language: p.language, Metric: metric}]; math.Abs(r.Value-want) > 1e-6 {
				t.Errorf("%s: %s %v, scipy has %v", p.subtask, metric, r.Value, want)
			}
		}
	}
}

// letterCounts counts a few characters of a text.
type letterCounts struct{}

func (letterCounts) Name() string { return "letters" }

func (letterCounts) vector(text string) (v []float32) {
	for _, l := range []string{"a", "e", "n", ",", " ", "的", "о"} {
		v = append(v, float32(strings.Count(text, l))+.5)
	}
	return v
}

func (e letterCounts) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		data = append(data, e.vector(t.Text)...)
	}
	return encoder.NewDense(data, 7)
}

const numpyPearson = `
import json, sys, numpy
task = json.load(sys.stdin)
a, b = (numpy.asarray(task[k], dtype=numpy.float32).astype(float) for k in "ab")
cosines = (a * b).sum(1) / numpy.linalg.norm(a, axis=1) / numpy.linalg.norm(b, axis=1)
print(numpy.corrcoef(cosines, task["gold"])[0, 1])
`

// The correlation on WMT's data is that of numpy on the same vectors, and each pair of languages
// has its 1,000 rows.
func TestQualityBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	p, err := evaluatetest.Read(t, QualityEstimation, realdata.Folder(t, "mlqe"), &protocol.Input{Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	random, err := encoder.Parse(t.Context(), "baseline:random")
	if err != nil {
		t.Fatal(err)
	}
	rows := evaluatetest.Measure(t, p, random)
	subtasks := p.(*similarity).subtasks
	if len(subtasks) != 6 {
		t.Errorf("%d pairs of languages", len(subtasks))
	}
	for i, p := range subtasks {
		r := rows[evaluatetest.Key{Subtask: p.subtask, Language: p.language, Metric: metrics.Pearson}]
		if r.N != 1000 {
			t.Errorf("%s has %d rows", p.subtask, r.N)
		}
		if i > 0 { // one is enough for numpy
			continue
		}
		vectors := func(texts []encoder.Text) (list [][]float32) {
			v, err := random.Encode(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Len() {
				list = append(list, v.(encoder.Dense).Row(i))
			}
			return list
		}
		want := 0.0
		peertest.Answer(t, map[string]any{"a": vectors(p.a), "b": vectors(p.b), "gold": p.gold}, &want, python, "-c", numpyPearson)
		if math.Abs(r.Value-want) > 1e-9 {
			t.Errorf("%s: %v, numpy has %v", p.subtask, r.Value, want)
		}
	}
}
