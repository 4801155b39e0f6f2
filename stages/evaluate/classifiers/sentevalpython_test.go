package classifiers

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/torch"
	"sentweave/transforms/measure/probe"
	"sentweave/transforms/random"
	"sentweave/transforms/testsets/senteval"
)

// bagOfWords is an encoder of the mean of the vectors of words, which are drawn by the word.
type bagOfWords struct{}

func (bagOfWords) Name() string { return "bag of words" }

func (bagOfWords) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	const dimension = 128
	known := map[string][]float32{}
	data := make([]float32, len(texts)*dimension)
	for i, t := range texts {
		words := strings.Fields(t.Text)
		for _, w := range words {
			if known[w] == nil {
				draw := random.New(1, 1, "word", w, 0)
				for range dimension {
					known[w] = append(known[w], float32(draw.Float64()-.5))
				}
			}
			for k, x := range known[w] {
				data[i*dimension+k] += x / float32(len(words))
			}
		}
	}
	return encoder.NewDense(data, dimension)
}

const nestedRows = 3000

// ours is held where the time of this process counts.
var ours sync.Mutex

// besideSentEval compares the figures of a task over five seeds with those of SentEval's protocol in
// PyTorch: means differ by at most three standard errors, which is less than two deviations of a seed.
// It tells the seconds of a processor that the classifiers take in both.
func besideSentEval(t *testing.T, e encoder.Encoder, name, preset string) {
	t.Helper()
	python := peertest.PyTorch(t)
	const seeds = 5
	p, err := evaluatetest.Read(t, SentEval, realdata.Folder(t, "senteval", "stsb"),
		&protocol.Input{Split: "test", Probe: preset, Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	c := p.(*classifications)
	set := c.sets[slices.IndexFunc(c.sets, func(l labelled) bool { return l.task.Name == name })]
	if pool := set.parts[senteval.Pool]; len(pool) > nestedRows { // evenly taken
		var some []sentences
		for i := range nestedRows {
			some = append(some, pool[i*len(pool)/nestedRows])
		}
		set.parts[senteval.Pool] = some
	}
	features, err := set.features(t.Context(), e, set.order()) // which keeps the vectors
	if err != nil {
		t.Fatal(err)
	}
	ours.Lock()
	began := peertest.ProcessorSeconds(t)
	figures, err := c.figures(t.Context(), e, set, nil, func(protocol.Part) {})
	seconds := peertest.ProcessorSeconds(t) - began
	ours.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	values := figures[0][0].values

	type told struct {
		Name string `json:"name"`
		U    string `json:"u"`
		V    string `json:"v"`
		Y    any    `json:"y"`
	}
	var parts []told
	folder, floor := t.TempDir(), 0.
	for _, part := range set.order() {
		rows := features[part]
		p := told{Name: part, U: filepath.Join(folder, part+".u"), Y: rows.Classes}
		if rows.Form != probe.Alone {
			p.V = filepath.Join(folder, part+".v")
			writeVectors(t, p.V, rows.Second)
		}
		if len(set.task.Classes) == 0 {
			p.Y = set.scored(part, features).Scores
		}
		writeVectors(t, p.U, rows.Vectors)
		parts = append(parts, p)
		if part == set.tested() { // the share of the largest class
			counts := make([]float64, len(set.task.Classes)+1)
			for _, class := range rows.Classes {
				counts[class] += 1 / float64(len(rows.Classes))
			}
			if len(set.task.Classes) > 0 {
				floor = slices.Max(counts)
			}
		}
	}
	var theirs struct {
		Figures []float64 `json:"figures"`
		Seconds float64   `json:"seconds"`
	}
	peertest.Answer(t, map[string]any{
		"parts": parts, "dimension": len(features[set.tested()].Vectors[0]), "classes": len(set.task.Classes), "seeds": seeds,
		"optimizer": c.config.Optimizer, "batch": c.config.Batch, "epoch_size": c.config.EpochSize, "max_epoch": c.config.MaxEpoch,
		"tenacity": c.config.Tenacity, "folds": c.config.Folds, "penalties": c.config.Penalties,
	}, &theirs, python, filepath.Join("testdata", "senteval.py"))
	var mine, peer schemas.Result
	c.fill(&mine, values, nil)
	c.fill(&peer, theirs.Figures, nil)
	difference, most := mine.Value-peer.Value, 3*math.Hypot(*mine.Spread, *peer.Spread)/math.Sqrt(seeds)
	t.Logf("%-12s  %-5s  %-11s  ours %.2f ± %.2f  PyTorch %.2f ± %.2f  difference %+.2f of %.2f  %.1f s and %.1f s, %.1f times", e.Name(),
		name, preset,
		100*mine.Value, 100**mine.Spread, 100*peer.Value, 100**peer.Spread, 100*difference, 100*most, seconds, theirs.Seconds,
		theirs.Seconds/seconds)
	if len(theirs.Figures) != seeds || math.Abs(difference) > most || most > .02 || peer.Value < floor+.01 {
		t.Errorf("%s: ours %.4v, in PyTorch %.4v, the largest class %.4v", name, values, theirs.Figures, floor)
	}
}

func writeVectors(t *testing.T, name string, vectors [][]float32) {
	t.Helper()
	var b bytes.Buffer
	for _, v := range vectors {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The scores of movie reviews, by a classifier with development rows.
func TestBesideSentEval(t *testing.T) {
	besideSentEval(t, bagOfWords{}, "sst5", ProbePrototyping)
}

// oneAtATime is an encoder for several goroutines.
type oneAtATime struct {
	encoder.Encoder
	sync.Mutex
}

func (o *oneAtATime) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	o.Lock()
	defer o.Unlock()
	return o.Encoder.Encode(ctx, texts)
}

// All of SentEval's tasks that are at hand, on a bag of words and on all-MiniLM-L6-v2. The nested
// cross-validations are by the preset prototyping on at most nestedRows rows, since PyTorch takes hours
// for those of literature on all.
func TestSentEvalInFull(t *testing.T) {
	program, model := os.Getenv("SENTWEAVE_TORCH"), os.Getenv("SENTWEAVE_MINILM")
	if program == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_TORCH, the program with libtorch, or SENTWEAVE_MINILM, the folder of all-MiniLM-L6-v2, is not set")
	}
	open := encoders.Models{Layer: -1, Compute: torch.Compute{Device: "cpu", Precision: "float32"}}.Cached(
		func(ctx context.Context, location string) (encoder.Encoder, error) {
			return encoder.Start(ctx, "MiniLM", exec.Command(program, "encode", "--model="+location))
		}, nil)
	miniLM, err := open(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { encoder.Close(miniLM) })
	for _, e := range []encoder.Encoder{bagOfWords{}, &oneAtATime{Encoder: encoder.Rename(miniLM, "MiniLM")}} {
		for _, name := range []string{"mr", "cr", "subj", "mpqa", "sst2", "sst5", "trec", "stsb"} {
			t.Run(fmt.Sprint(e.Name(), " ", name), func(t *testing.T) {
				t.Parallel()
				preset := ProbeLiterature
				if slices.Contains([]string{"mr", "cr", "subj", "mpqa"}, name) {
					preset = ProbePrototyping
				}
				besideSentEval(t, e, name, preset)
			})
		}
	}
}
