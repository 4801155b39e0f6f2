package retrieval

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/random"
)

// planted is an encoder by which a translation lies near the text that it is made of, with
// noise of its own; all texts lie in one half of the space, as those of encoders do.
type planted map[string]string // of a language, a tab and a text, the English text

func (planted) Name() string { return "planted" }

func (p planted) vector(text, code string) []float32 {
	source, ok := p[code+"\t"+text]
	if !ok {
		source = text
	}
	meaning, noise := random.New(1, 1, "meaning", source, 0), random.New(1, 1, "noise", code+text, 0)
	v := make([]float32, 24)
	for i := range v {
		v[i] = float32(meaning.Float64() - .2 + .55*(noise.Float64()-.5))
	}
	return v
}

func (p planted) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		data = append(data, p.vector(t.Text, t.Language)...)
	}
	return encoder.NewDense(data, 24)
}

// firstTexts are those of a part of stsb_multi_mt, of which the languages are parallel.
func firstTexts(t *testing.T, code, part string) (list []string) {
	t.Helper()
	file, err := os.Open(filepath.Join(realdata.Folder(t, "stsb_multi_mt"), "stsb_multi_mt", fmt.Sprintf("stsb-%s-%s.csv", code, part)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, strings.NewReplacer("\t", " ", "\n", " ").Replace(row[0]))
	}
	return list
}

// Candidates, thresholds and figures on planted corpora of real sentences in four languages,
// some of which are repeated, are those of LASER's procedure.
func TestBUCCBesideLASER(t *testing.T) {
	python := peertest.Python(t)
	laser, err := filepath.Abs("../../../transforms/measure/mining/testdata")
	if err != nil {
		t.Fatal(err)
	}
	root, model := t.TempDir(), planted{}
	codes := map[string]string{"de": "deu", "fr": "fra", "ru": "rus", "zh": "zho", "en": "eng"}
	parts := map[string]string{"training": "dev", "test": "test"}
	vectors := map[string]map[string][]float32{}
	for _, code := range []string{"de", "fr", "ru", "zh"} {
		vectors[code] = map[string][]float32{}
		if vectors["en"] == nil {
			vectors["en"] = map[string][]float32{}
		}
		files := map[string]string{}
		for part, split := range parts {
			ours, english := firstTexts(t, code, split), firstTexts(t, "en", split)
			var lines [3]strings.Builder
			add := func(side int, code string, row int, text string) {
				fmt.Fprintf(&lines[side], "%s-%d\t%s\n", code, row, text)
				vectors[code][text] = nil
			}
			for row := range 400 { // a half has no translation there, those of each side are others
				model[codes[code]+"\t"+ours[row]] = english[row]
				if row%4 != 3 {
					add(0, code, row, ours[row])
				}
				if row%4 != 2 {
					add(1, "en", row, english[row])
				}
				if row%4 < 2 {
					fmt.Fprintf(&lines[2], "%s-%d\ten-%d\n", code, row, row)
				}
			}
			for i, name := range []string{code, "en", "gold"} {
				files[fmt.Sprintf("bucc/%s-en.%s.%s", code, part, name)] = lines[i].String()
			}
		}
		storagetest.WriteFiles(t, root, files)
	}
	for code, texts := range vectors {
		for text := range texts {
			texts[text] = model.vector(text, codes[code])
		}
	}
	p, err := evaluatetest.Read(t, BUCC, root, &protocol.Input{Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	rows := evaluatetest.Measure(t, p, model)
	languages := p.(*bucc).languages
	if len(languages) != 4 {
		t.Fatalf("%d pairs of languages", len(languages))
	}
	for i, code := range []string{"de", "fr", "ru", "zh"} {
		input, err := json.Marshal(map[string]any{"folder": filepath.Join(root, "bucc"), "source": code,
			"parts": []string{"training", "test"}, "vectors": vectors})
		if err != nil {
			t.Fatal(err)
		}
		type run struct {
			Part          string
			Margin        mining.Margin
			Retrieval     mining.Retrieval
			Pairs         [][3]any
			Threshold, F1 float64
			Carried       *float64
		}
		runs, repeated := 0, 0
		mined := map[string]*mining.Neighborhoods{}
		for _, want := range peertest.Values[run](t, peertest.Output(t, input, python, "-B", "testdata/bucc.py", laser)) {
			what := fmt.Sprintf("%s %s %s %s", code, want.Part, want.Margin, want.Retrieval)
			s := languages[i].splits[slices.Index([]string{"training", "test"}, want.Part)]
			repeated = len(s.repeated[0])
			if mined[want.Part] == nil {
				if mined[want.Part], err = s.neighborhoods(t.Context(), model); err != nil {
					t.Fatal(err)
				}
			}
			candidates, err := s.mine(mined[want.Part], want.Margin, want.Retrieval)
			pairs := candidates.pairs
			if err != nil || len(pairs) != len(want.Pairs) {
				t.Fatalf("%s: %d candidates, LASER's procedure has %d (%v)", what, len(pairs), len(want.Pairs), err)
			}
			ids := [2]map[string]string{idsOf(t, root, code, want.Part, code), idsOf(t, root, code, want.Part, "en")}
			for k, p := range pairs {
				w := want.Pairs[k]
				if ids[0][s.texts[0][p.Source].Text] != w[0] || ids[1][s.texts[1][p.Target].Text] != w[1] ||
					math.Abs(p.Score-w[2].(float64)) > 1e-9 {
					t.Fatalf("%s: candidate %d is %q, %q at %v, want %v", what, k, s.texts[0][p.Source].Text, s.texts[1][p.Target].Text,
						p.Score, w)
				}
			}
			subtask := want.Part
			if want.Margin != mining.Ratio || want.Retrieval != mining.Max {
				subtask += "/" + string(want.Margin) + "-" + string(want.Retrieval)
			}
			value := func(subtask, metric string) float64 {
				r, ok := rows[evaluatetest.Key{Subtask: subtask, Language: codes[code] + "-eng", Metric: metric}]
				if !ok {
					t.Errorf("%s: there is no %s of %s", what, metric, subtask)
				}
				return r.Value
			}
			if f, threshold := value(subtask+"/oracle", metrics.F1),
				value(subtask+"/oracle", metrics.Threshold); math.Abs(f-want.F1) > 1e-12 || math.Abs(threshold-want.Threshold) > 1e-9 {
				t.Errorf("%s: F1 %v at %v, want %v at %v", what, f, threshold, want.F1, want.Threshold)
			}
			if want.Carried != nil && math.Abs(value(subtask, metrics.F1)-*want.Carried) > 1e-12 {
				t.Errorf("%s: F1 %v at the threshold of the training, want %v", what, value(subtask, metrics.F1), *want.Carried)
			}
			if want.Margin == mining.Ratio && want.Retrieval == mining.Max && (want.F1 < .5 || want.F1 > .99) {
				t.Errorf("%s: F1 %v shows nothing", what, want.F1)
			}
			runs++
		}
		if runs != 2*len(mining.Margins())*len(mining.Retrievals()) || repeated == 0 {
			t.Errorf("%s: %d runs, %d repeated lines in the test", code, runs, repeated)
		}
	}
}

// idsOf has the id of each text of a file.
func idsOf(t *testing.T, root, pair, part, code string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "bucc", fmt.Sprintf("%s-en.%s.%s", pair, part, code)))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for line := range strings.Lines(string(data)) {
		id, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		ids[text] = id
	}
	return ids
}
