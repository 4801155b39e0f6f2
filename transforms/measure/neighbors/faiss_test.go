package neighbors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

const flat = `
import sys, time, numpy, faiss
queries, candidates, dim, k = map(int, sys.argv[1:])
faiss.omp_set_num_threads(1)
draw = numpy.random.default_rng(1)
x, y = (draw.standard_normal((n, dim), dtype=numpy.float32) for n in (queries, candidates))
faiss.normalize_L2(x); faiss.normalize_L2(y)
index = faiss.IndexFlatIP(dim)
index.add(y)
index.search(x[:100], k)
began = time.process_time()
index.search(x, k)
print(time.process_time() - began)
`

// BenchmarkBesideFaiss measures the exact search by the time of one processor, and how many times
// as long faiss' flat index takes. Ours includes the comparison in float64.
func BenchmarkBesideFaiss(b *testing.B) {
	python := realdata.Variable(b, "SENTWEAVE_FAISS")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, size := range []struct{ queries, candidates, dim, k int }{{2000, 50000, 384, 1}, {2000, 50000, 384, 4}, {2000, 20000, 768, 4}} {
		b.Run(fmt.Sprintf("%dx%dx%d/k=%d", size.queries, size.candidates, size.dim, size.k), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			gauss := func(rows int) Matrix {
				m := Matrix{make([]float32, rows*size.dim), size.dim}
				for i := range m.Data {
					m.Data[i] = float32(r.NormFloat64())
				}
				return m
			}
			queries := gauss(size.queries)
			x, err := NewIndex(gauss(size.candidates), ByCosine)
			if err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			began := peertest.ProcessorSeconds(b)
			for b.Loop() {
				if _, err := x.TopK(b.Context(), queries, size.k, Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			ours := (peertest.ProcessorSeconds(b) - began) / float64(b.N)
			theirs := 0.0
			peertest.Answer(b, nil, &theirs, python, "-c", flat, fmt.Sprint(size.queries), fmt.Sprint(size.candidates),
				fmt.Sprint(size.dim), fmt.Sprint(size.k))
			b.ReportMetric(2*float64(size.queries)*float64(size.candidates)*float64(size.dim)/ours/1e9, "GFLOP/s")
			b.ReportMetric(theirs/ours, "times-faiss")
		})
	}
}

const flatNeighbors = `
import json, sys, numpy, faiss
task = json.load(sys.stdin)
x, y = (numpy.asarray(task[k], dtype=numpy.float32) for k in "xy")
faiss.normalize_L2(x); faiss.normalize_L2(y)
index = faiss.IndexFlatIP(y.shape[1])
index.add(y)
similarity, places = index.search(x, task["k"])
json.dump({"similarity": similarity.tolist(), "places": places.tolist()}, sys.stdout)
`

// Neighbours are those of faiss' flat index, but where its float32 cannot tell them apart.
func TestBesideFaiss(t *testing.T) {
	python := realdata.Variable(t, "SENTWEAVE_FAISS")
	const k = 10
	r := rand.New(rand.NewPCG(3, 4))
	gauss := func(rows int) (m Matrix, list [][]float32) {
		m.Dim = 96
		for range rows * m.Dim {
			m.Data = append(m.Data, float32(r.NormFloat64()))
		}
		for i := range rows {
			list = append(list, m.Row(i))
		}
		return m, list
	}
	queries, x := gauss(200)
	candidates, y := gauss(3000)
	var want struct {
		Similarity [][]float64
		Places     [][]int
	}
	peertest.Answer(t, map[string]any{"x": x, "y": y, "k": k}, &want, python, "-c", flatNeighbors)
	index, err := NewIndex(candidates, ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	got, err := index.TopK(t.Context(), queries, k, Options{})
	if err != nil || len(got) != len(x)*k {
		t.Fatalf("%d neighbours, %v", len(got), err)
	}
	const rounding = 1e-6
	for i, n := range got {
		place, similarity := want.Places[i/k][i%k], want.Similarity[i/k][i%k]
		if math.Abs(n.Similarity-similarity) > rounding || n.Index != place && math.Abs(n.Similarity-Cosine(x[i/k], y[place])) > rounding {
			t.Errorf("query %d: neighbour %d is %d at %v, that of faiss %d at %v", i/k, i%k, n.Index, n.Similarity, place, similarity)
		}
	}
}
