//go:build libtorch

package torch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"sentweave/stages/objective"
)

// small is a trainer of both objectives, and a batch of each. What an operation
// leaves behind does not depend on the size of its tensors.
func small(t testing.TB) (*Trainer, []objective.Batch) {
	t.Helper()
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	folder, vocabulary := tiny(t)
	trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary,
		Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, Optimizer: objective.DefaultOptimizer()})
	smallPages(t)
	r := rand.New(rand.NewPCG(4, 4))
	return trainer, []objective.Batch{cmlmBatch(r), bitextBatch(r)}
}

// Operations leave nothing behind in memory: gotch alone would leave some kB of each
// forward pass.
func TestOperationsLeaveNothingInMemory(t *testing.T) {
	onThread()
	oneThread(t)
	trainer, batches := small(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // its heap has the same height, whatever else runs
	losses := func(n int) {
		for i := range n {
			for _, batch := range batches {
				if _, err := trainer.Loss(batch, nil); err != nil {
					t.Fatal(err)
				}
			}
			if i%4 == 0 {
				runtime.GC()
			}
		}
	}
	const count, most = 1000, 2000 // bytes; what the heaps of C and Go keep comes to some hundred
	losses(count / 4)              // until libtorch has what it keeps
	before := resident(t)
	losses(count)
	grown := (resident(t) - before) / count
	t.Logf("%.0f bytes with each loss of both objectives", grown)
	if grown > most {
		t.Errorf("resident memory grows by %.0f bytes with each loss of both objectives, by more than %d", grown, most)
	}
}

// BenchmarkResidentMemory measures what a step leaves behind in memory. Below 1000
// steps the figure is noise and is not given: -benchtime=20000x is the run to quote.
func BenchmarkResidentMemory(b *testing.B) {
	onThread()
	useThreads(b, 1)
	trainer, batches := small(b)
	losses := make([]float64, 2)
	var steps, bytes []float64
	count := 0
	for b.Loop() {
		demoStep(b, trainer, batches, losses)
		if count++; count%100 == 0 {
			b.StopTimer()
			steps, bytes = append(steps, float64(count)), append(bytes, resident(b))
			b.StartTimer()
		}
	}
	if count < 1000 {
		b.Logf("skipped: the slope, %d steps are too few", count)
		return
	}
	tenth := len(steps) / 10 // what libtorch keeps fills up in the first
	b.ReportMetric(slopeOf(steps[tenth:], bytes[tenth:]), "bytes/step")
	b.ReportMetric(bytes[len(bytes)-1]/1e6, "MB")
}

// slopeOf is that of the least squares line.
func slopeOf(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(x))
	}
	for i := range x {
		xy, xx = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx)
	}
	return xy / xx
}

// smallPages keeps Linux from pages of 2 MB, one of which would hide what is measured.
func smallPages(t testing.TB) {
	const disableHugePages = 41 // PR_SET_THP_DISABLE of prctl(2)
	set := func(value uintptr) { syscall.RawSyscall6(syscall.SYS_PRCTL, disableHugePages, value, 0, 0, 0, 0) }
	set(1)
	t.Cleanup(func() { set(0) })
}

// resident is the process's resident memory in bytes, without files (libtorch, which
// comes in piece by piece) and without what Go keeps for later.
func resident(t testing.TB) float64 {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("skipped: resident memory is not known here: %v", err)
	}
	var size, all, files float64
	if _, err := fmt.Sscan(string(data), &size, &all, &files); err != nil {
		t.Fatal(err)
	}
	return (all - files) * float64(os.Getpagesize())
}
