package beam_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/beam"
	"sentweave/runners/beam/flink"
	"sentweave/runners/beam/flink/flinktest"
	"sentweave/schemas/realdata"
)

// timed runs a job into a new folder and returns the seconds that it took.
func timed(b *testing.B, n int, task *numbersTask, options beam.Options) float64 {
	b.Helper()
	task.Fail, task.Log = -1, b.TempDir()
	began := time.Now()
	if _, _, err := beam.Run(b.Context(), job(b, b.TempDir(), n, task), options); err != nil {
		b.Fatal(err)
	}
	return time.Since(began).Seconds()
}

// Units that wait for something, two slots of Flink beside one.
func BenchmarkFlinkSlots(b *testing.B) {
	flinktest.Require(b)
	defer beam.Close()
	options := func(slots int) beam.Options {
		return beam.Options{Runner: "flink", Parallelism: slots, Flink: flink.Options{Master: "[local]"}}
	}
	timed(b, 1, &numbersTask{}, options(2)) // starts the job server
	var one, two float64
	for b.Loop() {
		one += timed(b, 100, &numbersTask{Sleep: 200 * time.Millisecond}, options(1))
		two += timed(b, 100, &numbersTask{Sleep: 200 * time.Millisecond}, options(2))
	}
	b.ReportMetric(one/two, "x/slot")
}

// What a job costs besides its units, with few and with many of them: the time of
// the units is that which the runner in this process needs for them.
func BenchmarkFlinkUnits(b *testing.B) {
	flinktest.Require(b)
	defer beam.Close()
	onFlink := beam.Options{Runner: "flink", Parallelism: 2, Flink: flink.Options{Master: "[local]"}}
	timed(b, 1, &numbersTask{}, onFlink) // starts the job server
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var flink, local float64
			for b.Loop() {
				flink += timed(b, n, &numbersTask{}, onFlink)
				local += timed(b, n, &numbersTask{}, beam.Options{Runner: "local", Parallelism: 2})
			}
			b.ReportMetric((flink-local)/float64(b.N), "s-more/op")
		})
	}
}

// Pages to documents on Flink beside the runner in this process.
func BenchmarkFlinkCorpus(b *testing.B) {
	flinktest.Require(b)
	defer beam.Close()
	input := realdata.Variable(b, "SENTWEAVE_HANDBOOK")
	root := b.TempDir()
	config := pipelinetest.Parse[corpus.Config](b, "--input", input)
	run := func(name string, options beam.Options) float64 {
		job, err := config.Plan(b.Context(), filepath.Join(root, name), pipelinetest.Settings(1<<20))
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		options.Overwrite = true
		if _, _, err := beam.Run(b.Context(), job, options); err != nil {
			b.Fatal(err)
		}
		return time.Since(began).Seconds()
	}
	onFlink := beam.Options{Runner: "flink", Parallelism: 2, Flink: flink.Options{Master: "[local]"}}
	timed(b, 1, &numbersTask{}, onFlink) // starts the job server
	var flink, local float64
	for i := 0; b.Loop(); i++ {
		flink += run(fmt.Sprint("flink-", i), onFlink)
		local += run(fmt.Sprint("local-", i), beam.Options{Runner: "local", Parallelism: 2})
	}
	b.ReportMetric(flink/local, "x/local")
}
