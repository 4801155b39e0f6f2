package evaluate

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/metrics"
	"sentweave/transforms/random"
)

// By hand. d1 0°, e1 10°, e2 18°, f1 25°, d2 90°, f2 100°, as in TestRetrieval: the nearest of
// each are d1: e1, e1: e2, e2: f1, f1: e2, d2: f2, f2: d2.
func TestNeutrality(t *testing.T) {
	model := angles{"d1": 0, "e1": 10, "f1": 25, "d2": 90, "e2": 18, "f2": 100}
	rows := collect(t, model, Config{Texts: threeLanguages(t), Tasks: []string{"neutrality"}})
	get := func(subtask, language, metric string) schemas.Result {
		r, ok := rows[key{"neutrality", "texts/" + subtask, language, metric}]
		if !ok {
			t.Errorf("there is no figure %s %s %s", subtask, language, metric)
		}
		return r
	}
	for _, want := range []struct {
		subtask, language, metric string
		value                     float64
	}{
		{"1/deu-eng", "deu", metrics.Share, .5}, {"1/deu-fra", "deu", metrics.Share, .5}, {"1/deu-deu", "deu", metrics.Share, 0},
		{"1/eng-eng", "eng", metrics.Share, .5}, {"1/eng-fra", "eng", metrics.Share, .5},
		{"1/fra-eng", "fra", metrics.Share, .5}, {"1/fra-deu", "fra", metrics.Share, .5},
		{"1/deu", "deu", metrics.Entropy, math.Log(2) / math.Log(3)},
		{"1/mean", "", metrics.SameLanguage, 1. / 6},
		// Translations of d1: e1 first, f1 third; of e1: d1 at 10° second, after e2 at 8°, and
		// f1 at 15° third; and so on.
		{"deu", "deu", metrics.MAP, ((1+2./3)/2 + (1+2./3)/2) / 2}, // d2: f2, f1, e2
		{"eng", "eng", metrics.MAP, ((1./2+2./3)/2 + (1./4+2./5)/2) / 2},
		{"fra", "fra", metrics.MAP, ((1./2+2./3)/2 + (1+2./3)/2) / 2},
	} {
		if r := get(want.subtask, want.language, want.metric); math.Abs(r.Value-want.value) > 1e-12 {
			t.Errorf("%s %s: %v, want %v", want.subtask, want.metric, r.Value, want.value)
		}
	}
	if r := get("mean", "", metrics.MAP); r.N != 6 || !strings.Contains(r.Settings, `"chance":0.2,`) ||
		!strings.Contains(r.Settings, `"pool":6,`) {
		t.Errorf("%+v", r)
	}
	if _, ok := rows[key{"neutrality", "texts/10/mean", "", metrics.Entropy}]; ok {
		t.Error("ten neighbours among five others")
	}
}

// The first texts of items that are in all languages; other splits and repeated texts do not count.
func TestParallelBenchmarks(t *testing.T) {
	one := func(row int32, split, language, text string) schemas.Benchmark {
		r := scored(row, "paws/"+split+"|"+language+":"+text+"|"+language+":other", 1)
		return r
	}
	list := []schemas.Benchmark{
		one(1, "test", "eng", "a"), one(1, "test", "deu", "b"), one(2, "test", "eng", "c"), one(2, "test", "deu", "d"),
		one(3, "test", "eng", "alone"), one(4, "test", "eng", "a"), one(4, "test", "deu", "again"), one(5, "dev", "eng", "x"),
		one(5, "dev", "deu", "y"),
		scored(9, "single/test|eng:z|eng:z", 1),
	}
	loaded, _, err := load(t.Context(), Config{Benchmarks: []string{datasettest.Write(t, nil, list)}, Tasks: []string{"neutrality"},
		Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for text := range loaded[0].Texts() {
		got = append(got, text.Language+" "+text.Text)
	}
	if fmt.Sprint(got) != "[deu b deu d eng a eng c]" {
		t.Errorf("texts %q", got)
	}
	if _, _, err := load(t.Context(), Config{Benchmarks: []string{datasettest.Write(t, nil, list[9:])}, Tasks: []string{"neutrality"},
		Split: "test"}); err == nil || !strings.Contains(err.Error(), "no two texts that two languages have in common") {
		t.Errorf("one language: %v", err)
	}
}

const restatedNeutrality = `
import json, sys, numpy
task = json.load(sys.stdin)
x = numpy.asarray(task["x"], dtype=numpy.float32).astype(float)
L, n = task["languages"], task["n"]
def pcr(x):
    out = x.copy()
    for l in range(L):
        m = x[l*n:(l+1)*n]
        c = numpy.linalg.svd(m)[2][0]
        out[l*n:(l+1)*n] = m - numpy.outer(m @ c, c)
    return out
def centred(x):
    return (x.reshape(L, n, -1) - x.reshape(L, n, -1).mean(1, keepdims=True)).reshape(x.shape)
def whitened(x):
    u, s, _ = numpy.linalg.svd(numpy.cov(x.T, bias=True))
    return (x - x.mean(0)) @ u @ numpy.diag(s ** -.5)
result = {}
for name, treat in (("raw", lambda x: x), ("pcr", pcr), ("centred", centred), ("whitened", whitened)):
    y = treat(x)
    y = y / numpy.linalg.norm(y, axis=1, keepdims=True)
    s = y @ y.T
    numpy.fill_diagonal(s, -numpy.inf)
    order = numpy.argsort(-s, axis=1, kind="stable")[:, :-1]
    language = order // n
    r = {}
    for k in (1, 10, 100):
        shares = numpy.zeros((L, L))
        for i in range(L * n):
            for l in language[i, :k]:
                shares[i // n, l] += 1 / (n * k)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            r["%d/mean entropy" % k] = float(numpy.mean(-numpy.nansum(shares * numpy.log(shares), 1) / numpy.log(L)))
        r["%d/mean same_language" % k] = float(numpy.mean(numpy.diag(shares)))
    precisions = []
    for i in range(L * n):
        right = order[i] % n == i % n
        precisions.append((numpy.cumsum(right) / numpy.arange(1, len(right) + 1))[right].mean())
    r["mean map"] = float(numpy.mean(precisions))
    counts = numpy.bincount(order[:, :10].ravel(), minlength=L * n)
    d = counts - counts.mean()
    r["mean hub_skewness"] = float((d ** 3).mean() / (d ** 2).mean() ** 1.5)
    r["mean hub_orphans"] = float((counts == 0).mean())
    result[name] = r
json.dump(result, sys.stdout)
`

// All measures, raw and treated, are those of numpy on the same vectors; treatments take a
// planted bias of language away.
func TestNeutralityBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	const n, dim = 60, 12
	languages := []string{"deu", "eng", "fra"}
	draw := random.New(1, 1, "neutrality", "", 0)
	uniform := func(scale float64) float32 { return float32(scale * (draw.Float64() - .5)) }
	var vectors [][]float32
	model := evaluatetest.Points{}
	files := map[string]string{}
	meanings := make([]float32, n*dim)
	for i := range meanings {
		meanings[i] = uniform(1)
	}
	for l, code := range []string{"de", "en", "fr"} {
		var shared [dim]float32
		for k := range shared {
			shared[k] = uniform(4)
		}
		var lines strings.Builder
		for i := range n {
			v := make([]float32, dim)
			for k := range v {
				v[k] = meanings[i*dim+k] + shared[k] + uniform(.6)
			}
			text := fmt.Sprint(languages[l], i)
			vectors, model[text] = append(vectors, v), v
			fmt.Fprintf(&lines, "%s,other,1\n", text)
		}
		files["stsb_multi_mt/stsb-"+code+"-test.csv"] = lines.String()
	}
	var want map[string]map[string]float64
	peertest.Answer(t, map[string]any{"x": vectors, "languages": len(languages), "n": n}, &want, python, "-c", restatedNeutrality)
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"neutrality"}, Languages: languages}
	same := map[string]float64{}
	for name := range want {
		rows := collect(t, encoders.Treated(model, name), c)
		for what, value := range want[name] {
			subtask, metric, _ := strings.Cut(what, " ")
			r, ok := rows[key{"neutrality", "stsb_multi_mt/" + subtask, "", metric}]
			if !ok || math.Abs(r.Value-value) > 1e-9 {
				t.Errorf("%s %s: %v, numpy has %v", name, what, r.Value, value)
			}
		}
		same[name] = rows[key{"neutrality", "stsb_multi_mt/10/mean", "", metrics.SameLanguage}].Value
	}
	if same[metrics.VectorsRaw] < .9 || same["centred"] > .5 || same["pcr"] > .5 {
		t.Errorf("same language among ten: %v", same)
	}
}

// Languages that lie apart are told apart from one text of each; equal ones are not.
func TestTatoebaLanguages(t *testing.T) {
	files, model := map[string]string{}, evaluatetest.Points{}
	draw := random.New(1, 1, "languages", "", 0)
	for l, code := range []string{"deu", "fra", "nld"} {
		var lines []string
		for i := range 100 {
			text := fmt.Sprint(code, i)
			lines = append(lines, text)
			v := []float32{float32(draw.Float64()), float32(draw.Float64()), float32(draw.Float64())}
			if l < 2 {
				v[l] += 50
			}
			model[text] = v
		}
		files["tatoeba/tatoeba."+code+"-eng."+code] = strings.Join(lines, "\n")
		files["tatoeba/tatoeba."+code+"-eng.eng"] = strings.Join(lines, "\n")
	}
	rows := collect(t, model, Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"tatoeba-languages"}})
	expect(t, rows, key{"tatoeba-languages", metrics.SubtaskAll, "", metrics.LanguageAccuracy}, "100.00", 297)
	if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"tatoeba-languages"},
		Languages: []string{"deu"}, Split: "test"}); err == nil || !strings.Contains(err.Error(), "there is deu alone") {
		t.Errorf("one language: %v", err)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// What a model's vectors do not allow is left out of a group, and a fault of a task by its name.
func TestSparseModels(t *testing.T) {
	files := map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\nb\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\n",
		"tatoeba/tatoeba.fra-eng.fra": "c\nd\n", "tatoeba/tatoeba.fra-eng.eng": "c\nd\n"}
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"all"}, Split: "test",
		Probe: classifiers.ProbeLiterature,
		Seeds: 1}
	var notes []string
	o := Options{Note: func(text string) { notes = append(notes, text) }}
	m, _, err := Run(t.Context(), t.TempDir()+"/results", c,
		withModels(o, encoders.Models{Baseline: []string{"bow", "random"}, Vectors: []string{metrics.VectorsRaw, "centred"}}))
	if err != nil || m.Rows == 0 {
		t.Fatal(err)
	}
	all := strings.Join(notes, "\n")
	for _, want := range []string{"left out: evaluate tatoeba-languages: bow has no vectors of a fixed size",
		"the vectors of bow are sparse, and measured raw alone"} {
		if !strings.Contains(all, want) {
			t.Errorf("the notes lack %q:\n%s", want, all)
		}
	}
	c.Tasks = []string{"tatoeba", "tatoeba-languages"} // told before the first one is measured
	out := t.TempDir() + "/results"
	if _, _, err := Run(t.Context(), out, c, withModels(o, encoders.Models{Baseline: []string{"bow"}})); err == nil || exists(out) ||
		!strings.Contains(err.Error(), "no vectors of a fixed size") {
		t.Errorf("a task by its name: %v", err)
	}
	if err := (encoders.Models{Baseline: []string{"bow"},
		Vectors: []string{"white", metrics.VectorsRaw, metrics.VectorsRaw}}).Validate(); err == nil ||
		!strings.Contains(err.Error(), `vectors: "white" is not one of raw, pcr, centred, whitened, codes`) ||
		!strings.Contains(err.Error(), "raw occurs twice") {
		t.Errorf("%v", err)
	}
	if err := (encoders.Models{Baseline: []string{"char3"}, Vectors: []string{"centred"}}).Validate(); err == nil ||
		!strings.Contains(err.Error(), "those of char3 are sparse, and measured raw alone: add raw, or leave that model out") {
		t.Errorf("%v", err)
	}
}
