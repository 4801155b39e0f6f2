//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/transforms/measure/neighbors"
)

// useInt8 is use of int8, or skips.
func useInt8(t testing.TB) {
	t.Helper()
	if err := native.CheckQuantized(); tested() != "cpu" || err != nil {
		t.Skipf("skipped: int8 is for processors with VNNI: %v", err)
	}
	lanes(t, Int8, 1)
}

// lanes has that many threads compute a batch each, in that precision, until the test ends.
func lanes(t testing.TB, precision string, n int) {
	t.Helper()
	threads := Threads()
	if err := UseLanes(Compute{Precision: precision, Threads: n}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := UseLanes(Compute{Threads: 1}); err != nil {
			t.Error(err)
		}
		SetThreads(threads)
	})
}

// rounded returns a row in steps of its greatest number over 127, in whole numbers, and the step.
func rounded(row []float32) (whole []float64, step float64) {
	greatest := float32(0)
	for _, x := range row {
		greatest = max(greatest, float32(math.Abs(float64(x))))
	}
	for _, x := range row {
		whole = append(whole, math.RoundToEven(float64(x)*float64(127/greatest)))
	}
	return whole, float64(greatest) / 127
}

// Products in int8 are those of the definition in float64, also those whose sums of two products would not fit 16 bits, and those of the
// sizes that AMX multiplies.
func TestInt8EqualsItsDefinition(t *testing.T) {
	onThread()
	useInt8(t)
	equalsDefinition(t, 5, 70, 9)
	equalsDefinition(t, 70, 128, 192)
}

func equalsDefinition(t *testing.T, rows, inputs, outputs int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 6))
	x, w, bias := make([]float32, rows*inputs), make([]float32, outputs*inputs), make([]float32, outputs)
	for _, list := range [][]float32{x, w, bias} {
		for i := range list {
			list[i] = float32(r.NormFloat64())
		}
	}
	for i := range inputs { // all at an end of the range
		x[i], w[i] = 2, .5
	}
	defer native.WithoutGradients()()
	var s native.Scope
	defer s.Free()
	q, err := native.Quantized(s.Floats(w, int64(outputs), int64(inputs)))
	if s.Keep(q, err); s.Err != nil {
		t.Fatal(s.Err)
	}
	layer := native.Linear{Weight: q, Bias: s.Floats(bias, int64(outputs))}
	got := values(t, s.LinearActivated(s.Floats(x, int64(rows), int64(inputs)), layer, model.LayerReLU))
	for i := range rows {
		a, step := rounded(x[i*inputs:][:inputs])
		for k := range outputs {
			b, other := rounded(w[k*inputs:][:inputs])
			sum := 0.
			for j := range a {
				sum += a[j] * b[j]
			}
			if want := max(0, sum*step*other+float64(bias[k])); math.Abs(float64(got[i*outputs+k])-want) > 1e-5 {
				t.Errorf("row %d, output %d: %v, want %v", i, k, got[i*outputs+k], want)
			}
		}
	}
}

// Vectors in bfloat16 and int8 are near those in float32, have the same bits by any number of threads, and do not depend on their
// neighbours, also where some are long.
func TestReducedVectors(t *testing.T) {
	f := miniLM(t)
	f.Pooling, f.Normalize = model.Mean, true
	own := append(slices.Clone(texts), strings.Repeat("A long text. ", 20), strings.Repeat("Ein längerer Text. ", 40))
	var list []string
	for range 80 { // several batches
		list = append(list, own...)
	}
	ids := sequences(t, f, list)
	encoded := func(ids [][]int32) []float32 {
		e, err := NewEncoder(f, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		return encode(t, e, ids)
	}
	exact := encoded(ids[:len(own)])
	for precision, least := range map[string]float64{bFloat16: .9998, Int8: .98} {
		t.Run(precision, func(t *testing.T) {
			if precision == Int8 {
				useInt8(t)
			}
			lanes(t, precision, 1)
			want := encoded(ids)
			for _, n := range []int{2, 4} {
				lanes(t, precision, n)
				if !slices.Equal(encoded(ids), want) {
					t.Errorf("%d threads give other bits than one", n)
				}
			}
			if !slices.Equal(encoded(ids[:len(own)]), want[:len(exact)]) {
				t.Error("other neighbours give other bits")
			}
			for i, size := 0, len(exact)/len(own); i < len(exact); i += size {
				if near := neighbors.Cosine(want[i:][:size], exact[i:][:size]); near < least || near > .9999999 {
					t.Errorf("%q: a cosine of %f with float32", own[i/size], near)
				}
			}
		})
	}
}

// An encoder of which some products have sizes that AMX multiplies, and others have not, has vectors in bfloat16, too.
func TestReducedVectorsOfMixedSizes(t *testing.T) {
	onThread()
	folder, vocabulary := tiny(t)
	folder.Config.HiddenSize, folder.Config.IntermediateSize = 64, 100
	cmlm := objective.DefaultCMLM()
	trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"cmlm": &cmlm},
		Optimizer: objective.DefaultOptimizer(), Seed: 3})
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	opened, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := sentences(rand.New(rand.NewPCG(1, 2)), 20, 9)
	var vectors [2][]float32
	for i, precision := range []string{Float32, bFloat16} {
		lanes(t, precision, 1)
		encoder, err := NewEncoder(opened, -1)
		if err != nil {
			t.Fatal(err)
		}
		vectors[i] = encode(t, encoder, ids)
		encoder.Close()
	}
	for size := len(vectors[0]) / len(ids); len(vectors[0]) > 0; vectors[0], vectors[1] = vectors[0][size:], vectors[1][size:] {
		if near := neighbors.Cosine(vectors[0][:size], vectors[1][:size]); near < .999 {
			t.Errorf("a cosine of %f with float32", near)
		}
	}
}
