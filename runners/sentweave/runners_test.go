package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/beam"
	"sentweave/runners/beam/flink/flinktest"
	"sentweave/runners/command"
	"sentweave/schemas/storage/gcs/gcstest"
)

// clusterVariable asks for the minutes that a cluster takes.
const clusterVariable = "SENTWEAVE_TEST_CLUSTER"

// dataHalf are the steps of the recipe handbook that need no libtorch.
const dataHalf = "documents,heldout,survivors,wordcounts,vocabulary,examples,heldout-examples,pairs,pair-examples,heldout-pairs"

// The data half of the recipe handbook gives the same bytes on every runner, in a
// folder and in a bucket.
func TestHandbookOnEveryRunner(t *testing.T) {
	input, model := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176")
	if input == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_HANDBOOK or SENTWEAVE_LID176 is not set")
	}
	flinktest.Require(t)
	t.Cleanup(beam.Close)
	run := func(t *testing.T, out, steps string, flags ...string) map[string]string {
		t.Helper()
		began := time.Now()
		o := sentweave(t, append([]string{"run", "handbook", "--out", out, "--set", "input=" + input, "--set", "langid=" + model, "--only",
			steps}, flags...)...)
		if o.code != command.ExitDone {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		t.Logf("%v %v", flags, time.Since(began).Round(100*time.Millisecond))
		return digests(t, out)
	}
	want := run(t, filepath.Join(t.TempDir(), "local"), dataHalf)
	if len(want) < 50 {
		t.Fatalf("only %d files", len(want))
	}
	same := func(t *testing.T, got map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	t.Run("Flink", func(t *testing.T) {
		same(t, run(t, filepath.Join(t.TempDir(), "flink"), dataHalf, "--runner", "flink"))
	})
	t.Run("Flink with a bucket", func(t *testing.T) {
		service := gcstest.Start(t)
		// Workers have the environment with which the job server was started.
		beam.Close()
		got := run(t, service.Folder(), "heldout", "--runner", "flink") // of the other steps the disk tells
		beam.Close()
		for name, digest := range want {
			if strings.HasPrefix(name, "heldout/") && got[name] != digest {
				t.Errorf("%s has digest %q, want %s", name, got[name], digest)
			}
		}
	})
	t.Run("Flink, a cluster of two TaskManagers", func(t *testing.T) {
		if os.Getenv(clusterVariable) == "" {
			t.Skipf("skipped: $%s is not set, and a job on a cluster takes twenty seconds", clusterVariable)
		}
		cluster := flinktest.Start(t, 2)
		same(t, run(t, filepath.Join(t.TempDir(), "cluster"), dataHalf, "--runner", "flink", "--flink-master", cluster.Master))
	})
}

// What keeps a job from Flink is said in a line, before anything is written.
func TestFlinkMisuse(t *testing.T) {
	input := articles(t, 2, nothing)
	empty := t.TempDir()
	for name, test := range map[string]struct {
		environment map[string]string
		flags       []string
		code        int
		want        string
	}{
		"no such runner": {nil, []string{"--runner", "flnik"}, command.ExitUsage, `--runner must be one of "local","flink`},
		"an address": {nil, []string{"--runner", "flink", "--flink-master", "http://localhost:8081"}, command.ExitUsage,
			"is not an address: give host:port"},
		"flags of another": {nil, []string{"--flink-master", "localhost:8081", "--flexrs", "--detach"}, command.ExitUsage,
			"flink-master has no effect on the runner local: give --runner flink, too"},
		"no Java": {map[string]string{"PATH": empty, "JAVA_HOME": ""}, []string{"--runner", "flink"}, command.ExitFailed,
			"flink needs Java 11 to 21, and there is none on PATH; install"},
		"no job server": {map[string]string{"SENTWEAVE_CACHE": empty}, []string{"--runner", "flink"}, command.ExitFailed,
			"`sentweave doctor --install flink` fetches it"},
		"no cluster": {nil, []string{"--runner", "flink", "--flink-master", "localhost:1"}, command.ExitFailed,
			"connection refused; is the cluster running"},
		"no given job server": {nil, []string{"--runner", "flink", "--flink-job-endpoint", "localhost:1"}, command.ExitFailed,
			"reach the job server at localhost:1"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.code == command.ExitFailed && name != "no Java" {
				flinktest.Require(t)
			}
			for variable, value := range test.environment {
				t.Setenv(variable, value)
			}
			out := filepath.Join(t.TempDir(), "out")
			o := sentweave(t, append([]string{"corpus", "--input", input, "--out", out}, test.flags...)...)
			if o.code != test.code || !strings.Contains(o.stderr, test.want) {
				t.Errorf("exit code %d: %s", o.code, o.stderr)
			}
			if _, err := os.Stat(filepath.Join(out, "manifest.json")); err == nil {
				t.Error("there is a manifest")
			}
		})
	}
}

// The runner of a recipe is that of its pipelines, with its flags.
func TestRecipeRunner(t *testing.T) {
	o := sentweave(t, "run", "pages", "--out", t.TempDir(), "--set", "input=x", "--dry-run", "--runner", "flink", "--flink-master",
		"flink.example:8081", "--flink-set", "max_parallelism=64", "--parallelism", "3")
	o.expect(t, command.ExitFailed, []string{"--runner=flink", "--flink-master=flink.example:8081", "--flink-set=max_parallelism=64",
		"--parallelism=3"}, []string{"x does not exist"})
	for line := range strings.Lines(o.stdout) {
		if strings.Contains(line, "sentweave vocab") && strings.Contains(line, "flink") {
			t.Errorf("a stage is given a runner: %s", line)
		}
	}
}
