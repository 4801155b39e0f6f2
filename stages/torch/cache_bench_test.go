//go:build libtorch

package torch

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// BenchmarkLargeBatch takes steps of bitext retrieval over 64 pairs and over 2,048, whole, with gradient caching in 32 chunks, and
// with layers that are computed again. It reports the time of a pair and the memory at the peak above that before the
// trainer, and fails where gradients of the large batches differ by more than 1e-6 of their norm. Run it alone, with
// -benchtime=1x: memory that another benchmark has left would hide its own.
func BenchmarkLargeBatch(b *testing.B) {
	const pairs, chunk = 2048, 64
	r := rand.New(rand.NewPCG(3, 3))
	batchOf := func(n int) *objective.BitextBatch {
		texts := func() objective.Sequences { return padTo(drawn(r, n, 12, 48, 16000)) }
		return &objective.BitextBatch{A: texts(), B: texts(), Excluded: make([]bool, n*n)}
	}
	large := batchOf(pairs)
	found := map[string]map[string][]float32{}
	for _, c := range []struct {
		name   string
		batch  *objective.BitextBatch
		change func(*TrainerConfig)
	}{
		{"64", batchOf(chunk), func(*TrainerConfig) {}},
		{"2048cached", large, func(c *TrainerConfig) { c.CacheChunk = chunk }},
		{"2048recomputed", large, func(c *TrainerConfig) { c.Recompute = true }},
		{"2048", large, func(*TrainerConfig) {}},
	} {
		b.Run(c.name, func(b *testing.B) {
			onThread()
			useThreads(b, 1)
			runtime.GC()
			before := peak(b, true)
			trainer, _ := trainerOf(b, objective.Settings{"bitext": plainBitext()}, func(m *model.Config) {
				m.HiddenSize, m.Layers, m.Heads, m.IntermediateSize, m.HiddenDropout, m.AttentionDropout = 256, 4, 4, 1024, .1, .1
			}, c.change)
			steps, took := 0, time.Duration(0)
			for b.Loop() {
				began := time.Now()
				if _, err := trainer.Accumulate(c.batch, 1, nil, 5); err != nil {
					b.Fatal(err)
				}
				took, steps = took+time.Since(began), steps+1
				if steps == 1 && c.batch == large {
					found[c.name] = map[string][]float32{}
					for _, name := range trainer.masters.Names {
						found[c.name][name] = gradient(b, trainer.masters.Tensors[name])
					}
				}
				if _, err := trainer.Update(benchRate); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(took.Seconds()*1e6/float64(steps*c.batch.A.Count), "us/pair")
			b.ReportMetric((peak(b, false)-before)/1e6, "MB")
		})
	}
	for name, gradients := range found {
		if d := furthestGradient(b, gradients, found["2048"]); found["2048"] != nil && d > 1e-6 {
			b.Errorf("%s: gradients differ by %g of their norm", name, d)
		}
	}
}

// peak is the most memory that the process has held, in bytes, since the last call that began anew.
func peak(t testing.TB, anew bool) float64 {
	t.Helper()
	if anew {
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Skipf("skipped: the memory at the peak is not known here: %v", err)
		}
	}
	file, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skipf("skipped: the memory at the peak is not known here: %v", err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			var kilobytes float64
			if _, err := fmt.Sscan(text, &kilobytes); err != nil {
				t.Fatal(err)
			}
			return kilobytes * 1024
		}
	}
	t.Skip("skipped: the system does not tell the memory at the peak")
	return 0
}
