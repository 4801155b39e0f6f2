//go:build libtorch

package torch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// miniLM returns the folder of the published model, or skips.
func miniLM(t testing.TB) *model.Folder {
	t.Helper()
	path := realdata.Variable(t, "SENTWEAVE_MINILM")
	f, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pytorch runs a script of testdata on the very same libtorch, or skips.
func pytorch(t testing.TB, script string, args ...string) []byte {
	t.Helper()
	return peertest.Output(t, nil, peertest.PyTorch(t), append([]string{filepath.Join("testdata", script)}, args...)...)
}

// texts of very different lengths.
var texts = []string{
	"a", "", "The encoder gives one vector for a sentence.", "An unbelievably long word: floccinaucinihilipilification!",
	"Ein Satz auf Deutsch.", "中文句子", "The encoder gives one vector for a sentence.", "one two three four five six seven eight nine ten",
}

func sequences(t testing.TB, f *model.Folder, texts []string) [][]int32 {
	t.Helper()
	s, err := f.Sequencer()
	if err != nil {
		t.Fatal(err)
	}
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		ids[i] = s.Append(nil, text)
	}
	return ids
}

func encode(t testing.TB, e *Encoder, ids [][]int32) []float32 {
	t.Helper()
	dst := make([]float32, len(ids)*e.Dimension())
	if err := e.Encode(t.Context(), dst, ids); err != nil {
		t.Fatal(err)
	}
	return dst
}

func distance(a, b []float32) float64 {
	most := 0.
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// The published model gives PyTorch's vectors, for each pooling and layer.
func TestMiniLM(t *testing.T) {
	f := miniLM(t)
	ids := sequences(t, f, texts)
	for _, pooling := range []model.Pooling{model.Mean, model.Max, model.CLS} {
		for _, layer := range []int{0, 3, 6} {
			f.Pooling, f.Normalize = pooling, layer == 6
			e, err := NewEncoder(f, layer)
			if err != nil {
				t.Fatal(err)
			}
			got := encode(t, e, ids)
			e.Close()
			args := []string{f.Path, string(pooling), fmt.Sprint(layer), fmt.Sprint(f.Normalize)}
			out := pytorch(t, "bert.py", append(args, texts...)...)
			want := make([]float32, len(out)/4)
			if _, err := binary.Decode(out, binary.LittleEndian, want); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Fatalf("%d numbers, PyTorch has %d", len(got), len(want))
			}
			if d := distance(got, want); d > 1e-5 {
				t.Errorf("%s of layer %d: differs by %v", pooling, layer, d)
			}
		}
	}
}

// A text has the same vector alone and in random batches, to the last bit, in each precision, by one thread and by two.
func TestVectorsDoNotDependOnTheBatch(t *testing.T) {
	list := slices.Clone(texts)
	for i := len(list); i < 32; i++ {
		list = append(list, strings.Repeat(fmt.Sprint("number ", i*i, " "), 1+i%13))
	}
	aloneAndInBatches(t, miniLM(t), list)
}

func aloneAndInBatches(t *testing.T, f *model.Folder, texts []string) {
	t.Helper()
	const batches = 4
	ids := sequences(t, f, texts)
	for _, precision := range []string{Float32, bFloat16, Int8} {
		if precision == Int8 && native.CheckQuantized() != nil {
			continue
		}
		for _, threads := range []int{1, 2} {
			lanes(t, precision, threads)
			e, err := NewEncoder(f, -1)
			if err != nil {
				t.Fatal(err)
			}
			size, differ := e.Dimension(), map[int]bool{}
			together := encode(t, e, ids)
			compare := func(chosen []int) {
				own := make([][]int32, len(chosen))
				for i, k := range chosen {
					own[i] = ids[k]
				}
				vectors := encode(t, e, own)
				for i, k := range chosen {
					if !slices.Equal(vectors[i*size:][:size], together[k*size:][:size]) {
						differ[k] = true
					}
				}
			}
			r := rand.New(rand.NewPCG(3, 7))
			for k := range ids {
				compare([]int{k})
			}
			for range batches {
				chosen := r.Perm(len(ids))
				compare(chosen[:1+r.IntN(len(ids)/2)])
			}
			if len(differ) > 0 {
				t.Errorf("%s, %d threads: %d of %d texts have other bits in other batches (%d tokens are enough)", precision, threads,
					len(differ), len(ids), e.least)
			}
			e.Close()
		}
	}
}
