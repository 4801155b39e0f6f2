package pipelines_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/sample"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// A process that is killed again and again with work in flight, then runs to
// its end, leaves the bytes of one that was never killed.
func TestKill(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	input := pipelinetest.Corpus{Pages: 24, Paragraphs: 5}.Write(t)
	pages := []string{"--input", input, "--layout", pipelinetest.Layout}
	documents, _ := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, pages...), pipelinetest.Settings(8<<10), pipelinetest.Plain(2))
	duplicates := []string{"--documents", documents, "--level", "sentence"}
	near := []string{"--documents", documents, "--near", "datatrove"}
	drawn := []string{"--documents", documents, "--rows", "20", "--by", "language", "--balanced"}
	inference := []string{"--benchmarks", pipelinetest.Inference(t, 3000), "--languages", "eng,deu,spa"}
	bitext := []string{"--kind", "bitext", "--input", pipelinetest.Bitext(t) + "," + pipelinetest.Bitext(t) + "," + pipelinetest.Bitext(t)}
	tatoeba := []string{"--kind", "bitext", "--input", pipelinetest.Tatoeba(t, 12_000)}
	tests := []struct {
		pipeline   string
		config     pipelinetest.Pipeline
		shardBytes int64
		args       []string
	}{
		{"corpus", pipelinetest.Parse[corpus.Config](t, pages...), 8 << 10, pages},
		{"dedup", pipelinetest.Parse[dedup.Config](t, duplicates...), 1, duplicates},
		{"dedup", pipelinetest.Parse[dedup.Config](t, near...), 1, near},
		{"sample", pipelinetest.Parse[sample.Config](t, drawn...), 1, drawn},
		{"pairs", pipelinetest.Parse[pairs.Config](t, bitext...), 1, bitext},
		{"pairs", pipelinetest.Parse[pairs.Config](t, tatoeba...), 1, tatoeba},
		{"crosslingual", pipelinetest.Parse[crosslingual.Config](t, inference...), 1, inference},
	}
	for _, test := range tests {
		t.Run(test.pipeline, func(t *testing.T) {
			whole, manifest := pipelinetest.Run(t, test.config, pipelinetest.Settings(test.shardBytes), pipelinetest.Plain(2))
			want := pipelinetest.Digests(t, whole)
			n := manifest.Plan.Units
			if n < 25 {
				t.Fatalf("%d units are too few for %d kills", n, kills)
			}
			counted := 0
			for round := 0; counted < kills && round < 5; round++ {
				output := filepath.Join(t.TempDir(), "out")
				// One output is killed many times: each process must get on from where
				// the last one was stopped.
				for target := 1 + round; target < n && counted < kills; target += max(1, n/(kills+4)) {
					command := child(test.pipeline, output, test.shardBytes, 2, test.args...)
					if counted%2 == 1 { // both ways to run here take over from each other
						command = withoutBeam(command)
					}
					if killAt(t, command, output, target, n) {
						counted++
					}
				}
				if err := child(test.pipeline, output, test.shardBytes, 2, test.args...).Run(); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, pipelinetest.Digests(t, output)); diff != "" {
					t.Fatal(diff)
				}
			}
			if counted < kills {
				t.Errorf("only %d kills hit a process with work in flight, want %d", counted, kills)
			}
			t.Logf("%d kills among %d units", counted, n)
		})
	}
}

// killAt starts a process and kills it when target units have receipts. It says
// whether some of the n units were committed then and some were not.
func killAt(t *testing.T, command *exec.Cmd, output string, target, n int) bool {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }() // its error is the kill
	receipts := filepath.Join(output, "_run", "units")
	for running := true; running; {
		select {
		case <-ended:
			return false
		case <-time.After(200 * time.Microsecond):
			entries, err := os.ReadDir(receipts)
			running = err != nil || len(entries) < target
		}
	}
	_ = command.Process.Kill() // it may have ended
	<-ended
	folder := storage.NewLocal(output)
	plan, err := dataset.LoadPlan(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	done, err := plan.CountReceipts(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return done > 0 && done < n
}
