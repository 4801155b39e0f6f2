//go:build libtorch

package torch

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/torch/transformer"
	"sentweave/transforms/augment/infill"

	"github.com/sugarme/gotch/ts"
)

// question is what MaskedLM and its peer are asked.
type question struct {
	Sequences [][]int32 `json:"sequences"`
	Masks     [][]int   `json:"masks"`
}

// masks are all of the class of all ids.
func (q question) masks() [][]infill.Mask {
	masks := make([][]infill.Mask, len(q.Masks))
	for i, list := range q.Masks {
		for _, p := range list {
			masks[i] = append(masks[i], infill.Mask{Position: p})
		}
	}
	return masks
}

// asked draws sequences with masks, some of which have none.
func asked(r *rand.Rand, n, least, most, vocabulary int) (q question) {
	q.Sequences = drawn(r, n, least, most, vocabulary)
	for _, s := range q.Sequences {
		list := []int{}
		for p := 1; p < len(s)-1; p++ {
			if r.IntN(5) == 0 {
				list = append(list, p)
				s[p] = 4
			}
		}
		q.Masks = append(q.Masks, list)
	}
	return q
}

// predicted are the peer's logits, [masks, vocabulary], for each folder; see
// masked.py.
func predicted(t testing.TB, q question, vocabulary int, folders ...string) [][][]float32 {
	t.Helper()
	python := peertest.PyTorch(t, "transformers")
	data, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	out := peertest.Output(t, data, python, append([]string{filepath.Join("testdata", "masked.py"), "predict"}, folders...)...)
	flat := make([]float32, len(out)/4)
	if _, err := binary.Decode(out, binary.LittleEndian, flat); err != nil {
		t.Fatal(err)
	}
	rows := slices.Collect(slices.Chunk(flat, vocabulary))
	if len(rows) < 20*len(folders) || len(rows)%len(folders) != 0 {
		t.Fatalf("%d masks of %d folders", len(rows), len(folders))
	}
	return slices.Collect(slices.Chunk(rows, len(rows)/len(folders)))
}

func ids(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// comparePeer compares the likeliest pieces of all masks with the peer's.
func comparePeer(t *testing.T, f *model.Folder, q question, want [][]float32) {
	t.Helper()
	const k = 10
	v := f.Config.VocabularySize
	m, err := NewMaskedLM(f, [][]int32{ids(v)})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	got, err := m.Top(t.Context(), q.Sequences, q.masks(), k)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != k*len(want) {
		t.Fatalf("%d candidates, the peer has %d masks", len(got), len(want))
	}
	worst := 0.
	for i, logits := range want {
		order := ids(v)
		slices.SortStableFunc(order, func(a, b int32) int {
			if logits[a] > logits[b] {
				return -1
			}
			return 1
		})
		for j, c := range got[i*k : (i+1)*k] {
			worst = max(worst, math.Abs(float64(c.Logit-logits[c.ID])), math.Abs(float64(c.Logit-logits[order[j]])))
		}
		if first := got[i*k].ID; first != order[0] {
			t.Errorf("mask %d: the likeliest is %d, the peer's %d", i, first, order[0])
		}
	}
	t.Logf("%d masks, logits differ by %.1e at most", len(want), worst)
	if worst > 1e-4 {
		t.Errorf("logits differ by %v", worst)
	}
}

// Predictions are those of transformers' BertForMaskedLM, for each way in which a
// head may be saved.
func TestMaskedLMPeer(t *testing.T) {
	const vocabulary, positions = 300, 40 // those of masked.py
	kinds := []string{"tied", "untied", "pretraining", "gamma"}
	base := t.TempDir()
	var folders []string
	for _, kind := range kinds {
		folders = append(folders, filepath.Join(base, kind)+"="+kind)
	}
	q := asked(rand.New(rand.NewPCG(1, 2)), 200, 3, positions, vocabulary)
	want := predicted(t, q, vocabulary, folders...)
	for i, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			f, err := model.Open(filepath.Join(base, kind))
			if err != nil {
				t.Fatal(err)
			}
			comparePeer(t, f, q, want[i])
		})
	}
}

// The head that CMLM's training leaves beside the encoder is one that BertForMaskedLM
// takes, and gives its predictions.
func TestMaskedLMTrained(t *testing.T) {
	folder, _ := saved(t)
	f, err := model.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	q := asked(rand.New(rand.NewPCG(3, 4)), 100, 3, f.Config.MaxPositions, f.Config.VocabularySize)
	comparePeer(t, f, q, predicted(t, q, f.Config.VocabularySize, folder)[0])
}

// Each class is searched for itself; a mask has the same candidates alone.
func TestMaskedLMClasses(t *testing.T) {
	folder, _ := saved(t)
	f, err := model.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	v := f.Config.VocabularySize
	whole, err := NewMaskedLM(f, [][]int32{ids(v)})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	members := [][]int32{{5, 7, 9, 11}, {}, {6}}
	m, err := NewMaskedLM(f, members)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	sequences := [][]int32{{2, 4, 4, 4, 3}, {2, 5, 3}, {2, 4, 3}, {2, 6, 4, 7, 8, 9, 3}}
	masks := [][]infill.Mask{{{Position: 1}, {Position: 2, Class: 2}, {Position: 3, Class: 1}}, nil, {{Position: 1}},
		{{Position: 2, Class: 2}}}
	all := question{sequences, [][]int{{1, 2, 3}, nil, {1}, {2}}}.masks()
	want, err := whole.Top(t.Context(), sequences, all, v)
	if err != nil {
		t.Fatal(err)
	}
	const k = 3
	got, err := m.Top(t.Context(), sequences, masks, k)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, list := range masks {
		for _, mask := range list {
			var expected []infill.Candidate
			for _, c := range want[at*v : (at+1)*v] {
				if slices.Contains(members[mask.Class], c.ID) && len(expected) < k {
					expected = append(expected, c)
				}
			}
			for j, c := range got[at*k : (at+1)*k] {
				if j >= len(expected) {
					if c.ID >= 0 {
						t.Errorf("mask %v of sequence %d has a candidate %v too many", mask, i, c)
					}
				} else if c.ID != expected[j].ID || math.Abs(float64(c.Logit-expected[j].Logit)) > 1e-5 {
					t.Errorf("mask %v of sequence %d: candidate %d is %v, want %v", mask, i, j, c, expected[j])
				}
			}
			at++
		}
	}
	alone, err := m.Top(t.Context(), sequences[2:3], masks[2:3], k)
	if err != nil {
		t.Fatal(err)
	}
	for j, c := range alone {
		if other := got[3*k+j]; c.ID != other.ID || math.Abs(float64(c.Logit-other.Logit)) > 1e-5 {
			t.Errorf("alone, candidate %d is %v, else %v", j, c, other)
		}
	}
	if none, err := m.Top(t.Context(), sequences[1:2], masks[1:2], k); err != nil || len(none) != 0 {
		t.Errorf("without masks: %v, %v", none, err)
	}
}

func TestMaskedLMFaults(t *testing.T) {
	folder, _ := saved(t)
	open := func() *model.Folder {
		f, err := model.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	m, err := NewMaskedLM(open(), [][]int32{{5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	one := [][]infill.Mask{{{Position: 1}}}
	for _, test := range []struct {
		name      string
		sequences [][]int32
		masks     [][]infill.Mask
		want      string
	}{
		{"another number of masks", [][]int32{{2, 4, 3}}, nil, "masks of 0 sequences for 1"},
		{"a mask outside", [][]int32{{2}}, one, "a mask at 1"},
		{"a class outside", [][]int32{{2, 4, 3}}, [][]infill.Mask{{{Position: 1, Class: 1}}}, "there are 1 classes"},
		{"an id outside", [][]int32{{2, 9999, 3}}, one, "holds the id 9999"},
		{"no tokens", [][]int32{{}}, [][]infill.Mask{nil}, "has 0 tokens"},
	} {
		if _, err := m.Top(t.Context(), test.sequences, test.masks, 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := NewMaskedLM(open(), [][]int32{{1 << 20}}); err == nil || !strings.Contains(err.Error(), "class 0 holds the id") {
		t.Errorf("a class of unknown ids: %v", err)
	}
	heads := filepath.Join(folder, model.HeadsName)
	rewrite(t, heads, func(list []stored) []stored {
		for i := range list {
			if list[i].Name == transformer.VocabularyBias {
				n := list[i].Shape[0] / 2
				list[i].Shape, list[i].data = []int64{n}, list[i].data[:4*n]
			}
		}
		return list
	})
	if _, err := NewMaskedLM(open(), [][]int32{{5}}); err == nil || !strings.Contains(err.Error(), "cls.predictions.bias has shape") {
		t.Errorf("a head of another size: %v", err)
	}
	rewrite(t, heads, func(list []stored) []stored {
		return slices.DeleteFunc(list,
			func(s stored) bool { return strings.HasPrefix(s.Name, model.HeadName) || s.DType != safetensors.F32 })
	})
	if _, err := NewMaskedLM(open(), [][]int32{{5}}); err == nil || !strings.Contains(err.Error(), "no head of a masked language model") {
		t.Errorf("no head: %v", err)
	}
	if err := os.Remove(heads); err != nil {
		t.Fatal(err)
	}
	if _, err := NewMaskedLM(open(), [][]int32{{5}}); err == nil || !strings.Contains(err.Error(), "no head of a masked language model") {
		t.Errorf("no file of heads: %v", err)
	}
}

// Models that are opened and closed by goroutines that move about leave no thread on
// which nothing can be trained.
func TestMaskedLMLeavesThreads(t *testing.T) {
	folder, _ := saved(t)
	f, err := model.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			m, err := NewMaskedLM(f, [][]int32{ids(f.Config.VocabularySize)})
			if err != nil {
				t.Error(err)
				return
			}
			m.Close()
			runtime.LockOSThread() // and keeps it, so that each goroutine sees another one
			if !ts.MustGradSetEnabled(true) {
				t.Error("a thread was left without gradients")
			}
			time.Sleep(10 * time.Millisecond)
		})
	}
	group.Wait()
}
