// Package peertest runs another program beside ours, such as the Python package that everybody compares with: once in a test, or in a
// benchmark, a piece of work of one after one of the other, so that both meet the same noise.
//
// In a benchmark the peer is a Python script. Whenever a line comes in, it does a piece of work and answers with a list in JSON: its
// seconds by the clock and of CPU, and its results.
package peertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// Peer is a running script.
type Peer struct {
	in  io.Writer
	out *bufio.Scanner
}

// Start starts a script with the Python that SENTWEAVE_PYTORCH names. It returns nil, and the benchmark is told so,
// where there is none, or where it cannot import a module that the script needs.
func Start(b *testing.B, module, script string, args ...string) *Peer {
	b.Helper()
	python := os.Getenv("SENTWEAVE_PYTORCH")
	if python == "" || exec.Command(python, "-c", "import "+module).Run() != nil {
		b.Logf("skipped: the comparison, SENTWEAVE_PYTORCH names no interpreter that imports %s", module)
		return nil
	}
	command := exec.Command(python, append([]string{script}, args...)...)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait()
	})
	return &Peer{stdin, bufio.NewScanner(stdout)}
}

// Ask has the peer do a piece of work, and returns its time and its results.
func (p *Peer) Ask(b *testing.B, what string) (Took, []float64) {
	b.Helper()
	if _, err := fmt.Fprintln(p.in, what); err != nil {
		b.Fatal(err)
	}
	var answer []float64
	if !p.out.Scan() {
		b.Fatalf("the peer ended: %v", p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil {
		b.Fatal(err)
	}
	return Took{answer[0], answer[1]}, answer[2:]
}

// Expect ends the benchmark if the results of the peer differ from ours by more than the tolerance, relative to numbers
// above 1: the two would not do the same work.
func (p *Peer) Expect(b *testing.B, what string, tolerance float64, got ...float64) {
	b.Helper()
	if p == nil {
		return
	}
	_, want := p.Ask(b, what)
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			b.Fatalf("results are %v, the peer has %v: it does something else", got, want)
		}
	}
}

// Alternate does our work and that of the peer in turn as long as the benchmark runs, and returns the times of each;
// without a peer, those of ours alone.
func Alternate(b *testing.B, work func(), p *Peer, what string) (ours, theirs []Took) {
	b.Helper()
	for b.Loop() {
		ours = append(ours, Time(b, work))
		if p != nil {
			b.StopTimer()
			time.Sleep(rest)
			t, _ := p.Ask(b, what)
			theirs = append(theirs, t)
			time.Sleep(rest)
			b.StartTimer()
		}
	}
	return ours, theirs
}

// rest is how long threads of OpenMP wait for more work and take a processor from whoever is next.
const rest = 20 * time.Millisecond

// ReportSteps reports the times of training steps, and their ratios to those of the peer if there is one.
func ReportSteps(b *testing.B, ours, theirs []Took) {
	b.ReportMetric(CPU(ours)*1e3, "cpu-ms/step")
	b.ReportMetric(Clock(ours)*1e3, "ms/step")
	if theirs != nil {
		b.ReportMetric(Clock(theirs)*1e3, "pytorch-ms/step")
		b.ReportMetric(Clock(ours)/Clock(theirs), "x-of-pytorch")
		b.ReportMetric(CPU(ours)/CPU(theirs), "x-of-pytorch-cpu")
	}
}

// Took is the seconds of a piece of work by the clock and of CPU. On a machine that others use, too, the second is the
// steadier one.
type Took struct{ Clock, CPU float64 }

// Time does a piece of work in this process.
func Time(b *testing.B, work func()) Took {
	start, initial := time.Now(), ProcessorSeconds(b)
	work()
	return Took{time.Since(start).Seconds(), ProcessorSeconds(b) - initial}
}

// ProcessorSeconds returns the seconds that this process has had of processors, for itself and in the kernel.
func ProcessorSeconds(t testing.TB) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Clock and CPU are the medians.
func Clock(list []Took) float64 { return median(list, func(t Took) float64 { return t.Clock }) }
func CPU(list []Took) float64   { return median(list, func(t Took) float64 { return t.CPU }) }

func median(list []Took, measure func(Took) float64) float64 {
	values := make([]float64, len(list))
	for i, t := range list {
		values[i] = measure(t)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
