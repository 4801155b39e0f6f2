//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
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

// Products in int8 are those of the definition in float64, also those whose sums of two products would not fit 16 bits.
func TestInt8EqualsItsDefinition(t *testing.T) {
	onThread()
	useInt8(t)
	const rows, inputs, outputs = 5, 70, 9
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
	q, err := native.Quantized(s.Floats(w, outputs, inputs))
	if s.Keep(q, err); s.Err != nil {
		t.Fatal(s.Err)
	}
	got := values(t, s.LinearActivated(s.Floats(x, rows, inputs), native.Linear{Weight: q, Bias: s.Floats(bias, outputs)}, model.LayerReLU))
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

// Vectors in int8 are near those in float32, have the same bits by any number of threads, and hardly depend on their neighbours.
func TestInt8Vectors(t *testing.T) {
	f := miniLM(t)
	f.Pooling, f.Normalize = model.Mean, true
	var list []string
	for range 100 { // several batches
		list = append(list, texts...)
	}
	ids := sequences(t, f, list)
	encoded := func(ids [][]int32) []float32 {
		e, err := NewEncoder(f, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		vectors := make([]float32, len(ids)*e.Dimension())
		if err := e.Encode(t.Context(), vectors, ids); err != nil {
			t.Fatal(err)
		}
		return vectors
	}
	exact := encoded(ids[:len(texts)])
	useInt8(t)
	want := encoded(ids)
	for _, n := range []int{2, 4} {
		lanes(t, Int8, n)
		if !slices.Equal(encoded(ids), want) {
			t.Errorf("%d threads give other bits than one", n)
		}
	}
	few := encoded(ids[:len(texts)])
	size := len(exact) / len(texts)
	cosine := func(a, b []float32, i int) (sum float64) {
		for k := range size {
			sum += float64(a[i*size+k]) * float64(b[i*size+k])
		}
		return sum
	}
	for i, text := range texts {
		near, alike := cosine(want, exact, i), cosine(want, few, i)
		if near < .98 || near > .999999 || alike < .9999 {
			t.Errorf("%q: a cosine of %f with float32, and of %f with other neighbours", text, near, alike)
		}
	}
}
