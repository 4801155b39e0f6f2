package neighbors

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
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
	python := os.Getenv("SENTWEAVE_FAISS")
	if python == "" {
		b.Skip("skipped: SENTWEAVE_FAISS, a Python with faiss, is not set")
	}
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
			began := used(b)
			for b.Loop() {
				if _, err := x.TopK(b.Context(), queries, size.k, Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			ours := (used(b) - began).Seconds() / float64(b.N)
			out, err := exec.Command(python, "-c", flat, fmt.Sprint(size.queries), fmt.Sprint(size.candidates), fmt.Sprint(size.dim), fmt.Sprint(size.k)).Output()
			if err != nil {
				b.Fatal(err)
			}
			theirs := 0.0
			if _, err := fmt.Sscan(string(out), &theirs); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(2*float64(size.queries)*float64(size.candidates)*float64(size.dim)/ours/1e9, "GFLOP/s")
			b.ReportMetric(theirs/ours, "times-faiss")
		})
	}
}

// used is the time that this process has had of processors.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
