package pipelines_test

import (
	"path/filepath"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// skewed has one sentence half of the times, a unit that is twenty times the
// median, because the pages of its layout belong together, and a document as
// long as records may be.
func skewed(sentences int) pipelinetest.Documents {
	const shards, perShard, giant = 21, 50, 20
	each := sentences / 2 / ((shards - 1 + giant) * perShard)
	return pipelinetest.Documents{
		Shards: shards, PerShard: perShard, Sentences: each, Repeated: each, Giant: giant, Long: 200_000, Layout: pipelinetest.Layout,
	}
}

// Memory is bounded by the units in flight, not by the input.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	const parallelism = 2
	d := skewed(6_000_000)
	documents, bytes := d.Write(t)
	rows, sentences := d.Total()
	for _, test := range []struct {
		pipeline, flag string
		want           int
	}{
		{"dedup", "--level=sentence", sentences},
		{"dedup", "--level=document", rows*(d.Sentences+d.Repeated) + d.Long - d.Sentences},
		{"dedup", "--near=datatrove", 0}, // nearly all are one cluster
		{"wordcounts", "--cased=false", 0},
	} {
		args := []string{"--documents", documents, test.flag}
		output := filepath.Join(t.TempDir(), "out")
		command := child(test.pipeline, output, 1<<20, parallelism, args...)
		if test.flag == "--level=document" {
			command = withoutBeam(command)
		}
		peak := childMemory(t, command)
		t.Logf("%s %s: %d MB of sentences, peak memory %d MB", test.pipeline, test.flag, bytes>>20, peak>>20)
		if peak > units.MemoryBudget(parallelism) {
			t.Errorf("%s %s: peak memory is %d MB, more than %d MB", test.pipeline, test.flag, peak>>20,
				units.MemoryBudget(parallelism)>>20)
		}
		if test.want != 0 {
			if n := countSentences(t, output); n != test.want {
				t.Errorf("%s %s: %d sentences survive, want %d", test.pipeline, test.flag, n, test.want)
			}
		}
	}
}

func countSentences(t testing.TB, location string) (n int) {
	t.Helper()
	folder := storage.NewLocal(location)
	m, err := dataset.LoadAs[schemas.Document](t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range dataset.Rows[schemas.Document](t.Context(), folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(d.Sentences)
	}
	return n
}

// BenchmarkMemory drops duplicates among 40 million different sentences, and
// reports the greatest memory.
func BenchmarkMemory(b *testing.B) {
	const parallelism = 2
	d := pipelinetest.Documents{Shards: 64, PerShard: 625, Sentences: 1000}
	documents, bytes := d.Write(b)
	_, sentences := d.Total()
	b.SetBytes(bytes)
	for b.Loop() {
		peak := childMemory(b, child("dedup", filepath.Join(b.TempDir(), "out"), 64<<20, parallelism, "--documents", documents, "--level",
			"sentence"))
		b.ReportMetric(float64(peak)/float64(units.MemoryBudget(parallelism)), "of-budget")
		b.ReportMetric(float64(peak>>20), "peak-MiB")
	}
	b.ReportMetric(float64(sentences)*float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
}
