package pcr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
)

// embeddings of a language lie around a direction that they share.
func embeddings(seed uint64, rows, dim int) []float32 {
	r := rand.New(rand.NewPCG(seed, 9))
	data, shared := make([]float32, rows*dim), make([]float64, dim)
	for i := range shared {
		shared[i] = r.NormFloat64()
	}
	for i := range data {
		data[i] = float32(r.NormFloat64()/math.Sqrt(1+float64(i%dim)) + shared[i%dim])
	}
	return data
}

func TestByHand(t *testing.T) {
	// The rows 3·(1,0,0), 3·(1,0,0) and 2·(0,1,0) have the singular values √18 and 2.
	m := neighbors.Matrix{Data: []float32{3, 0, 0, 3, 0, 0, 0, 2, 0}, Dim: 3}
	tests := []struct {
		name   string
		config Config
		values []float64
		in     []float32
		want   []float32
	}{
		{"the first direction", Config{Components: 1}, []float64{math.Sqrt(18)}, []float32{5, 6, 7}, []float32{0, 6, 7}},
		{"both", Config{Components: 2}, []float64{math.Sqrt(18), 2}, []float32{5, 6, 7}, []float32{0, 0, 7}},
		// Less the mean (2, ⅔, 0), the rows lie along (3, -2, 0): 1·(3,-2)/3 twice, -2·(3,-2)/3 once.
		{"centred", Config{1, true}, []float64{math.Sqrt(6 * 13. / 9)}, []float32{3, -2, 1}, []float32{0, 0, 1}},
		{"centred: the mean is not subtracted", Config{1, true}, []float64{math.Sqrt(6 * 13. / 9)}, []float32{2, 3, 1}, []float32{2, 3, 1}},
	}
	for _, test := range tests {
		c, err := Fit(m, []string{"eng", "eng", "eng"}, test.config)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		d, err := c.of("eng")
		if err != nil || d.Rows != 3 {
			t.Fatal(d, err)
		}
		for i, v := range test.values {
			if math.Abs(d.Values[i]-v) > 1e-14 {
				t.Errorf("%s: singular value %d is %v, want %v", test.name, i, d.Values[i], v)
			}
		}
		got := append([]float32(nil), test.in...)
		if err := c.Apply("eng", got); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(float64(got[i]-test.want[i])) > 1e-6 {
				t.Errorf("%s: %v became %v, want %v", test.name, test.in, got, test.want)
				break
			}
		}
	}
}

var shapes = []struct {
	rows, dim int
	config    Config
}{
	{200, 16, Config{Components: 1}},
	{200, 16, Config{3, true}},
	{16, 16, Config{Components: 2}},
	{12, 64, Config{Components: 3}}, // fewer rows than columns: the other matrix
	{12, 64, Config{2, true}},
	{300, 96, Config{Components: 4}},
}

// compare checks directions against singular vectors of another program, whose
// signs are free.
func compare(t *testing.T, name string, d Directions, values []float64, vectors [][]float64) {
	t.Helper()
	for k, v := range d.Vectors {
		if math.Abs(d.Values[k]/values[k]-1) > 1e-9 {
			t.Errorf("%s: singular value %d is %v, want %v", name, k, d.Values[k], values[k])
		}
		if c := math.Abs(dot(v, vectors[k])); math.Abs(c-1) > 1e-10 {
			t.Errorf("%s: vector %d has the cosine %v with the other program's", name, k, c)
		}
	}
}

// Gonum's SVD takes another way: bidiagonalisation of the matrix itself.
func TestAgainstSVD(t *testing.T) {
	for _, s := range shapes {
		data := embeddings(1, s.rows, s.dim)
		d, err := directions(neighbors.Matrix{Data: data, Dim: s.dim}, all(s.rows), s.config)
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(s.rows, s.dim, nil)
		x.Apply(func(i, j int, _ float64) float64 { return float64(data[i*s.dim+j]) }, x)
		if s.config.Center {
			for j := range s.dim {
				mean := mat.Sum(x.ColView(j)) / float64(s.rows)
				for i := range s.rows {
					x.Set(i, j, x.At(i, j)-mean)
				}
			}
		}
		var svd mat.SVD
		if !svd.Factorize(x, mat.SVDThin) {
			t.Fatal("no SVD")
		}
		var v mat.Dense
		svd.VTo(&v)
		var vectors [][]float64
		for k := range s.config.Components {
			vectors = append(vectors, mat.Col(nil, k, &v))
		}
		compare(t, fmt.Sprintf("%+v", s), d, svd.Values(nil), vectors)
	}
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

const numpyProgram = `
import json, sys, numpy
out = []
for s in json.load(sys.stdin):
    m = numpy.fromfile(s["file"], dtype="<f4").reshape(s["rows"], s["dim"]).astype(numpy.float64)
    if s["center"]:
        m = m - m.mean(axis=0)
    _, values, v = numpy.linalg.svd(m, full_matrices=False)
    out.append({"values": values.tolist(), "vectors": v[:s["k"]].tolist()})
json.dump(out, sys.stdout)
`

func TestAgainstNumPy(t *testing.T) {
	python := peertest.Python(t, "numpy")
	folder := t.TempDir()
	var jobs []map[string]any
	for i, s := range shapes {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, embeddings(uint64(i), s.rows, s.dim)); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, map[string]any{"file": name, "rows": s.rows, "dim": s.dim, "center": s.config.Center, "k": s.config.Components})
	}
	var want []Directions
	peertest.Answer(t, jobs, &want, python, "-c", numpyProgram)
	for i, s := range shapes {
		d, err := directions(neighbors.Matrix{Data: embeddings(uint64(i), s.rows, s.dim), Dim: s.dim}, all(s.rows), s.config)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprintf("numpy %+v", s), d, want[i].Values, want[i].Vectors)
	}
}

// checkRemoved asserts that nothing of the directions is left.
func checkRemoved(t *testing.T, c *Components, language string, e []float32) {
	t.Helper()
	d, err := c.of(language)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range d.Vectors {
		s := 0.0
		for i, x := range e {
			s += float64(x) * v[i]
		}
		if length := math.Sqrt(neighbors.Dot(e, e)); math.Abs(s) > 1e-6*length {
			t.Errorf("%s: %v of a vector of length %v is left along direction %d", language, s, length, k)
		}
	}
}

func TestFaults(t *testing.T) {
	m := neighbors.Matrix{Data: []float32{1, 2, 0, 2, 4, 0, 0, 1, 0}, Dim: 3}
	fit := func(m neighbors.Matrix, k int, languages ...string) error {
		_, err := Fit(m, languages, Config{Components: k})
		return err
	}
	tests := []struct {
		err  error
		want string
	}{
		{fit(m, 0, "a", "a", "a"), "components 0"},
		{fit(m, 1, "a", "a"), "2 languages for 3 rows"},
		{fit(m, 3, "a", "a", "a"), "3 components of 3 dimensions leave nothing"},
		{fit(m, 2, "a", "a", "b"), `language "a": only 1 of its 2 rows are independent`},
		{fit(m, 2, "a", "a", "b"), `language "b": 2 components of 1 rows`},
		{fit(neighbors.Matrix{Data: []float32{0, 0}, Dim: 2}, 1, "a"), "only 0"},
		{fit(neighbors.Matrix{Data: []float32{1, float32(math.NaN())}, Dim: 2}, 1, "a"), "NaN"},
		{fit(neighbors.Matrix{Data: []float32{1}, Dim: 2}, 1), "whole rows"},
	}
	for _, test := range tests {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%v, want %q", test.err, test.want)
		}
	}
	c, err := Fit(m, []string{"a", "a", "a"}, Config{Components: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply("a", []float32{1, 2}); err == nil || !strings.Contains(err.Error(), "2 dimensions") {
		t.Error(err)
	}
}

func BenchmarkFit(b *testing.B) {
	const n, dim = 1000, 384
	m := neighbors.Matrix{Data: embeddings(1, n, dim), Dim: dim}
	languages := make([]string, n)
	b.SetBytes(4 * n * dim)
	for b.Loop() {
		if _, err := Fit(m, languages, Config{Components: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	const dim = 768
	data := embeddings(1, 8, dim)
	c, err := Fit(neighbors.Matrix{Data: data, Dim: dim}, make([]string, 8), Config{Components: 2})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(4 * dim)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Apply("", data[:dim]); err != nil {
			b.Fatal(err)
		}
	}
}
